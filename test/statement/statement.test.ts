// The tokenizer: shapes, literals and what is refused before anything is parsed.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { GatewayError } from '../../src/base/errors.ts';
import { type ParamValue, readStatement, type Statement } from '../../src/statement/statement.ts';

const read = (text: string, ...params: ParamValue[]): Statement => readStatement(text, params, 35_000);
const shape = (text: string, ...params: ParamValue[]): string => read(text, ...params).shape;
const literals = (text: string, ...params: ParamValue[]): string[] =>
  read(text, ...params).literals.map((l) => `${l.kind} ${l.text}`);
const code = (text: string, ...params: ParamValue[]): string => {
  try {
    read(text, ...params);
  } catch (error) {
    if (error instanceof GatewayError) return error.code;
    throw error;
  }
  return 'read';
};

test('tokens are joined by single spaces and comments are gone', () => {
  assert.is(shape('select a from t'), 'select a from t');
  assert.is(shape('  select\n\ta,b /* x */from t -- end'), 'select a , b from t');
  assert.is(shape('select(a)from"t"where[b]=`c`;'), 'select ( a ) from "t" where [b] = `c`');
  assert.is(shape('select a--c\nfrom t'), 'select a from t');
  assert.is(
    shape('select a->b->>c||d<<e>>f<=g>=h<>i!=j==k'),
    'select a -> b ->> c || d << e >> f <= g >= h <> i != j == k',
  );
  assert.is(shape('SELECT Id FROM T'), 'SELECT Id FROM T');
  assert.is(shape('select "a""b" , [c d] , `e``f`'), 'select "a""b" , [c d] , `e``f`');
  assert.is(shape('select\u00a0x, ü😀 from t'.replace('\u00a0', ' ')), 'select x , ü😀 from t');
  assert.is(shape('\ufeffselect a'), 'select a');
  assert.is(shape('select a ; ; -- done\n;'), 'select a');
  assert.is(shape('select a /* one /* two */'), 'select a');
});

test('spacing and literals do not change the shape', () => {
  const one = shape("select * from t where id=5 and name='x' limit 2");
  assert.is(one, 'select * from t where id = ?i and name = ?t limit ?i');
  assert.is(shape("select  *\nfrom t where id = 77 and name = 'it''s' limit 0x10"), one);
  assert.is(shape('select * from t where id=? and name=? limit ?', 1, 'y', 3n), one);
});

test('literals keep their text', () => {
  assert.equal(literals("select 1, 0x1F, 1.5e3, .5, 5., 'it''s', '', x'0aFF', X''"), [
    'integer 1',
    'integer 0x1F',
    'real 1.5e3',
    'real .5',
    'real 5.',
    "text it's",
    'text ',
    'blob 0aFF',
    'blob ',
  ]);
  assert.equal(literals("select 'a -- b', '/* c', \"d ? e\", 'f;g'"), [
    'text a -- b',
    'text /* c',
    'text f;g',
  ]);
  assert.equal(literals('select 99999999999999999999'), ['real 99999999999999999999']);
  assert.equal(literals('select -9223372036854775808'), ['integer 9223372036854775808']);
});

test('params become literals', () => {
  assert.equal(literals('select ?,?,?,?,?,?,?', 1, -1.5, 2n ** 70n, true, false, null, "it's"), [
    'integer 1',
    'real -1.5',
    'integer 1180591620717411303424',
    'integer 1',
    'integer 0',
    'null NULL',
    "text it's",
  ]);
  assert.is(shape('select ?,?', null, 1.5), 'select ?n , ?r');
  assert.equal(literals("select '?', ?", 1), ['text ?', 'integer 1']);
  assert.is(code('select ?'), 'wrong-params');
  assert.is(code('select ?, ?', 1), 'wrong-params');
  // The reference ignores params that are too many.
  assert.equal(literals('select ?', 1, 2), ['integer 1']);
  assert.is(code('select 1', 1), 'read');
  assert.is(code('select ?', Number.NaN), 'wrong-params');
  assert.is(code('select ?', '\ud800'), 'wrong-params');
  assert.is(code('select ?', 'a\0'), 'wrong-params');
});

test('nothing to run is statement-missing', () => {
  for (const text of ['', ' \n\t', ';', ';;;', '-- only', '/* only */', ' /* a */ ; -- b'])
    assert.is(code(text), 'statement-missing', text);
});

test('a second statement is refused, a trailing semicolon is not', () => {
  assert.is(code('select 1;'), 'read');
  assert.is(code('select 1; select 2'), 'statement-not-one');
  assert.is(code('select 1; garbage'), 'statement-not-one');
  assert.is(code("select ';'"), 'read');
});

test('what is no read is named', () => {
  for (const word of [
    'INSERT',
    'update',
    'DELETE',
    'drop',
    'PRAGMA',
    'attach',
    'explain',
    'COPY',
    'set',
    'call',
    'x',
    '*',
    "'a'",
    '1',
  ])
    assert.is(code(`${word} t`), 'statement-not-a-read', word);
  assert.throws(() => read('pragma table_info(t)'), /near 'pragma'/);
  assert.is(code('(select 1)'), 'read');
});

test('broken tokens are syntax errors with their place', () => {
  for (const text of [
    "select 'a",
    'select "a',
    'select [a',
    'select `a',
    'select /* a',
    'select 12é',
    'select 1.5ab',
    'select 0x1g',
    'select 1e',
    'select 0x',
    "select x'abc'",
    "select x'zz'",
    "select x'ab",
    'select ?1',
    'select :a',
    'select @a',
    'select $a',
    'select #1',
    'select a ! b',
    'select {a}',
    'select a\\b',
    'select \0',
    'select "\ud800"',
  ])
    assert.is(code(text), 'statement-syntax', text);
  assert.throws(() => read('select a, {'), /position 10 near '{'/);
});

test('a name may follow on the digits of an integer and on a param', () => {
  assert.is(shape('select 12ab, 00x1 where 1and 2'), shape('select 12 ab, 00 x1 where 1 and 2'));
  assert.is(shape('select ?i, ?and 1', '1', '2'), shape('select ? i, ? and 1', '1', '2'));
});

test('the bounds hold to the byte', () => {
  const filled = (bytes: number): string => `select '${'x'.repeat(bytes - 9)}'`;
  assert.is(code(filled(35_000)), 'read');
  assert.is(code(filled(35_001)), 'statement-too-long');
  assert.is(code(`select '${'ü'.repeat(17_495)}'`), 'read');
  assert.is(code(`select '${'ü'.repeat(17_496)}'`), 'statement-too-long');
  assert.is(code(`select ${'('.repeat(250)}`), 'read');
  assert.is(code(`select ${'('.repeat(251)}`), 'statement-too-complex');
});

test.run();
