// Several stores over one lake: what one of them has stays, whoever publishes to the others. The coordinator is a small one
// of this process.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLake } from '../../src/lake/lake.ts';
import { createPublisher, type Published, type Publisher } from '../../src/publish/publish.ts';
import { currentSnapshot } from '../../src/snapshot/folder.ts';
import { folderStore } from '../../src/store/folder-store.ts';
import { runImport } from '../ingest/support.ts';
import { startCoordinator } from './coordinator.ts';
import { LONG, makeSource, write } from './support.ts';

const test = suite('publish/lake-stores');
const root = mkdtempSync(join(tmpdir(), 'tablegate-lake-stores-'));
test.after(() => rmSync(root, { recursive: true, force: true }));

const MIB = 1024 * 1024;

test('two publishers to two stores over one lake keep what the other has, of the same snapshot too', async () => {
  const trino = await startCoordinator();
  const { signal } = new AbortController();
  const folder = join(root, 'lake');
  const data = join(root, 'data');
  const source = makeSource(join(root, 'source.db'), 500);
  mkdirSync(folder);
  /** The publisher of a store that keeps one snapshot, whose lake drops what it has not at once. */
  const publisherOf = (name: string): Publisher =>
    createPublisher({
      ...{ store: folderStore(join(root, name)), data, keep: 1, activeInMs: 0, key: undefined, signal },
      publisher: 'machine',
      lake: createLake({
        ...{ folder, signal, graceMs: 0, withinMs: LONG, memoryBytes: 256 * MIB },
        to: { url: trino.url, user: 'publisher', password: '' },
      }),
    });
  const [one, two] = [publisherOf('one'), publisherOf('two')];
  const outcome = async (publishing: Promise<Published>): Promise<string> => {
    const { outcome, lakeTables, warning } = await publishing;
    assert.is(warning, undefined);
    return `${outcome} ${lakeTables}`;
  };
  const imported = async () => {
    const ran = await runImport(source, '--data', data, '--columnar-rows', '100');
    assert.is(ran.code, 0, ran.err);
    return currentSnapshot(data);
  };
  const schemas = (): readonly string[] => [...trino.schemas.keys()].sort();
  const records = (): readonly string[] =>
    readdirSync(join(folder, 'snapshots'))
      .map((name) => name.split('.')[0] ?? '')
      .sort();
  const files = (): number => readdirSync(join(folder, 'files')).length;
  const schemaOf = (id: string): string => `s${id.replace('-', '_')}`;
  try {
    const old = await imported();
    assert.is(await outcome(one.publish(old)), 'published 1');
    assert.is(await outcome(two.publish(old)), 'published 1');
    assert.equal(records(), [old.id, old.id]);
    write(source, `update t_1_1 set s = 'new' where n = 1`);
    const next = await imported();
    assert.is.not(next.id, old.id);

    assert.is(await outcome(one.publish(next)), 'published 1');
    assert.equal(schemas(), [schemaOf(old.id), schemaOf(next.id)]);
    assert.equal([...(trino.schemas.get(schemaOf(old.id)) ?? [])], ['t_1_1']);
    assert.equal(records(), [old.id, next.id]);
    assert.is(files(), 2);

    // What two has alone, one keeps: another snapshot comes to it, and what it had before goes.
    write(source, `update t_1_1 set s = 'newest' where n = 1`);
    const last = await imported();
    assert.is(await outcome(one.publish(last)), 'published 1');
    assert.equal(schemas(), [schemaOf(old.id), schemaOf(last.id)]);
    assert.is(await outcome(two.publish(last)), 'published 1');
    assert.equal(schemas(), [schemaOf(last.id)]);
    assert.equal(records(), [last.id, last.id]);
    assert.is(files(), 1);

    // A record that is lost with what it names is made again, and the pointer stays.
    assert.is(await outcome(two.publish(last)), 'current 1');
    rmSync(join(folder, 'snapshots'), { recursive: true });
    rmSync(join(folder, 'files'), { recursive: true });
    assert.is(await outcome(two.publish(last)), 'current 1');
    assert.equal(records(), [last.id]);
    assert.is(files(), 1);
    // Who is started anew has the same name there.
    assert.is(await outcome(publisherOf('one').publish(last)), 'current 1');
    assert.equal(records(), [last.id, last.id]);
  } finally {
    trino.stop();
  }
});

test.run();
