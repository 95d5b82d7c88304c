// Sources as operators have them: a validator that runs and writes, one that was killed, copies, backups. What is
// read is one consistent state, and nothing beside the source is changed.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSqlite, SourceChanged } from '../../src/ingest/sqlite-open.ts';
import { referenceBinary, startReference } from '../support/reference.ts';
import { ask, askCatalogue, makeDatabase, register, runImport, scratch } from './support.ts';

const test = suite('live sources');
const files = scratch();
const never = new AbortController().signal;
test.after(() => files.remove());

const BACKUP = join(import.meta.dirname, 'fixtures/backup.db.zst');

/** Every file of a folder with a digest of its bytes. */
function contents(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]),
  );
}

test('a validator that runs is imported with what it has in its log only', async () => {
  if (referenceBinary() === undefined) {
    process.stdout.write(`  skipped: the reference has no program for ${process.platform}-${process.arch}\n`);
    return;
  }
  const reference = await startReference({
    seed: (database) => {
      database.exec("create table t_31337_7 (id integer primary key, a text not null default 'x') strict");
      register(database, 't_31337_7', 99);
      database.exec("insert into t_31337_7 values (1, 'before')");
    },
  });
  try {
    const writer = new DatabaseSync(reference.databasePath);
    writer.exec(
      "insert into t_31337_7 values (2, 'in the log'); insert into system_txn_processor values (31337, 12)",
    );
    const data = files.path('validator-data');
    const ran = await runImport(reference.databasePath, '--data', data);
    assert.is(ran.code, 0, ran.err);
    writer.close();
    assert.equal(await ask(data, 'select id, a from t_31337_7'), [
      ['1', 'before'],
      ['2', 'in the log'],
    ]);
    assert.equal(await askCatalogue(data, 'select * from tablegate_blocks'), [['31337', '12']]);
    const answer = await fetch(
      `${reference.url}/query?statement=${encodeURIComponent('select count(*) as n from registry')}`,
    );
    assert.equal(await answer.json(), [{ n: 1 }], 'the validator goes on answering');
    assert.equal(
      (
        await askCatalogue(data, "select name from tablegate_tables where kind = 'system' order by name")
      ).flat(),
      [
        'registry',
        'system_acl',
        'system_controller',
        'system_evm_blocks',
        'system_evm_events',
        'system_id',
        'system_pending_tx',
        'system_txn_processor',
        'system_txn_receipts',
      ],
    );
    assert.equal(
      await askCatalogue(
        data,
        "select name, kind, constraints from tablegate_columns where table_name = 't_31337_7' order by position",
      ),
      [
        ['id', 'integer', '["primary key autoincrement"]'],
        ['a', 'text', '["not null","default \'x\'"]'],
      ],
    );
  } finally {
    await reference.stop();
  }
});

/** Two tables that are only ever changed together, by a process that does it as fast as it can. */
const WRITER = `
  import { DatabaseSync } from '@photostructure/sqlite';
  const database = new DatabaseSync(process.argv[1], { timeout: 5000 });
  database.exec('pragma journal_mode=wal; pragma wal_autocheckpoint=50');
  process.stdout.write('ready');
  for (let i = 1; ; i++) {
    database.exec('begin immediate; update a_1_1 set n = ' + i + '; insert into log_1_3 (n) values (' + i + '); update b_1_2 set n = ' + i + '; commit');
  }`;

test('one transaction is read while another process writes all the time, and the writer never waits long', async () => {
  const source = files.path('busy.db');
  makeDatabase(source, (database) => {
    database.exec(`pragma journal_mode=wal; create table a_1_1 (n int) strict; create table b_1_2 (n int) strict; create table log_1_3 (n int) strict;
      insert into a_1_1 values (0); insert into b_1_2 values (0)`);
    for (const name of ['a_1_1', 'b_1_2', 'log_1_3']) register(database, name);
  });
  const writer: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', WRITER, source], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: join(import.meta.dirname, '../..'),
  });
  const exited = once(writer, 'exit');
  try {
    await once(writer.stdout as NodeJS.EventEmitter, 'data');
    const data = files.path('busy-data');
    let last = -1;
    for (let round = 0; round < 4; round++) {
      const ran = await runImport(source, '--data', data);
      assert.is(ran.code, 0, ran.err);
      const [row] = await ask(
        data,
        'select (select n from a_1_1), (select n from b_1_2), count(*), coalesce(max(n), 0) from log_1_3',
      );
      const [a, b, count, max] = row as string[];
      assert.equal([b, count, max], [a, a, a], 'all tables are of one transaction');
      assert.ok(Number(a) > last, `the writer went on: ${last} -> ${a}`);
      last = Number(a);
      await sleep(20);
    }
    assert.is(writer.exitCode, null);
  } finally {
    writer.kill('SIGKILL');
    await exited;
  }
  // The killed writer left its log behind.
  assert.ok(statSync(`${source}-wal`).size > 0);
  const before = readFileSync(source).toString('base64') + readFileSync(`${source}-wal`).toString('base64');
  const data = files.path('killed-data');
  assert.is((await runImport(source, '--data', data)).code, 0);
  const [row] = await ask(data, 'select (select n from a_1_1), (select n from b_1_2), count(*) from log_1_3');
  assert.is(new Set(row).size, 1, String(row));
  assert.is(
    readFileSync(source).toString('base64') + readFileSync(`${source}-wal`).toString('base64'),
    before,
  );

  // A copy of database and log without the shared memory file, as a backup script makes it.
  const copies = files.path('copies');
  mkdirSync(copies);
  for (const suffix of ['', '-wal']) copyFileSync(source + suffix, join(copies, `busy.db${suffix}`));
  const copied = files.path('copied-data');
  assert.is((await runImport(join(copies, 'busy.db'), '--data', copied)).code, 0);
  assert.equal(
    await ask(copied, 'select (select n from a_1_1), (select n from b_1_2), count(*) from log_1_3'),
    [row],
  );
});

