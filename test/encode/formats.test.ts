// NDJSON, CSV, Arrow and Parquet over the real engine's vectors, read back by readers that are not ours.
import { type Table, tableFromIPC } from 'apache-arrow';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Format } from '../../src/wire/protocol.ts';
import { readParquet } from '../support/parquet.ts';
import { rawJob } from '../support/passthrough.ts';
import { openTestWorker, type Ran, type TestWorker } from '../worker/support.ts';

let worker: TestWorker;
test.before(async () => {
  worker = await openTestWorker({ tables: [] });
});
test.after(() => worker.close());

const ran = (sql: string, format: Format, extract = false): Promise<Ran> =>
  worker.run(rawJob(sql, [], { output: { format, extract, unwrap: false } }));

async function answered(sql: string, format: Format, extract = false): Promise<Buffer> {
  const { outcome, body } = await ran(sql, format, extract);
  assert.ok(outcome.ok, outcome.ok ? '' : `${outcome.code}: ${outcome.message} (${outcome.detail ?? ''})`);
  return body;
}
const csv = async (sql: string): Promise<string> => (await answered(sql, 'csv')).toString('utf8');
const arrow = async (sql: string): Promise<Table> => tableFromIPC(await answered(sql, 'arrow'));

/** Every kind with NULLs in other places each, and what is at the ends of its range. */
const VALUES = `SELECT i AS "i:integer", r AS "r:real", t AS "t:text", b AS "b:blob" FROM (VALUES
  (9223372036854775807, 1.5::DOUBLE, 'it''s "quoted", long enough not to be inlined', unhex('00ff')),
  (NULL, '-0'::DOUBLE, '', ''::BLOB),
  ((-9223372036854775808)::BIGINT, NULL, NULL, NULL),
  (0, 'inf'::DOUBLE, E'é😀\\r\\n', unhex('${'ab'.repeat(40)}'))) v(i, r, t, b)`;
const NONE = 'SELECT i AS "i:integer", \'x\' AS "t:text" FROM range(0) v(i)';
const ROWS = 300_000;
const MANY = `SELECT i AS "i:integer", CASE WHEN i % 7 <> 0 THEN i / 8 END AS "r:real",
  CASE WHEN i % 3 <> 0 THEN 'text ' || i END AS "t:text" FROM range(${ROWS}) v(i)`;

test('writes NDJSON: an object or an extracted value a line, the last one ended too', async () => {
  const sql = `SELECT i AS "z:integer", 'a' || chr(10) || i AS "a:text" FROM range(2) v(i)`;
  assert.is((await answered(sql, 'ndjson')).toString(), '{"a":"a\\n0","z":0}\n{"a":"a\\n1","z":1}\n');
  const one = 'SELECT i AS "z:integer" FROM range(3) v(i)';
  assert.is((await answered(one, 'ndjson', true)).toString(), '0\n1\n2\n');
  assert.is((await answered(NONE, 'ndjson')).toString(), '');
});

test('writes CSV by RFC 4180, with NULL apart from the empty text', async () => {
  assert.is(
    await csv(VALUES),
    'i,r,t,b\r\n' +
      '9223372036854775807,1.5,"it\'s ""quoted"", long enough not to be inlined",AP8=\r\n' +
      ',-0,"",""\r\n' +
      '-9223372036854775808,,,\r\n' +
      `0,Infinity,"é😀\r\n",${Buffer.from('ab'.repeat(40), 'hex').toString('base64')}\r\n`,
  );
  assert.is(await csv(NONE), 'i,t\r\n');
  assert.is(await csv(`SELECT ' a' AS "x,""y:text"`.replace('""', '')), '"x,y"\r\n" a"\r\n');
});

test('keeps every column of equal names in CSV, in the order of the statement', async () => {
  assert.is(
    await csv('SELECT 1::BIGINT AS "b:integer", 2::BIGINT AS "a:integer", 3::DOUBLE AS "b:real"'),
    'b,a,b\r\n1,2,3\r\n',
  );
});

test('writes columns of mixed kinds as CSV by the kind of each value', async () => {
  const any = 'UNION(i BIGINT, r DOUBLE, t VARCHAR, b BLOB)';
  const values = ['i := 7', 'r := 1.5::DOUBLE', `t := ''`, `b := unhex('01')`];
  const rows = values.map((value) => `(union_value(${value})::${any})`).join(', ');
  assert.is(
    await csv(`SELECT x::${any} AS "a:any" FROM (VALUES ${rows}, (NULL)) v(x)`),
    'a\r\n7\r\n1.5\r\n""\r\nAQ==\r\n\r\n',
  );
});

test('writes Arrow that its own library reads back: types, values and NULLs', async () => {
  const table = await arrow(VALUES);
  assert.equal(
    table.schema.fields.map(({ name, type, nullable }) => `${name} ${type} ${nullable}`),
    ['i Int64 true', 'r Float64 true', 't Utf8 true', 'b Binary true'],
  );
  const column = (name: string): unknown[] => [...(table.getChild(name) ?? [])];
  assert.equal(column('i'), [9223372036854775807n, null, -9223372036854775808n, 0n]);
  assert.equal(column('r'), [1.5, -0, null, Number.POSITIVE_INFINITY]);
  assert.equal(column('t'), ['it\'s "quoted", long enough not to be inlined', '', null, 'é😀\r\n']);
  assert.equal(
    column('b').map((bytes) => (bytes === null ? null : Buffer.from(bytes as Uint8Array).toString('hex'))),
    ['00ff', '', null, 'ab'.repeat(40)],
  );
  const empty = await arrow(NONE);
  assert.is(empty.numRows, 0);
  assert.equal(empty.schema.names, ['i', 't']);
});

