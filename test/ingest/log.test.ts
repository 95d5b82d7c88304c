// Updates by the log of a database in use: what was written leads to the tables that are looked at. Whatever the log
// cannot say is found the long way, and the snapshot is that of a whole import, in each of its files.
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lookAtSource } from '../../src/ingest/look-at-source.ts';
import { openSourceRecords } from '../../src/ingest/source-records.ts';
import { digestOfParts, PART_BYTES, readParts } from '../../src/snapshot/file-parts.ts';
import { currentSnapshot } from '../../src/snapshot/folder.ts';
import { manifestPath, ROWS, rowsPath, SOURCES, sourcesPath } from '../../src/snapshot/layout.ts';
import { describeFile, readManifest } from '../../src/snapshot/manifest.ts';
import { askRows, makeDatabase, REGISTRY, register, runImport, scratch } from './support.ts';

const test = suite('ingest/log');
const files = scratch();
test.after(() => files.remove());

const TABLES = 200;
/** None is kept as columns, and those of 64 rows and more have indexes of our own. */
const SMALL = ['--columnar-rows', '1000000'];
process.env['TABLEGATE_INDEX_ROWS'] = '12000';

const nameOf = (number: number): string => `things_1_${number}`;

function open(path: string): DatabaseSyncInstance {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  database.exec('pragma journal_mode=wal; pragma wal_autocheckpoint=0');
  return database;
}

/** Entries of the schema that fill pages, and some that go on in others; a table with a sequence, one without rowids. */
function source(name: string): string {
  return makeDatabase(files.path(name), (database) => {
    database.exec('begin');
    for (let number = 1; number <= TABLES; number++) {
      const more =
        number % 50 === 0
          ? `, ${'long_name'.repeat(10)}${', c'.concat(' text /* '.padEnd(6000, '-'), ' */')}`
          : '';
      database.exec(`create table ${nameOf(number)} (id integer primary key, a text unique, b int${more})`);
      database.exec(`insert into ${nameOf(number)} (a, b) values ('one', 1), ('two', 2)`);
      register(database, nameOf(number));
    }
    database.exec(`create table keyed_1_901 (id integer primary key autoincrement, a text);
      create table bare_1_902 (k text primary key, v int) without rowid;
      create table grows_1_903 (a int) strict;
      insert into keyed_1_901 (a) values ('x'); insert into bare_1_902 values ('k', 1);
      create index of_things on ${nameOf(7)} (b) where b > 1;
      with recursive s(i) as (select 1 union all select i + 1 from s where i < 63) insert into grows_1_903 select i from s;
      insert into system_txn_processor values (1, 10)`);
    for (const table of ['keyed_1_901', 'bare_1_902', 'grows_1_903']) register(database, table);
    database.exec('commit');
  });
}

async function contents(data: string): Promise<Readonly<Record<string, unknown>>> {
  const database = new DatabaseSync(rowsPath((await currentSnapshot(data)).path), { readOnly: true });
  try {
    const all = (sql: string): unknown[][] => {
      const statement = database.prepare(sql);
      statement.setReturnArrays(true);
      return statement.all() as unknown as unknown[][];
    };
    const listed = all('select name from tablegate_tables order by 1');
    return {
      ...{ rows: listed.map(([name]) => [name, all(`select * from "${name}" not indexed`)]) },
      made: all('select type, name, tbl_name, sql from sqlite_schema order by type, name'),
      tables: all('select * from tablegate_tables order by name').map((row) => row.toSpliced(7, 1)),
      columns: all('select * from tablegate_columns order by 1, 2'),
      blocks: all('select * from tablegate_blocks order by 1'),
      checked: all('pragma integrity_check'),
    };
  } finally {
    database.close();
  }
}

/** Compares an update with a whole import. @returns whether it went by the log */
async function update(source: string, data: string, note = ''): Promise<boolean> {
  const updated = await runImport(source, '--data', data, '--update', ...SMALL);
  assert.is(updated.code, 0, updated.err);
  const whole = files.path('whole');
  const ran = await runImport(source, '--data', whole, '--replace', ...SMALL);
  assert.is(ran.code, 0, ran.err);
  const ours = await contents(data);
  assert.equal(ours, await contents(whole), note);
  assert.equal(ours['checked'], [['ok']], note);
  await checkPages(data, whole, note);
  await checkDigests(data, note);
  return updated.out.includes(', as its log says');
}

