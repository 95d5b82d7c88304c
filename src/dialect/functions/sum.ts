// sum(), avg() and total() (lang_aggfunc.html), whose answers depend on the order of additions and on 64 bits.
import type { Context } from '../context.ts';
import { asReals, magnitude, type Reals } from '../facts.ts';
import { NotNative } from '../not-native.ts';
import { bareOf, computed } from '../operators/computed.ts';
import { toNumber, toReal } from '../operators/convert.ts';
import { known } from '../operators/known.ts';
import { scaledOf } from '../operators/scaled.ts';
import type { Template } from '../plan.ts';
import { sql, type Value } from '../value.ts';
import { type Around, nullAggregate } from './around.ts';

/** Integers give an integer or an error, a real among them gives a real (lang_aggfunc.html#sumunc). */
export function sum(args: readonly Value[], around: Around, ctx: Context): Value {
  const x = toNumber(args[0]!, ctx);
  switch (x.kind) {
    case 'null':
      return nullAggregate('null', around);
    case 'integer':
      return computed('integer', integerSum(x, around, ctx));
    case 'number':
      // Only integers give an integer.
      return {
        ...computed('number', realSum(x, around, ctx)),
        whole: around.over('bool_and', [x.whole ?? ['FALSE']], {
          distinct: false,
          where: sql`${x.sql} IS NOT NULL`,
        }),
      };
    default:
      return computed('real', realSum(x, around, ctx));
  }
}

/** At most so many rows are ever added up. */
const MAX_ROWS = 2n ** 33n;
const MAX_INTEGER = 2n ** 63n - 1n;

/**
 * The engine adds in 128 bits; in SQLite the sum is an error as soon as it leaves 64 bits on the way (func.c
 * sumStep). Where the sizes alone stay within them, no order of the rows can.
 */
function integerSum(x: Value, around: Around, ctx: Context): Template {
  const total = around.over('sum', [x.sql]);
  const size = magnitude(known(x, ctx));
  if (size !== undefined && size * MAX_ROWS <= MAX_INTEGER) return sql`CAST(${total} AS BIGINT)`;
  const sizes = around.over('sum', [sql`abs(${x.sql})`], { distinct: false });
  return sql`CASE WHEN CAST(${sizes} AS BIGINT) IS NOT NULL THEN CAST(${total} AS BIGINT) END`;
}

/** Whether no column stands in it: an alias and a dot. */
function isConstant(template: Template): boolean {
  return !template.some((part) => typeof part === 'string' && /\b[a-z]+\d+\./.test(part));
}

/**
 * The engine's threads add in any order, and its own sum of doubles is another one each time. Whole numbers have one
 * sum in every order, so the terms are made whole numbers (docs/ENGINES.md, "Sums of reals").
 */
function realSum(x: Value, around: Around, ctx: Context): Template {
  // The engine multiplies where the value is the same for all rows.
  if (isConstant(x.sql)) throw new NotNative('sum of one real over and over');
  if (around.distinct) throw new NotNative('sum of distinct reals');
  // SQLite takes rows out of the sum again, and what they leave behind shows.
  if (around.windowed) throw new NotNative('sum of reals in a window');
  const decimals = ctx.engine.addsDecimals ? (scaledOf(x, ctx) ?? nearestDecimals(x, ctx)) : undefined;
  if (decimals === undefined) return fixedPointSum(x, around, asReals(known(x, ctx)), ctx);
  const total = sql`CAST(${around.over('sum', [ctx.engine.wide(decimals.sql)])} AS DOUBLE)`;
  return decimals.digits === 0 ? total : sql`(${total} / 1e${decimals.digits})`;
}

/** So that the roundings on the way to a value are too small to show beside its last decimal. */
const MOST_NEAREST = 2 ** 46;

/** Numbers of some decimals that are known as doubles only, as those of a subquery are. */
function nearestDecimals(x: Value, ctx: Context): { sql: Template; digits: number } | undefined {
  const { digits, size } = asReals(known(x, ctx)) ?? {};
  if (digits === undefined || size === undefined || size * 10 ** digits > MOST_NEAREST) return undefined;
  return { sql: sql`CAST(${bareOf(x)} * 1e${digits} AS BIGINT)`, digits };
}