test('writes Arrow in batches that go out in parts', async () => {
  const { outcome, body, frames } = await ran(MANY, 'arrow');
  assert.ok(outcome.ok);
  assert.ok(frames.length > 3, `${frames.length} frames`);
  const table = tableFromIPC(body);
  assert.is(table.numRows, ROWS);
  assert.ok(table.batches.length > 2);
  let row = 0;
  for (const { i, r, t } of table) {
    const expected = [BigInt(row), row % 7 === 0 ? null : row / 8, row % 3 === 0 ? null : `text ${row}`];
    if (i !== expected[0] || r !== expected[1] || t !== expected[2]) assert.equal([i, r, t], expected);
    row++;
  }
  assert.is(row, ROWS);
});

test('writes Parquet that the engine reads back: types, values and NULLs', async () => {
  const { rows, types } = await readParquet(await answered(VALUES, 'parquet'));
  assert.equal(types, { i: 'BIGINT', r: 'DOUBLE', t: 'VARCHAR', b: 'BLOB' });
  assert.equal(
    rows.map(({ i }) => i),
    ['9223372036854775807', null, '-9223372036854775808', '0'],
  );
  assert.equal(
    rows.map(({ t }) => t),
    ['it\'s "quoted", long enough not to be inlined', '', null, 'é😀\r\n'],
  );
  assert.equal(
    rows.map(({ r }) => r),
    [1.5, -0, null, 'Infinity'],
  );
  assert.is(rows[2]?.['b'], null);
  assert.is(rows[0]?.['b'], '\\x00\\xFF');
  const empty = await readParquet(await answered(NONE, 'parquet'));
  assert.equal(empty.rows, []);
  assert.equal(empty.types, { i: 'BIGINT', t: 'VARCHAR' });
});

test('writes Parquet by row groups, and hundreds of columns', async () => {
  const { rows, rowGroups } = await readParquet(await answered(MANY, 'parquet'));
  assert.is(rowGroups, 3);
  assert.is(rows.length, ROWS);
  rows.forEach(({ i, r, t }, row) => {
    const expected = [String(row), row % 7 === 0 ? null : row / 8, row % 3 === 0 ? null : `text ${row}`];
    if (i !== expected[0] || r !== expected[1] || t !== expected[2]) assert.equal([i, r, t], expected);
  });
  const wide = Array.from({ length: 300 }, (_, i) => `${i}::BIGINT AS "c${i}:integer"`).join(', ');
  const read = await readParquet(await answered(`SELECT ${wide}`, 'parquet'));
  assert.is(Object.keys(read.types).length, 300);
  assert.is(read.rows[0]?.['c299'], '299');
  assert.is((await arrow(`SELECT ${wide}`)).numCols, 300);
});

test('gives equal names of columns a number in Arrow and Parquet', async () => {
  const twice = 'SELECT 1::BIGINT AS "a:integer", 2::BIGINT AS "a_1:integer", 3::BIGINT AS "a:integer"';
  assert.equal((await arrow(twice)).schema.names, ['a', 'a_1', 'a_2']);
  assert.equal(Object.keys((await readParquet(await answered(twice, 'parquet'))).types), ['a', 'a_1', 'a_2']);
});

test('refuses columns of mixed kinds in Arrow and Parquet before anything runs, naming column and cure', async () => {
  const any = 'UNION(i BIGINT, r DOUBLE, t VARCHAR, b BLOB)';
  for (const format of ['arrow', 'parquet'] as const) {
    const { outcome } = await ran(`SELECT error('it ran')::${any} AS "mixed:any"`, format);
    assert.ok(!outcome.ok);
    assert.is(outcome.code, 'mixed-column');
    assert.match(outcome.message, /"mixed".*CAST/);
  }
});

test('holds limits on bytes and rows in every format', async () => {
  for (const format of ['ndjson', 'csv', 'arrow', 'parquet'] as const) {
    const limits = { deadlineMs: 10_000, maxRows: 1e9, maxBytes: 300_000 };
    const output = { format, extract: false, unwrap: false };
    const large = await worker.run(rawJob(MANY, [], { output, limits }));
    const ends =
      large.frames.length > 1 ? String(large.frames.at(-1)?.payload) : JSON.stringify(large.outcome);
    assert.match(ends, /limit-bytes/);
    const many = await worker.run(rawJob(MANY, [], { output, limits: { ...limits, maxRows: 10 } }));
    assert.ok(!many.outcome.ok && many.outcome.code === 'limit-rows');
  }
});

test('shows nothing of the memory that stands in place of NULLs', async () => {
  const secret = `SELECT CASE WHEN s < 0 THEN s END AS "i:integer" FROM (SELECT 6148914691236517205 + i AS s FROM range(100) v(i))`;
  const body = await answered(secret, 'arrow');
  assert.is(body.indexOf(Buffer.from([0x55, 0x55, 0x55, 0x55])), -1);
});

test.run();
