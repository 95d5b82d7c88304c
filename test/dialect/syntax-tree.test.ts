// What the tree says: precedence, shapes of clauses, and how errors name what is not understood.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { GatewayError } from '../../src/base/errors.ts';
import type { Select, SelectCore } from '../../src/dialect/ast.ts';
import { canonicalSelect } from '../../src/dialect/canonical-text.ts';
import { nameText } from '../../src/dialect/names.ts';
import { type Parsed, parse } from '../../src/dialect/parse.ts';
import { type ParamValue, readStatement } from '../../src/statement/statement.ts';
import { explicit } from './syntax-explicit.ts';

const parsed = (statement: string, ...params: ParamValue[]): Parsed => {
  const { shape, literals } = readStatement(statement, params, 35_000);
  return parse(shape, literals);
};
const tree = (statement: string): Select => parsed(statement).select;
const core = (statement: string): Extract<SelectCore, { type: 'select' }> => {
  const { first } = tree(statement);
  if (first.type !== 'select') throw new Error('no SELECT');
  return first;
};
/** An expression with parentheses around all that is an operand. */
const reading = (text: string): string => {
  const { shape, literals } = readStatement(`select ${text}`, [], 35_000);
  const { first } = parse(shape, literals).select;
  if (first.type !== 'select' || first.columns[0]?.type !== 'expression') throw new Error('no expression');
  return explicit(first.columns[0].expression, literals);
};
/** The canonical text: what we make of statements that the reference has no words for. */
const text = (statement: string): string => {
  const { shape, literals } = readStatement(statement, [], 35_000);
  return nameText(canonicalSelect(parse(shape, literals).select), literals);
};
const error = (statement: string): GatewayError => {
  try {
    parsed(statement);
  } catch (e) {
    if (e instanceof GatewayError) return e;
    throw e;
  }
  throw new Error(`taken: ${statement}`);
};

test('NOT is weaker than comparisons and stronger than AND', () => {
  assert.is(reading('not a = b and c'), '(not ((a) = (b))) and (c)');
  assert.is(reading('- not a = b'), '- (not ((a) = (b)))');
  assert.is(reading('x = not a = b'), '(x) = (not ((a) = (b)))');
  assert.is(reading('not exists (select 1)'), 'not exists(select 1)');
});
test('signs are stronger than COLLATE, and that than the concatenation', () => {
  assert.is(reading('-a collate nocase || b'), '((- (a)) collate nocase) || (b)');
});
test('BETWEEN takes the next AND', () => {
  assert.is(reading('a between b and c and d'), '((a) between (b) and (c)) and (d)');
  assert.is(reading('a between 1 and 2 = 1'), '((a) between (1) and (2)) = (1)');
  assert.is(reading('a not between b = c and d'), '(a) not between ((b) = (c)) and (d)');
});
test('IS reads NOT and DISTINCT FROM as its own', () => {
  assert.is(reading('a is not null'), '(a) is not (null)');
  assert.is(reading('a is distinct from b'), '(a) is not (b)');
  assert.is(reading('a is not distinct from b'), '(a) is (b)');
});
test('long chains of AND and OR are balanced and still read the same', () => {
  const chain = Array.from({ length: 100 }, (_, i) => `a${i}`).join(' or ');
  assert.is(text(`select ${chain}`), `select ${chain}`);
});

test('parentheses are counted and mean nothing', () => {
  const [column] = core('select ((a))').columns;
  if (column?.type !== 'expression') throw new Error('no expression');
  assert.equal(column.expression, {
    type: 'column',
    table: undefined,
    name: { text: 'a', quote: '' },
    parens: 2,
  });
});

test('joins know their kind in whatever order the words come', () => {
  const join = (words: string): string => {
    const { from } = core(`select 1 from a ${words} b`);
    if (from?.type !== 'join') throw new Error('no join');
    return `${from.natural ? 'natural ' : ''}${from.join}`;
  };
  assert.is(join(','), 'cross');
  assert.is(join('join'), 'inner');
  assert.is(join('cross join'), 'cross');
  assert.is(join('left natural outer join'), 'natural left');
  assert.is(join('full join'), 'full');
  assert.is(join('left right join'), 'full');
  assert.is(error('select 1 from a outer join b').code, 'statement-syntax');
  assert.is(error('select 1 from a left inner join b').code, 'statement-syntax');
  assert.is(error('select 1 from a natural join b on 1').code, 'statement-syntax');
});

