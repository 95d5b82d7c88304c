// ORDER BY terms of the engine that keep SQLite's order: NULLs are the smallest values (lang_select.html
// section 4), then numbers, texts, blobs (datatype3.html section 4.1).
import type { OrderTerm } from '../ast.ts';
import type { Context } from '../context.ts';
import { sortKey } from '../operators/keys.ts';
import type { Template } from '../plan.ts';
import { type Collation, sql, type Value } from '../value.ts';

export function collationOf(value: Value): Collation {
  return value.collation?.name ?? 'binary';
}

export function ascending(keys: readonly Template[]): readonly Template[] {
  return keys.map((key) => sql`${key} ASC NULLS FIRST`);
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
): readonly Template[] {
  if (isConstant(value)) return [];
  const direction = descending ? 'DESC' : 'ASC';
  const place = nulls ?? (descending ? 'last' : 'first');
  return [sql`${sortKey(value, collationOf(value), ctx)} ${direction} NULLS ${place.toUpperCase()}`];
}
