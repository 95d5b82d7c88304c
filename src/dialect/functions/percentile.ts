// percentile(), percentile_cont(), percentile_disc() and median() (percentile.html), which the reference lacks:
// over numbers only, and the fraction is a number that stands in the statement.
import { GatewayError } from '../../errors.ts';
import type { Context } from '../context.ts';
import { computed, nullOf } from '../operators/computed.ts';
import { toReal, unboolean } from '../operators/convert.ts';
import type { Template } from '../plan.ts';
import { sql, type Value } from '../value.ts';
import type { Around } from './around.ts';
import { readReal } from './runtime/number-text.ts';

type Rule = (args: readonly Value[], around: Around, ctx: Context) => Value;

function numeric(name: string, given: Value): Template {
  const x = unboolean(given);
  const failed = `CAST(error('tablegate: input to ${name}() is not numeric') AS DOUBLE)`;
  switch (x.kind) {
    case 'integer':
    case 'real':
      return toReal(x).sql;
    case 'null':
    case 'boolean':
      return nullOf('real').sql;
    case 'any':
      return sql`CASE union_tag(${x.sql}) WHEN 't' THEN ${failed} WHEN 'b' THEN ${failed} ELSE ${toReal(x).sql} END`;
    case 'text':
    case 'blob':
      return sql`CASE WHEN ${x.sql} IS NOT NULL THEN ${failed} END`;
  }
}

/** From 0 to 1. */
function fraction(name: string, largest: number, x: Value, ctx: Context): number {
  if (x.literal === undefined)
    throw new GatewayError('unsupported', `the fraction of ${name}() must be written as a number`);
  const { value, form } = readReal(ctx.pin(x.literal.index).text);
  const signed = x.literal.negative ? -value : value;
  if ((form !== 'integer' && form !== 'real') || signed < 0 || signed > largest || x.kind === 'null')
    throw new GatewayError(
      'run-failed',
      `the fraction argument to ${name}() is not between 0.0 and ${largest}.0`,
    );
  return signed / largest;
}

/**
 * Over all values in order, by SQLite's own formula: the engine's quantiles interpolate in another way and take
 * another neighbour.
 */
function at(place: number, x: Template, around: Around, pick: (s: string, ix: string) => string): Value {
  const values = sql`list_sort(${around.over('list', [x], { where: sql`${x} IS NOT NULL` })})`;
  const fields = sql`struct_pack(s := ${values})`;
  const placed = `list_transform([struct_pack(s := v.s, ix := ${place}::DOUBLE * (len(v.s) - 1))], lambda w: ${pick('w.s', 'w.ix')})[1]`;
  return computed('real', sql`list_transform([${fields}], lambda v: ${placed})[1]`);
}

const place = (s: string, ix: string): string => `${s}[CAST(floor(${ix}) AS BIGINT) + 1]`;

function continuous(name: string, fraction: number, x: Value, around: Around): Value {
  return at(fraction, numeric(name, x), around, (s, ix) => {
    const low = place(s, ix);
    const high = `COALESCE(${place(s, `${ix} + 1`)}, ${low})`;
    return `CASE WHEN ${ix} = floor(${ix}) THEN ${low} ELSE ${low} + (${high} - ${low}) * (${ix} - floor(${ix})) END`;
  });
}

const percentile =
  (name: string, largest: number): Rule =>
  ([x, p], around, ctx) =>
    continuous(name, fraction(name, largest, p!, ctx), x!, around);

/** The value at the place itself, rounded down. */
const discrete: Rule = ([x, p], around, ctx) => {
  const name = 'percentile_disc';
  return at(fraction(name, 1, p!, ctx), numeric(name, x!), around, place);
};

export const PERCENTILES: Readonly<
  Record<string, { readonly min: number; readonly max: number; readonly rule: Rule }>
> = {
  median: { min: 1, max: 1, rule: ([x], around) => continuous('median', 0.5, x!, around) },
  percentile: { min: 2, max: 2, rule: percentile('percentile', 100) },
  percentile_cont: { min: 2, max: 2, rule: percentile('percentile_cont', 1) },
  percentile_disc: { min: 2, max: 2, rule: discrete },
};
