// What names stand for, before any SQL is written: columns as objects, aliases and positions as expressions.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { GatewayError } from '../../src/base/errors.ts';
import { NotNative } from '../../src/dialect/not-native.ts';
import { parse } from '../../src/dialect/parse.ts';
import type { Column, Expression, SelectCore } from '../../src/dialect/resolve/tree.ts';
import { type ResolvedStatement, resolve } from '../../src/dialect/resolve.ts';
import type { SchemaColumn, SchemaTable } from '../../src/dialect/schema.ts';
import { readStatement } from '../../src/statement/statement.ts';

const column = (name: string, kind: SchemaColumn['kind']): SchemaColumn => ({
  name,
  kind,
  affinity: kind === 'any' ? 'blob' : kind,
  notNull: false,
  collation: name === 'City' ? 'nocase' : 'binary',
});
const table = (name: string, rowid: string, ...columns: readonly SchemaColumn[]): SchemaTable => ({
  name,
  columns,
  rowid,
  rows: 1,
  unique: [],
  columnar: true,
  version: '1',
  create: [],
});
const TABLES = new Map(
  [
    table('rigs', 'id', column('id', 'integer'), column('owner', 'text'), column('price', 'real')),
    table('owners', '_rowid', column('owner', 'text'), column('City', 'text')),
  ].map((each) => [each.name, each]),
);

function resolved(statement: string): ResolvedStatement {
  const { shape, literals } = readStatement(statement, [], 35_000);
  return resolve(parse(shape, literals).select, { tables: TABLES }, literals);
}

function core(statement: string): SelectCore {
  const { first } = resolved(statement).select;
  if (first.type !== 'select') throw new Error('no SELECT');
  return first;
}

function columnOf(expression: Expression | undefined): Column {
  if (expression?.type !== 'column') throw new Error(`no column but ${expression?.type}`);
  return expression.column;
}

const names = ({ columns }: SelectCore): readonly string[] => columns.map(({ name }) => name.join(''));
const codeOf = (statement: string): string => {
  try {
    resolved(statement);
  } catch (error) {
    if (error instanceof GatewayError) return error.code;
    if (error instanceof NotNative) return error.what;
    throw error;
  }
  return 'none';
};

test('however a column is spelled, it is one object, with its owner, type and collation', () => {
  const { columns, relations } = core('select owner, o.OWNER, [Owner], "owner", city from owners o');
  const [first, ...rest] = columns.map(({ expression }) => columnOf(expression));
  for (const other of rest.slice(0, 3)) assert.is(other, first);
  assert.is(first?.owner, relations[0]);
  const city = rest[3]?.origin;
  assert.equal(city?.type === 'stored' && [city.column.kind, city.column.collation], ['text', 'nocase']);
});

test('a table that is named twice has columns of its own each time', () => {
  const { columns } = core('select a.id, b.id from rigs a, rigs b');
  const [a, b] = columns.map(({ expression }) => columnOf(expression));
  assert.is.not(a, b);
});

test('an alias is the expression that it stands for', () => {
  const { columns, where, groupBy } = core(
    'select price * 2 as twice from rigs where twice > 3 group by twice',
  );
  const [twice] = columns.map(({ expression }) => expression);
  assert.is(where?.type === 'binary' && where.left, twice);
  assert.is(groupBy[0], twice);
});

test('a column comes before an alias of the same name', () => {
  const { columns, where } = core("select price as owner from rigs where owner > 'a'");
  const owner = columnOf(where?.type === 'binary' ? where.left : undefined);
  assert.is.not(owner, columnOf(columns[0]?.expression));
  assert.equal(owner.name, ['owner']);
});

test('positions are result columns, and the plan is one for their numbers', () => {
  const { select, pins } = resolved('select owner, count(*) from rigs group by 1 order by 2 desc');
  assert.equal(
    select.orderBy.map(({ place, descending }) => [place, descending]),
    [[1, true]],
  );
  assert.is(pins.size, 2);
});

