// Parts of the console without a browser: params, queries of before, sorting, filtering, copying, links, colours.
import { StringStream } from '@codemirror/language';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { linkOf } from '../../src/console/cell-link.ts';
import { type Cell, prettyPieces } from '../../src/console/lossless-json.ts';
import { readParams, takesParams } from '../../src/console/params.ts';
import {
  agoText,
  matching,
  noRoomFor,
  type Ran,
  readRan,
  readSaved,
  withRan,
  withSaved,
} from '../../src/console/past.ts';
import { bodyOf, curlOf, EMPTY_QUERY, fileUrl, type Query, queryUrl } from '../../src/console/place.ts';
import { cellText } from '../../src/console/result.ts';
import { copied } from '../../src/console/result-copy.ts';
import { arranged, type Order, seenTypes } from '../../src/console/result-order.ts';
import { readServerTiming, shortMs } from '../../src/console/server-timing.ts';
import { sqlTokens } from '../../src/console/sql-words.ts';
import { visible } from '../../src/console/visible.ts';

const test = suite('console/parts');

const query = (statement: string, params = ''): Query => ({ ...EMPTY_QUERY, statement, params });
const number = (text: string): Cell => ({ number: text });

test('params keep their digits, as a list in a body and each for itself in an address', () => {
  const list = ' [9223372036854775807, 1.50, "it\'s", null, true, "a&b=c"] ';
  const given = query('select ?', list);
  assert.match(bodyOf(given), '"params":[9223372036854775807, 1.50, "it\'s", null, true, "a&b=c"]}');
  const search = new URL(queryUrl('http://x/b', given)).searchParams;
  assert.equal(search.getAll('params'), [
    ...['9223372036854775807', '1.50', "'it''s'", 'null', 'true', "'a&b=c'"],
  ]);
  assert.match(curlOf('http://x/b', given), "--data-urlencode 'params=9223372036854775807'");
  for (const wrong of ['7', '{"a":1}', '[1', 'x', '[1,]', '[[1]]', '[{"a":1}]', '"x"']) {
    assert.ok((readParams(wrong).problem ?? '').length > 10, wrong);
    assert.not.match(bodyOf(query('select ?', wrong)), 'params');
  }
  assert.equal(readParams('  '), { values: [] });
  for (const [statement, takes] of [
    ['select ?', true],
    ['select \'?\', "?", [?], `?` -- ?\n /* ? */', false],
    ["select 'a' || ? /* ", true],
    ["select 'open ?", false],
  ] as const)
    assert.is(takesParams(statement), takes, statement);
});

test('queries of before are kept once each, newest first, within bounds, whatever was kept', () => {
  const ran = (statement: string, at: number): Ran => ({ query: query(statement), at, how: '1 row' });
  const past = [1, 2, 3, 1].reduce<readonly Ran[]>((all, n, at) => withRan(all, ran(`select ${n}`, at)), []);
  assert.equal(
    past.map((one) => `${one.query.statement} at ${one.at}`),
    ['select 1 at 3', 'select 3 at 2', 'select 2 at 1'],
  );
  const large = Array.from({ length: 30 }, (_, i) => ran(`${'x'.repeat(34_000)} ${i}`, i));
  assert.ok(large.reduce<readonly Ran[]>((all, one) => withRan(all, one), []).length < 20);
  const small = Array.from({ length: 300 }, (_, i) => ran(`select ${i}`, i));
  assert.is(small.reduce<readonly Ran[]>((all, one) => withRan(all, one), []).length, 200);
  // What was saved is not given up for something else: there is no room then, and it is said.
  const full = Array.from({ length: 200 }, (_, i) => ({ name: `n${i}`, query: query('select 1') }));
  const more = { name: 'more', query: query('select 2') };
  assert.is(full.reduce(withSaved, []).length, 200);
  assert.match(noRoomFor(more, full) ?? '', /^200 queries are saved/);
  assert.is(noRoomFor({ ...more, name: 'n7' }, full), undefined);
  assert.match(noRoomFor({ name: 'n7', query: query('x'.repeat(500_000)) }, full) ?? '', /too long together/);
  const saved = withSaved(withSaved([], { name: 'b', query: query('1') }), { name: 'a', query: query('2') });
  assert.equal(
    withSaved(saved, { name: 'b', query: query('3') }).map((one) => one.name + one.query.statement),
    ['a2', 'b3'],
  );
  for (const odd of [null, 1, 'x', [], {}, { query: {} }, { query: { statement: 1 } }, { at: 1 }]) {
    assert.is(readRan(odd), undefined);
    assert.is(readSaved(odd), undefined);
  }
  assert.equal(readRan(JSON.parse(JSON.stringify(past[0]))), past[0]);
  assert.is(matching(past, ' 3 SELECT', (one) => one.query.statement).length, 1);
  assert.equal([0, 59_000, 60_000, 3_600_000, 200_000_000].map(agoText), [
    'just now',
    'just now',
    '1 minute ago',
    '1 hour ago',
    '2 days ago',
  ]);
});