/** Only parts of rows.sqlite that were written are read again: its digest is that of all of it. */
async function checkDigests(data: string, note: string): Promise<void> {
  const { path } = await currentSnapshot(data);
  const parts = await readParts(rowsPath(path));
  assert.is((await readManifest(path)).files[ROWS]?.sha256, digestOfParts(parts.digests), note);
  const records = new DatabaseSync(sourcesPath(path), { readOnly: true });
  const kept = records.prepare('select digests from rows_parts').all() as { digests: Uint8Array }[];
  records.close();
  assert.equal(
    kept.map(({ digests }) => Buffer.from(digests)),
    [parts.digests],
    note,
  );
  assert.equal(readdirSync(path).sort(), ['manifest.json', ROWS, SOURCES].sort(), note);
}

/** Every page of a table leads to it: a page too many does no harm. */
async function checkPages(data: string, whole: string, note: string): Promise<void> {
  const [ours, theirs] = await Promise.all(
    [data, whole].map(async (folder) => openSourceRecords(sourcesPath((await currentSnapshot(folder)).path))),
  );
  try {
    if (theirs?.moment() === undefined) return;
    assert.equal(ours?.moment(), theirs.moment(), note);
    for (let page = 2; page < 5000; page++) {
      const table = theirs.tableOf(page);
      if (table !== undefined) assert.is(ours?.tableOf(page), table, `${note}: page ${page}`);
    }
  } finally {
    ours?.close();
    theirs?.close();
  }
}

test('a few rows, values that go on in other pages, many tables at once: told by the log, as a whole import', async () => {
  const path = source('few.db');
  const data = files.path('few');
  const writer = open(path);
  try {
    writer.exec(`update ${nameOf(1)} set b = 0`);
    assert.not(await update(path, data, 'the first'));
    const steps: readonly string[] = [
      `update ${nameOf(3)} set b = 33 where id = 2; update system_txn_processor set block_number = 11`,
      `insert into ${nameOf(50)} (a) values ('three'); delete from ${nameOf(7)} where id = 1`,
      "insert into keyed_1_901 (a) values ('y'); delete from bare_1_902; insert into bare_1_902 values ('l', 2), ('m', 3)",
      `update ${nameOf(9)} set a = hex(zeroblob(9000)) where id = 1`,
      `update ${nameOf(9)} set a = replace(hex(zeroblob(9000)), '00', '01') where id = 1`,
      Array.from({ length: 150 }, (_, at) => `update ${nameOf(at + 1)} set b = b + 1`).join(';'),
      `insert into ${nameOf(12)} (a, b) select 'many ' || value, value from json_each('[${Array.from({ length: 40 }, (_, i) => i)}]')`,
      `delete from ${nameOf(12)}; delete from ${nameOf(13)}`,
      // Pages that became free are used again, which a journal would not tell.
      `update ${nameOf(9)} set a = 'short' where id = 1`,
      `update ${nameOf(10)} set a = hex(zeroblob(8000)) where id = 1`,
    ];
    for (const step of steps) {
      writer.exec(`begin; ${step}; commit`);
      assert.ok(await update(path, data, step), step.slice(0, 100));
    }
    const before = await currentSnapshot(data);
    assert.ok(statSync(rowsPath(before.path)).size > 2 * PART_BYTES, 'some parts are not read');
    writer.exec(`update ${nameOf(20)} set b = b`);
    assert.match((await runImport(path, '--data', data, '--update', ...SMALL)).out, /^unchanged/);
    assert.equal(await currentSnapshot(data), before);
  } finally {
    writer.close();
  }
  assert.not(existsSync(`${path}-wal`), 'no lock of ours keeps the writer from ending its log');
});

