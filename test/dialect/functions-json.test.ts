// JSON functions over a product of documents, paths and values, and printf() over one of formats and values: the
// compiled form answers what the reference answers, byte by byte. Where the reference fails on the way (an empty
// answer with status 200) ours is refused.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openBesideReference } from './beside-reference.ts';

const DOCUMENTS = [
  '{"a":1,"b":[1,2.50,"x",null],"c":{"d":true,"e\\"f":"q"},"a":2}',
  ' { "a" : [ ] , "b" : { } } ',
  '[]',
  '{}',
  '[1,[2,[3,[4]]],{"a":"\\u00e9\\ud83d\\ude00\\n\\/"}]',
  '[0,-0,-0.0,1e3,1E400,12345678901234567890,9223372036854775807,-9223372036854775808,0.1,1.0]',
  'null',
  'true',
  '"text"',
  '"\\u0041\\t\\"\\\\"',
  '5',
  '-1.50',
  '"a\\u0000b"',
  '{"":1," ":2,"a.b":3,"[0]":4,"é":5,"1":6,"a\\tb":7}',
  '[[[[[[1]]]]]]',
  'bad',
  '',
  '{"a":1,}',
  "{'a':1}",
  '[01]',
  '[1] x',
  'nul',
  '{"a":NaN}',
  '[1,2',
];
const PATHS = [
  '$',
  '$.a',
  '$.b',
  '$.b[0]',
  '$.b[#-1]',
  '$.b[#]',
  '$[0]',
  '$[#-1]',
  '$[1][1][1][0]',
  '$[#-2]',
  '$[99]',
  '$.c.d',
  '$.c."e\\"f"',
  '$.""',
  '$."a.b"',
  '$.é',
  '$.1',
  'a',
  '1',
  '-1',
  '',
  '$.',
  '$[',
  '$[x]',
  '$.a.b',
  '$.a[0]',
];
const VALUES = [
  `1`,
  `'x'`,
  `null`,
  `json('[1,{"k":2}]')`,
  `'[1]'`,
  `'0.5' + 0`,
  `json('"s"')`,
  `9223372036854775807`,
];
const FORMATS = [
  '%d',
  '%5d|%-5d|%05d|%+d|% d|%,d',
  '%x|%X|%#x|%o|%#o|%u',
  '%.0f|%.1f|%.2f|%f|%10.3f|%-10.3f|%010.3f|%+f',
  '%e|%.3e|%E|%g|%G|%.3g|%#g|%!g|%!.20f',
  '%s|%10s|%-10s|%.3s|%!.3s|%5.3s',
  '%q|%Q|%w',
  '%c|%5c|%-5c|%.3c',
  '%%|%5%|%-5%',
  '%r|%p|%i|%z',
  '%lld|%ld|%llx',
  'a%yb',
  '%',
  '%5',
  '',
  'plain é',
  '%*d|%-*d|%.*f',
];
const NUMBERS = [
  'null',
  '0',
  '1',
  '-1',
  '42',
  '1234567',
  '-9223372036854775807',
  '9223372036854775807',
  `'0.5' + 0`,
  `'1.005' + 0`,
  `'2.675' + 0`,
  `'-1234567.891' + 0`,
  `'1e20' + 0`,
  `'1.5e300' + 0`,
  `'1e-7' + 0`,
  `''`,
  `'abc'`,
  `'12abc'`,
  `'日本語é'`,
  `'it''s "q"'`,
  `x'616263'`,
  `x''`,
];

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;
const SCRIPT = `create table docs_31337_1(id integer primary key, j text) strict;
  insert into docs_31337_1 values ${DOCUMENTS.map((document, i) => `(${i}, ${text(document)})`).join(', ')};`;
const beside = await openBesideReference(SCRIPT, 'docs');
const { engines } = beside;
test.after(() => beside.close());

async function expected(statement: string): Promise<string> {
  const { status, text: body } = await beside.ask(statement);
  if (status !== 200) return 'refused';
  const rows = (JSON.parse(body) as { rows: readonly (readonly string[])[] }).rows;
  return rows.length === 0 ? 'refused' : (rows[0] as readonly string[]).join(' ');
}

async function actual(statement: string): Promise<string> {
  const answer = await engines.ours(statement);
  if ('error' in answer) return answer.error === 'run-failed' ? 'refused' : answer.error;
  return (answer.rows[0] ?? []).map((cell) => cell.slice(2)).join(' ');
}

/** typeof() and hex() of values, so that JSON of the answer cannot hide a difference. */
const shown = (values: readonly string[]): string =>
  values.map((value) => `typeof(${value}), hex(${value})`).join(', ');

