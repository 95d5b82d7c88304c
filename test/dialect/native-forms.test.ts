// Every native form beside SQLite itself, over random values that keep what the columns' facts promise: the same
// value, or SQLite is to run it. Those that are said to be native must be.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openEngines } from './compile-engines.ts';
import { nativeValues, random } from './native-values.ts';

const SEED = Number(process.env['NATIVE_SEED'] ?? 1);
const engines = await openEngines(nativeValues(SEED, 700));
test.after(() => engines.close());

const PATTERNS = [
  "''",
  "'%'",
  "'a%'",
  "'%b'",
  "'%AB%'",
  "'a%b'",
  "'%a%b%'",
  "'_'",
  "'a_%'",
  "'%_a'",
  "'__%x'",
  "'%.%'",
  "'%[%'",
  "'%''%'",
  "'%\\%'",
  "'A'",
  "'%é%'",
  "'%K%'",
  "'%i%'",
  "'É%'",
  "'_%_%a%'",
];
const GLOBS = [
  "''",
  "'*'",
  "'a*'",
  "'*b'",
  "'*A*'",
  "'a*b'",
  "'?'",
  "'a?*'",
  "'[ab]*'",
  "'[^ab]*'",
  "'*[0-9]'",
  "'*[A-Z]?'",
  "'*%*'",
  "'*.*'",
  "'*\\*'",
];

