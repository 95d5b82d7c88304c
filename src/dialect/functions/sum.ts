// sum(), avg() and total() (lang_aggfunc.html), whose answers depend on the order of additions and on 64 bits.
import type { Context } from '../context.ts';
import { computed } from '../operators/computed.ts';
import { toAny, toReal, unboolean } from '../operators/convert.ts';
import { groupKey } from '../operators/keys.ts';
import type { Template } from '../plan.ts';
import { ANY_TYPE, sql, type Value } from '../value.ts';
import { type Around, NAN, nullAggregate } from './around.ts';

/** Integers give an integer or an error, a real among them gives a real (lang_aggfunc.html#sumunc). */
export function sum(args: readonly Value[], around: Around, ctx: Context): Value {
  const x = unboolean(args[0]!);
  if (x.kind === 'null') return nullAggregate('null', around);
  if (x.kind === 'integer') return computed('integer', integerSum(x.sql, around, ctx));
  if (x.kind === 'real') return computed('real', sql`NULLIF(${realSum(x.sql, around)}, ${NAN})`);
  if (around.distinct) return distinctSum(x, around, ctx);
  // Texts that are numbers through and through count as such, others as reals (func.c sumStep).
  return ctx.once([{ ...computed('any', sql`tg_numeric(${toAny(x, ctx).sql})`), simple: true }], ([n]) => {
    const whole = sql`union_extract(${n!.sql}, 'i')`;
    const tag = sql`union_tag(${n!.sql})`;
    const real = realSum(sql`tg_any_real(${n!.sql})`, around);
    return computed(
      'any',
      sql`CASE WHEN ${around.over('bool_or', [sql`${tag} <> 'i'`])} THEN CASE WHEN NOT isnan(${real}) THEN CAST(${real} AS ${ANY_TYPE}) END WHEN ${around.over('count', [n!.sql])} > 0 THEN CAST(${integerSum(whole, around, ctx)} AS ${ANY_TYPE}) END`,
    );
  });
}

/** As sum, of values of several kinds: '1' and '1.0' are two. */
function distinctSum(x: Value, around: Around, ctx: Context): Value {
  const values = distinctList(groupKey(x, x.collation?.name ?? 'binary', ctx), around);
  const numbers = sql`list_transform(${values}, lambda e: tg_numeric(${toAny({ ...x, sql: ['e'], notNull: true }, ctx).sql}))`;
  const real = sql`list_sum(list_transform(n, lambda e: tg_any_real(e)))`;
  const integer = sql`CAST(CAST(list_sum(list_transform(n, lambda e: union_extract(e, 'i'))) AS BIGINT) AS ${ANY_TYPE})`;
  const whole = sql`len(list_filter(n, lambda e: union_tag(e) <> 'i')) = 0`;
  return computed(
    'any',
    sql`list_transform([${numbers}], lambda n: CASE WHEN len(n) = 0 THEN NULL WHEN ${whole} THEN ${integer} WHEN NOT isnan(${real}) THEN CAST(${real} AS ${ANY_TYPE}) END)[1]`,
  );
}

/**
 * The engine adds in 128 bits; in SQLite the sum is an error as soon as it leaves 64 bits on the way (func.c
 * sumStep). Where the sizes alone stay within them, no order of the rows can.
 */
