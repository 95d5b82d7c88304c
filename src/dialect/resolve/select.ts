// A whole SELECT: WITH, its terms, ORDER BY and LIMIT (lang_select.html). Each clause is resolved in the scope that SQLite
// has there.
import { GatewayError } from '../../base/errors.ts';
import type * as ast from '../ast.ts';
import { NotNative } from '../not-native.ts';
import { nameKey } from './name.ts';
import { aliasPlace, ordinal, position, stripCollate } from './order-term.ts';
import type { Resolver } from './resolver.ts';
import { aliasesOf, resultColumns } from './result.ts';
import { isSameTree, sameExpression } from './same.ts';
import { emptyScope, type Scope } from './scope.ts';
import { from } from './source.ts';
import type { Expression, OrderTerm, ResultColumn, Select, SelectCore, Values } from './tree.ts';
import { hasAggregate, hasWindow } from './walk.ts';
import { commonTables } from './with.ts';

type ParsedCore = Extract<ast.SelectCore, { readonly type: 'select' }>;

/** A term of a SELECT with what its ORDER BY may name. */
interface Term {
  readonly core: SelectCore | Values;
  readonly columns: Select['columns'];
  /** Of a SELECT: the scope of its rows. */
  readonly rows?: Scope;
  /** Of a SELECT: its scope behind the rows. */
  readonly results?: Scope;
}

export function select(parsed: ast.Select, outer: Scope | undefined, resolver: Resolver): Select {
  const { used, common } = commonTables(parsed.with, outer, resolver);
  const around = emptyScope(outer, common);
  const first = term(parsed.first, around, resolver);
  const rest = parsed.rest.map(({ operator, core }) => ({ operator, ...term(core, around, resolver) }));
  for (const { operator, columns } of rest)
    if (columns.length !== first.columns.length)
      throw new GatewayError(
        'statement-syntax',
        `SELECTs to the left and right of ${operator.toUpperCase()} do not have the same number of result columns`,
      );
  const isCompound = rest.length > 0 || first.core.type === 'values';
  const limited = (count: ast.Expression | undefined): Expression | undefined =>
    count === undefined ? undefined : resolver.expression(count, around);
  return {
    common: used,
    first: first.core,
    rest: rest.map(({ operator, core }) => ({ operator, core })),
    orderBy: isCompound
      ? compoundOrder(parsed.orderBy, [first, ...rest], resolver)
      : parsed.orderBy.map((each) => orderTerm(each, first, resolver)),
    limit: limited(parsed.limit),
    offset: limited(parsed.offset),
    columns: first.columns,
  };
}

function term(parsed: ast.SelectCore, around: Scope, resolver: Resolver): Term {
  if (parsed.type === 'select') return core(parsed, around, resolver);
  const rows = parsed.rows.map((row) => row.map((cell) => resolver.expression(cell, around)));
  const columns = (rows[0] ?? []).map((_, i) => ({ name: [`column${i + 1}`], innerName: undefined }));
  return { core: { type: 'values', rows }, columns };
}

/** @param around the empty scope that has what surrounds this SELECT */
function core(parsed: ParsedCore, around: Scope, resolver: Resolver): Term {
  const source = parsed.from === undefined ? undefined : from(parsed.from, around, resolver);
  const relations = source?.relations ?? [];
  const rows: Scope = { ...around, relations };
  const windows = new Map(parsed.windows.map(({ name, window }) => [nameKey(name.text), window]));
  const isAggregate =
    parsed.groupBy.length > 0 ||
    parsed.columns.some((column) => column.type === 'expression' && hasAggregate(column.expression));
  const outside: Scope = { ...rows, grouped: isAggregate };
  const columns = resultColumns(parsed.columns, { ...outside, windows }, resolver);
  const aliases = aliasesOf(columns);
  const named: Scope = { ...rows, aliases };
  const resolved = source?.resolve(rows);
  const where = parsed.where === undefined ? undefined : resolver.expression(parsed.where, named);
  if (parsed.having !== undefined && !isAggregate)
    throw new GatewayError('statement-syntax', 'HAVING clause on a non-aggregate query');
  return {
    core: {
      type: 'select',
      distinct: parsed.distinct,
      columns,
      from: resolved,
      relations,
      where,
      isAggregate,
      groupBy: parsed.groupBy.map((each, i) => groupTerm(each, i, columns, named, resolver)),
      having:
        parsed.having === undefined ? undefined : resolver.expression(parsed.having, { ...outside, aliases }),
      windowed: parsed.windows.length > 0 || hasWindow(parsed.columns),
    },
    columns,
    rows,
    results: { ...outside, aliases, windows },
  };
}

/** A term is a position, an alias, or an expression over the rows (lang_select.html section 2.4). */
function groupTerm(
  parsed: ast.Expression,
  index: number,
  columns: readonly ResultColumn[],
  named: Scope,
  resolver: Resolver,
): Expression {
  const place = position(parsed, index, 'GROUP', columns.length, resolver);
  return (place === undefined ? undefined : columns[place]?.expression) ?? resolver.expression(parsed, named);
}

/** A term is a position, an alias, or an expression over the rows (lang_select.html section 4). */
function orderTerm(parsed: ast.OrderTerm, { core, results }: Term, resolver: Resolver): OrderTerm {
  const { descending, nulls } = parsed;
  const { columns } = core as SelectCore;
  const [inner, collation] = stripCollate(parsed.expression);
  const place = position(inner, 0, 'ORDER', columns.length, resolver) ?? aliasPlace(inner, columns);
  if (place !== undefined)
    return { place, expression: columns[place]!.expression, collation, descending, nulls };
  const expression = resolver.expression(inner, results as Scope);
  const same = columns.findIndex((column) => isSameTree(column.expression, expression));
  return { place: same < 0 ? undefined : same, expression, collation, descending, nulls };
}

/** Of a compound: a term is a position, an alias or an expression of one of the SELECTs, the first one first. */
function compoundOrder(
  parsed: readonly ast.OrderTerm[],
  terms: readonly Term[],
  resolver: Resolver,
): readonly OrderTerm[] {
  const width = terms[0]?.columns.length ?? 0;
  return parsed.map(({ expression: written, descending, nulls }, index) => {
    const [inner, collation] = stripCollate(written);
    // SQLite names the columns otherwise then: `id:1` where there are two of one name.
    if (collation !== undefined) throw new NotNative('ORDER BY with COLLATE of a compound SELECT');
    const place = position(inner, index, 'ORDER', width, resolver) ?? placeIn(inner, terms, resolver);
    if (place === undefined)
      throw new GatewayError(
        'statement-syntax',
        `${ordinal(index + 1)} ORDER BY term does not match any column in the result set`,
      );
    return { place, expression: { type: 'null' }, collation: undefined, descending, nulls };
  });
}

function placeIn(written: ast.Expression, terms: readonly Term[], resolver: Resolver): number | undefined {
  for (const { core, rows } of terms) {
    if (core.type === 'values' || rows === undefined) continue;
    const alias = aliasPlace(written, core.columns);
    if (alias !== undefined) return alias;
    const expression = attempt(() => resolver.expression(written, rows));
    if (expression === undefined) continue;
    const place = core.columns.findIndex((column) => sameExpression(column.expression, expression, resolver));
    if (place >= 0) return place;
  }
  return undefined;
}

/** Undefined where it names what this SELECT does not have: another one may. */
function attempt(resolve: () => Expression): Expression | undefined {
  try {
    return resolve();
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'unknown-column') return undefined;
    throw error;
  }
}
