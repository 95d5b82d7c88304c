// ORDER BY terms of the engine that keep SQLite's order: NULLs are the smallest values (lang_select.html
// section 4), then numbers, texts, blobs (datatype3.html section 4.1).
import type { Context } from '../context.ts';
import { sortKey } from '../operators/keys.ts';
import type { Template } from '../plan.ts';
import { columnOf, type ReadColumn } from '../read-column.ts';
import type { OrderTerm } from '../resolve/tree.ts';
import { type Collation, join, sql, type Value } from '../value.ts';
import { templateKey } from './templates.ts';

/** What rows are ordered by, and which way. */
export interface OrderKey {
  readonly by: Template;
  /** Undefined: the engine's own way, for what is never NULL. */
  readonly direction: `${'ASC' | 'DESC'} NULLS ${'FIRST' | 'LAST'}` | undefined;
  /** The column that is compared, byte by byte. */
  readonly column: ReadColumn | undefined;
}

const written = ({ by, direction }: OrderKey): Template =>
  direction === undefined ? by : sql`${by} ${direction}`;

/** Complete ORDER BY terms of the engine. */
export const orderTerms = (keys: readonly OrderKey[]): readonly Template[] => keys.map(written);
export const orderList = (keys: readonly OrderKey[]): Template => join(orderTerms(keys), ', ');

export function collationOf(value: Value): Collation {
  return value.collation?.name ?? 'binary';
}

/** Whether a key decides nothing behind another one, whichever way they go. */
export function isSameKey(a: OrderKey, b: OrderKey): boolean {
  return a.column === undefined || b.column === undefined
    ? templateKey(a.by) === templateKey(b.by)
    : a.column === b.column;
}

/** By the value in the order of its collation, NULLs first. */
export function ascending(value: Value, ctx: Context): OrderKey {
  return { ...keyOf(value, ctx), direction: 'ASC NULLS FIRST' };
}

function keyOf(value: Value, ctx: Context): Pick<OrderKey, 'by' | 'column'> {
  const by = sortKey(value, collationOf(value), ctx);
  return { by, column: by === value.sql ? columnOf(value) : undefined };
}

const CONSTANT = /^(?:'(?:[^']|'')*'|[-+()\s]*[\d.][-+()\s\d.e]*)$/i;

/** Constants order nothing, and the engine refuses some of them. */
export function isConstant(value: Value): boolean {
  const [only] = value.sql;
  const bare = value.sql.length === 1 && (typeof only !== 'string' || CONSTANT.test(only));
  return value.literal !== undefined || value.kind === 'null' || bare;
}

export function orderKeys(
  value: Value,
  { descending, nulls }: Pick<OrderTerm, 'descending' | 'nulls'>,
  ctx: Context,
): readonly OrderKey[] {
  if (isConstant(value)) return [];
  const place = (nulls ?? (descending ? 'last' : 'first')) === 'last' ? 'LAST' : 'FIRST';
  return [{ ...keyOf(value, ctx), direction: `${descending ? 'DESC' : 'ASC'} NULLS ${place}` }];
}
