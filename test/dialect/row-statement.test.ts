// The text that SQLite is given of a shape: small integers and names are a part of it, all else is bound. What it was for
// other literals is kept, and must never be taken for these.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fillStatement, type RowStatement, rowStatement } from '../../src/dialect/row-statement.ts';
import { readStatement } from '../../src/statement/statement.ts';
import type { Literal } from '../../src/wire/protocol.ts';

const test = suite('row statement');
const COLUMNS = {
  columns: new Set(['a', 'b', 'c']),
  blobs: new Set<string>(),
  reals: new Set(['c', 'value']),
};

function read(text: string): { readonly statement: RowStatement; readonly literals: readonly Literal[] } {
  const { shape, literals } = readStatement(text, [], 35_000);
  return { statement: rowStatement(shape, literals, () => COLUMNS), literals };
}

/** Each is filled as the first one's shape after the others were, and as a shape of its own. */
function filledAlike(texts: readonly string[]): void {
  const [first = ''] = texts;
  const { statement } = read(first);
  for (const text of [...texts, ...texts.toReversed(), ...texts]) {
    const own = read(text);
    assert.equal(fillStatement(statement, own.literals), fillStatement(own.statement, own.literals), text);
  }
}

test('is filled with the literals at hand, whichever were there before', () => {
  filledAlike(['select a from t where a = 1 and b = 5', 'select a from t where a = 5 and b = 1']);
  filledAlike([
    'select a from t where a = 0 and b = 1',
    'select a from t where a = 1 and b = 0',
    'select a from t where a = 7 and b = 8',
    'select a from t where a = 1 and b = 1',
    'select a from t where a = 99999999999999999999 and b = 1',
  ]);
  filledAlike([
    "select json_object('n', a, 'm', b) from t where c = 'x'",
    "select json_object('m', a, 'n', b) from t where c = 'x'",
    "select json_object('n', a, 'm', b) from t where c = 'n'",
    "select json_object('it''s', a, '', b) from t where c = ''",
  ]);
  filledAlike(["select a -> 'x' from t", "select a -> '1' from t", "select a -> '$.x' from t"]);
  filledAlike(['select 1.5, a from t', 'select 1.50, a from t', 'select 15e-1, a from t']);
});

test('tells params from what is written, where they show in names', () => {
  const shape = readStatement('select ?', [1n], 35_000).shape;
  const { statement } = read('select 1');
  assert.is(shape, readStatement('select 1', [], 35_000).shape);
  for (const value of [1n, true, 1n, true]) {
    const { literals } = readStatement('select ?', [value], 35_000);
    const own = rowStatement(shape, literals, () => COLUMNS);
    assert.equal(fillStatement(statement, literals), fillStatement(own, literals), String(value));
  }
});

test('keeps no text with long literals', () => {
  const long = (letter: string): string => `select '${letter.repeat(5_000)}' as a, b from t`;
  filledAlike([long('x'), long('y'), long('x')]);
});

test('is one text for all values that are bound', () => {
  const { statement, literals } = read('select a from t where a = 7 and b = 8');
  const other = read('select a from t where a = 9 and b = 10');
  assert.equal(fillStatement(statement, literals), {
    sql: 'select a from t where a=? and b=?',
    values: [7n, 8n],
  });
  assert.is(fillStatement(statement, literals).sql, fillStatement(statement, other.literals).sql);
});

/** Of reals: the text that SQLite is given, after `select` and before `from`. */
function written(expression: string, from = 't'): string {
  const { statement, literals } = read(`select ${expression} as x from ${from}`);
  const { sql } = fillStatement(statement, literals);
  return sql.slice('select '.length, sql.indexOf('as x from')).trim();
}

test('gives reals that become texts 15 digits', () => {
  assert.is(written('a || c'), "a||iif(typeof(c)='real',printf('%!.15g',c),c)");
  assert.is(written('cast(a / b as text)'), "cast(iif(typeof(a/b)='real',printf('%!.15g',a/b),a/b)as text)");
  assert.is(written('cast(a / b as int)'), 'cast(a/b as int)');
  for (const call of ['length', 'lower', 'trim', 'hex', 'substr', 'group_concat'])
    assert.match(written(`${call}(max(c))`), `${call}(iif(typeof(max(c))='real'`);
  assert.match(written("a like -b and coalesce(a, c) || 'x'"), "like iif(typeof(-b)='real'");
});

test('gives reals in JSON 15 digits, and embeds what may be JSON', () => {
  assert.is(written('json_array(a, c)'), "json_array(a,iif(typeof(c)='real',json(printf('%!.15g',c)),c))");
  assert.is(written("json_object('k', a * b)").split("printf('%!.15g',a*b)").length, 2);
  assert.match(written("json_set('{}', '$.a', c)"), "json(printf('%!.15g',c))");
  assert.is(written('json_array(d)', "(select coalesce(json('[]'), c) as d from t)"), 'json_array(d)');
  assert.match(written('json_array(value)'), "typeof(value)='real'");
  assert.is(written('json_array(e.value)', 't, json_each(t.a) e'), 'json_array(e.value)');
});

test('writes nothing twice that is no real, must be found as it is, or may take long', () => {
  for (const each of [
    'a||b',
    'a||length(b)',
    'a||(a<b)',
    'a||-5',
    'group_concat(distinct c)',
    'json_group_array(distinct c)',
    'a||(select max(c)from t)',
    "a||replace(b,'x','y')",
    'a||avg(c)over(order by a asc)',
    'sum(c)',
    'a+c',
    'a=c',
    // CAST passes a collation on.
    'cast(c as text)',
    'cast(+c as text)',
  ])
    assert.is(written(each), each);
});

test('shows the planner the words of the client', () => {
  const { statement, literals } = read(
    "select s.x, a || c from (select c || '' as x from t where c || '' > 'a') s, t " +
      "where c || '' > 'b' and a in (select c || '' from t) group by c || '' having c || '' > 'c' order by c || ''",
  );
  assert.is(fillStatement(statement, literals).sql.split('typeof(').length, 2);
  // The order of a compound names one of its columns.
  const compound = read('select a || c from t union select a || c from t order by a || c');
  assert.is(fillStatement(compound.statement, compound.literals).sql.includes('typeof('), false);
});

test('writes names of subqueries once: each may stand for many more', () => {
  let from = '(select c as r from t)';
  for (let i = 0; i < 12; i++) from = `(select (r || '') + 0 as r from ${from})`;
  const { statement, literals } = read(`select r || '' as x from ${from}`);
  assert.is(fillStatement(statement, literals).sql.includes('typeof('), false);
});

test('writes a thousand parts twice at most', () => {
  const count = (calls: number): number => {
    const { statement, literals } = read(`select ${'lower(2+3+4+5+6+7+8+9),'.repeat(calls)} a from t`);
    return fillStatement(statement, literals).sql.split('typeof(').length - 1;
  };
  assert.is(count(66), 66);
  assert.is(count(67), 0);
});

test.run();