/** Bits of each of the two parts of a number. */
const PART = 62;

/**
 * In two whole numbers: the part above a fixed point, and that below it. Where nobody knows that these are all bits
 * of each term, a sum that is too small for those that may be missing is SQLite's.
 */
function fixedPointSum(x: Value, around: Around, reals: Reals | undefined, { engine }: Context): Template {
  const { size = 1, grid } = reals ?? {};
  const exponent = size === 0 || reals === undefined ? PART - 1 : Math.floor(Math.log2(size)) + 1;
  const shift = Math.max(-900, Math.min(900, PART - 1 - exponent));
  const times = (of: Template, bits: number): Template => (bits === 0 ? of : sql`(${of} * ${power(bits)})`);
  const scaled = times(bareOf(x), shift);
  const whole = engine.truncated(scaled);
  const high = around.over('sum', [engine.wide(sql`CAST(${whole} AS BIGINT)`)]);
  const rest = sql`CAST((${scaled} - ${whole}) * ${power(PART)} AS BIGINT)`;
  const low = around.over('sum', [engine.wide(rest)]);
  const total = times(sql`(CAST(${high} AS DOUBLE) + CAST(${low} AS DOUBLE) * ${power(-PART)})`, -shift);
  const last = -(shift + PART);
  if (grid !== undefined && grid >= last) return total;
  // Of each term less than half of the last bit is missing, and half a unit in the last place of the sum may be.
  const count = around.over('count', [['*']], { distinct: false, where: sql`${x.sql} <> 0` });
  return sql`CASE WHEN abs(${total}) * ${power(-last - 52)} < ${count} THEN ${engine.failing('DOUBLE')} ELSE ${total} END`;
}

/** Of two, as a double. */
function power(exponent: number): string {
  const text = String(2 ** exponent);
  return text.includes('e') ? text : `${text}e0`;
}

/** Always a real (lang_aggfunc.html#avg): of integers the sum of their values, which is exact below 2^53. */
export function avg(args: readonly Value[], around: Around, ctx: Context): Value {
  const x = toNumber(args[0]!, ctx);
  if (x.kind === 'null') return nullAggregate('real', around);
  const count = around.over('count', [x.sql]);
  if (x.kind !== 'integer') return computed('real', sql`(${realSum(x, around, ctx)} / NULLIF(${count}, 0))`);
  return computed('real', sql`(${exactTotal(x, around, ctx)} / NULLIF(${count}, 0))`);
}

/** The sum of integers as a real: exact, so that no order of the rows matters. */
function exactTotal(x: Value, around: Around, ctx: Context): Template {
  const total = around.over('sum', [x.sql]);
  const size = magnitude(known(x, ctx));
  if (size !== undefined && size * MAX_ROWS <= 2n ** 53n) return sql`CAST(${total} AS DOUBLE)`;
  const sizes = around.over('sum', [sql`abs(${x.sql})`], { distinct: false });
  return sql`CASE WHEN ${sizes} > 9007199254740992 THEN ${ctx.engine.failing('DOUBLE')} ELSE CAST(${total} AS DOUBLE) END`;
}

export function total(args: readonly Value[], around: Around, ctx: Context): Value {
  const x = toNumber(args[0]!, ctx);
  if (x.kind === 'null')
    return computed('real', sql`COALESCE(${nullAggregate('real', around).sql}, 0e0)`, true);
  const real = x.kind === 'integer' ? exactTotal(x, around, ctx) : realSum(x, around, ctx);
  return computed('real', sql`COALESCE(${real}, 0e0)`, true);
}

/** Statistics that SQLite's core lacks: over the numbers as reals. */
export function statistic(name: string, x: Value, around: Around, ctx: Context): Value {
  if (x.kind === 'null') return nullAggregate('real', around);
  if (around.distinct) throw new NotNative(`${name} of distinct values`);
  return computed('real', ctx.engine.statistic(around.over, name, bareOf(toReal(toNumber(x, ctx), ctx))));
}
