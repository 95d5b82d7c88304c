// Cells and bodies as the reference writes them, over the real engine's vectors.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ColumnKind } from '../../src/dialect/plan.ts';
import { ByteWriter, memoryOf } from '../../src/encode/byte-writer.ts';
import { createEncoder } from '../../src/encode/encode.ts';
import { type Cell, jsonRows } from '../../src/encode/json-rows.ts';
import { writeString } from '../../src/encode/json-text.ts';
import { drawnOf, layoutOf } from '../../src/encode/layout.ts';
import { columnsOf } from '../../src/encode/typed-rows.ts';
import type { Output } from '../../src/wire/protocol.ts';
import { rawJob } from '../support/passthrough.ts';
import { openTestWorker, type TestWorker } from '../worker/support.ts';

let worker: TestWorker;
test.before(async () => {
  worker = await openTestWorker({ tables: [] });
});
test.after(() => worker.close());

const OBJECTS: Output = { format: 'objects', extract: false, unwrap: false };

async function body(sql: string, output: Partial<Output> = {}): Promise<string> {
  const { outcome, text } = await worker.run(rawJob(sql, [], { output: { ...OBJECTS, ...output } }));
  return outcome.ok ? text : `${outcome.code}: ${outcome.message} (${outcome.detail ?? ''})`;
}
const cell = (expression: string, kind: string): Promise<string> =>
  body(`SELECT ${expression} AS "a:${kind}"`, { extract: true, unwrap: true });

test('writes every digit of integers, to both ends of 64 bits', async () => {
  const numbers = [
    '0',
    '-1',
    '7',
    '10',
    '99',
    '100',
    '2147483647',
    '-2147483648',
    '2147483648',
    '-2147483649',
  ];
  numbers.push(
    '9007199254740993',
    '-9007199254740993',
    '9223372036854775807',
    '-9223372036854775808',
    '4294967295',
  );
  for (const number of numbers) assert.is(await cell(`'${number}'::BIGINT`, 'integer'), number);
});

test('writes reals as the reference does', async () => {
  const cases = {
    '1.0': '1',
    '0.1': '0.1',
    '1e21': '1e+21',
    '1e20': '100000000000000000000',
    '1e-7': '1e-7',
  };
  for (const [sql, json] of Object.entries({ ...cases, '-2.5e-9': '-2.5e-9', '123456789.0': '123456789' }))
    assert.is(await cell(`${sql}::DOUBLE`, 'real'), json);
  assert.is(await cell("'-0'::DOUBLE", 'real'), '-0');
  assert.is(await cell("'inf'::DOUBLE", 'real'), 'null');
});

test('writes texts as strings that read back the same', async () => {
  const texts = [
    '',
    'a',
    "it's",
    '"\\/',
    '\b\f\n\r\t\u0001\u001f\u007f',
    '\u2028\u2029é😀',
    'x'.repeat(13),
    ' [1,]',
    'y'.repeat(9000),
  ];
  texts.push(`${'"'.repeat(5000)}`, '<b>&');
  for (const text of texts)
    assert.equal(JSON.parse(await cell(`'${text.replaceAll("'", "''")}'`, 'text')), text);
});

test('escapes in every place of texts of every length, which are copied four bytes at a time', () => {
  const marks = [
    '"',
    '\\',
    '\n',
    '\u0001',
    '\u001f',
    ' ',
    '!',
    '#',
    '[',
    ']',
    '\u007f',
    'é',
    '\u0080',
    '😀',
    '￿',
  ];
  const out = memoryOf(new Uint8Array(400));
  for (let length = 0; length < 14; length++)
    for (const mark of ['', ...marks])
      for (let place = 0; place <= length; place++)
        for (const second of ['', '"', 'ÿ']) {
          const text = `${'a'.repeat(place)}${mark}${'b'.repeat(length - place)}${second}`;
          // Among others, as in a column, and at the very end of the memory.
          for (const [before, after] of [
            ['"x"', '"\\'],
            ['', ''],
          ] as const) {
            const source = Buffer.from(before + text + after);
            const from = Buffer.byteLength(before);
            const end = writeString(out, 1, memoryOf(source), from, from + Buffer.byteLength(text));
            assert.is(Buffer.from(out.bytes.subarray(1, end)).toString(), JSON.stringify(text));
          }
        }
});

test('writes integers of every number of digits', async () => {
  const numbers = Array.from({ length: 11 }, (_, i) => 10 ** i).flatMap((n) => [
    n - 1,
    n,
    n + 1,
    -n,
    1 - n,
    5 * n,
  ]);
  const rows = await body(
    `SELECT n AS "n:integer" FROM (VALUES ${numbers.map((n) => `(${n}::BIGINT)`).join()}) t(n)`,
    { extract: true },
  );
  assert.equal(
    JSON.parse(rows),
    numbers.map((n) => (Object.is(n, -0) ? 0 : n)),
  );
});