test('of a large file only the parts that an update wrote are read again', async () => {
  const path = makeDatabase(files.path('parts.db'), (database) => {
    database.exec(`create table blobs_1_1 (id integer primary key, b blob);
      with recursive s(i) as (select 1 union all select i + 1 from s where i < 36)
        insert into blobs_1_1 select i, randomblob(1000000) from s;
      create table few_1_2 (id integer primary key, n int); insert into few_1_2 values (1, 0)`);
    for (const table of ['blobs_1_1', 'few_1_2']) register(database, table);
  });
  const data = files.path('parts');
  const writer = open(path);
  try {
    const change = async (): Promise<{ readonly folder: string; readonly digests: Buffer }> => {
      writer.exec('update few_1_2 set n = n + 1');
      const ran = await runImport(path, '--data', data, '--update', ...SMALL);
      assert.is(ran.code, 0, ran.err);
      const { path: folder } = await currentSnapshot(data);
      const records = new DatabaseSync(sourcesPath(folder), { readOnly: true });
      const { digests } = records.prepare('select digests from rows_parts').get() as { digests: Uint8Array };
      records.close();
      return { folder, digests: Buffer.from(digests) };
    };
    await change();
    const { folder, digests } = await change();
    assert.equal(digests, (await readParts(rowsPath(folder))).digests);
    // That of a part in the middle, which nobody has written to, is made another one, as if it had always been so.
    const at = 32 * Math.floor(digests.length / 64);
    digests.fill(7, at, at + 32);
    const records = new DatabaseSync(sourcesPath(folder));
    records.prepare('update rows_parts set digests = ?').run(digests);
    records.close();
    const manifest = await readManifest(folder);
    const rows = { ...manifest.files[ROWS], sha256: digestOfParts(digests) };
    const sources = await describeFile(sourcesPath(folder), 0);
    const entries = { ...manifest.files, [ROWS]: rows, [SOURCES]: sources };
    writeFileSync(manifestPath(folder), JSON.stringify({ ...manifest, files: entries }));
    const next = await change();
    const { digests: whole } = await readParts(rowsPath(next.folder));
    assert.not(whole.subarray(0, 32).equals(digests.subarray(0, 32)), 'the head is written each time');
    whole.fill(7, at, at + 32);
    assert.equal(next.digests, whole);
    assert.is((await readManifest(next.folder)).files[ROWS]?.sha256, digestOfParts(whole));
  } finally {
    writer.close();
  }
});

test('what is more than rows is found the long way', async () => {
  const path = source('more.db');
  const data = files.path('more');
  const writer = open(path);
  try {
    writer.exec(`update ${nameOf(1)} set b = 0`);
    await update(path, data, 'the first');
    const steps = [
      "create table late_1_950 (x int); insert into registry (id, structure, controller, prefix, chain_id) values (950, 's', 'c', 'late', 1)",
      'alter table late_1_950 rename column x to z',
      'update registry set created_at = 77 where id = 950',
      `create index late_index on ${nameOf(5)} (b)`,
      // Its columns are worth an index of our own from now on, and no longer after that.
      'insert into grows_1_903 values (64), (65)',
      'delete from grows_1_903 where a > 10',
      'drop table late_1_950; delete from registry where id = 950',
      'pragma wal_checkpoint(truncate); update grows_1_903 set a = a + 1',
    ];
    for (const step of steps) {
      writer.exec(step);
      assert.not(await update(path, data, step), step);
      writer.exec(`update ${nameOf(2)} set b = b + 1`);
      assert.ok(await update(path, data, `after ${step}`), `after ${step}`);
    }
  } finally {
    writer.close();
  }
  assert.not(await update(path, data, 'without a log'));
});

test('a registry whose name is written otherwise is the registry', async () => {
  const path = makeDatabase(files.path('written.db'), (database) => {
    const [created] = /create table registry[^;]*;/.exec(REGISTRY) ?? [];
    database.exec(`drop table registry; ${String(created).replace('registry', 'Registry')}
      create table ${nameOf(1)} (a int)`);
    register(database, nameOf(1));
  });
  const data = files.path('written');
  const writer = open(path);
  try {
    writer.exec(`insert into ${nameOf(1)} values (1)`);
    await update(path, data, 'the first');
    for (const anew of ['', 'pragma wal_checkpoint(truncate);']) {
      writer.exec(`${anew} update registry set created_at = created_at + 77`);
      assert.not(await update(path, data, `the registry ${anew}`));
    }
    writer.exec(`insert into ${nameOf(1)} values (2)`);
    assert.ok(await update(path, data, 'a row'));
  } finally {
    writer.close();
  }
});

