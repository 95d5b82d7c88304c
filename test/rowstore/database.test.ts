// The locks of the row store: what each statement may reach, tried with the text itself and not through the parser.
import { readdirSync, readFileSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FUNCTION_NAMES } from '../../src/dialect/function-names.ts';
import { CALLABLE, REFUSED } from '../../src/rowstore/callable.ts';
import { type LockedDatabase, openDatabase } from '../../src/rowstore/database.ts';
import { registerFunctions } from '../../src/rowstore/functions.ts';
import { proveDatabase } from '../../src/rowstore/self-test.ts';
import { rowsPath } from '../../src/snapshot/layout.ts';
import { openTestStore, storeOptions, type TestStore } from './support.ts';

const test = suite<{ given: TestStore }>('rowstore/database');
test.before(async (context) => {
  context.given = await openTestStore();
});
test.after(({ given }) => given.close());

const openedWhole = ({ path }: TestStore): LockedDatabase => {
  const locked = openDatabase({
    ...storeOptions(),
    path: rowsPath(path),
    isServed: (table) => table === 'rigs_1_2',
  });
  registerFunctions(locked.database, new Map([[1, 77]]));
  return locked;
};
const opened = (given: TestStore) => openedWhole(given).database;

test('every function of this SQLite has been looked at', () => {
  const database = new DatabaseSync(':memory:', { returnArrays: true });
  const names = database.prepare('select distinct name from pragma_function_list').all() as unknown as [
    string,
  ][];
  database.close();
  assert.equal(
    names.map(([name]) => name).filter((name) => !CALLABLE.has(name) && !REFUSED.has(name)),
    [],
  );
  // What is no function at all is told by one list for all engines.
  assert.equal(
    [...CALLABLE].filter((name) => /^\w/.test(name) && !FUNCTION_NAMES.has(name)),
    [],
  );
});

test('maps the file where it is told to, and never else', ({ given }) => {
  for (const [mapped, bytes] of [
    [undefined, 0],
    [true, 0x7fff0000],
  ] as const) {
    const locked = openDatabase({
      ...storeOptions(),
      ...(mapped === undefined ? {} : { mapped }),
      path: rowsPath(given.path),
      isServed: () => true,
    });
    assert.equal(locked.own('pragma mmap_size'), [[bytes]]);
    assert.equal(locked.own('select count(*) from rigs_1_2').length, 1);
    if (process.platform === 'linux')
      assert.is(readFileSync('/proc/self/maps', 'utf8').includes(rowsPath(given.path)), mapped === true);
    locked.close();
  }
});

test('reads what is served, and nothing else', ({ given }) => {
  const before = readdirSync(given.path).sort();
  const database = opened(given);
  try {
    proveDatabase(database);
    assert.equal(database.prepare('select name from rigs_1_2 where id = 3').all(), [['rig 3']]);
    assert.equal(database.prepare('select block_num(1)').all(), [[77]]);
    assert.throws(() => database.prepare('select block_num(2)').all(), /chain id does not exist/);
    assert.equal(database.prepare("select value from json_each('[1]')").all(), [[1]]);
    for (const sql of [
      'with c(x) as (select 1) select count(*) from c',
      'with recursive c(x) as (select 1 union all select x + 1 from c limit 9) select count(*) / 9 from c',
    ])
      assert.equal(database.prepare(sql).all(), [[1]], sql);
    for (const sql of [
      'select * from names_1_4',
      'select count(*) from names_1_4',
      'select count(*) from sqlite_schema',
      'select count(*) from pragma_database_list',
      'select count(*) from pragma_table_list',
      'select count(*) from dbstat',
      'select count(*) from sqlite_dbpage',
      'select count(*) from sqlite_stmt',
      'insert into rigs_1_2 values (1000, 1, 1)',
    ])
      assert.throws(() => database.prepare(sql).all(), undefined, sql);
    assert.equal(readdirSync(given.path).sort(), before);
  } finally {
    database.close();
  }
});

test('an unlocked database does not pass its own test', ({ given }) => {
  const database = new DatabaseSync(rowsPath(given.path), { readOnly: true });
  try {
    assert.throws(() => proveDatabase(database), /not locked/);
  } finally {
    database.close();
  }
});

test('is open to what the gateway itself asks, and to nothing beside it', ({ given }) => {
  const { database, own, unlocked } = openedWhole(given);
  const sql = 'select count(*) from tablegate_tables';
  const denied = (): void => {
    assert.throws(() => database.prepare(sql).all(), /not authorized|prohibited/);
    assert.throws(() => database.exec('create temp table tablegate_seek_2 (a)'), undefined);
    assert.throws(
      () => database.prepare('select length(cast(zeroblob(1100000) || 1 as blob))').all(),
      /too big/,
    );
  };
  try {
    const known = database.prepare('select count(*) from rigs_1_2');
    denied();
    assert.equal(own(sql), [[8]]);
    denied();
    assert.throws(() => own('select * from no_such_table'), /no such table/);
    assert.throws(() => unlocked((open) => open.exec('select no_such_function()')), /no such function/);
    denied();
    // SQLite prepares all statements anew when a temporary table is made: each as whoever runs it.
    unlocked((open) => open.exec('create temp table tablegate_seek_1 (a)'));
    assert.equal(own(sql), [[8]]);
    assert.equal(known.all(), [[300]]);
    denied();
    assert.equal(own('select length(cast(zeroblob(1100000) || 1 as blob))'), [[1_100_001]]);
  } finally {
    database.close();
  }
});

test('ends what needs too much memory with an error', ({ given }) => {
  const database = opened(given);
  try {
    for (const sql of [
      'select hex(zeroblob(900000000))',
      'select group_concat(hex(zeroblob(400000))) from rigs_1_2',
    ])
      assert.throws(() => database.prepare(sql).all(), /too big|out of memory/, sql);
    assert.equal(database.prepare('select 1').all(), [[1]]);
  } finally {
    database.close();
  }
});

test.run();