test('embeds what is JSON after spaces only, compact, and leaves the rest a string', async () => {
  const embedded: [string, string][] = [
    ['{"a": 1.0, "b":[ 1e400, -0, "<&>\\u0041" ]}', '{"a":1.0,"b":[1e400,-0,"<&>\\u0041"]}'],
    [' {"a":1}\n ', '{"a":1}'],
    ['[]', '[]'],
    ['{ }', '{}'],
    ['{"a":1,"a":2}', '{"a":1,"a":2}'],
    [
      '[12345678901234567890,0.10,true,false,null,"\\n"]',
      '[12345678901234567890,0.10,true,false,null,"\\n"]',
    ],
    ['[\t1\r\n,\n2]', '[1,2]'],
    ['[{"a":[{}]},[[]]]', '[{"a":[{}]},[[]]]'],
  ];
  for (const [text, json] of embedded) assert.is(await cell(`'${text}'`, 'text'), json);
  const strings = [
    '\t{"a":1}',
    '[NaN]',
    '[1] x',
    '[01]',
    '["\\x"]',
    '[1,]',
    '[,1]',
    '{"a"}',
    '{a:1}',
    "{''a'':1}",
  ];
  strings.push(
    '{"a":1,}',
    '[1 2]',
    '["a\nb"]',
    '[1',
    '[1]]',
    '{"a":1]',
    '["\\u12"]',
    '[-]',
    '[1.]',
    '[.5]',
    '[1e]',
    '[+1]',
  );
  strings.push(
    '[tru]',
    '[nul',
    '{1:2}',
    '{"a":1 "b":2}',
    '["a":1]',
    '{"a",1}',
    '[Infinity]',
    '{',
    '[',
    '[/*x*/1]',
    '["',
    '["\\',
  );
  for (const text of strings)
    assert.equal(JSON.parse(await cell(`'${text}'`, 'text')), text.replaceAll("''", "'"));
});

test('embeds nesting to 10,000 and leaves deeper a string, without a crash', async () => {
  assert.is((await cell("repeat('[', 10000) || repeat(']', 10000)", 'text')).slice(0, 2), '[[');
  assert.is((await cell("repeat('[', 10001) || repeat(']', 10001)", 'text')).slice(0, 2), '"[');
  assert.is((await cell("repeat('[', 1000000)", 'text')).length, 1_000_002);
});

test('writes blobs in base64 and NULL as null', async () => {
  assert.is(await cell("''::BLOB", 'blob'), '""');
  for (const hex of ['00', '0001', '000102', 'fffefdfc', 'ab'.repeat(100)])
    assert.is(await cell(`unhex('${hex}')`, 'blob'), `"${Buffer.from(hex, 'hex').toString('base64')}"`);
  for (const [type, kind] of [
    ['BIGINT', 'integer'],
    ['DOUBLE', 'real'],
    ['VARCHAR', 'text'],
    ['BLOB', 'blob'],
  ])
    assert.is(await cell(`NULL::${type}`, kind ?? ''), 'null');
});

test('writes tagged values by the kind each has', async () => {
  const any = 'UNION(i BIGINT, r DOUBLE, t VARCHAR, b BLOB)';
  assert.is(
    await body(
      `SELECT x::${any} AS "a:any" FROM (VALUES (union_value(i := 9223372036854775807)::${any}),
         (union_value(r := 1.5::DOUBLE)), (union_value(t := 'it is a long text, not inlined')),
         (union_value(t := '[1, 2]')), (union_value(b := unhex('0102'))), (NULL)) v(x)`,
      { extract: true },
    ),
    '[9223372036854775807,1.5,"it is a long text, not inlined",[1,2],"AQI=",null]',
  );
});

const TWO = `SELECT i AS "z:integer", 't' || i AS "a:text" FROM range(2) r(i)`;
const NONE = `SELECT i AS "z:integer", 't' || i AS "a:text" FROM range(0) r(i)`;
const ONE_COLUMN = `SELECT i AS "z:integer" FROM range(3) r(i)`;

test('lays out every form of the API', async () => {
  assert.is(await body(TWO), '[{"a":"t0","z":0},{"a":"t1","z":1}]');
  assert.is(await body(TWO, { unwrap: true }), '{"a":"t0","z":0}\n{"a":"t1","z":1}');
  assert.is(
    await body(TWO, { format: 'table' }),
    '{"columns":[{"name":"z"},{"name":"a"}],"rows":[[0,"t0"],[1,"t1"]]}',
  );
  assert.is(
    await body(TWO, { format: 'table', extract: true, unwrap: true }),
    '{"columns":[{"name":"z"},{"name":"a"}],"rows":[[0,"t0"],[1,"t1"]]}',
  );
  assert.is(await body(ONE_COLUMN, { extract: true }), '[0,1,2]');
  assert.is(await body(ONE_COLUMN, { extract: true, unwrap: true }), '0\n1\n2');
  assert.is(await body(NONE), '[]');
  assert.is(await body(NONE, { unwrap: true }), '');
  assert.is(await body(NONE, { format: 'table' }), '{"columns":[{"name":"z"},{"name":"a"}],"rows":[]}');
});