test('a name that goes on in another page of the schema costs the log, not what is known of tables', async () => {
  const path = source('name.db');
  const data = files.path('name');
  const writer = open(path);
  try {
    writer.exec(`create table "${'n'.repeat(3000)}" (a int)`);
    await update(path, data, 'the first');
    assert.match((await runImport(path, '--data', data, '--update', ...SMALL)).out, /^unchanged/);
    writer.exec(`update ${nameOf(3)} set b = 3`);
    assert.not(await update(path, data, 'a row'));
    assert.equal(
      await askRows(
        data,
        'select count(*), sum(version = (select max(version) from tablegate_tables)) from tablegate_tables',
      ),
      [[BigInt(TABLES + 5), 1n]],
    );
  } finally {
    writer.close();
  }
});

/** What a look at the source finds, besides what an update makes of it. */
async function look(source: string, data: string): Promise<{ byLog: boolean; names: string[] } | undefined> {
  const { path } = await currentSnapshot(data);
  const base = { folder: path, manifest: await readManifest(path) };
  const found = lookAtSource(source, base, files.path('excerpt'));
  if (found === undefined) return undefined;
  return { byLog: found.byLog, names: found.tables.map(({ listed }) => listed.name).sort() };
}

test('where the log does not say it, the pages of all tables do, without the schema; else nothing is said', async () => {
  const path = source('look.db');
  const data = files.path('look');
  const writer = open(path);
  try {
    writer.exec(`update ${nameOf(1)} set b = 0`);
    await update(path, data, 'the first');
    writer.exec(`update ${nameOf(3)} set b = 3`);
    assert.equal(await look(path, data), { byLog: true, names: [nameOf(3)] });
    writer.exec(`pragma wal_checkpoint(truncate); update ${nameOf(50)} set b = 5`);
    const both = [nameOf(3), nameOf(50)];
    assert.equal(await look(path, data), { byLog: false, names: both });
    assert.not(await update(path, data, 'by pages'));
    assert.equal(await look(path, data), { byLog: true, names: [] });
    writer.exec(`update ${nameOf(4)} set b = 4`);
    assert.ok(await update(path, data, 'by the log again'));
    writer.exec('pragma wal_checkpoint(truncate); update registry set created_at = 5 where id = 4');
    assert.is(await look(path, data), undefined, 'the registry');
    assert.not(await update(path, data, 'the registry'));
    for (const anew of ['', 'pragma wal_checkpoint(truncate);']) {
      writer.exec(`${anew} alter table ${nameOf(60)} add column late${anew.length} text`);
      assert.is(await look(path, data), undefined, 'the schema');
      assert.not(await update(path, data, 'the schema'));
    }
  } finally {
    writer.close();
  }
});

test('what has more pages than are copied is read the long way, by the log and without it', async () => {
  const path = makeDatabase(files.path('large.db'), (database) => {
    database.exec(`pragma page_size=512; vacuum; create table ${nameOf(1)} (id integer primary key, a text, b int);
      insert into ${nameOf(1)} values (1, 'one', 1)`);
    register(database, nameOf(1));
  });
  const data = files.path('large');
  const writer = open(path);
  const value = (bytes: number): string => `update ${nameOf(1)} set a = hex(zeroblob(${bytes}))`;
  try {
    writer.exec(value(2_000_000));
    await update(path, data, 'the first');
    writer.exec(`update ${nameOf(1)} set b = 5`);
    assert.equal(await look(path, data), { byLog: true, names: [nameOf(1)] });
    assert.ok(await update(path, data, 'few pages'));
    // One leaf, then and now: all else is the pages that the value goes on in.
    writer.exec(value(2_600_000));
    assert.is(await look(path, data), undefined);
    assert.not(await update(path, data, 'many pages'));
    for (const anew of ['', 'pragma wal_checkpoint(truncate);']) {
      writer.exec(`${anew} update ${nameOf(1)} set b = b + 1`);
      assert.is(await look(path, data), undefined);
      assert.not(await update(path, data, `a row of a table of many pages ${anew}`));
    }
    writer.exec(value(10));
    assert.equal(await look(path, data), { byLog: true, names: [nameOf(1)] });
  } finally {
    writer.close();
  }
});

test('a checkpoint between two looks takes nothing away, and a log that is begun anew is seen', async () => {
  const path = source('checkpoint.db');
  const data = files.path('checkpoint');
  const writer = open(path);
  try {
    writer.exec(`update ${nameOf(1)} set b = 0`);
    await update(path, data, 'the first');
    writer.exec(`update ${nameOf(4)} set b = 44; pragma wal_checkpoint(passive)`);
    // The next writer begins at the start of the log.
    writer.exec(`update ${nameOf(5)} set b = 55`);
    assert.not(await update(path, data, 'anew'));
    writer.exec(`update ${nameOf(6)} set b = 66`);
    assert.ok(await update(path, data, 'and on'));
  } finally {
    writer.close();
  }
});

