// Which stores a process has open: one in use, one that is warm, and nothing else for long, in memory neither.
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createOpenStores, type OpenStores } from '../../src/rowstore/open-stores.ts';
import { openStore, type RowStore } from '../../src/rowstore/store.ts';
import { until } from '../lane/support.ts';
import { openTestStore, storeOptions, type TestStore } from './support.ts';

let given: TestStore;
test.before(async () => {
  given = await openTestStore();
});
test.after(() => given.close());

const KEPT_MS = 20;
const VERSIONS = new Map([
  ['rigs_1_2', 'x'],
  ['big_1_5', 'y'],
]);

function open(stores: OpenStores, id: string, versions = VERSIONS): RowStore {
  const store = openStore({ id, path: given.path }, { ...storeOptions(), proven: false });
  stores.add(store, versions);
  return store;
}

/** Tables that the warm store has as the snapshot has them. */
const same = (stores: OpenStores, id: string): readonly string[] =>
  [...VERSIONS.keys(), 'nobody_1_9'].filter((table) => stores.warm(id)?.isSame(table));

test('is warm where it was, goes back to it, and moves on when its time is over', async () => {
  const stores = createOpenStores(KEPT_MS);
  const one = open(stores, 'one');
  stores.use('one');
  assert.is(stores.warm('one'), undefined);
  open(stores, 'two', new Map([...VERSIONS, ['big_1_5', 'z']]));
  assert.is(stores.warm('two')?.store, one, 'before it is in use');
  stores.use('two');
  assert.equal(same(stores, 'two'), ['rigs_1_2']);
  assert.is(stores.warm('one'), undefined, 'it is that one itself');
  // Somebody rolled back.
  stores.use('one');
  assert.is(stores.get('two'), undefined);
  assert.is(stores.warm('one'), undefined);
  await pause(3 * KEPT_MS);
  assert.is(stores.get('one'), one, 'no timer is left that closes it');
  const three = open(stores, 'three');
  stores.use('three');
  assert.is(same(stores, 'three').length, 2);
  await until(() => stores.get('one') === undefined);
  assert.is(stores.get('three'), three);
  assert.is(stores.warm('three'), undefined);
  stores.close();
});

test('has nothing where the snapshot in use could not be opened, and begins anew with the next', () => {
  const stores = createOpenStores(KEPT_MS);
  open(stores, 'one');
  stores.use('one');
  stores.use('too large');
  assert.is(stores.get('too large'), undefined);
  assert.is(stores.get('one'), undefined);
  open(stores, 'three');
  stores.use('three');
  assert.is(stores.warm('three'), undefined);
  stores.close();
});

test('one that is not opened at once is compared, and opened when the warm one has been replaced for long', async () => {
  const stores = createOpenStores(1_000_000, KEPT_MS);
  assert.is(stores.isWarm, false);
  const one = open(stores, 'one');
  stores.use('one');
  assert.is(stores.isWarm, true);
  let opened = 0;
  const add = (id: string, works = true): void =>
    stores.addUnopened(id, new Map([...VERSIONS, ['big_1_5', id]]), () => {
      opened += 1;
      return works ? openStore({ id, path: given.path }, { ...storeOptions(), proven: false }) : undefined;
    });
  for (const id of ['two', 'three']) {
    add(id);
    stores.use(id);
    assert.is(stores.has(id), true);
    assert.is(stores.get(id), undefined);
    assert.is(stores.warm(id)?.store, one);
    assert.equal(same(stores, id), ['rigs_1_2']);
  }
  assert.is(stores.has('two'), false);
  assert.is(opened, 0);
  await until(() => stores.get('three') !== undefined);
  assert.is(stores.get('one'), undefined);
  assert.is(stores.warm('three'), undefined, 'it is that one itself');
  assert.is(stores.isWarm, true);
  // One that cannot be opened is tried again each time, and what is warm stays so.
  const three = stores.get('three');
  add('four', false);
  stores.use('four');
  await until(() => opened > 3);
  assert.is(stores.get('four'), undefined);
  assert.is(stores.warm('four')?.store, three);
  assert.equal(same(stores, 'four'), ['rigs_1_2']);
  add('five');
  stores.use('five');
  await until(() => stores.get('five') !== undefined);
  assert.is(stores.get('three'), undefined);
  stores.close();
});

test('keeps nothing in memory of what was let go', async () => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  const stores = createOpenStores(KEPT_MS);
  const seen: WeakRef<RowStore>[] = [];
  for (let i = 0; i < 6; i++) {
    seen.push(new WeakRef(open(stores, `${i}`)));
    stores.use(`${i}`);
    assert.is(stores.warm(`${i}`) === undefined, i === 0);
    if (i > 0) await until(() => stores.get(`${i - 1}`) === undefined);
  }
  await until(async () => {
    await pause(1);
    gc();
    return seen.filter((each) => each.deref() !== undefined).length <= 1;
  });
  stores.close();
});

test.run();
