// Which row of its group a bare column comes from (lang_select.html section 2.5; what the document leaves open is
// as in 3.39: select.c updateAccumulator, func.c minmaxStep).
import { NotNative } from '../not-native.ts';
import { groupKey, sortKey } from '../operators/keys.ts';
import type { Template } from '../plan.ts';
import { join, sql } from '../value.ts';
import type { Emitter } from './emitter.ts';
import { collationOf, isConstant, type OrderKey, orderTerms } from './order-key.ts';
import type { Extreme } from './scope.ts';

export function oneRow(
  row: Template,
  order: readonly Template[],
  { engine }: Emitter,
  filter: Template = [],
): Template {
  return engine.firstRow(row, order, filter);
}

/**
 * The first row of the group; beside min() or max() the first row that has the extreme value, and where all
 * values are NULL the last row.
 */
export function rowOf(
  row: Template,
  extreme: Extreme | undefined,
  rowOrder: readonly OrderKey[],
  emitter: Emitter,
): Template {
  const rows = orderTerms(rowOrder);
  if (extreme === undefined) return oneRow(row, rows, emitter);
  const { argument, descending, filter } = extreme;
  const keys = isConstant(argument) ? [] : [sortKey(argument, collationOf(argument), emitter)];
  const sorted = keys.map((key) => sql`${key} ${descending ? 'DESC' : 'ASC'} NULLS LAST`);
  if (filter !== undefined) return filteredRow(row, extreme, filter, sorted, rows, emitter);
  if (extreme.distinct && rows.length > 0) return distinctRow(row, extreme, sorted, rows, emitter);
  if (argument.notNull || rows.length === 0) return oneRow(row, [...sorted, ...rows], emitter);
  const [only] = rowOrder as readonly [OrderKey, ...OrderKey[]];
  if (rows.length === 1 && only.direction === undefined)
    return oneRow(
      row,
      [...sorted, sql`CASE WHEN ${argument.sql} IS NULL THEN -${only.by} END`, only.by],
      emitter,
    );
  return sql`CASE WHEN count(${argument.sql}) = 0 THEN ${emitter.engine.lastRow(row, rows, [])} ELSE ${oneRow(row, [...sorted, ...rows], emitter)} END`;
}

/** Where FILTER lets no row through, the first row of all. */
function filteredRow(
  row: Template,
  { argument }: Extreme,
  filter: Template,
  sorted: readonly Template[],
  rows: readonly Template[],
  emitter: Emitter,
): Template {
  const where = sql` FILTER (WHERE ${filter})`;
  return sql`CASE WHEN count(${argument.sql})${where} > 0 THEN ${oneRow(row, [...sorted, ...rows], emitter, where)} WHEN count(*)${where} > 0 THEN ${emitter.engine.lastRow(row, rows, where)} ELSE ${oneRow(row, rows, emitter)} END`;
}

/**
 * With DISTINCT the function is not called for a value that was there before, and the row is taken whenever the
 * last call took its own: so it is the last row before the next new value.
 */
function distinctRow(
  row: Template,
  { argument }: Extreme,
  sorted: readonly Template[],
  rows: readonly Template[],
  emitter: Emitter,
): Template {
  if (!emitter.engine.searchesLists) throw new NotNative('a row beside min() or max() of distinct values');
  const orderBy = (order: readonly Template[]): Template => sql` ORDER BY ${join(order, ', ')}`;
  const key = sql`struct_pack(k := ${groupKey(argument, collationOf(argument), emitter)})`;
  const all = sql`struct_pack(r := list(${row}${orderBy(rows)}), v := list(${key}${orderBy(rows)}), m := ${oneRow(key, [...sorted, ...rows], emitter)})`;
  const of = (field: string): string => `struct_extract(e, '${field}')`;
  const best = `list_position(${of('v')}, ${of('m')})`;
  const later = `list_filter(range(${best} + 1, len(${of('v')}) + 1), lambda i: list_position(${of('v')}, ${of('v')}[i]) = i)`;
  return sql`list_transform([${all}], lambda e: list_extract(${of('r')}, coalesce(list_min(${later}) - 1, len(${of('r')}))))[1]`;
}
