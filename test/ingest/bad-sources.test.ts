// Every source that cannot be imported ends in one clear line, leaves nothing behind and the old snapshot serving.
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OperatorError } from '../../src/base/errors.ts';
import { currentSnapshot } from '../../src/snapshot/folder.ts';
import { ask, askCatalogue, makeDatabase, register, runImport, scratch } from './support.ts';

const test = suite('bad sources');
const files = scratch();
const data = files.path('data');
const good = files.path('good.db');
test.after(() => files.remove());

test.before(async () => {
  makeDatabase(good, (database) => {
    database.exec(`create table t_1_1 (id integer primary key, a text) strict;
      with recursive s(i) as (select 1 union all select i + 1 from s where i < 20000)
      insert into t_1_1 select i, 'text number ' || i from s; insert into system_txn_processor values (1, 77), (5, 3)`);
    register(database, 't_1_1', 1234);
  });
  const ran = await runImport(good, '--data', data);
  assert.is(ran.code, 0, ran.err);
});

/** The import fails with the line; the snapshot before is still there and nothing else is. */
async function fails(expected: RegExp, ...args: readonly string[]): Promise<void> {
  const before = await currentSnapshot(data);
  const ran = await runImport(...args, '--data', data, '--replace');
  assert.is(ran.code, 1, `${args.join(' ')}: ${ran.out}${ran.err}`);
  assert.match(ran.err, expected);
  assert.is(
    ran.err
      .trimEnd()
      .split('\n')
      .filter((line) => !line.startsWith('warning')).length,
    1,
    ran.err,
  );
  assert.is(ran.out, '');
  assert.equal(await currentSnapshot(data), before);
  assert.equal(readdirSync(files.path('data/snapshots')), [before.id]);
}

function changed(name: string, change: (path: string) => unknown): string {
  const path = files.path(name);
  copyFileSync(good, path);
  change(path);
  return path;
}

function write(name: string, content: string | Uint8Array): string {
  const path = files.path(name);
  writeFileSync(path, content);
  return path;
}

test('a good database is imported with its registry, blocks and metadata', async () => {
  assert.equal(
    await askCatalogue(
      data,
      'select name, chain_id, table_id, prefix, created_at, kind, rows, rowid_column from tablegate_tables order by name',
    ),
    [
      ['registry', null, null, null, null, 'system', '1', '_rowid'],
      ['system_txn_processor', null, null, null, null, 'system', '2', 'chain_id'],
      ['t_1_1', '1', '1', 't', '1234', 'user', '20000', 'id'],
    ],
  );
  assert.equal(await askCatalogue(data, 'select * from tablegate_blocks'), [
    ['1', '77'],
    ['5', '3'],
  ]);
  assert.equal((await askCatalogue(data, "select value from tablegate_snapshot where key = 'id'"))[0], [
    (await currentSnapshot(data)).id,
  ]);
});

test('a source that is missing, a folder, empty or no database is named as such', async () => {
  await fails(/there is no file .*none\.db/, files.path('none.db'));
  await fails(/is a folder; give the database in it/, files.folder);
  await fails(/empty\.db is empty/, write('empty.db', ''));
  await fails(
    /is not a SQLite database; for a file of another kind add --table/,
    write('text.db', 'id,name\n'.repeat(1000)),
  );
  await fails(/is not a SQLite database/, write('short.db', 'SQLite format 3\0'));
});

test('a truncated or damaged database is told from a good one', async () => {
  await fails(
    /is truncated: it has 100000 of \d+ bytes/,
    changed('cut.db', (path) => truncateSync(path, 100_000)),
  );
  const overwritten = changed('damaged.db', (path) => {
    const bytes = readFileSync(path);
    for (let page = 20; page < 60; page++) bytes.fill(0xa5, page * 4096, page * 4096 + 3000);
    writeFileSync(path, bytes);
  });
  await fails(/is damaged: SQLite finds its pages malformed \(table t_1_1\)/, overwritten);
  const encrypted = changed('header.db', (path) => {
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 100, 4096);
    writeFileSync(path, bytes);
  });
  await fails(/is (damaged|not a SQLite database)/, encrypted);
});

