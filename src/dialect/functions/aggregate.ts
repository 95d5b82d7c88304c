// Aggregate functions (lang_aggfunc.html), also as window functions: both write `name(...)` with what stands
// around it, so a rule may call several of the engine's aggregates for one of SQLite's.
import { GatewayError } from '../../errors.ts';
import type { AggregateCall, Context, WindowCall } from '../context.ts';
import { collated } from '../operators/collation.ts';
import { computed, nullOf } from '../operators/computed.ts';
import { toAny, toReal, toText, unboolean } from '../operators/convert.ts';
import { groupKey, sortKey } from '../operators/keys.ts';
import { canFail } from '../operators/logic.ts';
import type { Template } from '../plan.ts';
import { ANY_TYPE, join, sql, type Value } from '../value.ts';
import { asJson } from './json-value.ts';
import { PERCENTILES } from './percentile.ts';
import { wrongCount } from './scalar-function.ts';

/** Writes one of the engine's aggregates with this call's DISTINCT, ORDER BY, FILTER and OVER. */
export interface Around {
  readonly distinct: boolean;
  readonly windowed: boolean;
  /** `call`: the aggregate's name and arguments; `ordered` where the order of rows changes its result. */
  readonly over: (
    name: string,
    args: readonly Template[],
    options?: { ordered?: boolean; distinct?: boolean; where?: Template },
  ) => Template;
}

interface Aggregate {
  readonly min: number;
  readonly max: number;
  readonly rule: (args: readonly Value[], around: Around, ctx: Context) => Value;
}

const NAN = "CAST('nan' AS DOUBLE)";

function count(args: readonly Value[], around: Around, ctx: Context): Value {
  const x = args[0];
  if (x === undefined) return computed('integer', around.over('count', [['*']], { distinct: false }), true);
  const counted = around.distinct ? groupKey(x, x.collation?.name ?? 'binary', ctx) : x.sql;
  return computed('integer', around.over('count', [counted]), true);
}

/** NULL in one row: what is known to be NULL must still make the SELECT an aggregate query. */
function nullAggregate(kind: 'null' | 'real' | 'text', around: Around): Value {
  return computed(kind, around.over('max', [nullOf(kind).sql], { distinct: false }));
}

