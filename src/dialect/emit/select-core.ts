// One SELECT with its ORDER BY and LIMIT (lang_select.html). The clauses are resolved in SQLite's scopes,
// then written by select-rows.ts.
import { GatewayError } from '../../base/errors.ts';
import type { Expression, OrderTerm, SelectCore } from '../ast.ts';
import { truth } from '../operators/convert.ts';
import type { Template } from '../plan.ts';
import { type Column, columnOf } from '../resolve/column.ts';
import { rowsBelowWindows, sorts } from '../row-plan.ts';
import { sql, type Value } from '../value.ts';
import type { Emitter, Query, Want } from './emitter.ts';
import { type Grouping, grouping } from './grouping.ts';
import { firstClause, type Limit, limitClause } from './limit.ts';
import { conjunction, nameKey } from './name.ts';
import { position, stripCollate } from './order-term.ts';
import { queryColumn } from './query-column.ts';
import { aliasEntries, type ResultItem, resultItems } from './result.ts';
import { type RowOrder, rowOrder } from './row-order.ts';
import { isSameTree, sameExpression } from './same.ts';
import { lookUp, type Relation, type Scope, type Windows } from './scope.ts';
import { isInRow, isOrderless, uniqueKeys } from './select-order.ts';
import { type Key, rowsSql } from './select-rows.ts';
import { from } from './source.ts';
import { hasAggregate, hasSelect, hasWindow } from './tree.ts';
import { fixedToOneRow } from './unique.ts';

type Core = Extract<SelectCore, { readonly type: 'select' }>;

export interface Tail extends Limit {
  readonly orderBy: readonly OrderTerm[];
}
export const NO_TAIL: Tail = { orderBy: [], limit: undefined, offset: undefined };

export interface CoreQuery extends Query {
  /** Which result column an ORDER BY term of a compound means; undefined: none of this SELECT's. */
  readonly column: (term: Expression) => number | undefined;
}

/** @param around the empty scope that has what surrounds this SELECT */
export function coreQuery(core: Core, tail: Tail, around: Scope, emitter: Emitter): CoreQuery {
  const block =
    core.windows.length > 0 || hasWindow(core.columns) ? rowsBelowWindows(around.block) : around.block;
  const source = from(core.from, { ...around, block }, emitter, isOrderless(core, tail));
  const { relations } = source;
  let planned: RowOrder | undefined;
  const loops = (): RowOrder => {
    planned ??= rowOrder(relations, block, emitter.schema.planner);
    return planned;
  };
  const bare: Scope = { ...around, relations, order: () => loops().keys };
  const items = resultItems(core.columns, bare, emitter);
  const named: Scope = { ...bare, aliases: aliasEntries(items) };
  source.resolve(bare);

  const where = [...source.conditions];
  const isAggregate = core.groupBy.length > 0 || items.some((item) => hasAggregate(item.expression));
  if (core.where !== undefined) where.push(truth(emitter.expression(core.where, named), emitter));
  if (core.having !== undefined && !isAggregate)
    throw new GatewayError('statement-syntax', 'HAVING clause on a non-aggregate query');
  let group: Grouping | undefined;
  if (isAggregate) {
    const terms = groupTerms(core, items, named, emitter);
    const descending =
      tail.orderBy.length === terms.length ? tail.orderBy.map((term) => term.descending) : [];
    group = grouping(
      terms,
      descending,
      () => (sorts(block(), 'GROUP BY') ? undefined : loops().columns),
      { ...named, aliases: [] },
      emitter,
    );
  }

  const names = windowNames(core);
  const windows: Windows = { names, all: [], seen: [] };
  const inner: Scope = {
    ...bare,
    group,
    order: group === undefined ? bare.order : group.order,
  };
  const values = windowed(items, inner, windows);
  const outer: Scope = { ...inner, aliases: named.aliases, windows };
  const having =
    core.having === undefined
      ? undefined
      : truth(emitter.expression(core.having, { ...inner, aliases: named.aliases }), emitter);
  const keys = tail.orderBy.map((term): Key => orderKey(term, items, values, outer, emitter));
  const limit = limitClause(tail, around, emitter);
  const keepsOrder =
    group === undefined &&
    relations.length <= 1 &&
    !isInRow(around) &&
    !hasSelect([core.columns, core.where]);
  return {
    columns: items.map((item, i) => queryColumn(item.name, values[i] as Value, emitter, item.innerName)),
    single:
      (isAggregate && core.groupBy.length === 0) ||
      core.from === undefined ||
      (!isAggregate && fixedToOneRow(relations, core.where, named)),
    column: (term) => resultColumn(term, items, bare, emitter),
    render: (want) =>
      rowsSql(
        {
          distinct: core.distinct,
          values,
          keys,
          windows: windows.seen.flat(),
          limit,
          first: () => firstClause(tail, around, emitter),
          single: isAggregate && core.groupBy.length === 0,
          rows: {
            // The engine makes joins of subqueries, and those keep no order.
            natural: () => keepsOrder && loops().natural,
            sortedBy: keepsOrder ? storedOrder(relations) : undefined,
            order: inner.order,
            unique: uniqueKeys(relations, group),
          },
          from: (order) => {
            const condition = conjunction(where);
            const filtered = (inner: Want) => sql`${source.render(inner)}${whereClause(condition)}`;
            if (group === undefined) return filtered(order);
            const groups = group.render(() => filtered('any'));
            return sql` FROM (${groups}) AS ${group.alias}${whereClause(having)}`;
          },
        },
        want,
        emitter,
      ),
  };
}