async function differences(statements: readonly string[]): Promise<string> {
  const wrong: string[] = [];
  for (const statement of statements) {
    const [theirs, ours] = [await expected(statement), await actual(statement)];
    if (theirs !== ours) wrong.push(`${statement}\n    ${theirs} in the reference\n    ${ours} here`);
  }
  return wrong.join('\n');
}

const row = (id: number): string => `from docs_31337_1 where id = ${id}`;
const product = (build: (id: number, path: string, n: number) => string): readonly string[] =>
  DOCUMENTS.flatMap((_, id) => PATHS.map((path, n) => build(id, text(path), n)));

test('json_extract, json_type, json_array_length and json_remove of every path of every document', async () => {
  const names = ['json_extract', 'json_type', 'json_array_length', 'json_remove'];
  const wrong = await differences(
    product((id, path) => `select ${shown(names.map((name) => `${name}(j, ${path})`))} ${row(id)}`),
  );
  assert.is(wrong, '', wrong);
});

test('-> and ->> of every path of every document', async () => {
  const wrong = await differences(
    product((id, path) => `select ${shown([`j -> ${path}`, `j ->> ${path}`])} ${row(id)}`),
  );
  assert.is(wrong, '', wrong);
});

test('json_set, json_insert and json_replace at every path of every document', async () => {
  const wrong = await differences(
    product((id, path, n) => {
      const value = VALUES[(id + n) % VALUES.length];
      const calls = ['json_set', 'json_insert', 'json_replace'].map(
        (name) => `${name}(j, ${path}, ${value})`,
      );
      return `select ${shown([...calls, `json_quote(json_set(j, ${path}, ${value}))`])} ${row(id)}`;
    }),
  );
  assert.is(wrong, '', wrong);
});

test('json_patch of every document with every other', async () => {
  const wrong = await differences(
    DOCUMENTS.slice(0, 16).flatMap((document) =>
      DOCUMENTS.map(
        (_, id) =>
          `select ${shown([`json_patch(j, ${text(document)})`, `json_patch(${text(document)}, j)`])} ${row(id)}`,
      ),
    ),
  );
  assert.is(wrong, '', wrong);
});

test('json, json_valid, json_quote, json_array and json_object of every document and value', async () => {
  const wrong = await differences([
    ...DOCUMENTS.flatMap((_, id) => [
      `select ${shown(['json(j)', 'json_array(json(j), j)', `json_object('k', json(j), j, 1)`])} ${row(id)}`,
      `select ${shown(['json_valid(j)', 'json_quote(j)', 'json_array(j)', `json_object(j, j)`])} ${row(id)}`,
      `select ${shown(['json_array_length(j)', 'json_type(j)', `json_extract(j, '$', '$.a', '$[0]')`])} ${row(id)}`,
    ]),
    ...VALUES.flatMap((value) => [
      `select ${shown([`json_array(${value})`, `json_quote(${value})`, `json_object('a', ${value})`])} ${row(0)}`,
      `select ${shown([`json_object(${value}, 1)`])} ${row(0)}`,
      `select ${shown([`json_valid(${value})`])} ${row(0)}`,
      `select ${shown([`json_array(coalesce(null, ${value}), iif(1, ${value}, 0), case when 1 then ${value} end, max(${value}, ${value}), (select ${value} ${row(1)}))`])} ${row(0)}`,
    ]),
    `select ${shown([`json_array(x'61')`])} ${row(0)}`,
    `select ${shown([`json_quote(x'61')`])} ${row(0)}`,
    `select ${shown([`json_object('a')`])} ${row(0)}`,
    `select ${shown(['json_array()', 'json_object()', 'json(null)', 'json_type(null)', `json_extract(null, '$')`])} ${row(0)}`,
  ]);
  assert.is(wrong, '', wrong);
});

test('json_group_array and json_group_object of every document', async () => {
  const wrong = await differences([
    `select ${shown(['json_group_array(j)', 'json_group_object(id, j)', 'json_group_array(id)'])} from docs_31337_1`,
    `select ${shown(['json_group_array(json(j))', 'json_group_object(j, json(j))'])} from docs_31337_1 where json_valid(j)`,
    `select ${shown(['json_group_array(distinct json_type(j))', 'json_group_array(j) filter (where id > 99)'])} from docs_31337_1 where json_valid(j)`,
  ]);
  assert.is(wrong, '', wrong);
});

test('printf() writes every value by every format', async () => {
  const wrong = await differences(
    FORMATS.flatMap((format) =>
      NUMBERS.map((value, i) => {
        const places = format.split('%').length;
        const values = format.includes('*')
          ? [`7, ${value}`, `8, ${value}`, `2, ${value}`]
          : Array.from({ length: places }, () => value);
        const call = `printf(${[text(format), ...values].join(', ')})`;
        return `select ${shown([call, `format(${text(format)})`])} ${row(i % 3)}`;
      }),
    ),
  );
  assert.is(wrong, '', wrong);
});

test.run();