function integerSum(x: Template, around: Around, ctx: Context): Template {
  const total = around.over('sum', [x]);
  const sizes = around.over('sum', [sql`abs(${ctx.exact ? sql`CAST(${x} AS HUGEINT)` : x})`], {
    distinct: false,
  });
  if (!ctx.exact)
    return sql`CASE WHEN CAST(${sizes} AS BIGINT) IS NOT NULL THEN CAST(${total} AS BIGINT) END`;
  const inRange = (of: Template): Template => sql`${of} BETWEEN -9223372036854775808 AND 9223372036854775807`;
  const failed = sql`WHEN ${total} IS NOT NULL THEN CAST(error('tablegate: integer overflow') AS BIGINT)`;
  const fits = sql`CASE WHEN ${inRange(sizes)}`;
  const sum = sql`THEN CAST(${total} AS BIGINT)`;
  if (around.windowed) return sql`CASE WHEN ${inRange(total)} ${sum} ${failed} END`;
  const values = around.distinct
    ? distinctList(x, around)
    : around.over('list', [x], { ordered: true, where: sql`${x} IS NOT NULL` });
  // Not a.s: a column named a would come first.
  const both: Template = ["struct_extract(a, 's') + struct_extract(b, 's')"];
  const steps = sql`list_transform(${values}, lambda e: struct_pack(s := CAST(e AS HUGEINT), ok := TRUE))`;
  const walked = sql`list_reduce(${steps}, lambda a, b: struct_pack(s := ${both}, ok := struct_extract(a, 'ok') AND ${inRange(both)}))`;
  return sql`${fits} ${sum} WHEN ${walked}.ok ${sum} ${failed} END`;
}

/**
 * The different values in the order in which they first come, which the engine's DISTINCT does not keep. Of very
 * many the order is lost: finding each of them among all would take minutes, and only decides last digits.
 */
function distinctList(key: Template, around: Around): Template {
  const where = sql`${key} IS NOT NULL`;
  const all = around.over('list', [key], { distinct: false, ordered: true, where });
  const different = around.over('count', [key], { distinct: true });
  return sql`list_transform([struct_pack(l := ${all}, n := ${different})], lambda s: CASE WHEN len(s.l) * s.n <= ${MOST_COMPARISONS} THEN list_filter(s.l, lambda e, i: list_position(s.l, e) = i) ELSE list_distinct(s.l) END)[1]`;
}
const MOST_COMPARISONS = 50_000_000;

/** Whether no column stands in it: an alias and a dot. */
function isConstant(template: Template): boolean {
  return !template.some((part) => typeof part === 'string' && /\b[a-z]+\d+\./.test(part));
}

/**
 * Plain addition in the order of the rows (func.c sumStep of the reference's version, without later versions'
 * correction). The engine multiplies where the value is the same for all rows.
 */
function realSum(x: Template, around: Around): Template {
  if (around.distinct || !isConstant(x)) return around.over('sum', [x]);
  return sql`tg_repeated_sum(${x}, ${around.over('count', [x])})`;
}

function realAverage(x: Template, around: Around): Template {
  if (around.distinct || !isConstant(x)) return around.over('avg', [x]);
  return sql`(${realSum(x, around)} / ${around.over('count', [x])})`;
}

/**
 * DISTINCT is by value and not by the real that it gives: 1 and 1.0 are one, '1' and 1 are two. Reals are added
 * in the order of the rows.
 */
export function realAggregate(name: string, x: Value, around: Around, ctx: Context): Template {
  if (!around.distinct) {
    const real = toReal(x).sql;
    if (name === 'sum') return realSum(real, around);
    return name === 'avg' ? realAverage(real, around) : around.over(name, [real]);
  }
  const y = unboolean(x);
  const values = distinctList(groupKey(y, y.collation?.name ?? 'binary', ctx), around);
  const real = toReal({ ...y, sql: ['e'] }).sql;
  return sql`list_${name}(list_transform(${values}, lambda e: ${real}))`;
}

/** Always a real, of prefixes where x is no number (lang_aggfunc.html#avg). */
export function avg(args: readonly Value[], around: Around, ctx: Context): Value {
  const x = args[0]!;
  if (x.kind === 'null') return nullAggregate('real', around);
  return computed('real', sql`NULLIF(${realAggregate('avg', x, around, ctx)}, ${NAN})`);
}

export function total(args: readonly Value[], around: Around, ctx: Context): Value {
  const x = args[0]!;
  if (x.kind === 'null')
    return computed('real', sql`COALESCE(${nullAggregate('real', around).sql}, 0e0)`, true);
  return computed('real', sql`NULLIF(COALESCE(${realAggregate('sum', x, around, ctx)}, 0e0), ${NAN})`);
}