test('rows are sorted as SQLite sorts, and filtered by part or by comparison', () => {
  const cells: readonly Cell[] = [
    ...['b', null, number('10'), number('9'), number('9223372036854775807')],
    ...[number('9223372036854775806'), 'B', number('-1.5')],
  ];
  const rows = cells.map((cell) => [cell]);
  const shown = (order: Order | undefined, filter = ''): (string | null)[] =>
    arranged(rows, order, [filter]).map((at) => cellText(cells[at] ?? null));
  const up = [null, '-1.5', '9', '10', '9223372036854775806', '9223372036854775807', 'B', 'b'];
  assert.equal(shown({ column: 0, down: false }), up);
  assert.equal(shown({ column: 0, down: true }), up.toReversed());
  assert.equal(shown(undefined, 'B'), ['b', 'B']);
  assert.equal(shown(undefined, '= 9'), ['9']);
  assert.equal(shown(undefined, '>9223372036854775806'), ['b', '9223372036854775807', 'B']);
  assert.equal(shown(undefined, '<= 9'), ['9', '-1.5']);
  assert.equal(shown(undefined, 'null'), [null]);
  assert.is(shown(undefined, '!null').length, 7);
  assert.is(shown(undefined, '!= b').length, 6);
  // It is a text, whatever it looks like.
  assert.equal(shown(undefined, '(b+)+$'), []);
  const mixed = [
    [number('1'), number('1'), 'x', null, { json: '[]' }],
    [number('2'), number('1.5'), number('1'), null, null],
  ];
  assert.equal(seenTypes({ columns: [...'abcde'], rows: mixed, cut: false }), [
    'integer',
    'real',
    'mixed',
    'null',
    'json',
  ]);
});

test('rows are copied as TSV, CSV and JSON that others read back', () => {
  const columns = ['a "b"', 'c,\td'];
  const rows: readonly (readonly Cell[])[] = [
    [number('9223372036854775807'), 'x\n"y"\t,'],
    [null, { json: '{"n": 1.50}' }],
  ];
  const quoted = ['"x', '""y""\t,"'].join('\n');
  assert.is(
    copied('CSV', columns, rows),
    `"a ""b""","c,\td"\r\n9223372036854775807,${quoted}\r\n,"{""n"": 1.50}"\r\n`,
  );
  assert.is(
    copied('TSV', columns, rows),
    `"a ""b"""\t"c,\td"\n9223372036854775807\t${quoted}\n\t"{""n"": 1.50}"\n`,
  );
  const json = copied('JSON', columns, rows);
  assert.match(json, '9223372036854775807');
  // As the gateway writes them: an empty text is not NULL, and of equally named columns the last is there.
  assert.is(copied('CSV', ['a', 'b'], [['', null]]), 'a,b\r\n"",\r\n');
  assert.is(copied('JSON', ['a', 'a'], [[number('1'), '=1']]), '[{"a":"=1"}]');
  assert.equal(JSON.parse(json)[1], { 'a "b"': null, 'c,\td': { n: 1.5 } });
});