/** Native over every row. */
const NATIVE: readonly string[] = [
  'i + 1',
  'i - 7',
  'i * i',
  'i / 3',
  'i % 7',
  'i / 0',
  'i % 0',
  '- i',
  'abs(i)',
  '~ i',
  'i & 6',
  'i | 9',
  'i << 2',
  'i >> 3',
  'i >> s',
  'i + 0.5',
  'i / 2.0',
  'r * 2',
  'r / i',
  'r - r',
  'r * r * r',
  '(r * 1e20) - (r * 1e20)',
  '- r',
  'abs(r)',
  'abs(r * -0.5)',
  'max(r * -0.5, -3.0)',
  'max(0.0, r * -0.5)',
  'max(r * -0.5, 0.0, r)',
  'min(r * -0.5, 3.0)',
  'min(0.0, r * -0.5)',
  'min(r * -0.5, 0.0)',
  '+r',
  'i = 5.0',
  'i > 10.5',
  'big = 123456789012.5',
  'big < r',
  'r >= big',
  'r = i',
  'i between -10 and 10.5',
  'i in (1, 2.0, null)',
  "t in ('a', 1)",
  'i is null',
  'i is not 5',
  't = 5',
  'n = 42',
  "i = '5'",
  "i < 'abc'",
  'd < 5',
  "d > '2001'",
  "b = x'00'",
  'cast(i as text)',
  'cast(n as integer)',
  'n + 1',
  'n * 2',
  '- n',
  'd + 0',
  'dt + 1',
  'cast(d as integer)',
  'cast(dt as real)',
  'd * 1.5',
  'cast(i as real)',
  'cast(t as blob)',
  'i || t',
  't || u',
  'length(t)',
  'length(u)',
  'length(i)',
  'length(b)',
  'octet_length(u)',
  'upper(t)',
  'lower(t)',
  'upper(u)',
  'lower(u)',
  'trim(t)',
  "trim(t, 'ab')",
  "ltrim(u, 'a')",
  'rtrim(t)',
  "replace(t, 'a', 'xy')",
  "replace(u, 'é', '')",
  "instr(t, 'b')",
  "instr(u, 'é')",
  'instr(u, t)',
  "instr(t, '')",
  'substr(t, 2)',
  'substr(t, 2, 3)',
  'substr(u, 1, 2)',
  'substr(u, -2)',
  'substr(t, -3, 2)',
  'substr(t, -20, 18)',
  'substr(t, 0)',
  'substr(t, 0, 3)',
  'substr(u, 100)',
  'substr(t, 3, 0)',
  'unicode(u)',
  'unicode(t)',
  'hex(t)',
  'hex(u)',
  'hex(b)',
  'hex(i)',
  'quote(t)',
  'quote(i)',
  'quote(b)',
  'quote(u)',
  'typeof(i)',
  'typeof(r)',
  'typeof(t)',
  'typeof(b)',
  'typeof(i = 1)',
  "printf('%d', i)",
  "printf('<%5d|%05d>%%', i, i)",
  "format('%s-%s', t, i)",
  "printf('%d items', 3)",
  'round(r)',
  'round(i)',
  'round(i, 2)',
  'round(i / 7.0, 1)',
  'round(i / 8.0, 2)',
  'round(i / 20.0, 1)',
  'round(i / 1000.0, 2)',
  'round(i / 200.0, 2)',
  'round(i * 0.005, 2)',

  'sqrt(abs(i))',
  'floor(r)',
  'ceil(i / 7.0)',
  'trunc(r)',
  'floor(i)',
  'pi()',
  'ln(i)',
  'date(d)',
  'date(dt)',
  'datetime(d)',
  'datetime(dt)',
  'time(d)',
  'time(dt)',
  'julianday(d)',
  'julianday(dt)',
  'unixepoch(d)',
  'unixepoch(dt)',
  "strftime('%Y', d)",
  "strftime('%Y-%m', dt)",
  "strftime('%H:%M', dt)",
  "strftime('%H', d)",
  "strftime('%j', d)",
  "strftime('%w', dt)",
  "strftime('%u', d)",
  "strftime('%W', d)",
  "strftime('%U', dt)",
  "strftime('%s', dt)",
  "strftime('%d.%m.%Y %T %R %F %%', dt)",
  "strftime('x', d)",
  "strftime('', d)",
  "date(d, 'start of month')",
  "date(dt, 'start of year')",
  "julianday(dt, 'start of month')",
  "datetime(d, 'start of year')",
  "datetime(dt, 'start of day')",
  "date(ts, 'unixepoch')",
  "datetime(ts, 'unixepoch')",
  "strftime('%Y-%m', ts, 'unixepoch')",
  "strftime('%w %j', ts, 'unixepoch')",
  "time(ts, 'unixepoch')",
  "julianday(ts, 'unixepoch')",
  "unixepoch(dt, 'start of month')",
  'date(date(dt))',
  "strftime('%m', date(dt, 'start of month'))",
  "j ->> 'a'",
  "json_extract(j, '$.a')",
  "json_extract(j, '$.b.c[0]')",
  "j ->> '$.b.c[1]'",
  "json_extract(j, '$.missing')",
  "j ->> 'nope'",
  "json_object('t', t, 'i', i)",
  'json_array(i, t, u)',
  'json_quote(t)',
  "json_array(json_object('t', u), i > 0, null, json_array())",
  `json_extract('{"a":' || i || '}', '$.a')`,
  `json_extract('{"a": ' || (i + 1) || ' , "b": [1, ' || s || ']}', '$.a')`,
  `json_extract('{"a":' || s || ',"b":[' || i || ']}', '$.b[0]')`,
  `json_extract('{"a":' || big || ',"b":"x, y"}', '$.a')`,
  `('[[' || i || '],{"c":' || 7 || '}]') ->> '$[1].c'`,
  `('{"a":' || s || '}') ->> 'a'`,
  `json_extract('{"a":' || i || '}', '$.a') > s`,
  `json_extract('{"a":' || i || '}', '$.a') = '5'`,
  `sum(json_extract('[' || s || ']', '$[0]')) over (order by id)`,
  'coalesce(r, 0)',
  'coalesce(i, 0)',
  "ifnull(t, 'none')",
  'case when i > 0 then r else 0 end',
  "case i when 1 then 'one' when 2 then 'two' else t end",
  'iif(i > 0, t, u)',
  'nullif(i, 5)',
  "nullif(t, 'a')",
  'max(i, s)',
  'min(t, u)',
  'coalesce(r, 0) * 1.5',
  'coalesce(r, 0) > 3',
  "t collate nocase = 'AB'",
  "u collate nocase < 'b'",
  "t collate rtrim = 'a'",
  'lower(lo)',
  'upper(lo)',
  'lower(up)',
  'upper(up)',
  "lower(up) like '%aB%'",
  "upper(lo) like 'Ab%'",
  "lower(upper(lo)) like '%b%'",
  "substr(up, 2) like 'b%'",
  "trim(lo) like '%K'",
  "replace(up, 'A', 'a') like '%ab%'",
  "replace(lo, 'a', 'A') || up like '%ab%'",
  "coalesce(lo, up) like '%a%'",
  "coalesce(up, 'a') like '%a%'",
  "case when i > 0 then lo else t end like '%a%b'",
  "lo collate nocase = 'AB'",
  "up collate nocase < 'b'",
  'lo = up collate nocase',
];
/** Native or not, by their values. */
const EITHER: readonly string[] = [
  'round(i / 2000.0, 3)',
  'i << s',
  "json_object(t || 'x', u)",
  'big + 1',
  'big * 2',
  '- big',
  'abs(big)',
  'big << 3',
  'i << i',
  'i >> i',
  'r % 7',
  'cast(r as integer)',
  'round(r, 1)',
  'round(r, 2)',
  'round(r, 3)',
  'round(r, 4)',
  'round(r, 6)',
  "date(d, '+1 day')",
  "date(d, '-40 days')",
  "date(d, '+1 month')",
  "date(dt, '-13 months')",
  "date(d, '+4 years')",
  "datetime(dt, '+90 minutes')",
  "datetime(dt, '-1 second', 'start of day', '+12 hours')",
  "date(d, 'weekday 0')",
  "date(d, 'weekday 3')",
  "datetime(d, '+1 month', 'start of month', '-1 day')",
  "datetime(ts, 'unixepoch', '+1 month')",
  "strftime('%Y', dt, '+1 year')",
  "julianday(d, '+10 days')",
  't + 1',
  'cast(t as integer)',
  't = i',
  'i = n',
  'cast(r as text)',
  "t like '%' || t",
  "json_extract(j, '$')",
  // No JSON, or read otherwise than as the integer that is put in.
  `json_extract('{"a":-' || i || '}', '$.a')`,
  `json_extract('{"a":1' || s || '}', '$.a')`,
  `json_extract('{"a":' || s || '0}', '$.a')`,
  `json_extract('{"a":' || s || '.5}', '$.a')`,
  `json_extract('{"a":"' || i || '"}', '$.a')`,
  `json_extract('{"a":" ' || i || ' "}', '$.a')`,
  `json_extract('{"a":' || i || ']', '$.a')`,
  `json_extract('{' || s || ':1}', '$.a')`,
  `json_extract('{"a":' || i || ',"a":' || s || '}', '$.a')`,
  `json_extract('{"\\u0061":' || i || '}', '$.a')`,
  `json_extract('{"a":' || i || '}', '$.b')`,
  `json_extract('{"a":' || i || '}', '$')`,
  `json_extract('{"a":[' || i || ']}', '$.a')`,
  `json_extract('{"a":[' || i || ']}', '$.a.length')`,
  `json_extract('{"x":' || i || '}', '$.__proto__')`,
  `json_extract('{"integer of part 1":2,"b":"integer of part 3","a":' || i || ',"c":' || s || '}', '$.b')`,
  `json_extract('{"b":"integer of ' || 'part 4","a":' || i || ',"c":' || s || '}', '$.b')`,
  `json_extract('{"a":' || s || ',"b":' || abs(big) || '}', '$.a')`,
  `json_extract('{"a":' || t || '}', '$.a')`,
  `json_extract('{"a":' || r || '}', '$.a')`,
  `('{"a":' || i || '}') -> '$.a'`,
  'json_array(r)',
  'json_array(b)',
  'hex(r)',
  'quote(r)',
  "printf('%.2f', r)",
  "printf('%5s', t)",
  'substr(t, i)',
  'substr(t, i, s)',
  "replace(t, t, 'x')",
  'random() is null',
  'cast(t as numeric)',
  'typeof(coalesce(r, 0))',
  'i and t',
];

