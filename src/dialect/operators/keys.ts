// Keys by which the engine orders and groups as SQLite does (datatype3.html sections 4.1, 4.4 and 7).
import type { Context } from '../context.ts';
import { NotNative } from '../not-native.ts';
import type { Template } from '../plan.ts';
import type { Collation, Value } from '../value.ts';
import { collated } from './collation.ts';

const TYPED_NULL = 'CAST(NULL AS BIGINT)';

/** The expression by which to ORDER BY; that of the value itself where it is its own key. */
export function sortKey(x: Value, collation: Collation, ctx: Context): Template {
  if (x.kind === 'null') return x.sql[0] === TYPED_NULL ? x.sql : [TYPED_NULL];
  if (x.kind === 'real') return ctx.engine.ordered(x.sql);
  return x.kind === 'text' ? collated(x, collation, ctx).sql : x.sql;
}

/** Equal exactly where SQLite takes two values as equal: for GROUP BY, DISTINCT, compound SELECTs and joins. */
export function groupKey(x: Value, collation: Collation, ctx: Context): Template {
  // Equal integers and reals are one group, which shows one of them.
  if (x.kind === 'number') throw new NotNative('integers and reals in one group');
  return x.kind === 'real' ? x.sql : sortKey(x, collation, ctx);
}

/** Whether a value is its own {@link groupKey}: equal values are the same ones, and the engine's equality is SQLite's. */
export function isOwnKey(x: Value, collation: Collation, ctx: Context): boolean {
  return groupKey(x, collation, ctx) === x.sql;
}
