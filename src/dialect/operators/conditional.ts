// CASE (lang_expr.html "The CASE expression"), and with it iif, coalesce and their like.
import type { Context } from '../context.ts';
import { branchedJson } from '../functions/json-value.ts';
import { join, sql, type Value } from '../value.ts';
import { compare } from './compare.ts';
import { computed, NULL_VALUE } from './computed.ts';
import { truth, unify } from './convert.ts';

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
  if (operand === undefined) return searched(whens, otherwise, ctx, (when) => truth(when));
  // The operand is computed once, and compared with each WHEN as = does, affinities included.
  return ctx.once([operand], ([x]) =>
    searched(whens, otherwise, ctx, (when) => compare('=', x!, when, ctx).sql),
  );
}

function searched(
  whens: readonly When[],
  otherwise: Value | undefined,
  ctx: Context,
  condition: (when: Value) => Value['sql'],
): Value {
  const results = unify([...whens.map((branch) => branch.result), otherwise ?? NULL_VALUE], ctx);
  const last = results[results.length - 1]!;
  const conditions = whens.map((branch) => condition(branch.when));
  const branches = whens.map((_, i) => sql`WHEN ${conditions[i]!} THEN ${results[i]!.sql}`);
  const kind = results.find((x) => x.kind !== 'null')?.kind ?? 'null';
  const value = computed(
    kind,
    sql`CASE ${join(branches, ' ')} ELSE ${last.sql} END`,
    results.every((x) => x.notNull),
  );
  const fallback = otherwise ?? NULL_VALUE;
  return branchedJson(
    value,
    [...whens.map((branch) => branch.result), fallback],
    (json) =>
      sql`CASE ${join(
        whens.map((branch, i) => sql`WHEN ${conditions[i]!} THEN ${json(branch.result)}`),
        ' ',
      )} ELSE ${json(fallback)} END`,
    ctx,
  );
}

/** COALESCE and IFNULL: the first that is not NULL (lang_corefunc.html#coalesce). */
export function coalesce(values: readonly Value[], ctx: Context): Value {
  const first = values.findIndex((x) => x.notNull);
  const needed = (first < 0 ? values : values.slice(0, first + 1)).filter((x) => x.kind !== 'null');
  if (needed.length === 0) return NULL_VALUE;
  const same = unify(needed, ctx);
  if (same.length === 1) return { ...needed[0]!, affinity: 'none', collation: undefined };
  const value = computed(
    same[0]!.kind,
    sql`COALESCE(${join(
      same.map((x) => x.sql),
      ', ',
    )})`,
    first >= 0,
  );
  return branchedJson(
    value,
    needed,
    (json) =>
      sql`CASE ${join(
        needed.map((x) => sql`WHEN ${x.sql} IS NOT NULL THEN ${json(x)}`),
        ' ',
      )} ELSE 'null' END`,
    ctx,
  );
}