test("a database that is no validator's is refused", async () => {
  const plain = files.path('plain.db');
  const database = new DatabaseSync(plain);
  database.exec('create table users (id integer primary key)');
  database.close();
  await fails(/plain\.db is not a validator's database: it has no table "registry"/, plain);
  const other = files.path('other.db');
  const another = new DatabaseSync(other);
  another.exec('create table registry (package text)');
  another.close();
  await fails(/its registry has other columns/, other);
});

test('a database that another program holds is waited for, then named', async () => {
  const held = changed('held.db', () => undefined);
  const holder = new DatabaseSync(held);
  holder.exec('pragma locking_mode=exclusive; begin exclusive; delete from t_1_1 where id = 1');
  try {
    await fails(/held\.db is locked by another program/, held);
  } finally {
    holder.close();
  }
});

test('a table in the registry without its table is left out with a warning, and the reverse is no table of a user', async () => {
  const odd = files.path('odd.db');
  makeDatabase(odd, (database) => {
    database.exec(`create table a_1_1 (x int) strict; create table b_1_2 (x int) strict;
      insert into registry (id, structure, controller, prefix, chain_id) values (9, 's', '0x', 'n', null)`);
    register(database, 'a_1_1');
    register(database, 'gone_1_7');
  });
  const own = files.path('odd-data');
  const ran = await runImport(odd, '--data', own);
  assert.is(ran.code, 0, ran.err);
  assert.match(ran.err, /warning: gone_1_7 is in the registry but there is no such table; left out/);
  assert.match(ran.err, /warning: the registry has an entry without a proper chain and id/);
  assert.equal(await askCatalogue(own, "select name from tablegate_tables where kind = 'user'"), [['a_1_1']]);
  assert.equal(
    await askCatalogue(
      own,
      "select name, chain_id, table_id from tablegate_tables where name glob '[a-c]_*'",
    ),
    [
      ['a_1_1', '1', '1'],
      ['b_1_2', null, null],
    ],
  );
});

test('two tables of one id are refused, in a registry as among files', async () => {
  const odd = files.path('doubled.db');
  const database = new DatabaseSync(odd);
  database.exec(
    `create table registry (id integer, structure text, controller text, prefix text, created_at integer, chain_id integer);
     create table a_1_1 (x int) strict; create table b_1_1 (x int) strict;
     insert into registry (id, prefix, chain_id) values (1, 'a', 1), (1, 'b', 1)`,
  );
  database.close();
  await fails(/two tables with the id 1 of chain 1: a_1_1 and b_1_1/, odd);
  const folder = files.path('doubled');
  mkdirSync(folder);
  for (const name of ['a_1_1.csv', 'b_1_1.csv']) writeFileSync(`${folder}/${name}`, 'x\n1\n');
  await fails(/a_1_1\.csv and b_1_1\.csv are both table 1 of chain 1; remove one/, folder);
});

test('names that only SQLite takes do not stop the import of other tables', async () => {
  const odd = files.path('names.db');
  makeDatabase(odd, (database) => {
    database.exec(`create table a_1_1 ("" int, b int) strict; create table b_1_2 ("sel""ect" text, "ta ble" int, "日本" int, ";--" int) strict;
      insert into b_1_2 values ('x', 1, 2, 3)`);
    register(database, 'a_1_1');
    register(database, 'b_1_2');
  });
  const own = files.path('names-data');
  const ran = await runImport(odd, '--data', own);
  assert.is(ran.code, 0, ran.err);
  assert.equal(await ask(own, 'select "sel""ect", "ta ble", "日本", ";--" from b_1_2'), [
    ['x', '1', '2', '3'],
  ]);
});

test('a value that does not fit its STRICT column is named with table, row and column', async () => {
  const odd = files.path('misfit.db');
  makeDatabase(odd, (database) => {
    database.exec(
      'create table a_1_1 (id integer primary key, x int) strict; insert into a_1_1 values (1, 1), (2, 2)',
    );
    register(database, 'a_1_1');
    // What a damaged or edited file looks like: the schema says STRICT, the row does not keep to it.
    database.enableDefensive(false);
    database.exec('pragma writable_schema=on');
    database.exec("update sqlite_master set sql = replace(sql, ' strict', '') where name = 'a_1_1'");
  });
  const loose = new DatabaseSync(odd);
  loose.exec("insert into a_1_1 values (3, 'three')");
  loose.enableDefensive(false);
  loose.exec('pragma writable_schema=on');
  loose.exec("update sqlite_master set sql = sql || ' strict' where name = 'a_1_1'");
  loose.close();
  await fails(/a_1_1, row 3: the column x is int and its value is a text/, odd);
});

test('backups that are cut off or no backups are refused', async () => {
  await fails(
    /ends? in the middle|cannot be decompressed/,
    write('cut.db.zst', Buffer.from('28b52ffd04', 'hex')),
  );
  await fails(
    /cannot be decompressed/,
    write('junk.db.zst', Buffer.concat([Buffer.from('28b52ffd', 'hex'), Buffer.alloc(5000, 7)])),
  );
});

test('files for one table: a missing file, an unknown kind, broken content', async () => {
  const cases: readonly [string, string | Uint8Array | undefined, RegExp][] = [
    ['none.csv', undefined, /there is no file/],
    ['zero.csv', '', /zero\.csv is empty/],
    ['table.xlsx', 'x', /cannot tell what kind of file it is; its name must end in \.parquet, \.csv/],
    ['ragged.csv', 'a,b\n1,2\n3\n4,5\n', /ragged\.csv, line 3: expected 2 fields as in the header, found 1/],
    ['open.csv', 'a,b\n1,"never closed\n2,3\n', /open\.csv, line 2: /],
    [
      'broken.json',
      '[{"a":1},{"a":',
      /broken\.json cannot be read as json: it is no proper JSON, or it was cut off\n$/,
    ],
    ['object.json', '"just a text"', /object\.json cannot be read as json: it is no JSON array of objects/],
    [
      'mixed.json',
      '[{"a":1}, 5]',
      /mixed\.json cannot be read as json: something in it is no JSON object\n$/,
    ],
    ['numbers.json', '[1, 2]', /numbers\.json has no object with a field/],
    [
      'cases.json',
      '[{"a":1},{"A":2}]',
      /cases\.json has the fields "a" and "A", which are one column in SQL/,
    ],
    ['nameless.ndjson', '{"":1}', /nameless\.ndjson has a field without a name/],
    [
      'twice.ndjson',
      '{"a":1,"a":2}',
      /twice\.ndjson cannot be read as ndjson: an object in it has the field "a" twice\n$/,
    ],
    [
      'broken.ndjson',
      '{"a":1}\n{"a":\n{"a":3}\n',
      /broken\.ndjson cannot be read as ndjson: line 2 is no JSON object\n$/,
    ],
    [
      'broken.csv.gz',
      'not compressed',
      /broken\.csv\.gz cannot be read as csv: it is no gzip file, damaged or cut off\n$/,
    ],
    [
      'broken.parquet',
      'PAR1 not really',
      /broken\.parquet cannot be read as parquet: it is no Parquet file, or it was cut off\n$/,
    ],
  ];
  for (const [name, content, expected] of cases) {
    const path = content === undefined ? files.path(name) : write(name, content);
    await fails(expected, path, '--table', 'f_1_2');
  }
  mkdirSync(files.path('folder.csv'));
  await fails(/is a folder; give a file/, files.path('folder.csv'), '--table', 'f_1_2');
});

test('bad usage is told apart from a failed import', async () => {
  const usage: readonly (readonly string[])[] = [
    [],
    [good, 'more'],
    [good, '--tables', 'x'],
    [good, '--data'],
    [good, '--data', ''],
    ...[
      'flights',
      'flights_1',
      '1_2_3',
      'a b_1_2',
      'f_1_x',
      'f_01_2',
      'f_1_02',
      'system_acl_1_2',
      'registry_1_2',
      'f_1_-2',
    ].map((name) => [good, '--table', name]),
  ];
  for (const args of usage) {
    try {
      await runImport(...args);
      assert.unreachable(args.join(' '));
    } catch (error) {
      assert.instance(error, OperatorError, args.join(' '));
    }
  }
  const help = await runImport('--help');
  assert.is(help.code, 0);
  assert.match(help.out, /--table NAME/);
});

test('the source is never written to', async () => {
  const before = statSync(good);
  assert.is((await runImport(good, '--data', files.path('again'))).code, 0);
  const after = statSync(good);
  assert.is(after.mtimeMs, before.mtimeMs);
  assert.is(after.size, before.size);
  assert.equal(
    readdirSync(files.folder).filter((name) => name.startsWith('good.db')),
    ['good.db'],
  );
});

test.run();
