// Values survive the way from SQLite into a snapshot: every digit, every byte, every row in its order.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ask, askCatalogue, makeDatabase, register, runImport, scratch } from './support.ts';

const test = suite('values');
const files = scratch();
test.after(() => files.remove());

async function imported(name: string, fill: Parameters<typeof makeDatabase>[1]): Promise<string> {
  const data = files.path(`${name}-data`);
  const ran = await runImport(makeDatabase(files.path(`${name}.db`), fill), '--data', data);
  assert.is(ran.code, 0, ran.err);
  return data;
}

test('integers keep every digit', async () => {
  const values = [
    '0',
    '-1',
    '9007199254740991',
    '9007199254740993',
    '-9007199254740993',
    '4294967296',
    '-4294967297',
  ];
  values.push('9223372036854775807', '-9223372036854775808', '2147483648', '-2147483649');
  const data = await imported('integers', (database) => {
    database.exec('create table t_1_1 (a integer, b int) strict');
    register(database, 't_1_1');
    for (const [i, value] of values.entries())
      database.prepare('insert into t_1_1 values (?, ?)').run(BigInt(value), i);
  });
  assert.equal(
    await ask(data, 'select a, b from t_1_1 order by b'),
    values.map((value, i) => [value, String(i)]),
  );
});

test('texts and blobs keep every byte, and NULL is not empty', async () => {
  const texts = [
    '',
    ' ',
    '0',
    'null',
    "it's",
    'NUL\0inside',
    '\0',
    'a'.repeat(12),
    'a'.repeat(13),
    'é'.repeat(6),
    'é'.repeat(7),
  ];
  texts.push(
    '𝄞 emoji 🚀',
    '"quoted"\n\t\\',
    '{"a":[1]}',
    'x'.repeat(100_000),
    '\u{feff}bom',
    '\u0001\u007f',
    'twelve bytes',
    '1e5',
    '٣',
  );
  const blobs = texts.map((text) => new Uint8Array([...Buffer.from(text), 0, 255, 254]));
  const data = await imported('texts', (database) => {
    database.exec('create table t_1_1 (i int, a text, b blob, c text) strict');
    register(database, 't_1_1');
    const insert = database.prepare('insert into t_1_1 values (?, ?, ?, null)');
    // The binding's own parameters end at a NUL.
    for (const [i, text] of texts.entries())
      database
        .prepare('insert into t_1_1 values (?, cast(? as text), ?, null)')
        .run(i, new Uint8Array(Buffer.from(text)), blobs[i] as Uint8Array);
    insert.run(texts.length, null, null);
    insert.run(texts.length + 1, '', new Uint8Array(0));
  });
  const rows = await ask(data, 'select hex(a), hex(b), c from t_1_1 order by i');
  assert.equal(rows, [
    ...texts.map((text, i) => [
      Buffer.from(text).toString('hex').toUpperCase(),
      Buffer.from(blobs[i] as Uint8Array)
        .toString('hex')
        .toUpperCase(),
      null,
    ]),
    [null, null, null],
    ['', '', null],
  ]);
});

test('a text that is not UTF-8 gets the replacement character, as on its way to a client', async () => {
  const data = await imported('invalid', (database) => {
    database.exec(
      "create table t_1_1 (a text) strict; insert into t_1_1 values (cast(x'61ff62' as text)), ('ok')",
    );
    database.exec("insert into t_1_1 values (cast(x'c3' as text)), (cast(x'6100ff62' as text))");
    register(database, 't_1_1');
  });
  assert.equal(await ask(data, 'select a from t_1_1 order by _rowid'), [
    ['a\ufffdb'],
    ['ok'],
    ['\ufffd'],
    ['a\0\ufffdb'],
  ]);
});

test('rows stay in the order of their rowids, with the rowids that they have', async () => {
  const data = await imported('order', (database) => {
    database.exec(`
      create table t_1_1 (a int, b text unique) strict;
      create table k_1_2 (a text, id integer primary key, unique(a, id)) strict;
      create table n_1_3 (rowid int, _rowid int, _rowid_ text) strict;`);
    for (const name of ['t_1_1', 'k_1_2', 'n_1_3']) register(database, name);
    // Rowids out of order, negative, and an index that covers all columns in another order.
    for (const [rowid, a] of [
      [7, 1],
      [-5, 2],
      [3_000_000_000, 3],
      [0, 4],
    ])
      database.prepare('insert into t_1_1 (rowid, a, b) values (?, ?, ?)').run(rowid, a, `z${9 - (a ?? 0)}`);
    database.exec(
      "insert into k_1_2 values ('z', 9223372036854775807), ('y', -9223372036854775808), ('x', 1)",
    );
    database.exec("insert into n_1_3 values (5, 6, 'x'), (1, 2, 'y')");
  });
  assert.equal(await ask(data, 'select a, b, _rowid from t_1_1'), [
    ['2', 'z7', '-5'],
    ['4', 'z5', '0'],
    ['1', 'z8', '7'],
    ['3', 'z6', '3000000000'],
  ]);
  assert.equal(await ask(data, 'select a, id from k_1_2'), [
    ['y', '-9223372036854775808'],
    ['x', '1'],
    ['z', '9223372036854775807'],
  ]);
  assert.equal(await ask(data, 'select * from n_1_3'), [
    ['5', '6', 'x', '1'],
    ['1', '2', 'y', '2'],
  ]);
  assert.equal(
    await askCatalogue(
      data,
      "select name, rowid_column, unique_sets from tablegate_tables where name like '%_1_%' order by name",
    ),
    [
      ['k_1_2', 'id', '[["id"],["a","id"]]'],
      ['n_1_3', '_rowid__', '[]'],
      ['t_1_1', '_rowid', '[["b"]]'],
    ],
  );
});

