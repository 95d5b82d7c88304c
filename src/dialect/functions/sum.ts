// sum(), avg() and total() (lang_aggfunc.html), whose answers depend on the order of additions and on 64 bits.
import type { Context } from '../context.ts';
import { magnitude } from '../facts.ts';
import { failing, NotNative } from '../not-native.ts';
import { bareOf, computed } from '../operators/computed.ts';
import { toNumber, toReal } from '../operators/convert.ts';
import { known } from '../operators/known.ts';
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
        ...computed('number', realSum(x, around)),
        whole: around.over('bool_and', [x.whole ?? ['FALSE']], {
          distinct: false,
          where: sql`${x.sql} IS NOT NULL`,
        }),
      };
    default:
      return computed('real', realSum(x, around));
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

/** NaN, where a row has no number or the sum of infinities is none, is SQLite's to judge. */
function settled(real: Template): Template {
  return sql`CASE WHEN isnan(${real}) THEN ${failing('DOUBLE')} ELSE ${real} END`;
}

/** With the errors of the additions carried along: the same to the last digit or two, however threads share the rows. */
const SUMS = { sum: 'fsum', avg: 'favg' } as const;

function added(name: 'sum' | 'avg', x: Value, around: Around): Template {
  // The engine multiplies where the value is the same for all rows.
  if (isConstant(x.sql)) throw new NotNative('sum of one real over and over');
  if (around.distinct) throw new NotNative('sum of distinct reals');
  // SQLite takes rows out of the sum again, and what they leave behind shows.
  if (around.windowed) throw new NotNative('sum of reals in a window');
  return settled(around.over(SUMS[name], [bareOf(x)]));
}

const realSum = (x: Value, around: Around): Template => added('sum', x, around);

/** Always a real (lang_aggfunc.html#avg): of integers the sum of their values, which is exact below 2^53. */
export function avg(args: readonly Value[], around: Around, ctx: Context): Value {
  const x = toNumber(args[0]!, ctx);
  if (x.kind === 'null') return nullAggregate('real', around);
  if (x.kind !== 'integer') return computed('real', added('avg', toReal(x, ctx), around));
  const count = around.over('count', [x.sql]);
  return computed('real', sql`(${exactTotal(x, around, ctx)} / NULLIF(${count}, 0))`);
}

/** The sum of integers as a real: exact, so that no order of the rows matters. */
function exactTotal(x: Value, around: Around, ctx: Context): Template {
  const total = around.over('sum', [x.sql]);
  const size = magnitude(known(x, ctx));
  if (size !== undefined && size * MAX_ROWS <= 2n ** 53n) return sql`CAST(${total} AS DOUBLE)`;
  const sizes = around.over('sum', [sql`abs(${x.sql})`], { distinct: false });
  return sql`CASE WHEN ${sizes} > 9007199254740992 THEN ${failing('DOUBLE')} ELSE CAST(${total} AS DOUBLE) END`;
}

export function total(args: readonly Value[], around: Around, ctx: Context): Value {
  const x = toNumber(args[0]!, ctx);
  if (x.kind === 'null')
    return computed('real', sql`COALESCE(${nullAggregate('real', around).sql}, 0e0)`, true);
  const real = x.kind === 'integer' ? exactTotal(x, around, ctx) : realSum(toReal(x, ctx), around);
  return computed('real', sql`COALESCE(${real}, 0e0)`, true);
}

/** Statistics that SQLite's core lacks: over the numbers as reals. */
export function statistic(name: string, x: Value, around: Around, ctx: Context): Value {
  if (x.kind === 'null') return nullAggregate('real', around);
  if (around.distinct) throw new NotNative(`${name} of distinct values`);
  return computed('real', settled(around.over(name, [bareOf(toReal(toNumber(x, ctx), ctx))])));
}
