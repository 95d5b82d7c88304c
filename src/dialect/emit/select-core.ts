// One SELECT with its ORDER BY and LIMIT (lang_select.html): what its clauses are in the engine's words. The rows are
// written by select-rows.ts.
import { truth } from '../operators/convert.ts';
import type { Template } from '../plan.ts';
import type { ReadColumn } from '../read-column.ts';
import type { OrderTerm, SelectCore } from '../resolve/tree.ts';
import { hasSelect } from '../resolve/walk.ts';
import { rowsBelowWindows, sorts } from '../row-plan.ts';
import { sql, type Value } from '../value.ts';
import type { Emitter, Query, Want } from './emitter.ts';
import { type Grouping, grouping } from './grouping.ts';
import { firstClause, type Limit, limitBounds } from './limit.ts';
import { queryColumn } from './query-column.ts';
import { type RowOrder, rowOrder } from './row-order.ts';
import type { Relation, Scope, Windows } from './scope.ts';
import { isInRow, isOrderless, uniqueSets } from './select-order.ts';
import { type Key, rowsSql } from './select-rows.ts';
import { from } from './source.ts';
import { conjunction } from './templates.ts';
import { fixedToOneRow } from './unique.ts';

export interface Tail extends Limit {
  readonly orderBy: readonly OrderTerm[];
}
export const NO_TAIL: Tail = { orderBy: [], limit: undefined, offset: undefined };

/** @param around the empty scope that has what surrounds this SELECT */
export function coreQuery(core: SelectCore, tail: Tail, around: Scope, emitter: Emitter): Query {
  const block = core.windowed ? rowsBelowWindows(around.block) : around.block;
  const source = from(core.from, { ...around, block }, emitter, isOrderless(core, tail));
  const { relations } = source;
  let planned: RowOrder | undefined;
  const loops = (): RowOrder => {
    planned ??= rowOrder(relations, block, emitter.schema.planner);
    return planned;
  };
  const rows: Scope = { ...around, relations, order: () => loops().keys };
  source.writeConditions(rows);

  const where = [...source.conditions];
  if (core.where !== undefined) where.push(truth(emitter.expression(core.where, rows), emitter));
  const group = core.isAggregate ? groupingOf(core, tail, rows, block, loops, emitter) : undefined;
  const windows: Windows = { all: [], seen: [] };
  const results: Scope = { ...rows, group, order: group === undefined ? rows.order : group.order };
  const values = windowed(core.columns, results, windows, emitter);
  const having =
    core.having === undefined ? undefined : truth(emitter.expression(core.having, results), emitter);
  const keys = tail.orderBy.map((term) => orderKey(term, values, { ...results, windows }, emitter));
  const bounds = limitBounds(tail, around, emitter);
  const single = core.isAggregate && core.groupBy.length === 0;
  const keepsOrder =
    group === undefined &&
    relations.length <= 1 &&
    !isInRow(around) &&
    !hasSelect([core.columns.map(({ expression }) => expression), core.where]);
  return {
    columns: values.map((value) => queryColumn(value, emitter)),
    single: single || core.from === undefined || (!core.isAggregate && fixedToOneRow(relations, core.where)),
    render: (want) =>
      rowsSql(
        {
          distinct: core.distinct,
          values,
          keys,
          windows: windows.seen.flat(),
          bounds,
          first: () => firstClause(tail, around, emitter),
          single,
          rows: {
            // The engine makes joins of subqueries, and those keep no order.
            natural: () => keepsOrder && loops().natural,
            sortedBy: keepsOrder ? storedOrder(relations) : undefined,
            order: results.order,
            inRow: isInRow(around),
            unique: () => uniqueSets(relations, group),
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

function groupingOf(
  { groupBy }: SelectCore,
  { orderBy }: Tail,
  rows: Scope,
  block: Scope['block'],
  loops: () => RowOrder,
  emitter: Emitter,
): Grouping {
  const terms = groupBy.map((expression) => ({ expression, value: emitter.expression(expression, rows) }));
  const descending = orderBy.length === terms.length ? orderBy.map((term) => term.descending) : [];
  const loopColumns = () => (sorts(block(), 'GROUP BY') ? undefined : loops().columns);
  return grouping(terms, descending, loopColumns, rows, emitter);
}

/** The rowid of a table: its rows are written in this order (docs/IMPORT.md). */
function storedOrder([relation]: readonly Relation[]): ReadColumn | undefined {
  return relation?.stored === true ? relation.rowid?.value.column : undefined;
}

function whereClause(condition: Template | undefined): Template {
  return condition === undefined ? [] : sql` WHERE ${condition}`;
}

/** Where there are several windows, they are made twice: ties in one are in the order of those after it. */
function windowed(
  columns: SelectCore['columns'],
  scope: Scope,
  windows: Windows,
  emitter: Emitter,
): readonly Value[] {
  const make = (): readonly Value[] =>
    columns.map(({ expression }) => emitter.expression(expression, { ...scope, windows }));
  const first = make();
  if (windows.seen.length < 2) return first;
  windows.all.push(...windows.seen);
  return make();
}

function orderKey(term: OrderTerm, values: readonly Value[], scope: Scope, emitter: Emitter): Key {
  const { place, expression, collation } = term;
  const value = place === undefined ? emitter.expression(expression, scope) : (values[place] as Value);
  if (collation === undefined) return { term, place, value };
  return { term, place, value: { ...value, collation: { name: collation, explicit: true } } };
}
