// Equalities that hold for each row that a loop passes on: `b.rig_id = a.id`, `owner = '0x..'`, `kind in (1, 2)`. They
// bound how often the loops inside of it are begun. Only of what SQLite evaluates in the loop itself: joins that are
// inner ones, and tables that the statement names once.
import { asciiLower } from '../base/ascii-lower.ts';
import type { Expression, Source } from './ast.ts';
import { isConstant, isPlain } from './conditions.ts';
import type { Core } from './reading.ts';
import { calledOf, type Owner, ownerAmong, type TableSource } from './seeks.ts';

export interface Filter {
  /** Lower-case names of a served table and of its column. */
  readonly table: string;
  readonly column: string;
  /** The column that it has to be equal to; undefined: one of the constants. */
  readonly of: { readonly called: string; readonly table: string; readonly column: string } | undefined;
  readonly constants: readonly Expression[];
}

/**
 * By the lower-case name that SQLite's plan calls the table.
 * @param commons lower-case names of all common tables
 * @param columnsOf lower-case names of a served table's columns
 */
export function filtersOf(
  cores: readonly Core[],
  commons: ReadonlySet<string>,
  columnsOf: (table: string) => ReadonlySet<string>,
): ReadonlyMap<string, readonly Filter[]> {
  const filters = new Map<string, Filter[]>();
  const mentions = new Map<string, number>();
  for (const core of cores) {
    if (core.from === undefined) continue;
    const sources: TableSource[] = [];
    const conditions: Expression[] = core.where === undefined ? [] : [core.where];
    const isInner = joined(core.from, sources, conditions);
    for (const source of sources) {
      const called = calledOf(source);
      mentions.set(called, (mentions.get(called) ?? 0) + 1);
    }
    if (!isInner) continue;
    const tables = sources.filter(({ name }) => !commons.has(asciiLower(name.text)));
    const owner = ownerAmong(tables, columnsOf);
    for (const condition of conditions)
      for (const part of conjuncts(condition)) addFilters(part, owner, filters);
  }
  // A line of the plan says no more than the name: of two tables that share it, it may be about either.
  for (const [called, count] of mentions) if (count > 1) filters.delete(called);
  return filters;
}

/** Collects tables and ON conditions. @returns whether all joins are inner ones */
function joined(source: Source, tables: TableSource[], conditions: Expression[]): boolean {
  if (source.type === 'table') tables.push(source);
  else if (source.type === 'group') return joined(source.source, tables, conditions);
  else if (source.type === 'join') {
    const left = joined(source.left, tables, conditions);
    const right = joined(source.right, tables, conditions);
    if (source.on !== undefined) conditions.push(source.on);
    return left && right && (source.join === 'inner' || source.join === 'cross');
  }
  return true;
}

function* conjuncts(expression: Expression): Iterable<Expression> {
  if (expression.type === 'binary' && expression.operator === 'and') {
    yield* conjuncts(expression.left);
    yield* conjuncts(expression.right);
  } else yield expression;
}

function addFilters(expression: Expression, owner: Owner, filters: Map<string, Filter[]>): void {
  const values = constantsOf(expression);
  if (values !== undefined) {
    const source = owner(values.column);
    if (source !== undefined) add(filters, source, values.column, undefined, values.constants);
    return;
  }
  if (expression.type !== 'binary' || expression.operator !== '=') return;
  const { left, right } = expression;
  if (left.type !== 'column' || right.type !== 'column') return;
  const [one, other] = [owner(left), owner(right)];
  if (one === undefined || other === undefined || one === other) return;
  if (isPlain(right)) add(filters, one, left, ofColumn(other, right), []);
  if (isPlain(left)) add(filters, other, right, ofColumn(one, left), []);
}

/** Written out, as most joins make some: V8 copies what is spread property by property. */
function add(
  filters: Map<string, Filter[]>,
  source: TableSource,
  column: Column,
  of: Filter['of'],
  constants: Filter['constants'],
): void {
  const filter = { table: asciiLower(source.name.text), column: asciiLower(column.name.text), of, constants };
  const called = calledOf(source);
  const known = filters.get(called);
  if (known === undefined) filters.set(called, [filter]);
  else known.push(filter);
}

type Column = Extract<Expression, { readonly type: 'column' }>;

function ofColumn(source: TableSource, column: Column): Filter['of'] {
  return {
    called: calledOf(source),
    table: asciiLower(source.name.text),
    column: asciiLower(column.name.text),
  };
}

/** `c = 1`, `c in (1, 2)`, and OR of such about one column. */
function constantsOf(
  expression: Expression,
): { readonly column: Column; readonly constants: readonly Expression[] } | undefined {
  if (expression.type === 'in') {
    const { not, operand, list } = expression;
    return !not && operand.type === 'column' && list.every(isLiteral)
      ? { column: operand, constants: list }
      : undefined;
  }
  if (expression.type !== 'binary') return undefined;
  const { left, right } = expression;
  if (expression.operator === '=')
    for (const [side, value] of [
      [left, right],
      [right, left],
    ] as const)
      if (side.type === 'column' && isLiteral(value)) return { column: side, constants: [value] };
  if (expression.operator !== 'or') return undefined;
  const a = constantsOf(left);
  const b = constantsOf(right);
  return a !== undefined && b !== undefined && isSame(a.column, b.column)
    ? { column: a.column, constants: [...a.constants, ...b.constants] }
    : undefined;
}

const isLiteral = (value: Expression): boolean => isPlain(value) && isConstant(value);

const calledBy = ({ table }: Column): string | undefined =>
  table === undefined ? undefined : asciiLower(table.text);

const isSame = (a: Column, b: Column): boolean =>
  asciiLower(a.name.text) === asciiLower(b.name.text) && calledBy(a) === calledBy(b);
