// CASE (lang_expr.html "The CASE expression"), and with it iif, coalesce and their like.
import type { Context } from '../context.ts';
import type { Template } from '../plan.ts';
import { join, sql, type Value } from '../value.ts';
import { compare } from './compare.ts';
import { computed, NULL_VALUE } from './computed.ts';
import { knownOfEach, truth, unifyNumbers } from './convert.ts';
import { scaledChoice } from './scaled.ts';

export interface When {
  readonly when: Value;
  readonly result: Value;
}

export function caseWhen(
  operand: Value | undefined,
  whens: readonly When[],
  otherwise: Value | undefined,
  ctx: Context,
): Value {
  if (operand === undefined) return searched(whens, otherwise, ctx, (when) => truth(when, ctx));
  // The operand is computed once, and compared with each WHEN as = does, affinities included.
  return ctx.once([operand], ([x]) =>
    searched(whens, otherwise, ctx, (when) => compare('=', x!, when, ctx).sql),
  );
}

function searched(
  whens: readonly When[],
  otherwise: Value | undefined,
  ctx: Context,
  condition: (when: Value) => Template,
): Value {
  const given = [...whens.map((branch) => branch.result), otherwise ?? NULL_VALUE];
  const results = unifyNumbers(given, ctx);
  const conditions = whens.map((branch) => condition(branch.when));
  return oneOf(
    given,
    results,
    (of) =>
      sql`CASE ${join(
        conditions.map((when, i) => sql`WHEN ${when} THEN ${of(results[i]!)}`),
        ' ',
      )} ELSE ${of(results[results.length - 1]!)} END`,
    results.every((x) => x.notNull),
  );
}

/**
 * A value that is one of several.
 * @param build writes what chooses among them
 */
function oneOf(
  given: readonly Value[],
  results: readonly Value[],
  build: (of: (x: Value) => Template) => Template,
  notNull: boolean,
): Value {
  const kind = results.find((x) => x.kind !== 'null')?.kind ?? 'null';
  const present = given.filter((x) => x.kind !== 'null');
  const json = present.every((x) => x.json === 'all') ? 'all' : 'some';
  const value = computed(
    kind,
    build((x) => x.sql),
    notNull,
  );
  return {
    ...value,
    known: knownOfEach(given),
    ...(kind === 'real' || kind === 'number'
      ? { scaled: scaledChoice(value.sql, given, results, build) }
      : {}),
    ...(kind === 'number' ? { whole: build((x) => x.whole ?? ['FALSE']) } : {}),
    ...(present.some((x) => x.json !== undefined) ? { json } : {}),
  };
}

/** COALESCE and IFNULL: the first that is not NULL (lang_corefunc.html#coalesce). */
export function coalesce(values: readonly Value[], ctx: Context): Value {
  const first = values.findIndex((x) => x.notNull);
  const needed = (first < 0 ? values : values.slice(0, first + 1)).filter((x) => x.kind !== 'null');
  if (needed.length === 0) return NULL_VALUE;
  const same = unifyNumbers(needed, ctx);
  if (same.length === 1) return { ...needed[0]!, affinity: 'none', collation: undefined };
  const value = oneOf(needed, same, (of) => sql`COALESCE(${join(same.map(of), ', ')})`, first >= 0);
  if (value.kind !== 'number') return value;
  const whens = same.map((x) => sql`WHEN ${x.sql} IS NOT NULL THEN ${x.whole ?? ['FALSE']}`);
  return { ...value, whole: sql`CASE ${join(whens, ' ')} ELSE FALSE END` };
}
