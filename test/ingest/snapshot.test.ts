// The file that an import makes: indexes where they help, storage that the engine reads, and what a full disk does.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { currentSnapshot } from '../../src/snapshot/folder.ts';
import { MAIN } from '../support/main.ts';
import { ask, askCatalogue, makeDatabase, register, runImport, scratch } from './support.ts';

const test = suite('snapshot');
const files = scratch();
const source = files.path('source.db');
const data = files.path('data');
test.after(() => files.remove());

test.before(async () => {
  makeDatabase(source, (database) => {
    database.exec(`
      create table big_1_1 (id integer primary key, k text not null unique, a int, b int, unique(a, b)) strict;
      with recursive s(i) as (select 1 union all select i + 1 from s where i < 30000)
      insert into big_1_1 select i, hex(i * 7919), i % 7, i from s;
      create table small_1_2 (id integer primary key, k text unique) strict; insert into small_1_2 values (1, 'a'), (2, null);
      create table system_txn_receipts (chain_id INTEGER NOT NULL, block_number INTEGER NOT NULL, index_in_block INTEGER NOT NULL,
        txn_hash TEXT NOT NULL, error TEXT, table_id INTEGER, error_event_idx INTEGER, table_ids TEXT, PRIMARY KEY(chain_id, block_number, index_in_block));
      insert into system_txn_receipts select 1, id, 0, '0x' || k, null, 1, null, '1' from big_1_1`);
    for (const name of ['big_1_1', 'small_1_2']) register(database, name);
  });
  const ran = await runImport(source, '--data', data);
  assert.is(ran.code, 0, ran.err);
  assert.match(
    ran.out,
    /\nsnapshot 000001-[0-9a-f]{6}: 5 tables, 60,004 rows, [\d,]+ bytes, \d+\.\d seconds; 5 added\n$/,
  );
});

test('the column store has no index, and facts about each column of it', async () => {
  assert.equal(await ask(data, 'select table_name, expressions from duckdb_indexes() order by all'), []);
  const facts = await askCatalogue(
    data,
    "select name, facts ->> 'ascii', facts ->> 'min', facts ->> 'max', facts ->> 'nulls' from tablegate_columns where table_name = 'big_1_1' order by position",
  );
  assert.equal(facts, [
    ['id', '1', '1', '30000', '0'],
    ['k', '1', null, null, '0'],
    ['a', '1', '0', '6', '0'],
    ['b', '1', '1', '30000', '0'],
  ]);
});

test('what the compiler may rely on is told: keys, not null, unique sets, kinds', async () => {
  assert.equal(
    await askCatalogue(
      data,
      "select name, kind, affinity, not_null, collation from tablegate_columns where table_name = 'big_1_1' order by position",
    ),
    [
      ['id', 'integer', 'integer', '1', 'binary'],
      ['k', 'text', 'text', '1', 'binary'],
      ['a', 'integer', 'integer', '0', 'binary'],
      ['b', 'integer', 'integer', '0', 'binary'],
    ],
  );
  assert.equal(
    await askCatalogue(
      data,
      "select unique_sets, table_constraints from tablegate_tables where name = 'big_1_1'",
    ),
    [['[["id"],["a","b"],["k"]]', '["unique(a,b)"]']],
  );
  assert.equal(
    await askCatalogue(
      data,
      "select unique_sets, not_null from tablegate_tables t join tablegate_columns c on t.name = c.table_name where t.name = 'system_txn_receipts' and c.name = 'txn_hash'",
    ),
    [['[["chain_id","block_number","index_in_block"]]', '1']],
  );
});

test('a disk that fills up leaves the snapshot before and nothing else', async () => {
  if (process.platform === 'win32') return;
  const before = await currentSnapshot(data);
  // The limit on the size of files stands in for a full disk: 1,000 blocks of 512 bytes.
  const ran = spawnSync(
    'sh',
    [
      '-c',
      'trap "" XFSZ; ulimit -f 1000; exec "$0" "$1" import "$2" --data "$3"',
      process.execPath,
      MAIN,
      source,
      data,
    ],
    { encoding: 'utf8' },
  );
  assert.is(ran.status, 1, ran.stderr);
  assert.match(ran.stderr, /^tablegate: .*(disk is full|too large)/im);
  assert.is(ran.stdout, '');
  assert.equal(await currentSnapshot(data), before);
  assert.equal(readdirSync(join(data, 'snapshots')), [before.id]);
});

test('so does a disk that fills up while columns are written', async () => {
  if (process.platform === 'win32') return;
  const before = await currentSnapshot(data);
  const folder = files.path('folder');
  mkdirSync(folder);
  // In DuckDB each takes 256 KiB, in SQLite a page.
  for (let i = 1; i <= 6; i++) writeFileSync(join(folder, `tiny_7_${i}.csv`), 'id,name\n1,a\n');
  const ran = spawnSync(
    'sh',
    [
      '-c',
      'trap "" XFSZ; ulimit -f 1000; exec "$0" "$1" import "$2" --data "$3" --columnar-rows 0 --replace',
      process.execPath,
      MAIN,
      folder,
      data,
    ],
    { encoding: 'utf8' },
  );
  assert.is(ran.status, 1, ran.stderr);
  assert.match(ran.stderr, /^tablegate: .*columns\.duckdb.*(disk is full|too large)/im);
  assert.equal(await currentSnapshot(data), before);
  assert.equal(readdirSync(join(data, 'snapshots')), [before.id]);
});

test.run();
