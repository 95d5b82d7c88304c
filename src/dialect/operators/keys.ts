// Keys by which the engine orders and groups as SQLite does (datatype3.html sections 4.1, 4.4 and 7).
import type { Context } from '../context.ts';
import type { Template } from '../plan.ts';
import { ANY_TYPE, type Collation, sql, type Value } from '../value.ts';
import { collated } from './collation.ts';
import { byClass, member } from './computed.ts';

/**
 * Expressions by which to ORDER BY, most significant first. Of a value whose kind is known that is the value;
 * else storage class, then number (as double, then exactly), then text, then blob.
 */
export function sortKey(x: Value, collation: Collation, ctx: Context): readonly Template[] {
  if (x.kind === 'null') return [['CAST(NULL AS BIGINT)']];
  if (x.kind !== 'any') return [x.kind === 'text' ? collated(x, collation, ctx).sql : x.sql];
  const text = collated(member(x, 'text'), collation, ctx).sql;
  return [
    sql`CASE union_tag(${x.sql}) WHEN 'i' THEN 1 WHEN 'r' THEN 1 WHEN 't' THEN 2 WHEN 'b' THEN 3 END`,
    sql`COALESCE(CAST(union_extract(${x.sql}, 'i') AS DOUBLE), union_extract(${x.sql}, 'r'))`,
    sql`COALESCE(CAST(union_extract(${x.sql}, 'i') AS HUGEINT), TRY_CAST(union_extract(${x.sql}, 'r') AS HUGEINT))`,
    text,
    sql`union_extract(${x.sql}, 'b')`,
  ];
}

/** Equal exactly where SQLite takes two values as equal: for GROUP BY, DISTINCT, compound SELECTs and joins. */
export function groupKey(x: Value, collation: Collation, ctx: Context): Template {
  if (x.kind === 'null') return ['CAST(NULL AS BIGINT)'];
  if (x.kind === 'text') return collated(x, collation, ctx).sql;
  if (x.kind !== 'any') return x.sql;
  return byClass(x, (a) => {
    switch (a.kind) {
      case 'real':
        // A real that is a whole number equals the integer.
        return sql`CASE WHEN ${a.sql} = floor(${a.sql}) AND ${a.sql} >= -9223372036854775808e0 AND ${a.sql} < 9223372036854775808e0 THEN CAST(CAST(${a.sql} AS BIGINT) AS ${ANY_TYPE}) ELSE ${x.sql} END`;
      case 'text':
        return collation === 'binary' ? x.sql : sql`CAST(${collated(a, collation, ctx).sql} AS ${ANY_TYPE})`;
      default:
        return x.sql;
    }
  });
}
