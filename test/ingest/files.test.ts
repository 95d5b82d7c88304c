// One table from one file: every kind of file, every type, in the file's order, beside the tables that were there.
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ask, askCatalogue, makeDatabase, register, runImport, scratch } from './support.ts';

/** All but the hidden columns of reals as whole numbers. */
const ALL = "select columns(c -> not starts_with(c, 'scaled_')) from f_1_2";

const test = suite('files');
const files = scratch();
test.after(() => files.remove());

async function imported(
  name: string,
  content: string | Uint8Array,
  data = files.path(`${name}-data`),
): Promise<string> {
  const path = files.path(name);
  writeFileSync(path, content);
  const ran = await runImport(path, '--table', 'f_1_2', '--data', data);
  assert.is(ran.code, 0, ran.err);
  return data;
}

const kinds = (data: string) =>
  askCatalogue(
    data,
    "select name, declared_type, kind, affinity from tablegate_columns where table_name = 'f_1_2' order by position",
  );

test('CSV as of RFC 4180: quotes, line ends within, empty is NULL and "" is an empty text', async () => {
  const data = await imported(
    'a.csv',
    'id,name,price,zip,big,mixed,none,flag\r\n' +
      '1,"Smith, ""Jo""\r\nsecond line",1.50,01234,9223372036854775807,1,,true\r\n' +
      '2,"",-2,99999,-9223372036854775808,x,,false\r\n' +
      '10,,3e2,00000,0,1.5,,true\r\n',
  );
  assert.equal(await kinds(data), [
    ['id', 'integer', 'integer', 'integer'],
    ['name', 'text', 'text', 'text'],
    ['price', 'real', 'real', 'real'],
    ['zip', 'text', 'text', 'text'],
    ['big', 'integer', 'integer', 'integer'],
    ['mixed', 'text', 'text', 'text'],
    ['none', 'text', 'text', 'text'],
    ['flag', 'text', 'text', 'text'],
  ]);
  assert.equal(await ask(data, ALL), [
    ['1', 'Smith, "Jo"\r\nsecond line', 1.5, '01234', '9223372036854775807', '1', null, 'true', '1'],
    ['2', '', -2, '99999', '-9223372036854775808', 'x', null, 'false', '2'],
    ['10', null, 300, '00000', '0', '1.5', null, 'true', '3'],
  ]);
  assert.equal(
    await askCatalogue(
      data,
      'select chain_id, table_id, prefix, kind, rows, rowid_column, unique_sets from tablegate_tables',
    ),
    [['1', '2', 'f', 'user', '3', '_rowid', '[["id"]]']],
  );
});

test('a CSV with a single column, one without rows, one with odd names and a compressed one', async () => {
  assert.equal(await ask(await imported('one.csv', 'one\n5\n6\n'), 'select one, _rowid from f_1_2'), [
    ['5', '1'],
    ['6', '2'],
  ]);
  assert.equal(await ask(await imported('none.csv', 'a,b\n'), 'select count(*), count(a) from f_1_2'), [
    ['0', '0'],
  ]);
  const odd = await imported('odd.csv', '_rowid,"sel ""x""",日本\n5,6,7\n');
  assert.equal(await ask(odd, 'select "_rowid", "sel ""x""", "日本", _rowid_ from f_1_2'), [
    ['5', '6', '7', '1'],
  ]);
  assert.equal(
    await ask(await imported('z.csv.gz', gzipSync('a\n1\n2\n')), 'select sum(a)::varchar from f_1_2'),
    [['3']],
  );
  assert.equal(await ask(await imported('t.tsv', 'a\tb\n1\tx,y\n'), ALL), [['1', 'x,y', '1']]);
});

test('numbers that would lose digits as a double stay texts', async () => {
  const data = await imported('digits.csv', 'a,b,c\n9223372036854775808,0.12345678901234567890,+5\n1,2,3\n');
  assert.equal(await ask(data, 'select a, b, c from f_1_2'), [
    ['9223372036854775808', '0.12345678901234567890', '+5'],
    ['1', '2', '3'],
  ]);
});

test('JSON and NDJSON: the values of a column decide its kind, nested ones become JSON text', async () => {
  const rows = [
    '{"id":9007199254740993,"name":"a","ok":true,"n":1.5,"deep":{"x":[1,2]},"mixed":1,"when":"2020-01-02T03:04:05Z","nil":null}',
    '{"id":-1,"name":"é\\u0000🚀","ok":false,"n":2,"deep":[1,{"y":null}],"mixed":"one","when":"later","nil":null,"late":7}',
  ];
  const expected = [
    ['9007199254740993', 'a', '1', 1.5, '{"x":[1,2]}', '1', '2020-01-02T03:04:05Z', null, null, '1'],
    ['-1', 'é\0🚀', '0', 2, '[1,{"y":null}]', 'one', 'later', null, '7', '2'],
  ];
  const array = await imported('a.json', `[${rows.join(',\n')}]`);
  assert.equal(await ask(array, ALL), expected);
  assert.equal(
    (await kinds(array)).map(([, , kind]) => kind),
    [...['integer', 'text', 'integer', 'real', 'text', 'text', 'text', 'text', 'integer']],
  );
  assert.equal(await ask(await imported('a.ndjson', `${rows.join('\n')}\n`), ALL), expected);
  assert.equal(await ask(await imported('a.jsonl', rows.join('\n')), ALL), expected);
  assert.equal(
    await ask(await imported('dup.json', '[{"a":18446744073709551615},{"a":1}]'), 'select a from f_1_2'),
    [['18446744073709551615'], ['1']],
  );
});