/** Integers give an integer or an error, a real among them gives a real (lang_aggfunc.html#sumunc). */
function sum(args: readonly Value[], around: Around, ctx: Context): Value {
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
function realAggregate(name: string, x: Value, around: Around, ctx: Context): Template {
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
function avg(args: readonly Value[], around: Around, ctx: Context): Value {
  const x = args[0]!;
  if (x.kind === 'null') return nullAggregate('real', around);
  return computed('real', sql`NULLIF(${realAggregate('avg', x, around, ctx)}, ${NAN})`);
}

function total(args: readonly Value[], around: Around, ctx: Context): Value {
  const x = args[0]!;
  if (x.kind === 'null')
    return computed('real', sql`COALESCE(${nullAggregate('real', around).sql}, 0e0)`, true);
  return computed('real', sql`NULLIF(COALESCE(${realAggregate('sum', x, around, ctx)}, 0e0), ${NAN})`);
}

/** By SQLite's order of values, of equal ones the first row's (lang_aggfunc.html#max_agg). */
function extreme(largest: boolean, args: readonly Value[], around: Around, ctx: Context): Value {
  const x = unboolean(args[0]!);
  if (x.kind === 'null') return nullAggregate('null', around);
  const collation = x.collation?.name ?? 'binary';
  const name = largest ? 'max' : 'min';
  const kept = { collation: x.collation, ...(x.json === undefined ? {} : { json: x.json }) };
  if (x.kind !== 'any' && (x.kind !== 'text' || collation === 'binary'))
    return { ...computed(x.kind, around.over(name, [x.sql], { distinct: false })), ...kept };
  return ctx.once([x], ([y]) => {
    const keys = sortKey(y!, collation, ctx);
    const key =
      keys.length === 1 ? keys[0]! : sql`CASE WHEN ${y!.sql} IS NOT NULL THEN row(${join(keys, ', ')}) END`;
    return {
      ...computed(x.kind, around.over(`arg_${name}`, [y!.sql, key], { distinct: false })),
      ...kept,
    };
  });
}

/** A text that two values share where DISTINCT takes them as equal: 1 and 1.0, but not '1'. */
function distinctText(x: Value, text: Template, ctx: Context): Template {
  const collation = x.collation?.name ?? 'binary';
  if (x.kind === 'text') return collated(x, collation, ctx).sql;
  return x.kind === 'any' ? sql`tg_distinct_key(${x.sql}, '${collation}')` : text;
}

/** Texts of what is not NULL, each but the first with its separator before it (lang_aggfunc.html#group_concat). */
function groupConcat(args: readonly Value[], around: Around, ctx: Context): Value {
  const [x, separator] = args as [Value, Value | undefined];
  if (x.kind === 'null') return nullAggregate('text', around);
  const text = toText(x).sql;
  if (around.distinct) {
    // In order of first appearance, which the engine's DISTINCT does not keep.
    const key = distinctText(x, text, ctx);
    const list = (of: Template): Template =>
      sql`CAST(to_json(${around.over('list', [of], { distinct: false, ordered: true, where: sql`${x.sql} IS NOT NULL` })}) AS VARCHAR)`;
    return computed('text', sql`tg_join_distinct(${list(text)}, ${list(key)})`);
  }
  if (separator === undefined || separator.kind === 'null' || separator.literal !== undefined) {
    const by = separator === undefined ? ["','"] : separator.kind === 'null' ? ["''"] : toText(separator).sql;
    return computed('text', around.over('string_agg', [text, by], { ordered: true }));
  }
  const before = sql`COALESCE(${toText(separator).sql}, '')`;
  const all = around.over('string_agg', [sql`${before} || ${text}`, ["''"]], { ordered: true });
  const first = around.over('first', [sql`length(${before})`], {
    ordered: true,
    where: sql`${x.sql} IS NOT NULL`,
  });
  return computed('text', sql`substring(${all}, ${first} + 1)`);
}

/** The order of items is the order of rows, as for group_concat (json1.html section 4.15). */
function jsonList(around: Around, item: Template, open: string, close: string): Value {
  const all = around.over('string_agg', [item, ["','"]], { ordered: true, distinct: false });
  return { ...computed('text', sql`('${open}' || COALESCE(${all}, '') || '${close}')`, true), json: true };
}

function groupArray(args: readonly Value[], around: Around, ctx: Context): Value {
  const x = args[0]!;
  const item = asJson(x, ctx);
  if (!around.distinct) return jsonList(around, item, '[', ']');
  const list = (of: Template): Template =>
    sql`CAST(to_json(${around.over('list', [of], { distinct: false, ordered: true })}) AS VARCHAR)`;
  // NULL is a value here, so that keys of others get a letter before them.
  const key = x.kind === 'null' ? item : sql`COALESCE('=' || ${distinctText(x, item, ctx)}, '')`;
  const all = ctx.once([computed('text', list(item)), computed('text', list(key))], ([l, k]) =>
    computed('text', sql`tg_join_distinct(${l!.sql}, ${k!.sql})`),
  );
  return { ...computed('text', sql`('[' || COALESCE(${all.sql}, '') || ']')`, true), json: true };
}

function groupObject(args: readonly Value[], around: Around, ctx: Context): Value {
  const [name, value] = args as [Value, Value];
  const { json: _, asJson: __, ...text } = toText(name);
  const label = name.kind === 'null' ? ["''"] : asJson({ ...text, notNull: true }, ctx);
  const pair = sql`COALESCE(${label}, '') || ':' || ${asJson(value, ctx)}`;
  return jsonList(around, pair, '{', '}');
}

/** Statistics that SQLite's core lacks: over the numbers as reals. */
const statistic = (name: string): Aggregate => ({
  min: 1,
  max: 1,
  rule: ([x], around, ctx) =>
    x!.kind === 'null'
      ? nullAggregate('real', around)
      : computed('real', sql`NULLIF(${realAggregate(name, x!, around, ctx)}, ${NAN})`),
});

const AGGREGATES: ReadonlyMap<string, Aggregate> = new Map(
  Object.entries({
    avg: { min: 1, max: 1, rule: avg },
    count: { min: 0, max: 1, rule: count },
    group_concat: { min: 1, max: 2, rule: groupConcat },
    json_group_array: { min: 1, max: 1, rule: groupArray },
    json_group_object: { min: 2, max: 2, rule: groupObject },
    max: { min: 1, max: 1, rule: (args, around, ctx) => extreme(true, args, around, ctx) },
    min: { min: 1, max: 1, rule: (args, around, ctx) => extreme(false, args, around, ctx) },
    string_agg: { min: 2, max: 2, rule: groupConcat },
    sum: { min: 1, max: 1, rule: sum },
    total: { min: 1, max: 1, rule: total },
    ...PERCENTILES,
    stddev: statistic('stddev_samp'),
    stddev_pop: statistic('stddev_pop'),
    stddev_samp: statistic('stddev_samp'),
    var_pop: statistic('var_pop'),
    var_samp: statistic('var_samp'),
    variance: statistic('var_samp'),
  } satisfies Record<string, Aggregate>),
);

/** Whether a call of that name with that many arguments is an aggregate: max(a, b) is not. */
export function isAggregate(name: string, argc: number): boolean {
  const lower = name.toLowerCase();
  if (!AGGREGATES.has(lower)) return false;
  return (lower !== 'max' && lower !== 'min') || argc === 1;
}

function find(name: string, argc: number): Aggregate {
  const found = AGGREGATES.get(name.toLowerCase());
  if (found === undefined) throw new GatewayError('unknown-function', `no such function: ${name}`);
  if (argc < found.min || argc > found.max) throw wrongCount(name);
  return found;
}

const conjunction = (parts: readonly Template[]): Template =>
  join(
    parts.map((part) => sql`(${part})`),
    ' AND ',
  );

const clause = (call: { readonly filter: Template | undefined }, where: Template | undefined): Template => {
  const parts = [call.filter, where].filter((part) => part !== undefined);
  return parts.length === 0 ? [] : sql` FILTER (WHERE ${conjunction(parts)})`;
};

export function callAggregate(
  name: string,
  args: readonly Value[],
  call: AggregateCall,
  ctx: Context,
): Value {
  const found = find(name, args.length);
  if (call.distinct && args.length !== 1)
    throw new GatewayError('statement-syntax', 'DISTINCT aggregates must have exactly one argument');
  return found.rule(
    args,
    {
      distinct: call.distinct,
      windowed: false,
      over: (engine, given, { ordered = false, distinct = call.distinct, where } = {}) => {
        // The engine computes arguments for rows that FILTER leaves out, too.
        const guard = [call.filter, where].filter((part) => part !== undefined);
        const first = given[0]!;
        const args =
          guard.length > 0 && canFail(first)
            ? [sql`CASE WHEN ${conjunction(guard)} THEN ${first} END`, ...given.slice(1)]
            : given;
        const order = ordered && call.orderBy.length > 0 ? sql` ORDER BY ${join(call.orderBy, ', ')}` : [];
        return sql`${engine}(${distinct ? 'DISTINCT ' : ''}${join(args, ', ')}${order})${clause(call, where)}`;
      },
    },
    ctx,
  );
}

/** An aggregate with OVER. */
export function callWindowAggregate(
  name: string,
  args: readonly Value[],
  call: WindowCall,
  ctx: Context,
): Value {
  const found = find(name, args.length);
  return found.rule(
    args,
    {
      distinct: false,
      windowed: true,
      over: (engine, given, { where } = {}) =>
        sql`${engine}(${join(given, ', ')})${clause(call, where)} OVER (${call.over})`,
    },
    ctx,
  );
}
