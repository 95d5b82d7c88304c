// A coordinator that takes requests and never answers holds up nobody who publishes, and what it did not make is made when
// it answers again. The coordinator is a small one of this process.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLake } from '../../src/lake/lake.ts';
import { createPublisher, type Publisher } from '../../src/publish/publish.ts';
import { currentSnapshot } from '../../src/snapshot/folder.ts';
import { folderStore } from '../../src/store/folder-store.ts';
import type { Pointer } from '../../src/store/pointer.ts';
import { makeDatabase, register, runImport } from '../ingest/support.ts';
import { startCoordinator } from './coordinator.ts';
import { LONG } from './support.ts';

const test = suite('publish/lake-bounds');
const root = mkdtempSync(join(tmpdir(), 'tablegate-lake-bounds-'));
test.after(() => rmSync(root, { recursive: true, force: true }));

const TABLES = ['a_1_1', 'a_1_2', 'a_1_3', 'a_1_4', 'a_1_5', 'a_1_6', 'a_1_7', 'a_1_8'];

test('a frozen coordinator holds up nothing; what it answers then is made four at a time, and what was made stays', async () => {
  const trino = await startCoordinator();
  const [folder, data, store] = ['lake', 'data', 'store'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(folder);
  const source = makeDatabase(join(root, 'source.db'), (database) => {
    for (const name of TABLES) {
      database.exec(`create table ${name} (n integer primary key);
        with recursive s(i) as (select 1 union all select i + 1 from s where i < 200) insert into ${name} select i from s`);
      register(database, name);
    }
  });
  const imported = await runImport(source, '--data', data, '--columnar-rows', '100');
  assert.is(imported.code, 0, imported.err);
  const snapshot = await currentSnapshot(data);
  const { signal } = new AbortController();
  const publisherOf = (withinMs: number): Publisher =>
    createPublisher({
      ...{ store: folderStore(store), data, keep: 1, activeInMs: 0, key: undefined, signal },
      publisher: 'machine',
      lake: createLake({
        ...{ folder, signal, withinMs, graceMs: 0, memoryBytes: 256 * 1024 * 1024 },
        to: { url: trino.url, user: 'publisher', password: '' },
      }),
    });
  const pointer = (): Pointer => JSON.parse(readFileSync(join(store, 'current.json'), 'utf8')) as Pointer;
  const creates = (): number => trino.asked.filter((sql) => sql.startsWith('CREATE TABLE ')).length;
  try {
    // Who is told to put it there later asks nothing.
    const hasty = publisherOf(100);
    const later = await hasty.publish(snapshot, true);
    assert.equal([later.outcome, later.lakeTables, later.warning], ['published', undefined, undefined]);
    assert.equal(trino.asked, []);
    rmSync(join(store, 'current.json'));

    trino.isSilent = () => true;
    const frozen = await hasty.publish(snapshot);
    assert.equal([frozen.outcome, frozen.lakeTables], ['published', undefined]);
    assert.is(
      frozen.warning,
      `the tables of ${snapshot.id} are not in the lake: Trino was not done within 0.1 s`,
    );
    assert.is(pointer().lake, undefined);
    assert.ok(
      trino.asked.every((sql) => sql.startsWith('CREATE SCHEMA ')),
      'nothing more is asked',
    );

    // Those before the last four are there when the last one begins.
    trino.isSilent = () => false;
    trino.isWrong = (sql) => sql.startsWith('CREATE TABLE ') && sql.includes('"a_1_8"');
    const patient = publisherOf(LONG);
    const failed = await patient.publish(snapshot);
    assert.equal([failed.outcome, failed.lakeTables], ['current', undefined]);
    assert.match(failed.warning ?? '', /are not in the lake: NO_LUCK: not now$/);
    trino.isWrong = () => false;
    const before = creates();
    const last = await patient.publish(snapshot);
    assert.equal([last.outcome, last.lakeTables, last.warning], ['published', TABLES.length, undefined]);
    assert.equal([...(trino.schemas.get(pointer().lake?.schema ?? '') ?? [])].sort(), TABLES);
    assert.ok(creates() - before <= 4, 'those that were made are not made again');

    // Anew, with as many at once as there may be: with fewer nothing would ever be answered.
    rmSync(join(store, 'current.json'));
    trino.together = 4;
    const together = await publisherOf(LONG).publish(snapshot);
    assert.is(together.lakeTables, TABLES.length);
    assert.is(trino.most, 4);
  } finally {
    trino.stop();
  }
});

test.run();
