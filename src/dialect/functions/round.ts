// round() (func.c roundFunc of SQLite 3.39): half away from zero, of the number's first sixteen digits. Only where a
// number is next to a half is that more than adding a half.
import type { Context } from '../context.ts';
import { NotNative } from '../not-native.ts';
import { computed, integerConstant, nullOf } from '../operators/computed.ts';
import { toReal } from '../operators/convert.ts';
import { known } from '../operators/known.ts';
import type { Template } from '../plan.ts';
import { sql, type Value } from '../value.ts';

/** Above it a real has no digits behind the point. */
const NO_FRACTION = '4503599627370496e0';
const MAX_PLACES = 6;

export function round(args: readonly Value[], ctx: Context): Value {
  const [x, digits] = args as [Value, Value | undefined];
  if (x.kind === 'null' || digits?.kind === 'null') return nullOf('real');
  const { min, max } = known(digits ?? integerConstant(0), ctx);
  if (min === undefined || min !== max) throw new NotNative('round to a number of digits that is no literal');
  const places = Number(min < 0n ? 0n : min);
  const real = toReal(x, ctx);
  if (x.kind === 'integer' || x.kind === 'boolean') return real;
  if (places > MAX_PLACES) throw new NotNative('round to many digits');
  return ctx.once([real], ([y]) =>
    computed('real', (places === 0 ? whole : rounded)(y!.sql, places, ctx), x.notNull),
  );
}

/** Adding 0 turns -0.0 into 0.0. */
function whole(x: Template, _places: number, { engine }: Context): Template {
  const cut = engine.truncated(sql`${x} + CASE WHEN ${x} < 0 THEN -0.5e0 ELSE 0.5e0 END`);
  return sql`CASE WHEN abs(${x}) < ${NO_FRACTION} THEN ${cut} + 0e0 ELSE ${x} END`;
}

/**
 * With the size of the number scaled by 10^places: below 2^40 the product is off by less than 2^-13, so that a
 * fraction that is further from one half is on the right side of it, and both the integer and the power are reals
 * without loss, whose quotient is the nearest real, as SQLite reads the digits.
 */
function rounded(x: Template, places: number, { engine }: Context): Template {
  const power = `${10 ** places}e0`;
  const size = sql`(abs(${x}) * ${power})`;
  const clear = sql`abs(${size} - floor(${size}) - 0.5e0) > 0.001e0`;
  const up = sql`(floor(${size} + 0.5e0) / ${power})`;
  const near = nextToHalf(x, places);
  const signed = (of: Template): Template => sql`CASE WHEN ${x} < 0 THEN - ${of} ELSE ${of} END`;
  return sql`CASE WHEN ${size} < 1099511627776e0 THEN CASE WHEN ${clear} THEN ${signed(up)} ELSE ${signed(near)} END WHEN ${x} IS NOT NULL THEN ${engine.failing('DOUBLE')} END`;
}

/**
 * SQLite 3.39 rounds half up what the number's first sixteen digits say: 2.675, a little less in binary, is 2.68. A
 * number is as good as the half h = (k + 0.5) / 10^places from five units of its seventeenth digit below it on. The
 * distance is multiplied by 2 * 10^places, exactly, since both halves of the number's bits are.
 */
function nextToHalf(x: Template, places: number): Template {
  const power = 10 ** places;
  const size = sql`(abs(${x}) * ${power}e0)`;
  const k = sql`floor(${size})`;
  const high = sql`(abs(${x}) * 134217729e0 - (abs(${x}) * 134217729e0 - abs(${x})))`;
  const distance = sql`((${high} * ${2 * power}e0 - (2e0 * ${k} + 1e0)) + (abs(${x}) - ${high}) * ${2 * power}e0)`;
  return sql`((CASE WHEN ${distance} >= - pow(10, floor(log10(${size})) - 15) THEN ${k} + 1e0 ELSE ${k} END) / ${power}e0)`;
}