test('a large table keeps count, order and sums over chunks, gaps and late big integers', async () => {
  const data = await imported('large', (database) => {
    database.exec(`
      create table t_1_1 (id integer primary key, a integer, b text) strict;
      with recursive s(i) as (select 1 union all select i + 1 from s where i < 100000)
      insert into t_1_1 select i * 3, i * 7919 % 1000003, 'row number ' || i from s;
      update t_1_1 set a = 9223372036854775807 where id = 299997; update t_1_1 set b = null where id % 7 = 0`);
    register(database, 't_1_1');
  });
  const [row] = await ask(
    data,
    `select count(*), sum(id)::varchar, sum(a::hugeint)::varchar, count(b), max(a),
       count(*) filter (b <> 'row number ' || id // 3), (select bool_and(ok) from (select id > lag(id, 1, 0) over () ok from t_1_1))::varchar
     from t_1_1`,
  );
  let sum = 0n;
  for (let i = 1; i <= 100_000; i++)
    sum += i === 99_999 ? 9223372036854775807n : BigInt((i * 7919) % 1_000_003);
  assert.equal(row, ['100000', '15000150000', String(sum), '85715', '9223372036854775807', '0', 'true']);
});

test('columns of tables that are not strict have the kind of their values', async () => {
  const data = await imported('loose', (database) => {
    database.exec(`
      create table system_odd (i integer, t text, mixed text, n numeric, r real, empty blob, any);
      insert into system_odd values (1, 'a', 'x', 1, 1, null, 9007199254740993), (2, 'b', x'00ff', 2.5, 2.5, null, 1.0),
        (null, null, null, null, null, null, null), (4, '5', '6', 'seven', 8, null, 'nul' || char(0) || '!'), (5, '', '', 3, 1e300, null, x'');
      create table any_1_1 (a any, b real) strict; insert into any_1_1 values (1, 1), ('1', 2.5), (1.5, -0.0), (null, null);`);
    register(database, 'any_1_1');
  });
  assert.equal(
    await askCatalogue(
      data,
      "select name, kind, affinity from tablegate_columns where table_name = 'system_odd' order by position",
    ),
    [
      ['i', 'integer', 'integer'],
      ['t', 'text', 'text'],
      ['mixed', 'any', 'text'],
      ['n', 'any', 'numeric'],
      ['r', 'real', 'real'],
      ['empty', 'blob', 'blob'],
      ['any', 'any', 'blob'],
    ],
  );
  assert.equal(
    await ask(
      data,
      'select union_tag("any")::varchar, hex("any".t), "any".i, "any".r, "any".b is null, "any" is null from system_odd',
    ),
    [
      ['i', null, '9007199254740993', null, true, false],
      ['r', null, null, 1, true, false],
      [null, null, null, null, true, true],
      ['t', '6E756C0021', null, null, true, false],
      ['b', null, null, null, false, false],
    ],
  );
  assert.equal(await ask(data, 'select union_tag(n)::varchar, n.r, n.i, n.t from system_odd'), [
    ['i', null, '1', null],
    ['r', 2.5, null, null],
    [null, null, null, null],
    ['t', null, null, 'seven'],
    ['i', null, '3', null],
  ]);
  assert.equal(await ask(data, 'select r from system_odd'), [[1], [2.5], [null], [8], [1e300]]);
  assert.equal(await ask(data, 'select union_tag(a)::varchar, b from any_1_1'), [
    ['i', 1],
    ['t', 2.5],
    ['r', -0],
    [null, null],
  ]);
});

test('tables without rowid, with very many columns, empty ones and generated columns are imported', async () => {
  const wide = Array.from({ length: 1200 }, (_, i) => `c${i} ${i % 2 === 0 ? 'int' : 'text'}`).join(',');
  const data = await imported('shapes', (database) => {
    database.exec(`
      create table w_1_1 (k text primary key, v int) strict, without rowid; insert into w_1_1 values ('b', 9223372036854775807), ('a', 2);
      create table wide_1_2 (${wide}) strict; insert into wide_1_2 (c0, c1199) values (1, 'last'), (9007199254740993, null);
      create table empty_1_3 (a int, b text, c blob) strict;
      create table gen_1_4 (a int, b int as (a * 2) stored, c text generated always as ('v' || a) virtual) strict; insert into gen_1_4 (a) values (21)`);
    for (const name of ['w_1_1', 'wide_1_2', 'empty_1_3', 'gen_1_4']) register(database, name);
  });
  assert.equal(await ask(data, 'select * from w_1_1'), [
    ['a', '2'],
    ['b', '9223372036854775807'],
  ]);
  assert.equal(await ask(data, 'select c0, c1199, _rowid from wide_1_2'), [
    ['1', 'last', '1'],
    ['9007199254740993', null, '2'],
  ]);
  assert.equal(await ask(data, 'select count(*) from empty_1_3'), [['0']]);
  assert.equal(await ask(data, 'select a, b, c from gen_1_4'), [['21', '42', 'v21']]);
});

test.run();
