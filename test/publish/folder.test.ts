// Publishing to a folder and pulling from it: what replicas serve, what is sent, what is kept, and going back.

import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { namesIn } from '../../src/publish/clean.ts';
import { PART_BYTES } from '../../src/snapshot/file-parts.ts';
import { listSnapshots } from '../../src/snapshot/folder.ts';
import type { Pointer } from '../../src/store/pointer.ts';
import { until } from '../lane/support.ts';
import { runImport } from '../support/import.ts';
import {
  LONG,
  makeSource,
  type Replica,
  startProcess,
  startReplica,
  storeIn,
  tablegate,
  write,
} from './support.ts';

const test = suite('publish/folder');
const root = mkdtempSync(join(tmpdir(), 'tablegate-publish-'));
test.after(() => rmSync(root, { recursive: true, force: true }));

function pointerOf(store: string): Pointer {
  return JSON.parse(readFileSync(join(store, 'current.json'), 'utf8')) as Pointer;
}

/** As a store does it: nobody reads half of it. */
function putPointer(store: string, text: string): void {
  writeFileSync(join(store, '.new'), text);
  renameSync(join(store, '.new'), join(store, 'current.json'));
}

/** The parts that the snapshots of a pointer are made of, their lists included. */
function partsOf(store: string): ReadonlySet<string> {
  const { parts, before } = pointerOf(store);
  const lists = [parts, ...before.map((each) => each.parts)].map(({ sha256 }) => sha256);
  return new Set(lists.flatMap((list) => [list, ...namesIn(readFileSync(join(store, 'parts', list)))]));
}

test('replicas serve what a publisher follows: same ids, tags and bytes; a changed row sends some parts; old parts go; going back goes everywhere', async () => {
  const source = makeSource(join(root, 'all.db'));
  const { data, store } = storeIn(root, 'all');
  const follow = ['follow', source, '--data', data, '--every', '100ms', '--watch-every', '100ms'];
  const publisher = startProcess([
    ...follow,
    '--publish',
    store,
    '--publish-keep',
    '2',
    '--active-in',
    '50ms',
  ]);
  const replicas: Replica[] = [];
  const allShow = (statement: string, value: unknown): Promise<void> =>
    until(async () => {
      for (const replica of replicas) if ((await replica.value(statement)) !== value) return false;
      return true;
    }, LONG);
  try {
    // They may be there before anything is published.
    replicas.push(
      ...(await Promise.all(['one', 'two'].map((name) => startReplica(join(root, name), store)))),
    );
    const first = (await listSnapshots(data))[0]?.id ?? '';
    const whole = replicas[0]?.of('snapshot-pulled')[0];
    assert.is(whole?.id, first);
    assert.ok((whole?.receivedParts ?? 0) > 30, `${whole?.receivedParts} parts`);
    const { activeAt, created } = pointerOf(store);
    assert.is(Date.parse(activeAt ?? '') - Date.parse(created), 50);
    const activation = join(root, 'one', 'snapshots', first, 'activation.json');
    assert.equal(JSON.parse(readFileSync(activation, 'utf8')), { activeAt });

    write(source, "update t_1_1 set s = 'changed' where n = 100000");
    await allShow('select s from t_1_1 where n = 100000', 'changed');
    const second = (await listSnapshots(data))[0]?.id ?? '';
    const answers = await Promise.all(
      replicas.map((each) => each.query('select sum(n) as a, count(*) as b, max(s) as c from t_1_1')),
    );
    const [a, b] = await Promise.all(answers.map((each) => each.text()));
    assert.is(a, b);
    const [tagA, tagB] = answers.map((each) => each.headers.get('etag'));
    assert.is(tagA, tagB);
    assert.match(answers[1]?.headers.get('tablegate-snapshot') ?? '', second);
    const part = replicas[0]?.of('snapshot-pulled').at(-1);
    assert.ok((part?.receivedParts ?? 99) <= 16, `${part?.receivedParts} parts`);
    assert.ok((part?.receivedBytes ?? 0) < (part?.bytes ?? 0) / 3, JSON.stringify(part));
    assert.match(
      publisher.log,
      new RegExp(`published snapshot ${second} to ${store} in \\d+ ms: \\d+ parts`),
    );

    for (const n of [2, 3, 4]) {
      write(source, `insert into u_1_2 values (${n})`);
      await allShow('select max(n) from u_1_2', n);
    }
    assert.is(pointerOf(store).before.length, 1);
    await until(() => readdirSync(join(store, 'parts')).length === partsOf(store).size, LONG);
    assert.equal(new Set(readdirSync(join(store, 'parts'))), partsOf(store), 'those of the last two');

    const back = (await listSnapshots(data))[1]?.id ?? '';
    assert.is((await tablegate(['rollback', back, '--data', data])).code, 0);
    await allShow('select max(n) from u_1_2', 3);
    assert.is(pointerOf(store).id, back);
    assert.is(replicas[0]?.of('snapshot-pulled').at(-1)?.receivedParts, 0, 'it was here still');
    write(source, 'insert into u_1_2 values (5)');
    await until(async () => (await listSnapshots(data))[0]?.id !== undefined, LONG);
    assert.is((await tablegate(['rollback', 'latest', '--data', data])).code, 0);
    await allShow('select max(n) from u_1_2', 5);
  } finally {
    await Promise.all([publisher.end('SIGTERM'), ...replicas.map((each) => each.stop())]);
  }
  assert.equal(
    readdirSync(join(root, 'one', 'snapshots')).filter((name) => name.startsWith('.') && name !== '.pulled'),
    [],
    'nothing is left but snapshots and what was pulled',
  );
});

