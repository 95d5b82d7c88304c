// percentile(), percentile_cont(), percentile_disc() and median() (percentile.html), which the reference lacks:
// over numbers only, and the fraction is a number that stands in the statement.
import { GatewayError } from '../../errors.ts';
import type { Context } from '../context.ts';
import { computed, nullOf } from '../operators/computed.ts';
import { toReal, unboolean } from '../operators/convert.ts';
import type { Template } from '../plan.ts';
import { sql, type Value } from '../value.ts';
import type { Around } from './aggregate.ts';
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

function continuous(name: string, at: number, x: Value, around: Around): Value {
  return computed('real', around.over('quantile_cont', [numeric(name, x), [`${at}::DOUBLE`]]));
}

const percentile =
  (name: string, largest: number): Rule =>
  ([x, p], around, ctx) =>
    continuous(name, fraction(name, largest, p!, ctx), x!, around);

/** The value at the place itself, rounded down; the engine's own rounds up. */
const discrete: Rule = ([x, p], around, ctx) => {
  const name = 'percentile_disc';
  const at = fraction(name, 1, p!, ctx);
  const values = sql`list_sort(${around.over('list', [numeric(name, x!)], { where: sql`${x!.sql} IS NOT NULL` })})`;
  const place = sql`CAST(floor(${at}::DOUBLE * (len(${values}) - 1)) AS BIGINT) + 1`;
  return computed('real', sql`(${values})[${place}]`);
};

export const PERCENTILES: Readonly<
  Record<string, { readonly min: number; readonly max: number; readonly rule: Rule }>
> = {
  median: { min: 1, max: 1, rule: ([x], around) => continuous('median', 0.5, x!, around) },
  percentile: { min: 2, max: 2, rule: percentile('percentile', 100) },
  percentile_cont: { min: 2, max: 2, rule: percentile('percentile_cont', 1) },
  percentile_disc: { min: 2, max: 2, rule: discrete },
};
