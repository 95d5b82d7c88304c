// What the console makes of texts, without a browser: answers read without losing a digit, links, command
// lines, places of errors, choices of charts.
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chooseChart, columnHolds } from '../../src/console/chart-choice.ts';
import { chartData } from '../../src/console/chart-data.ts';
import { errorPlace, placeName } from '../../src/console/error-place.ts';
import { type Cell, prettyPieces } from '../../src/console/lossless-json.ts';
import { curlOf, hashOf, placeOf, type Query, queryUrl, requestOf } from '../../src/console/place.ts';
import { cellText, type Output, type Result, readResult } from '../../src/console/result.ts';
import { spelled } from '../../src/console/sql-words.ts';

const test = suite('console/reading');

const TABLE: Output = { format: 'table', extract: false, unwrap: false };
const OBJECTS: Output = { ...TABLE, format: 'objects' };
const query = (statement: string, output: Output = TABLE): Query => ({ statement, params: '', ...output });
const number = (text: string): Cell => ({ number: text });
const result = (columns: readonly string[], ...rows: readonly (readonly Cell[])[]): Result => ({
  columns,
  rows,
  cut: false,
});

test('every form of an answer is read, each digit and each escape as sent', () => {
  const big = '9223372036854775807';
  const cells = [number(big), 'a "quoted" \u20ac \n', null, { json: '{"a": [1.50, "]"]}' }, true];
  const texts = [big, '"a \\"quoted\\" \\u20ac \\n"', 'null', '{"a": [1.50, "]"]}', 'true'];
  const names = ['n', 't', 'z', 'j', 'b'];
  const object = `{${names.map((name, i) => `"${name}":${texts[i]}`).join(',')}}`;
  const table = `{"columns":[${names.map((name) => `{"name":"${name}"}`).join(',')}],"rows":[[${texts.join(',')}]]}`;
  const whole = result(names, cells);
  assert.equal(readResult(table, TABLE), whole);
  assert.equal(readResult(`[${object}]`, OBJECTS), whole);
  assert.equal(readResult(object, { ...OBJECTS, unwrap: true }), whole);
  assert.equal(readResult(`${object}\n${object}`, { ...OBJECTS, unwrap: true }).rows, [cells, cells]);
  assert.equal(readResult(`[${texts.join(',')}]`, { ...OBJECTS, extract: true }), {
    ...result(['value'], ...cells.map((cell) => [cell])),
  });
  assert.equal(readResult('[]', OBJECTS), result([]));
  assert.equal(readResult('{"columns":[{"name":"a"}],"rows":[]}', TABLE), result(['a']));
});

test('an answer that was cut off anywhere keeps the rows before the cut', () => {
  const rows = Array.from({ length: 6 }, (_, i) => [i, `"${'x'.repeat(i)}\\`, null, { a: [i, '}'] }]);
  const text = JSON.stringify({
    columns: [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' }],
    rows,
  });
  const whole = readResult(text, TABLE);
  assert.is(whole.rows.length, 6);
  assert.is(whole.cut, false);
  for (let at = 1; at < text.length; at++) {
    const { rows: read, cut } = readResult(text.slice(0, at), TABLE);
    assert.ok(cut, `at ${at}`);
    assert.equal(read, whole.rows.slice(0, read.length));
  }
  const lines = rows.map((row) => JSON.stringify({ row })).join('\n');
  const half = readResult(lines.slice(0, lines.length - 3), { ...OBJECTS, unwrap: true });
  assert.is(half.rows.length, 5);
  assert.ok(half.cut);
});

test('any JSON is laid out with every token as sent', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), (json) => {
      const shown = prettyPieces(json)
        .map(([, piece]) => piece)
        .join('');
      assert.equal(JSON.parse(shown), JSON.parse(json));
    }),
    { numRuns: 200 },
  );
  const shown = prettyPieces('{"a":123456789012345678901234567890,"b":{},"c":[]}').map(([, piece]) => piece);
  assert.is(shown.join(''), '{\n  "a": 123456789012345678901234567890,\n  "b": {},\n  "c": []\n}');
});

