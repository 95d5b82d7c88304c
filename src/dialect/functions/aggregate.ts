// Aggregate functions (lang_aggfunc.html), also as window functions: both write `name(...)` with what stands
// around it, so a rule may call several of the engine's aggregates for one of SQLite's.
import { asciiLower } from '../../base/ascii-lower.ts';
import { GatewayError } from '../../base/errors.ts';
import type { AggregateCall, Context, WindowCall } from '../context.ts';
import type { Known } from '../facts.ts';
import { NotNative } from '../not-native.ts';
import { computed } from '../operators/computed.ts';
import { unboolean } from '../operators/convert.ts';
import { groupKey, sortKey } from '../operators/keys.ts';
import { hasUnsignedZero, known } from '../operators/known.ts';
import type { Template } from '../plan.ts';
import { join, type Pin, sql, type Value } from '../value.ts';
import { type Around, nullAggregate } from './around.ts';
import { groupArray, groupConcat, groupObject } from './group-text.ts';
import { wrongCount } from './scalar-function.ts';
import { avg, statistic, sum, total } from './sum.ts';

interface Aggregate {
  readonly min: number;
  readonly max: number;
  readonly rule: (args: readonly Value[], around: Around, ctx: Context) => Value;
}

function count(args: readonly Value[], around: Around, ctx: Context): Value {
  const x = args[0];
  if (x === undefined) return computed('integer', around.over('count', [['*']], { distinct: false }), true);
  const counted = around.distinct ? groupKey(x, x.collation?.name ?? 'binary', ctx) : x.sql;
  return computed('integer', around.over('count', [counted]), true);
}

/** By SQLite's order of values, of equal ones the first row's (lang_aggfunc.html#max_agg). */
function extreme(largest: boolean, args: readonly Value[], around: Around, ctx: Context): Value {
  const x = unboolean(args[0]!);
  if (x.kind === 'null') return nullAggregate('null', around);
  if (x.kind === 'number') throw new NotNative('extreme of integers and reals in one');
  const collation = x.collation?.name ?? 'binary';
  const name = largest ? 'max' : 'min';
  const kept = {
    collation: x.collation,
    ...(x.json === undefined ? {} : { json: x.json }),
    known: (pin: Pin): Known => known(x, pin),
  };
  if (x.kind !== 'text' || collation === 'binary') {
    const key = sortKey(x, collation, ctx);
    const best = around.over(name, [key], { distinct: false });
    const signed = x.kind === 'real' && key !== x.sql && !hasUnsignedZero(x, ctx);
    return { ...computed(x.kind, signed ? unsigned(best, x, around, ctx) : best), ...kept };
  }
  return ctx.once([x], ([y]) => {
    const key = sortKey(y!, collation, ctx);
    return {
      ...computed(x.kind, ctx.engine.extremeBy(around.over, largest, y!.sql, key)),
      ...kept,
    };
  });
}

/** An extreme without the sign of a zero: SQLite gives the first of equal values, be it 0.0 or -0.0. */
function unsigned(best: Template, { sql: x }: Value, around: Around, { engine }: Context): Template {
  const negative = around.over('bool_or', [sql`${x} = 0 AND 1e0 / ${x} < 0`], { distinct: false });
  return sql`CASE WHEN ${best} = 0 AND ${negative} THEN ${engine.failing('DOUBLE')} ELSE ${best} END`;
}

const ofReals = (name: string): Aggregate => ({
  min: 1,
  max: 1,
  rule: ([x], around, ctx) => statistic(name, x!, around, ctx),
});

/** Aggregates all the same: what a SELECT with them is must be known. */
const REFUSED = ['median', 'percentile', 'percentile_cont', 'percentile_disc'] as const;
const refused = (name: string): Aggregate => ({
  min: 1,
  max: 2,
  rule: () => {
    throw new NotNative(`function ${name}`);
  },
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
    ...Object.fromEntries(REFUSED.map((name) => [name, refused(name)])),
    stddev: ofReals('stddev_samp'),
    stddev_pop: ofReals('stddev_pop'),
    stddev_samp: ofReals('stddev_samp'),
    var_pop: ofReals('var_pop'),
    var_samp: ofReals('var_samp'),
    variance: ofReals('var_samp'),
  } satisfies Record<string, Aggregate>),
);

/** Whether a call of that name with that many arguments is an aggregate: max(a, b) is not. */
export function isAggregate(name: string, argc: number): boolean {
  const lower = asciiLower(name);
  if (!AGGREGATES.has(lower)) return false;
  return (lower !== 'max' && lower !== 'min') || argc === 1;
}

function find(name: string, argc: number): Aggregate {
  const found = AGGREGATES.get(asciiLower(name));
  if (found === undefined) throw new NotNative(`function ${name}`);
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
      grouped: call.grouped,
      windowed: false,
      over: (engine, given, { ordered = false, distinct = call.distinct, where } = {}) => {
        const order = ordered && call.orderBy.length > 0 ? sql` ORDER BY ${join(call.orderBy, ', ')}` : [];
        return sql`${engine}(${distinct ? 'DISTINCT ' : ''}${join(given, ', ')}${order})${clause(call, where)}`;
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
      grouped: true,
      windowed: true,
      over: (engine, given, { where } = {}) => {
        const filter = clause(call, where);
        if (filter.length > 0 && !ctx.engine.filtersWindows) throw new NotNative('FILTER of a window');
        return sql`${engine}(${join(given, ', ')})${filter} OVER (${call.over})`;
      },
    },
    ctx,
  );
}