test('an ORDER BY term that repeats a result column is that column, whatever its spelling', () => {
  const { select } = resolved('select id, upper(owner) from rigs r order by upper(R."owner"), price');
  assert.equal(
    select.orderBy.map(({ place }) => place),
    [1, undefined],
  );
});

test('a star is its columns, and what USING merges is there once', () => {
  assert.equal(names(core('select * from rigs join owners using(owner)')), ['id', 'owner', 'price', 'City']);
  assert.equal(names(core('select owners.*, id from rigs join owners using(owner)')), [
    'owner',
    'City',
    'id',
  ]);
});

test('what a FULL JOIN merges is one column of both sides', () => {
  const { columns } = core('select owner, "owner" from rigs full join owners using(owner)');
  const [first, second] = columns.map(({ expression }) => columnOf(expression));
  assert.is(first, second);
  assert.is(first?.origin.type, 'merged');
});

test('a subquery reads the columns of the SELECT around it', () => {
  const { relations, where } = core(
    'select id from rigs r where exists (select 1 from owners where owner = r.owner and price > 1)',
  );
  const inner = where?.type === 'exists' ? where.select.first : undefined;
  const both = inner?.type === 'select' && inner.where?.type === 'binary' ? inner.where : undefined;
  const [own, outer] = both?.left.type === 'binary' ? [both.left.left, both.left.right] : [];
  assert.is(columnOf(own).owner, inner?.type === 'select' && inner.relations[0]);
  assert.is(columnOf(outer).owner, relations[0]);
  assert.is(columnOf(both?.right.type === 'binary' ? both.right.left : undefined).owner, relations[0]);
});

test('a column of a subquery is a place among its results', () => {
  const { columns } = core('select total from (select owner, sum(price) as total from rigs group by owner)');
  assert.equal(columnOf(columns[0]?.expression).origin, { type: 'made', place: 1 });
});

test('a common table is resolved once, each use of it has columns of its own, and none is where nobody names it', () => {
  const { select } = resolved(
    'with w as (select id from rigs), unused as (select nosuch from rigs) select a.id, b.id from w a, w b',
  );
  assert.equal(
    select.common.map(({ key }) => key),
    ['w'],
  );
  const { columns, from } = select.first as SelectCore;
  const [a, b] = columns.map(({ expression }) => columnOf(expression));
  assert.is.not(a?.owner, b?.owner);
  assert.ok(from?.type === 'join' && from.left.type === 'common' && from.right.type === 'common');
  assert.is(from.left.table, from.right.table);
});

test('a named window is what it is made of', () => {
  const { columns } = core(
    'select sum(price) over (w order by id) from rigs window w as (partition by owner)',
  );
  const call = columns[0]?.expression;
  const over = call?.type === 'call' ? call.over : undefined;
  assert.equal(columnOf(over?.partitionBy[0]).name, ['owner']);
  assert.equal(columnOf(over?.orderBy[0]?.expression).name, ['id']);
});

test('a double-quoted name of no column is a text', () => {
  assert.equal(core('select "nosuch" from rigs').columns[0]?.expression, { type: 'text', text: 'nosuch' });
});

test('names that stand for nothing, or for several things, are refused', () => {
  assert.is(codeOf('select nosuch from rigs'), 'unknown-column');
  assert.is(codeOf('select owners.id from rigs, owners'), 'unknown-column');
  assert.is(codeOf('select owner from rigs, owners'), 'ambiguous-column');
  assert.is(codeOf('select 1 from nosuch'), 'unknown-table');
  assert.is(codeOf('select nosuch.* from rigs'), 'unknown-table');
  assert.is(codeOf('select id from rigs order by 2'), 'statement-syntax');
  assert.is(codeOf('select sum(price) over w from rigs'), 'statement-syntax');
  assert.is(
    codeOf('with a as (select * from b), b as (select * from a) select * from a'),
    'statement-syntax',
  );
  assert.is(codeOf('select value from json_each(owner), rigs'), 'table function json_each');
});

test.run();