test('logs that nothing was written to are not taken for one and the same', async () => {
  const path = source('idle.db');
  const data = files.path('idle');
  open(path).close();
  const idle = (): DatabaseSyncInstance => {
    const database = open(path);
    database.exec('select count(*) from registry');
    return database;
  };
  let writer = idle();
  try {
    await update(path, data, 'the first');
    writer.exec(`update ${nameOf(2)} set b = 222`);
    writer.close();
    assert.not(existsSync(`${path}-wal`));
    writer = idle();
    assert.is(statSync(`${path}-wal`).size, 0);
    assert.not(await update(path, data, 'another log'));
    assert.equal(await askRows(data, `select max(b) from ${nameOf(2)}`), [[222n]]);
    writer.exec(`update ${nameOf(3)} set b = 333`);
    assert.not(await update(path, data, 'the first frames'));
    writer.exec(`update ${nameOf(4)} set b = 444`);
    assert.ok(await update(path, data, 'and on'));
  } finally {
    writer.close();
  }
});

test('frames that a power cut took, and others in their place, are not taken for those of before', async () => {
  const path = source('cut.db');
  const data = files.path('cut');
  const writer = open(path);
  writer.exec(`update ${nameOf(1)} set b = 0`);
  await update(path, data, 'the first');
  for (const suffix of ['', '-wal']) copyFileSync(path + suffix, files.path(`kept${suffix}`));
  writer.exec(`update ${nameOf(2)} set b = 1000`);
  assert.ok(await update(path, data, 'what is lost'));
  writer.close();
  // In place: it is the same file with the log of then, whose salts are those of now.
  for (const suffix of ['', '-wal']) writeFileSync(path + suffix, readFileSync(files.path(`kept${suffix}`)));
  rmSync(`${path}-shm`, { force: true });
  const again = open(path);
  try {
    again.exec(`update ${nameOf(3)} set b = 2000`);
    again.exec(`update ${nameOf(3)} set b = 3000`);
    assert.not(await update(path, data, 'after the cut'));
    assert.equal(
      await askRows(data, `select (select max(b) from ${nameOf(2)}), (select max(b) from ${nameOf(3)})`),
      [[2n, 3000n]],
    );
  } finally {
    again.close();
  }
});

test('a table that was put in the place of one of the source is found again', async () => {
  const path = source('byhand.db');
  const data = files.path('byhand');
  const writer = open(path);
  try {
    writer.exec(`update ${nameOf(1)} set b = 0`);
    await update(path, data, 'the first');
    writeFileSync(files.path('other.csv'), 'a,b\n1,2\n');
    const ran = await runImport(files.path('other.csv'), '--table', nameOf(5), '--data', data, '--replace');
    assert.is(ran.code, 0, ran.err);
    assert.equal(await askRows(data, `select count(*) from ${nameOf(5)}`), [[1n]]);
    writer.exec(`update ${nameOf(6)} set b = 6`);
    const updated = await runImport(path, '--data', data, '--update', ...SMALL);
    assert.is(updated.code, 0, updated.err);
    assert.not.match(updated.out, /as its log says/);
    assert.equal(await askRows(data, `select max(b) from ${nameOf(6)}`), [[6n]]);
  } finally {
    writer.close();
  }
});

test('records that are damaged lead to a whole import, not to a wrong one', async () => {
  const path = source('records.db');
  const data = files.path('records');
  const writer = open(path);
  try {
    writer.exec(`update ${nameOf(1)} set b = 0`);
    await update(path, data, 'the first');
    const records = sourcesPath((await currentSnapshot(data)).path);
    const bytes = readFileSync(records);
    // Somewhere among the pages that lead to tables.
    const at = bytes.indexOf(nameOf(2));
    bytes.write('thinks', at);
    writeFileSync(records, bytes);
    writer.exec(`update ${nameOf(2)} set b = 22`);
    assert.not(await update(path, data, 'damaged'));
  } finally {
    writer.close();
  }
});

test.run();