/** With the sign of a zero, which answers show. */
const told = (row: unknown): string =>
  JSON.stringify(row, (_, value: unknown) => (Object.is(value, -0) ? '-0' : value));

async function differences(select: string): Promise<string | 'elsewhere' | undefined> {
  const expected = engines.sqlite(select);
  const actual = await engines.ours(select);
  if ('elsewhere' in actual) return 'elsewhere';
  if ('error' in expected && 'error' in actual) return undefined;
  if (!('rows' in expected) || !('rows' in actual))
    return `${select}: ${JSON.stringify([expected, actual]).slice(0, 400)}`;
  const at = expected.rows.findIndex((row, i) => told(row) !== told(actual.rows[i]));
  if (at < 0 && expected.rows.length === actual.rows.length) return undefined;
  return `${select}: SQLite ${told(expected.rows[at])}, native ${told(actual.rows[at])}`;
}

async function check(selects: readonly string[], native: boolean): Promise<void> {
  const wrong: string[] = [];
  for (const select of selects) {
    const found = await differences(select);
    if (found === 'elsewhere') {
      if (!native) continue;
      const answer = await engines.ours(select);
      wrong.push(`${select}: ${JSON.stringify(answer)}`);
    } else if (found !== undefined) wrong.push(found);
  }
  assert.is(wrong.length, 0, wrong.join('\n'));
}