test('an address for each format of files has the params, and nothing that only JSON has', () => {
  const asked = { ...query('select ?', '[7]'), format: 'objects', extract: true } as const;
  const { searchParams } = new URL(fileUrl('http://x/b', asked, 'parquet'));
  assert.equal(
    [...searchParams],
    [
      ['statement', 'select ?'],
      ['params', '7'],
      ['format', 'parquet'],
    ],
  );
});

test('characters that are not seen are shown by their number, and JSON stays the same value', () => {
  const trick = "select '\u202e' \u200b\u2066x\ufeff\u0085 👩\u200d🚀 é";
  assert.is(visible(trick), "select '[U+202E]' [U+200B][U+2066]x[U+FEFF][U+0085] 👩\u200d🚀 é");
  const json = JSON.stringify({ [trick]: trick });
  const shown = prettyPieces(json)
    .map(([, piece]) => piece)
    .join('');
  assert.not.match(shown, /\u202e/);
  assert.equal(JSON.parse(shown), JSON.parse(json));
});

test('only addresses of https and ipfs, and nothing but them, are links', () => {
  assert.is(linkOf('https://example.org/a?b=c#d'), 'https://example.org/a?b=c#d');
  assert.is(linkOf('ipfs://bafyBEI/1.png'), 'ipfs://bafyBEI/1.png');
  for (const text of [
    'javascript:alert(1)',
    ' https://example.org',
    'https://example.org and more',
    'https://user@example.org',
    'https://good.example@evil.example/',
    'http://example.org',
    'data:text/html,x',
    'https://',
    'https://exa\u202emple.org',
    'https://example.org/\u0000',
    'https://example.org\njavascript:alert(1)',
    `https://example.org/${'x'.repeat(3000)}`,
    'file:///etc/passwd',
  ])
    assert.is(linkOf(text), undefined, JSON.stringify(text));
});

test('Server-Timing is read, and what is none is nothing', () => {
  assert.equal(
    readServerTiming('cache;desc=miss, queue;dur=0.1, engine;desc="rows: visits";dur=0.25, total;dur=1.3'),
    { ms: { queue: 0.1, engine: 0.25, total: 1.3 }, engine: 'rows: visits' },
  );
  for (const odd of [null, '', ';;;', 'a;dur=x', '"', 'engine;desc="'])
    assert.equal(readServerTiming(odd).ms, {});
  assert.equal([0.0123, 12.34, 123.4, 1234].map(shortMs), ['0.012 ms', '12 ms', '123 ms', '1.23 s']);
});

/** What each line of a statement is coloured as. */
function kinds(text: string): string[] {
  const state = sqlTokens.startState?.(2) as NonNullable<Parameters<typeof sqlTokens.token>[1]>;
  return text.split('\n').map((line) => {
    const stream = new StringStream(line, 2, 2);
    const found: string[] = [];
    while (!stream.eol()) {
      stream.start = stream.pos;
      const kind = sqlTokens.token(stream, state);
      if (kind !== null) found.push(`${kind}:${stream.current()}`);
    }
    return found.join(' ');
  });
}

test('texts, names and comments over several lines keep their colours to their end', () => {
  assert.equal(kinds("select 'a\nit''s\nb' from x"), [
    "keyword:select string:'a",
    "string:it''s",
    "string:b' keyword:from variableName:x",
  ]);
  assert.equal(kinds('"a\nb" 1 /* x\n\'y */ 2'), [
    'variableName:"a',
    'variableName:b" number:1 comment:/* x',
    "comment:'y */ number:2",
  ]);
  assert.equal(kinds("'a''\n' 1"), ["string:'a''", "string:' number:1"]);
  assert.equal(kinds("x'00' [a\nb] `c`"), [
    "string:x'00' variableName:[a",
    'variableName:b] variableName:`c`',
  ]);
});

test.run();