test('a database in WAL format that nobody has open is read without a file made beside it', async () => {
  const folder = files.path('alone');
  mkdirSync(folder);
  const source = makeDatabase(join(folder, 'alone.db'), (database) => {
    database.exec('pragma journal_mode=wal; create table a_1_1 (n int) strict; insert into a_1_1 values (5)');
    register(database, 'a_1_1');
  });
  const before = contents(folder);
  const data = files.path('alone-data');
  assert.is((await runImport(source, '--data', data)).code, 0);
  assert.equal(await ask(data, 'select n from a_1_1'), [['5']]);
  assert.equal(contents(folder), before);
});

test('a source that is written to while it is read without locks is read again', async () => {
  const source = makeDatabase(files.path('changing.db'), (database) => {
    database.exec('pragma journal_mode=wal; create table a_1_1 (n int) strict');
    register(database, 'a_1_1');
  });
  const opened = await openSqlite(source, files.path('scratch'), never);
  await opened.checkUnchanged();
  utimesSync(source, new Date(), new Date(Date.now() + 5000));
  try {
    await opened.checkUnchanged();
    assert.unreachable();
  } catch (error) {
    assert.instance(error, SourceChanged);
  }
  await opened.close();
});

test('a log that cannot be read where it is is read from a private copy that is removed', async () => {
  const source = makeDatabase(files.path('locked-away.db'), (database) => {
    database.exec('create table a_1_1 (n int) strict; insert into a_1_1 values (1)');
    register(database, 'a_1_1');
  });
  // A hot journal, which a reader that may not write cannot roll back where it is.
  const database = new DatabaseSync(source);
  database.exec('pragma cache_size=1; pragma synchronous=off; begin; create table filler (x); ');
  database.exec(
    'with recursive s(i) as (select 1 union all select i + 1 from s where i < 3000) insert into filler select randomblob(500) from s; update a_1_1 set n = 2',
  );
  const journal = readFileSync(`${source}-journal`);
  const torn = readFileSync(source);
  database.close();
  const copy = files.path('hot/hot.db');
  mkdirSync(files.path('hot'));
  writeFileSync(copy, torn);
  writeFileSync(`${copy}-journal`, journal);
  const scratchFile = files.path('hot-scratch');
  const opened = await openSqlite(copy, scratchFile, never);
  const counted = opened.database.prepare('select n from a_1_1').all() as { n: number }[];
  await opened.close();
  assert.equal(
    counted.map(({ n }) => n),
    [1],
  );
  assert.equal(readFileSync(copy), torn);
  assert.equal(readFileSync(`${copy}-journal`), journal);
  assert.not(existsSync(scratchFile));
});

test('a backup compressed with zstd is imported, and a damaged one refused', async () => {
  const data = files.path('backup-data');
  const ran = await runImport(BACKUP, '--data', data);
  assert.is(ran.code, 0, ran.err);
  assert.equal(await ask(data, 'select count(*), min(a), max(id) from t_31337_1'), [
    ['2000', 'backup row 1', '2000'],
  ]);
  assert.equal(readdirSync(join(data, 'snapshots')).length, 1);
  const bytes = readFileSync(BACKUP);
  for (const length of [10, 100, bytes.length >> 1, bytes.length - 100, bytes.length - 5]) {
    const cut = files.path(`cut-${length}.db.zst`);
    writeFileSync(cut, bytes.subarray(0, length));
    const failed = await runImport(cut, '--data', data);
    assert.is(failed.code, 1, `${length} of ${bytes.length} bytes`);
    assert.match(failed.err, /cannot be decompressed|is truncated/);
  }
  const trailing = files.path('trailing.db.zst');
  copyFileSync(BACKUP, trailing);
  appendFileSync(trailing, 'garbage behind the frame');
  const failed = await runImport(trailing, '--data', data);
  assert.is(failed.code, 1, failed.out);
  assert.equal(readdirSync(join(data, 'snapshots')).length, 1);
});

test.run();