test('a pointer that is older than what was pulled is refused with one line; so is one of another key', async () => {
  const source = makeSource(join(root, 'old.db'), 1_000);
  const { data, store } = storeIn(root, 'old');
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const secret = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const pem = join(root, 'public.pem');
  writeFileSync(pem, publicKey.export({ type: 'spki', format: 'pem' }).toString());
  const publish = async (): Promise<void> => {
    const done = await tablegate(['publish', data, store], { TABLEGATE_PUBLISH_KEY: secret });
    assert.is(done.code, 0, done.err);
    assert.match(done.out, /^published 00000\d-[0-9a-f]{6} to /);
  };
  runImport(source, data);
  await publish();
  const read = (): string => readFileSync(join(store, 'current.json'), 'utf8');
  const first = read();
  const replica = await startReplica(join(root, 'old-one'), store, '--pull-key', pem);
  try {
    write(source, 'insert into u_1_2 values (2)');
    runImport(source, data);
    await publish();
    const second = read();
    await until(async () => (await replica.value('select max(n) from u_1_2')) === 2, LONG);
    const failures = (): readonly string[] =>
      replica
        .of('pull-failed')
        .filter(({ isNews }) => isNews)
        .map(({ why }) => why);
    const sequence = (text: string): number => (JSON.parse(text) as Pointer).sequence;
    putPointer(store, first);
    await until(() => replica.of('pull-failed').length >= 3, LONG);
    const { id } = JSON.parse(first) as Pointer;
    assert.equal(failures(), [
      `the pointer in ${store} is older than what was pulled from there (sequence ${sequence(first)}, ${id}, after ${sequence(second)}): it is not followed`,
    ]);
    assert.is(await replica.value('select max(n) from u_1_2'), 2);
    assert.is((await fetch(`${replica.url}/health`)).status, 200);
    await until(
      async () => (await fetch(`${replica.url}/health`)).headers.get('tablegate-follow') === 'failed',
      LONG,
    );

    putPointer(
      store,
      second.replace(/"signature":"./, (text) => `${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`),
    );
    await until(() => failures().length === 2, LONG);
    putPointer(store, second.replace(/,"signature".*"/, ''));
    await until(() => failures().length === 3, LONG);
    assert.equal(failures().slice(1), [
      `the pointer in ${store} is not signed by the key of this replica`,
      `the pointer in ${store} is not signed`,
    ]);
    putPointer(store, second);
    await until(
      async () => (await fetch(`${replica.url}/health`)).headers.get('tablegate-follow') === 'current',
      LONG,
    );
  } finally {
    await replica.stop();
  }
});

test('of two publishers that publish to one folder, one is told so and stands by, and takes over when the other is silent', async () => {
  const { store } = storeIn(root, 'two');
  const one = makeSource(join(root, 'two-one.db'), 1_000);
  const two = makeSource(join(root, 'two-two.db'), 1_000);
  const args = (source: string, name: string): readonly string[] => [
    ...['follow', source, '--data', join(root, `two-${name}`), '--every', '100ms', '--watch-every', '100ms'],
    ...['--publish', store, '--publish-standby', '2s'],
  ];
  const first = startProcess(args(one, 'one'));
  let second: ReturnType<typeof startProcess> | undefined;
  try {
    await until(() => /published snapshot/.test(first.log), LONG);
    const { publisher } = pointerOf(store);
    second = startProcess(args(two, 'two'));
    await until(() => /another publisher publishes to .*; standing by/.test(second?.log ?? ''), LONG);
    assert.is(pointerOf(store).publisher, publisher);
    await first.end('SIGKILL');
    await until(() => pointerOf(store).publisher !== publisher, LONG);
    await until(() => /taking over .*two-store/.test(second?.log ?? ''), LONG);
  } finally {
    await Promise.all([first.end('SIGKILL'), second?.end('SIGTERM')]);
  }
});

test('what cannot be published is said, and so is what a place must be', async () => {
  const { data, store } = storeIn(root, 'bad');
  const empty = await tablegate(['publish', data, store]);
  assert.is(empty.code, 2);
  assert.match(empty.err, /there is no data folder/);
  for (const [place, why] of [
    ['ftp://x/y', 'TARGET must be a folder, http(s)://HOST/PATH or s3://BUCKET/PREFIX, not "ftp://x/y"'],
    ['https://me:secret@x/y', 'without a name or a password in it'],
    ['s3://A/b', 'and BUCKET the name of one'],
  ] as const) {
    const { code, err } = await tablegate(['publish', data, place]);
    assert.is(code, 2, place);
    assert.ok(err.includes(why.replace('TARGET', '--publish')), err);
  }
  runImport(makeSource(join(root, 'bad.db'), 10), data);
  writeFileSync(join(root, 'file'), '');
  const { code, err } = await tablegate(['publish', data, join(root, 'file')]);
  assert.is(code, 1);
  assert.match(err, /^tablegate: .*ENOTDIR/);
  assert.ok(PART_BYTES > 4096);
});

test.run();