test('Parquet: each type becomes one of the kinds', async () => {
  const path = files.path('types.parquet');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`copy (select
      true as flag, 7::utinyint as small, 9223372036854775807 as big, 18446744073709551615::ubigint as huge, 5::ubigint as fits,
      0.1::float as f, 1.25::double as d, 'nan'::double as nan, 12.34::decimal(6,2) as money, 1234567890123456789.12::decimal(30,2) as exact,
      'text' as t, ''::varchar as empty, '007' as digits, '\\x00\\xff'::blob as b, date '2001-02-03' as day, timestamp '2001-02-03 04:05:06.5' as moment,
      timestamptz '2001-02-03 04:05:06+02' as zoned, time '04:05:06' as clock, [1,2] as list, {'a': 1, 'b': [null]} as struct,
      uuid 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' as id, null::integer as nothing
    union all by name select null as flag) to '${path}' (format parquet)`);
  connection.closeSync();
  instance.closeSync();
  const data = files.path('types-data');
  const ran = await runImport(path, '--table', 'f_1_2', '--data', data);
  assert.is(ran.code, 0, ran.err);
  const [first, second] = await ask(data, 'select * replace (hex(b) as b) from f_1_2 order by _rowid');
  const columns = (await kinds(data)) as string[][];
  assert.equal(Object.fromEntries(columns.map(([name, , kind], i) => [name, [kind, first?.[i]]])), {
    flag: ['integer', '1'],
    small: ['integer', '7'],
    big: ['integer', '9223372036854775807'],
    huge: ['text', '18446744073709551615'],
    fits: ['integer', '5'],
    f: ['real', 0.1],
    d: ['real', 1.25],
    nan: ['real', null],
    money: ['real', 12.34],
    exact: ['text', '1234567890123456789.12'],
    t: ['text', 'text'],
    empty: ['text', ''],
    digits: ['text', '007'],
    b: ['blob', '00FF'],
    day: ['text', '2001-02-03'],
    moment: ['text', '2001-02-03 04:05:06.5'],
    zoned: ['text', '2001-02-03 02:05:06Z'],
    clock: ['text', '04:05:06'],
    list: ['text', '[1,2]'],
    struct: ['text', '{"a":1,"b":[null]}'],
    id: ['text', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
    nothing: ['integer', null],
  });
  assert.equal(second?.slice(0, columns.length), new Array(columns.length).fill(null));
});

test('a file goes beside the tables that are there, and replaces its own', async () => {
  const data = files.path('beside');
  const database = makeDatabase(files.path('v.db'), (db) => {
    db.exec(
      "create table t_1_1 (a text) strict; insert into t_1_1 values ('kept'); insert into system_txn_processor values (1, 9)",
    );
    register(db, 't_1_1');
  });
  assert.is((await runImport(database, '--data', data)).code, 0);
  await imported('v1.csv', 'a\n1\n', data);
  await imported('v2.csv', 'b,c\nx,2\ny,3\n', data);
  assert.equal(await ask(data, 'select b, c from f_1_2'), [
    ['x', '2'],
    ['y', '3'],
  ]);
  assert.equal(await ask(data, 'select a from t_1_1'), [['kept']]);
  assert.equal(
    await askCatalogue(data, "select name, rows from tablegate_tables where kind = 'user' order by name"),
    [
      ['f_1_2', '2'],
      ['t_1_1', '1'],
    ],
  );
  assert.equal(
    await askCatalogue(data, "select count(*) from tablegate_columns where table_name = 'f_1_2'"),
    [['2']],
  );
  assert.equal(await askCatalogue(data, 'select * from tablegate_blocks'), [['1', '9']]);
  assert.equal(await askCatalogue(data, 'select count(*) from tablegate_snapshot'), [['4']]);
});

test('a file whose name looks like a pattern is that file and no other', async () => {
  const data = files.path('pattern-data');
  await imported('x1a.csv', 'a\n41\n', data);
  for (const [name, value] of [
    ['x[1]*?.csv', '42'],
    ["it's [x]*.csv", '43'],
  ] as const) {
    await imported(name, `a\n${value}\n`, data);
    assert.equal(await ask(data, 'select a from f_1_2'), [[value]]);
  }
});

test('many rows stay in the order of the file', async () => {
  const lines = Array.from({ length: 300_000 }, (_, i) => `${(i * 7919) % 1_000_003},row ${i}`);
  const data = await imported('many.csv', `k,t\n${lines.join('\n')}\n`);
  assert.equal(
    await ask(
      data,
      "select count(*), count(*) filter (t = 'row ' || (_rowid - 1)), (select bool_and(ok)::varchar from (select _rowid > lag(_rowid, 1, 0) over () ok from f_1_2)) from f_1_2",
    ),
    [['300000', '300000', 'true']],
  );
});

test('the least memory is enough for small files of every kind', async () => {
  for (const [name, content] of [
    ['least.json', '[{"a":1},{"a":2}]'],
    ['least.ndjson', '{"a":1}\n{"a":2}\n'],
    ['least.csv', 'a\n1\n2\n'],
  ] as const) {
    const path = files.path(name);
    writeFileSync(path, content);
    const args = ['--table', 'f_1_2', '--data', files.path(`${name}-data`), '--import-memory', '256MiB'];
    const ran = await runImport(path, ...args);
    assert.is(ran.code, 0, ran.err);
  }
});

test.run();
