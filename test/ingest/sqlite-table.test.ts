// One table of a plain SQLite database: as it is there, under another name, beside what is served; and the way to it out
// of every error.
import { writeFileSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ask, askCatalogue, askRows, runImport, scratch } from './support.ts';

const test = suite('sqlite table');
const files = scratch();
const data = files.path('data');
const plain = files.path('plain.db');
test.after(() => files.remove());

test.before(() => {
  const database = new DatabaseSync(plain);
  database.exec(`
    create table Orders (Id integer primary key, "sold at" text collate nocase, mixed, price real not null default 0,
      twice int as (Id * 2), check (Orders.price >= 0));
    create unique index by_price on Orders(price, "sold at") where Orders.price > 1;
    insert into Orders(Id, "sold at", mixed, price) values (7, 'b', 'text', 2.5), (3, 'A', 4, 1), (9, null, x'00ff', 3);
    create table "by key" (k text primary key, v any) strict, without rowid;
    insert into "by key" values ('z', 1), ('a', 'x');
    create table no_key (t text); insert into no_key(rowid, t) values (5, 'five'), (2, 'two');
    create view looked as select 1; create virtual table found using fts5(x)`);
  database.close();
});

const into = (name: string, from: string, ...more: readonly string[]) =>
  runImport(plain, '--from-table', from, '--table', name, '--data', data, ...more);

test('a table comes with its columns, keys, indexes and rowids under its new name, another beside it', async () => {
  const ran = await into('orders_31337_12', 'orders');
  assert.is(ran.code, 0, ran.err);
  assert.match(
    ran.out,
    /^added orders_31337_12: 3 rows \(Id integer, sold at text, mixed any, price real, twice int\)\nsnapshot 000001/,
  );
  assert.equal(await askRows(data, 'select * from orders_31337_12'), [
    [3n, 'A', 4n, 1, 6n],
    [7n, 'b', 'text', 2.5, 14n],
    [9n, null, new Uint8Array([0, 255]), 3, 18n],
  ]);
  assert.equal(
    await askRows(
      data,
      "select name, sql from sqlite_schema where name like '%orders%' order by type desc, name",
    ),
    [
      [
        'orders_31337_12',
        `CREATE TABLE orders_31337_12 (Id integer primary key, "sold at" text collate nocase, mixed, price real not null default 0,
      twice int as (Id * 2), check (orders_31337_12.price >= 0))`,
      ],
      [
        'orders_31337_12 by_price',
        `CREATE UNIQUE INDEX "orders_31337_12 by_price" on orders_31337_12(price, "sold at") where orders_31337_12.price > 1`,
      ],
    ],
  );
  assert.equal(await ask(data, 'select "Id", price from orders_31337_12 order by all'), [
    ['3', 1],
    ['7', 2.5],
    ['9', 3],
  ]);

  assert.equal(await askCatalogue(data, 'select table_constraints from tablegate_tables'), [
    ['["check(orders_31337_12.price>=0)"]'],
  ]);

  assert.is((await into('keys_1_1', 'by key')).code, 0);
  // Another copy of the same table: its index has a name of its own.
  assert.is((await into('orders_1_2', 'ORDERS')).code, 0);
  assert.equal(await askRows(data, 'select k, v from keys_1_1'), [
    ['a', 'x'],
    ['z', 1n],
  ]);
  assert.equal(
    await askCatalogue(
      data,
      'select name, chain_id, table_id, prefix, kind, rows from tablegate_tables order by name',
    ),
    [
      ['keys_1_1', '1', '1', 'keys', 'user', '2'],
      ['orders_1_2', '1', '2', 'orders', 'user', '3'],
      ['orders_31337_12', '31337', '12', 'orders', 'user', '3'],
    ],
  );
  assert.match(
    (await into('orders_1_2', 'no_key')).out,
    /^replaced orders_1_2: 2 rows, before 3 \(t text\)\n/,
  );
  assert.equal(await askRows(data, 'select rowid, t from orders_1_2'), [
    [2n, 'two'],
    [5n, 'five'],
  ]);
});

test('each error says what to do, and that works', async () => {
  const alone = await runImport(plain, '--data', data);
  assert.is(alone.code, 1);
  assert.match(
    alone.err,
    /plain\.db is not a validator's database: it has no table "registry"; for one of its tables add --from-table NAME --table PREFIX_CHAIN_ID; it has Orders, by key, no_key/,
  );
  const table = await runImport(plain, '--table', 'a_1_9', '--data', data);
  assert.is(table.code, 1);
  assert.match(
    table.err,
    /plain\.db: cannot tell what kind of file it is; .* of a SQLite database --from-table NAME takes a table/,
  );
  for (const name of ['none', 'looked', 'found']) {
    const missing = await into('a_1_9', name);
    assert.is(missing.code, 1);
    assert.match(missing.err, new RegExp(`plain\\.db has no table "${name}"; it has Orders, by key, no_key`));
  }
  const text = files.path('a.csv');
  writeFileSync(text, 'a,b\n'.repeat(100));
  const csv = await runImport(text, '--from-table', 'a', '--table', 'a_1_9', '--data', data);
  assert.match(
    csv.err,
    /a\.csv is not a SQLite database; for a file of another kind add --table PREFIX_CHAIN_ID alone/,
  );
  const clash = await into('boats_1_2', 'Orders');
  assert.match(clash.err, /table 2 of chain 1 is served as orders_1_2 \(2 rows\): import it by this name/);
});

test('texts in UTF-16 come into a snapshot of their own, and are refused in one of UTF-8', async () => {
  const wide = files.path('wide.db');
  const database = new DatabaseSync(wide);
  database.exec("pragma encoding='UTF-16le'; create table t (a text); insert into t values ('ä')");
  database.close();
  const own = files.path('wide');
  const ran = await runImport(wide, '--from-table', 't', '--table', 't_1_1', '--data', own);
  assert.is(ran.code, 0, ran.err);
  assert.equal(await askRows(own, 'select a from t_1_1'), [['ä']]);
  const csv = files.path('w.csv');
  writeFileSync(csv, 'a\nö\n');
  const added = await runImport(csv, '--table', 'w_1_2', '--data', own);
  assert.is(added.code, 0, added.err);
  assert.equal(await askRows(own, 'select a from w_1_2'), [['ö']]);
  const mixed = await runImport(wide, '--from-table', 't', '--table', 't_1_9', '--data', data);
  assert.is(mixed.code, 1);
  assert.match(mixed.err, /its texts are UTF-16 and those of the snapshot UTF-8, or the reverse/);
});

test.run();