test('a parenthesised join with an alias is a subquery', () => {
  assert.is(core('select 1 from (a join b) as x').from?.type, 'select');
  assert.is(core('select 1 from (a join b)').from?.type, 'group');
  assert.equal(core('select 1 from (a) as x').from, {
    type: 'table',
    name: { text: 'a', quote: '' },
    alias: { text: 'x', quote: '' },
  });
});

test('LIMIT a, b is LIMIT b OFFSET a', () => {
  const { limit, offset } = tree('select 1 limit 2, 3');
  assert.equal(
    [limit, offset].map((e) => e?.type === 'literal' && e.index),
    [2, 1],
  );
});

test('texts where only names can stand are names, and pinned', () => {
  const { select, pins } = parsed("select 'v' as 'x', 't'.'a' from t as 'y'");
  assert.equal(pins, [1, 2, 3, 4]);
  if (select.first.type !== 'select') throw new Error('no SELECT');
  const [first] = select.first.columns;
  assert.equal(first?.type === 'expression' && first.alias, { text: 'x', quote: "'" });
});

test('a NULL param is NULL, a true one is the integer 1', () => {
  const { select } = parsed('select ?, ?', null, true);
  if (select.first.type !== 'select') throw new Error('no SELECT');
  assert.equal(
    select.first.columns.map((c) => c.type === 'expression' && c.expression),
    [{ type: 'null' }, { type: 'literal', index: 1, kind: 'integer' }],
  );
});

test('keywords that SQLite takes for names are names', () => {
  for (const word of [
    'key',
    'row',
    'rows',
    'current',
    'first',
    'last',
    'offset',
    'desc',
    'like',
    'replace',
    'temp',
    'if',
    'over',
    'filter',
    'window',
    'end',
    'recursive',
    'materialized',
    'left',
    'full',
    'action',
    'plan',
  ])
    assert.is(text(`select ${word} from t`), `select ${word} from t`, word);
  for (const word of [
    'select',
    'from',
    'where',
    'table',
    'index',
    'order',
    'then',
    'set',
    'to',
    'unique',
    'cast',
    'in',
  ])
    assert.is(error(`select ${word} from t`).code, 'statement-syntax', word);
});

test('what the reference does not have is written in its style', () => {
  for (const [statement, expected] of [
    ['SELECT 1', 'select 1'],
    [
      'WITH RECURSIVE c(n) AS MATERIALIZED (VALUES (1), (2)) SELECT * FROM c',
      'with recursive c(n)as(values(1),(2))select * from c',
    ],
    [
      'select row_number() over (partition by a order by b desc rows between 1 preceding and current row exclude ties) from t',
      'select row_number()over(partition by a order by b desc rows between 1 preceding and current row exclude ties)from t',
    ],
    [
      'select sum(a) over w from t window w as (order by b)',
      'select sum(a)over w from t window w as(order by b asc)',
    ],
    ['select group_concat(a, b order by c) from t', 'select group_concat(a,b order by c asc)from t'],
    ['select (a, b) in (values (1, 2)) from t', 'select(a,b)in(values(1,2))from t'],
    ['select a in t from main.t', 'select a in(select * from t)from t'],
    ['select value from json_each(t.a) as j, t', 'select value from json_each(t.a)as j join t'],
    ['select CURRENT_TIMESTAMP', 'select current_timestamp'],
    ['select cast(a as unsigned big int)', 'select cast(a as unsigned big int)'],
  ] as const)
    assert.is(text(statement), expected);
});

test('errors name the word and where it stands', () => {
  assert.match(error('select a FORM t where b').message, /near "t" after "select a FORM"/);
  assert.match(error("select a from t where b = 'x' 'y'").message, /near "'y'" after "b = 'x'"/);
  assert.match(error('select a from').message, /at the end after "select a from": expected a table/);
  assert.match(error('select a from t order a').message, /near "a" after "from t order"|near "order"/);
  assert.is(error('with x as (select 1) delete from t').code, 'statement-not-a-read');
  assert.is(error('select a from other.t').code, 'unknown-table');
  assert.is(error('select a from t indexed by i').code, 'unsupported');
  assert.is(error('select a from t order by a union select b').code, 'statement-syntax');
  assert.is(error('values (1), (1, 2)').code, 'statement-syntax');
  assert.is(error('(select 1)').code, 'statement-syntax');
});

test.run();