test('refuses extract of several columns, but takes equal names as the one that the last wins', async () => {
  assert.match(await body(TWO, { extract: true }), /^extract-columns: /);
  assert.is(await body(NONE, { extract: true }), '[]', 'no rows are no error, as in the reference');
  assert.is(await body(NONE, { extract: true, unwrap: true }), '');
  assert.is(await body('SELECT 1::BIGINT AS "a:integer", 2::DOUBLE AS "a:real"', { extract: true }), '[2]');
  assert.is(await body('SELECT 1::BIGINT AS "a:integer", 2::DOUBLE AS "a:real"'), '[{"a":2}]');
});

test('escapes names of columns', async () => {
  assert.is(await body('SELECT 1::BIGINT AS "a\'\\\n<é:integer"'), '[{"a\'\\\\\\n<é":1}]');
});

test('keeps the order and the count of rows over many chunks, NULLs and texts of every length', async () => {
  const rows = 10_000;
  const text = await body(
    `SELECT i AS "i:integer", CASE WHEN i % 7 = 0 THEN NULL ELSE repeat('ab', (i % 20)::BIGINT) END AS "t:text"
     FROM range(${rows}) r(i) ORDER BY i DESC`,
  );
  const expected = Array.from({ length: rows }, (_, k) => {
    const i = rows - 1 - k;
    return { i, t: i % 7 === 0 ? null : 'ab'.repeat(i % 20) };
  });
  assert.equal(JSON.parse(text), expected);
});

test('looks for escapes in all texts of a chunk, whatever its last row has', async () => {
  const quotes = (last: string): Promise<string> =>
    body(`SELECT CASE WHEN i = 99 THEN ${last} ELSE '"' END AS "t:text" FROM range(100) r(i)`);
  for (const [last, t] of [
    ['NULL', null],
    ["''", ''],
    ["'x'", 'x'],
  ] as const)
    assert.equal(JSON.parse(await quotes(last)), [...Array(99).fill({ t: '"' }), { t }]);
});

/** Columns by row: such as are written at once, and such as one cell of which is written in another way. */
const CELLS: Readonly<Record<string, (row: number) => Cell>> = {
  whole: (row) => BigInt((row * 7919) % 4001) - 2000n,
  ends: (row) => BigInt([0, -1, 9, 10, 99, 100, 2147483647, -2147483647, 999_999][row % 9] ?? 0),
  wide: (row) => (row % 50 === 7 ? -2147483648n : BigInt(row)),
  some: (row) => (row % 3 === 0 ? null : BigInt(row)),
  short: (row) => 'abcdefghijklmnopqrstuvwxyz'.slice(0, row % 27),
  long: (row) => 'xyz'.repeat(row % 90),
  quotes: (row) => (row === 3 ? 'a"b\\c' : row > 40 ? null : 'plain'),
  brackets: (row) => (row === 11 ? '[not json' : 'x'),
  spaces: (row) => (row === 5 ? ' {not json' : ''),
  control: (row) => (row === 6 ? 'line\nend' : `é${row}`),
  'a"é': (row) => row + 0.5,
  nothing: () => null,
};
const KINDS: Readonly<Record<string, ColumnKind>> = {
  whole: 'integer',
  ends: 'integer',
  wide: 'integer',
  some: 'integer',
  'a"é': 'real',
};

for (const rows of [1, 2, 60, 130, 2100])
  for (const names of [Object.keys(CELLS), Object.keys(CELLS).reverse()])
    test(`writes ${rows} rows column by column, ${names[0]} first`, () => {
      const all = Array.from({ length: rows }, (_, row) => names.map((name) => CELLS[name]!(row)));
      const kinds = names.map((name) => KINDS[name] ?? 'text');
      const columns = names.map((name, i) => ({ name, kind: kinds[i]!, type: null }));
      for (const output of [
        OBJECTS,
        { ...OBJECTS, unwrap: true },
        { ...OBJECTS, format: 'table' } as const,
      ]) {
        const encoder = createEncoder(layoutOf(columns, output), new ByteWriter());
        // In two parts, as chunks come.
        for (const some of [all.slice(0, rows >> 1), all.slice(rows >> 1)])
          encoder.add(columnsOf(columns, kinds, some), some.length);
        encoder.finish();
        assert.is(Buffer.from(encoder.take()).toString(), jsonOf(all, columns, output));
      }
    });

/** The same by the encoder of SQLite's rows. */
function jsonOf(
  rows: readonly (readonly Cell[])[],
  columns: readonly { readonly name: string }[],
  output: Output,
): string {
  const drawn = drawnOf(columns, output);
  return drawn.open + jsonRows(drawn, rows, 0) + drawn.close;
}

test.run();