test('a link opens the query that it was made of, whatever its text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.boolean(), (text, objects) => {
      const place = {
        page: 'query' as const,
        query: {
          statement: text,
          params: text.trim() === '' ? '' : text,
          format: objects ? ('objects' as const) : ('table' as const),
          extract: objects,
          unwrap: false,
        },
        view: 'chart' as const,
      };
      assert.equal(placeOf(hashOf(place)), place);
    }),
    { numRuns: 300 },
  );
  assert.equal(placeOf('#table=31337/12'), { page: 'table', chainId: '31337', tableId: '12' });
  for (const odd of ['', '#', '#table=../x', '#table=1', '#q=%zz', '#view=nonsense'])
    assert.is(placeOf(odd).page, 'query');
});

test('what the command line sends is the statement, to the letter, through a real shell', () => {
  const hostile = `select 'it''s', "$HOME", \`id\`, '\\', '!', '$(id)' -- ; rm -rf * \n & | < > é 🚀`;
  // The shell's own arguments, each on a line of its own: curl is not needed to see them.
  const given = (line: string): string[] =>
    execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }; ${line}`], { encoding: 'utf8' })
      .split('\0')
      .slice(0, -1);
  const base = 'http://127.0.0.1:8080/api/v1';
  assert.equal(given(curlOf(base, query(hostile, { ...OBJECTS, extract: true, unwrap: true }))), [
    ...['-sG', `${base}/query`, '--data-urlencode', `statement=${hostile}`],
    ...['-d', 'extract=true', '-d', 'unwrap=true'],
  ]);
  const long = query(`${hostile} ${'x'.repeat(9000)}`);
  const [, url, , , , body] = given(curlOf(base, long));
  assert.is(url, `${base}/query`);
  const { params: _, ...sent } = long;
  assert.equal(JSON.parse(body ?? ''), sent);
});

test('the address names only what differs from the defaults, and a long statement goes in a body', () => {
  assert.is(queryUrl('/b', query('select 1', OBJECTS)), '/b/query?statement=select%201');
  assert.is(queryUrl('/b', query('select 1', TABLE)), '/b/query?statement=select%201&format=table');
  assert.is(
    queryUrl('/b', query('select 1', { ...OBJECTS, extract: true, unwrap: true })),
    '/b/query?statement=select%201&extract=true&unwrap=true',
  );
  assert.is(requestOf('/b', query('select 1')).body, undefined);
  assert.is(requestOf('/b', query('x'.repeat(9000))).url, '/b/query');
});

test('an error is found in the statement by character, by the words around it or by name', () => {
  const cases: readonly (readonly [string, string, string | undefined])[] = [
    ["select 'abc", "syntax error at position 11 near ''abc'", "'abc"],
    ["select 'é💩' x y from t", "syntax error at position 19 near 'y'", 'y'],
    ['select id,  from t', "syntax error at position 16 near 'from'", 'from'],
    ['select from, from t', "syntax error at position 17 near 'from'", 'from'],
    ['select id from  ', "syntax error at position 16 near 'from'", 'from'],
    ['select id from t where a = :b', "syntax error at position 27 near ':'", ':'],
    ["select id x'ab' x'ab' from t", "syntax error at position 21 near 'ab'", 'ab'],
    ['select "abc', "syntax error at position 11 near 'abc'", 'abc'],
    ['  ', "syntax error at position 2 near ''", ' '],
    ['', "syntax error at position 0 near ''", undefined],
    ['select a, nope from t', 'no such column: nope', 'nope'],
    ['select nopes, nope from t', 'no such column: nope', 'nope'],
    ['select t.nope from t', 'no such column: t.nope', 't.nope'],
    ['select * from missing_1_2', 'no such table: missing_1_2', 'missing_1_2'],
    ['select 1, fly(1)', '1 error occurred:\n\t* no such: fly\n\n', 'fly'],
    ['select abs()', 'wrong number of arguments to function abs()', 'abs'],
    ['select 1', 'The gateway cannot be reached.', undefined],
    ['select "a(b" from t', 'no such column: a(b', 'a(b'],
  ];
  for (const [statement, message, expected] of cases) {
    const place = errorPlace(statement, message);
    assert.is(place === undefined ? undefined : statement.slice(place.from, place.to), expected, message);
  }
  const second = errorPlace('select from, from t', "syntax error at position 17 near 'from'");
  assert.is(second?.from, 13);
  assert.is(placeName('select\n  nope', { from: 9, to: 13 }), 'line 2, column 3');
  assert.is(placeName('select nope', { from: 7, to: 11 }), 'column 8');
});

test('no message, however odd, breaks the search for its place', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (statement, rest) => {
      for (const start of [
        'no such column: ',
        "syntax error at position 3 near '",
        'syntax error at position 9999 near ',
        '',
      ]) {
        const place = errorPlace(statement, `${start}${rest}`);
        if (place !== undefined) assert.ok(place.from >= 0 && place.from <= place.to);
      }
    }),
  );
});

test('the chart follows from what the columns hold', () => {
  const bars = result(['kind', 'n'], ['a', number('1')], ['b', number('2')]);
  assert.equal(chooseChart(bars), { kind: 'bar', x: 0, ys: [1] });
  const days = result(['n', 'day'], [number('1'), '2024-01-02'], [number('2'), '2024-01-01 10:00']);
  assert.equal(chooseChart(days), { kind: 'line', x: 1, ys: [0] });
  const rising = result(['year', 'n'], [number('1'), number('5')], [number('2'), number('3')]);
  assert.equal(chooseChart(rising), { kind: 'line', x: 0, ys: [1] });
  const cloud = result(['w', 'h'], [number('9'), number('5')], [number('2'), number('3')]);
  assert.equal(chooseChart(cloud), { kind: 'scatter', x: 0, ys: [1] });
  assert.is(chooseChart(result(['a'], ['x'])), undefined);
  assert.equal(chooseChart(result(['a', 'b'], [number('1'), number('2')])), {
    kind: 'bar',
    x: -1,
    ys: [0, 1],
  });
  // What would be a line on the ground is left for the reader to choose.
  const scales = result(['k', 'n', 'm', 'big'], ['a', number('90'), number('40'), number('90000')]);
  assert.equal(chooseChart(scales), { kind: 'bar', x: 0, ys: [1, 2] });
  // An id numbers its rows: it is no bar's length where there is a quantity.
  const named = result(['id', 'name', 'level'], [number('1'), 'a', number('3')]);
  assert.equal(chooseChart(named), { kind: 'bar', x: 1, ys: [2] });
});

test('numbers are drawn in order, NULL is a gap, and what is left out is counted', () => {
  const data = chartData(
    result(['x', 'y'], [number('3'), null], [number('1'), number('1e3')], [null, number('7')]),
    { kind: 'scatter', x: 0, ys: [1] },
  );
  assert.equal(data.xs, [1, 3]);
  assert.equal(data.series, [[1000, null]]);
  const many = result(['name', 'n'], ...Array.from({ length: 500 }, (_, i) => [`n${i}`, number(`${i}`)]));
  const bars = chartData(many, { kind: 'bar', x: 0, ys: [1] });
  assert.is(bars.left, 100);
  assert.is(bars.labels?.length, 400);
  assert.is(columnHolds([[null], [number('1')], ['x']], 0), 'texts');
});

test('names that are no plain words are quoted as SQL wants it', () => {
  assert.is(spelled('rigs_1_2'), 'rigs_1_2');
  assert.is(spelled('order'), '"order"');
  assert.is(spelled('a "b"'), '"a ""b"""');
  assert.is(cellText({ number: '1' }), '1');
});

test.run();