const column = (expression: string): string => `select id, ${expression} from w order by id`;

test('expressions with a native form give the value of SQLite', () => check(NATIVE.map(column), true));
test('expressions that are native for some values give the value of SQLite there', () =>
  check(EITHER.map(column), false));
test('LIKE, GLOB and their negations', () =>
  check(
    ['t', 'u', 'lo', 'up', 'd', 'i'].flatMap((x) => [
      ...PATTERNS.flatMap((pattern) => [column(`${x} like ${pattern}`), column(`${x} not like ${pattern}`)]),
      ...GLOBS.map((pattern) => column(`${x} glob ${pattern}`)),
      column(`${x} like 'a\\%%' escape '\\'`),
      column(`${x} like '%!_%' escape '!'`),
    ]),
    true,
  ));
test('the same expressions as conditions', () =>
  check(
    NATIVE.filter(
      (expression) =>
        !/^(r|- r|\+r|b|t|u|j)\b|json|hex|quote|cast\(t|\|\||upper|lower|trim|replace|substr|printf|format|strftime|time|date|case|iif|nullif|ifnull|coalesce|typeof|min|round|sqrt|ln/.test(
          expression,
        ),
    ).map((expression) => `select id from w where ${expression} order by id`),
    false,
  ));
test('aggregates', () =>
  check(
    [
      'count(*)',
      'count(i)',
      'count(distinct i)',
      'sum(i)',
      'avg(i)',
      'total(i)',
      'min(i)',
      'max(t)',
      'min(d)',
      'max(r)',
      'sum(i) filter (where i > 0)',
      'sum(i * 2 + 1)',
      'sum(case when i > 0 then 1 else 0 end)',
      'avg(i * i)',
      'sum(distinct i)',
      'avg(distinct s)',
      'max(u collate nocase)',
      'max(substr(d, 1, 4))',
      'count(distinct t collate nocase)',
      "sum(strftime('%Y', d) + 0)",
    ].flatMap((aggregate) => [
      `select ${aggregate} from w`,
      `select s % 5, ${aggregate} from w group by 1 order by 1`,
      `select ${aggregate} from w where id < 0`,
    ]),
    true,
  ));
test('texts put together come in the order of the rows', () =>
  check(
    [
      'group_concat(t)',
      "group_concat(u, '-')",
      'json_group_array(t)',
      "json_group_object('k' || id, i)",
      "string_agg(i, ';')",
      "json_group_array(json_object('i', i, 't', t))",
    ].flatMap((aggregate) => [`select s % 5, ${aggregate} from w group by 1 order by 1`]),
    true,
  ));
test('sums of some integers and reals are integers where all are', () =>
  check(
    [
      'select sum(case when i > 0 then i else 0.5 end) from w where id < 9',
      'select sum(coalesce(r, 0)) from w where id in (1, 2)',
      'select s, sum(case when s > 30 then 1.5 else 0 end) from w group by s order by s',
      'select sum(case when i > 5 then 2 else 0.0 end) / sum(1.5 * s) from w where id < 3',
    ],
    false,
  ));

test('rounding of numbers next to halves', async () => {
  const next = random(SEED + 1);
  const cells: string[] = [];
  for (let at = 0; at < 9000; at++) {
    const places = at % 7;
    const half = (Math.floor(next() * 10 ** (2 + Math.floor(next() * 8))) + 0.5) / 10 ** places;
    const near = half * (1 + Math.floor(next() * 3 - 1) * Number.EPSILON);
    cells.push(`(${at}, ${places}, ${next() < 0.5 ? '-' : ''}${near.toExponential(17).replace('e+', 'e')})`);
  }
  const ties = await openEngines(
    `create table w(id integer primary key, p integer, r real) strict; insert into w values ${cells.join(',')};`,
  );
  try {
    for (let places = 0; places < 7; places++) {
      const select = `select id, r, round(r, ${places}) from w where p = ${places} order by id`;
      const [expected, actual] = [ties.sqlite(select), await ties.ours(select)];
      assert.ok('rows' in expected && 'rows' in actual, JSON.stringify(actual).slice(0, 300));
      const wrong = expected.rows.filter((row, i) => told(row) !== told(actual.rows[i]));
      assert.is(wrong.length, 0, `${places} places: ${JSON.stringify(wrong.slice(0, 5))}`);
    }
  } finally {
    ties.close();
  }
});

test.run();