/** The rowid of a table: its rows are written in this order (docs/IMPORT.md). */
function storedOrder([relation]: readonly Relation[]): Column | undefined {
  return relation?.stored === true ? relation.rowid?.value.column : undefined;
}

function whereClause(condition: Template | undefined): Template {
  return condition === undefined ? [] : sql` WHERE ${condition}`;
}

/** Where there are several windows, they are made twice: ties in one are in the order of those after it. */
function windowed(items: readonly ResultItem[], scope: Scope, windows: Windows): readonly Value[] {
  const make = (): readonly Value[] => items.map((item) => item.value({ ...scope, windows }));
  const first = make();
  if (windows.seen.length < 2) return first;
  windows.all.push(...windows.seen);
  return make();
}

function windowNames(core: Core): Windows['names'] {
  return new Map(core.windows.map(({ name, window }) => [nameKey(name.text), window]));
}

function groupTerms(
  core: Core,
  items: readonly ResultItem[],
  named: Scope,
  emitter: Emitter,
): readonly { readonly expression: Expression; readonly value: Value }[] {
  return core.groupBy.map((term, i) => {
    const place = position(term, i, 'GROUP', items.length, emitter);
    if (place !== undefined) {
      const item = items[place] as ResultItem;
      const expression = item.expression ?? term;
      return { expression, value: item.value({ ...named, aliases: [] }) };
    }
    const alias = term.type === 'column' ? lookUp(named, term.table, term.name) : undefined;
    const expression =
      alias?.type === 'alias' && alias.scope.relations === named.relations ? alias.expression : term;
    return { expression, value: emitter.expression(expression, named) };
  });
}

/** A term is a position, an alias, or an expression over the rows (lang_select.html section 4). */
function orderKey(
  term: OrderTerm,
  items: readonly ResultItem[],
  values: readonly Value[],
  scope: Scope,
  emitter: Emitter,
): Key {
  const [inner, collation] = stripCollate(term.expression);
  const place = position(inner, 0, 'ORDER', items.length, emitter) ?? aliasPlace(inner, items);
  if (place === undefined) {
    const value = emitter.expression(term.expression, scope);
    const column = columnOf(value);
    const same = items.findIndex(({ expression }, i) =>
      column === undefined
        ? expression !== undefined && isSameTree(expression, term.expression, scope)
        : columnOf(values[i] as Value) === column,
    );
    return { term, place: same < 0 ? undefined : same, value };
  }
  const value = values[place] as Value;
  return { term, place, value: collation === undefined ? value : { ...value, collation } };
}

function aliasPlace(term: Expression, items: readonly ResultItem[]): number | undefined {
  if (term.type !== 'column' || term.table !== undefined) return undefined;
  const key = nameKey(term.name.text);
  const place = items.findIndex((item) => item.aliasKey === key);
  return place < 0 ? undefined : place;
}

/** ORDER BY of a compound: an alias, or the same expression as a result column (lang_select.html section 4). */
function resultColumn(
  term: Expression,
  items: readonly ResultItem[],
  scope: Scope,
  emitter: Emitter,
): number | undefined {
  const alias = aliasPlace(term, items);
  if (alias !== undefined) return alias;
  const place = items.findIndex((item) => {
    if (item.expression !== undefined) return sameExpression(item.expression, term, scope, emitter);
    if (term.type !== 'column') return false;
    const found = lookUp(scope, term.table, term.name);
    return found?.type === 'column' && found.column.value.column === columnOf(item.value(scope));
  });
  return place < 0 ? undefined : place;
}
