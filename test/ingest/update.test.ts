// `import --update` imports only what changed. Whatever changed, the snapshot has what a whole import makes: the same
// rows in the same order, the same metadata.
import { randomInt } from 'node:crypto';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readLeaves } from '../../src/ingest/sqlite-leaves.ts';
import { openSqlite, type SqliteSource } from '../../src/ingest/sqlite-open.ts';
import { listTables } from '../../src/ingest/sqlite-tables.ts';
import { digestOfFile } from '../../src/snapshot/file-parts.ts';
import { currentSnapshot } from '../../src/snapshot/folder.ts';
import { columnsPath, FORMAT_VERSION } from '../../src/snapshot/layout.ts';
import { readManifest } from '../../src/snapshot/manifest.ts';
import { makeFormat3 } from '../support/format-3.ts';
import { times } from '../support/ring.ts';
import { ask, askRows, askSources, makeDatabase, register, runImport, scratch } from './support.ts';

const test = suite('update');
const files = scratch();
test.after(() => files.remove());

/** The same in every run, but for `TEST_SEED=new`. */
const GIVEN = process.env['TEST_SEED'] ?? '464494214';
const seed = GIVEN === 'new' ? randomInt(2 ** 31) : Number(GIVEN);
process.stdout.write(`seed ${seed}\n`);
/** Deterministic for a seed (mulberry32). */
function generator(start: number): (below: number) => number {
  let state = start;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Some tables pass this bound to and fro. */
const COLUMNAR = ['--columnar-rows', '3000'];
process.env['TABLEGATE_INDEX_ROWS'] = '12000';

/** Of rows.sqlite, but for the versions of tables. */
async function rowContents(data: string): Promise<unknown> {
  const made = await askRows(data, 'select type, name, tbl_name, sql from sqlite_schema order by type, name');
  const tables = await askRows(
    data,
    'select name, rowid_column, rowid_hidden from tablegate_tables order by 1',
  );
  const rows: Record<string, unknown> = {};
  for (const [name, rowid, hidden] of tables)
    rows[String(name)] = await askRows(
      data,
      `select ${rowid !== null && hidden === 1n ? 'rowid, ' : ''}* from "${name}" not indexed`,
    );
  const [[checked] = []] = await askRows(data, 'pragma integrity_check');
  return {
    made,
    rows,
    checked,
    tables: (await askRows(data, 'select * from tablegate_tables order by name')).map((row) =>
      row.toSpliced(7, 1),
    ),
    // Without facts: of rows that went, an update may know less than a whole import.
    columns: (await askRows(data, 'select * from tablegate_columns order by 1, 2')).map((row) =>
      row.slice(0, -1),
    ),
    sources: await askSources(data),
    blocks: await askRows(data, 'select * from tablegate_blocks order by 1'),
  };
}

/** Of columns.duckdb. */
async function contents(data: string): Promise<unknown> {
  const names = (await ask(data, 'select table_name from duckdb_tables() order by 1')).flat() as string[];
  const rows: Record<string, unknown> = {};
  // In the order in which they stand in the file, as the gateway reads them.
  for (const name of names) rows[name] = await ask(data, `from main."${name}"`);
  const columns = await ask(
    data,
    'select table_name, column_name, data_type from duckdb_columns() where not internal order by all',
  );
  return { rows, columns };
}

/** One update, compared with a whole import of the same source. */
/** @returns what the update said */
async function sameAsWhole(source: string, data: string, note: string): Promise<string> {
  const updated = await runImport(source, '--data', data, '--update', ...COLUMNAR);
  assert.is(updated.code, 0, `${note}: ${updated.err}`);
  const whole = files.path('whole');
  const ran = await runImport(source, '--data', whole, '--replace', ...COLUMNAR);
  assert.is(ran.code, 0, ran.err);
  assert.equal(await contents(data), await contents(whole), note);
  assert.equal(await rowContents(data), await rowContents(whole), note);
  return updated.out;
}

function fill(database: DatabaseSyncInstance): void {
  database.exec(`create table keyed_1_1 (id integer primary key, a text, b int, c blob) strict;
    create table plain_1_2 (a text unique, b int) strict;
    create table empty_1_3 (a int) strict;
    create table system_notes (k text primary key, v) without rowid;
    create table system_mixed (a, b);
    with recursive s(i) as (select 1 union all select i + 1 from s where i < 12000)
      insert into keyed_1_1 select i * 10, 'text ' || i, i % 7, case when i % 5 = 0 then randomblob(20) end from s;
    with recursive s(i) as (select 1 union all select i + 1 from s where i < 3000)
      insert into plain_1_2 select 'key ' || i, i from s;
    insert into system_mixed values (1, 'x'), (2, 'y'); insert into system_notes values ('a', 1), ('b', 'two');
    insert into system_txn_processor values (1, 10)`);
  for (const name of ['keyed_1_1', 'plain_1_2', 'empty_1_3']) register(database, name);
}

/** Says that the tables to be looked at were told by the source's log. */
const BY_LOG = ', as its log says';

type Change = (below: (n: number) => number) => string;
const text = (n: number): string => `'${'long text '.repeat(n)}'`;
const CHANGES: readonly Change[] = [
  (r) => `insert into keyed_1_1 (a, b) values ('new ${r(1e6)}', ${r(9)})`,
  (r) => `update keyed_1_1 set b = ${r(1e6)} where id = ${10 * (1 + r(12000))}`,
  (r) => `update keyed_1_1 set a = ${text(r(2000))} where id = ${10 * (1 + r(12000))}`,
  // Of the same length: the row's page keeps its bytes, only one that it overflows to changes.
  (r) => `update keyed_1_1 set a = 'same' || ${text(900)} || ${100 + r(900)} where id = 500`,
  (r) => `delete from keyed_1_1 where id between ${r(120000)} and ${r(120000)} and id % 3 = 0 and id < 4000`,
  (r) => `insert or ignore into keyed_1_1 (id, a) values (${r(120000)}, 'in the middle')`,
  (r) => `update or ignore plain_1_2 set a = 'changed ${r(1e6)}' where b = ${r(3000)}`,
  (r) => `insert or ignore into plain_1_2 values ('more ${r(1e6)}', ${r(9)})`,
  (r) => `delete from plain_1_2 where rowid = ${r(3000)}`,
  () => 'delete from plain_1_2 where rowid = (select max(rowid) from plain_1_2)',
  (r) => `insert into empty_1_3 values (${r(9)})`,
  () => 'delete from empty_1_3',
  (r) => `insert or replace into system_notes values ('k${r(5)}', ${r(2) === 0 ? r(9) : "'text'"})`,
  (r) => `insert into system_mixed values (${['1', "'t'", '1.5', "x'00'", 'null'][r(5)]}, ${r(9)})`,
  (r) => `delete from system_mixed where rowid % ${2 + r(5)} = 0`,
  () => 'update system_txn_processor set block_number = block_number + 1',
  (r) => `update keyed_1_1 set b = b + 1 where id % ${2 + r(900)} = 0`,
  () => 'update or ignore keyed_1_1 set id = id + 1000000 where id = (select min(id) from keyed_1_1)',
  () =>
    "insert or ignore into keyed_1_1 (id, a) values (-9223372036854775808, 'lowest'), (9007199254740993, 'large')",
];

test('random changes, a few at a time, give what a whole import gives', async () => {
  const source = makeDatabase(files.path('random.db'), (database) => {
    database.exec('pragma journal_mode=wal');
    fill(database);
  });
  const data = files.path('random');
  await sameAsWhole(source, data, 'the first');
  const below = generator(seed);
  const writer = new DatabaseSync(source);
  let byLog = 0;
  try {
    for (let round = 0; round < times(3, 12); round++) {
      const done: string[] = [];
      for (let i = 0; i <= below(4); i++) {
        const sql = (CHANGES[below(CHANGES.length)] as Change)(below);
        done.push(sql.slice(0, 100));
        writer.exec(sql);
      }
      if (below(4) === 0) writer.exec('pragma wal_checkpoint(truncate)');
      const out = await sameAsWhole(source, data, `seed ${seed}, round ${round}: ${done.join('; ')}`);
      if (out.includes(BY_LOG)) byLog++;
    }
  } finally {
    writer.close();
  }
  assert.ok(byLog > 0 || GIVEN === 'new', 'no update went by the log');
});

test('tables that come, go, or change their columns are noticed', async () => {
  const source = makeDatabase(files.path('shapes.db'), fill);
  const data = files.path('shapes');
  await sameAsWhole(source, data, 'the first');
  const steps = [
    "create table late_1_9 (x int) strict; insert into late_1_9 values (1); insert into registry (id, structure, controller, prefix, chain_id) values (9, 's', 'c', 'late', 1)",
    "alter table late_1_9 add column y text default 'd'",
    'alter table late_1_9 rename column x to z',
    'update registry set created_at = 77 where id = 9',
    'delete from registry where id = 9',
    'drop table plain_1_2; create table plain_1_2 (a text unique, b int) strict',
    'vacuum',
    'pragma page_size=8192; vacuum',
  ];
  for (const step of steps) {
    const database = new DatabaseSync(source);
    database.exec(step);
    database.close();
    await sameAsWhole(source, data, step);
  }
});

test('where nothing changed nothing is published', async () => {
  const source = makeDatabase(files.path('still.db'), fill);
  const data = files.path('still');
  assert.is((await runImport(source, '--data', data)).code, 0);
  const before = await currentSnapshot(data);
  const writer = new DatabaseSync(source);
  writer.exec('pragma journal_mode=wal; update keyed_1_1 set b = b where id < 500; pragma wal_checkpoint');
  writer.close();
  const ran = await runImport(source, '--data', data, '--update');
  assert.is(ran.code, 0, ran.err);
  assert.match(ran.out, /^unchanged/);
  assert.equal(await currentSnapshot(data), before);
  assert.equal(readdirSync(files.path('still/snapshots')), [before.id]);
});

test('a change that no receipt and no block tells of is seen', async () => {
  const source = makeDatabase(files.path('silent.db'), fill);
  const data = files.path('silent');
  assert.is((await runImport(source, '--data', data)).code, 0);
  const writer = new DatabaseSync(source);
  writer.exec("update plain_1_2 set b = 4242 where a = 'key 1500'");
  writer.close();
  assert.match((await runImport(source, '--data', data, '--update')).out, /^snapshot 000002-/m);
  assert.equal(await ask(data, "select b from plain_1_2 where a = 'key 1500'"), [['4242']]);
});

test('pages are read as the transaction sees them, whatever is written and checkpointed after it began', async () => {
  const source = makeDatabase(files.path('held.db'), (database) => {
    database.exec('pragma journal_mode=wal');
    fill(database);
  });
  const writer = new DatabaseSync(source);
  writer.exec('update keyed_1_1 set b = 1 where id = 10');
  const digests = (opened: SqliteSource): string => {
    const pages = opened.pages();
    assert.ok(pages !== undefined);
    return listTables(opened.database, source)
      .tables.map(({ root }) => readLeaves(pages, root).toString('hex'))
      .join();
  };
  const never = new AbortController().signal;
  const first = await openSqlite(source, files.path('held-scratch'), never);
  try {
    const before = digests(first);
    writer.exec("update keyed_1_1 set b = b + 5; insert into plain_1_2 values ('later', 1)");
    assert.is(digests(first), before);
    writer.exec('pragma wal_checkpoint(passive)');
    assert.is(digests(first), before);
    const second = await openSqlite(source, files.path('held-scratch'), never);
    try {
      assert.is.not(digests(second), before);
    } finally {
      await second.close();
    }
    assert.is(digests(first), before);
  } finally {
    await first.close();
    writer.close();
  }
});

test('a table that was added from a file stays when the source is updated', async () => {
  const source = makeDatabase(files.path('with.db'), fill);
  const data = files.path('with');
  assert.is((await runImport(source, '--data', data)).code, 0);
  const { writeFileSync } = await import('node:fs');
  writeFileSync(files.path('added.csv'), 'a,b\n1,2\n');
  assert.is((await runImport(files.path('added.csv'), '--table', 'added_1_77', '--data', data)).code, 0);
  const writer = new DatabaseSync(source);
  writer.exec('insert into empty_1_3 values (5)');
  writer.close();
  assert.is((await runImport(source, '--data', data, '--update')).code, 0);
  assert.equal(await ask(data, 'select (select a from empty_1_3), (select b from added_1_77)'), [['5', '2']]);
});

test('an update goes on from a snapshot of format 3, and keeps what came from elsewhere', async () => {
  const source = makeDatabase(files.path('format-3.db'), (database) => {
    database.exec('create table t_1_1 (n integer primary key, s text) strict');
    database.exec("insert into t_1_1 values (1, 'one'), (2, 'two')");
    register(database, 't_1_1');
  });
  const data = files.path('format-3');
  const to = ['--data', data, '--columnar-rows', '2'];
  assert.is((await runImport(source, ...to)).code, 0);
  writeFileSync(files.path('mine.csv'), 'a,b\n1,x\n2,y\n');
  assert.is((await runImport(files.path('mine.csv'), '--table', 'mine_1_99', ...to)).code, 0);
  makeFormat3((await currentSnapshot(data)).path);
  const writer = new DatabaseSync(source);
  writer.exec("update t_1_1 set s = 'changed' where n = 2");
  writer.close();
  const ran = await runImport(source, '--update', ...to);
  assert.is(ran.code, 0, ran.err);
  assert.match(ran.out, /^changed t_1_1: /m);
  const { path } = await currentSnapshot(data);
  const { formatVersion, files: entries } = await readManifest(path);
  assert.is(formatVersion, FORMAT_VERSION);
  for (const [name, { sha256 }] of Object.entries(entries))
    assert.is(await digestOfFile(join(path, name), FORMAT_VERSION), sha256, name);
  assert.equal(Object.keys(entries).sort(), ['columns.duckdb', 'rows.sqlite', 'sources.sqlite']);
  assert.equal(await askRows(data, 'select s from t_1_1'), [['one'], ['changed']]);
  assert.equal(await askRows(data, 'select b from mine_1_99'), [['x'], ['y']]);
  // Where no large table changes, its file is the one of before: its digest is another one all the same.
  makeFormat3(path);
  const writer2 = new DatabaseSync(source);
  writer2.exec('insert into system_txn_processor values (1, 7)');
  writer2.close();
  assert.is((await runImport(source, '--update', ...to)).code, 0);
  const next = await currentSnapshot(data);
  assert.is.not(next.path, path);
  assert.is(statSync(columnsPath(next.path)).ino, statSync(columnsPath(path)).ino);
  for (const [name, { sha256 }] of Object.entries((await readManifest(next.path)).files))
    assert.is(await digestOfFile(join(next.path, name), FORMAT_VERSION), sha256, name);
});

test.run();
