// Mathematical functions (lang_mathfunc.html), which the reference lacks. NULL outside of a function's domain
// and for texts that are no numbers; the engine's own would fail or give NaN.

import type { Context } from '../context.ts';
import { NotNative } from '../not-native.ts';
import { computed } from '../operators/computed.ts';
import { toReal, unboolean } from '../operators/convert.ts';
import type { Template } from '../plan.ts';
import { sql, type Value } from '../value.ts';
import type { ScalarFunction, ScalarFunctions } from './scalar-function.ts';

/** DOUBLE SQL of a number. */
function real(x: Value, ctx: Context): Template {
  if (x.kind === 'null') return ['CAST(NULL AS DOUBLE)'];
  if (x.kind === 'text' || x.kind === 'blob') throw new NotNative(`mathematics of a ${x.kind}`);
  return toReal(x, ctx).sql;
}

const ofReal =
  (build: (x: Template) => Template) =>
  ([x]: readonly Value[], ctx: Context): Value =>
    ctx.once([computed('real', real(x!, ctx))], ([y]) => computed('real', ctx.engine.settled(build(y!.sql))));

const one = (build: (x: Template) => Template): ScalarFunction => ({ min: 1, max: 1, rule: ofReal(build) });
const ofC = (found: ScalarFunction): ScalarFunction => ({ ...found, ofC: true });

/** A function of the engine that is defined where `domain` holds. */
const within = (name: string, domain: (x: Template) => Template): ScalarFunction =>
  ofC(one((x) => sql`CASE WHEN ${domain(x)} THEN ${name}(${x}) END`));
const everywhere = (name: string): ScalarFunction => ofC(one((x) => sql`${name}(${x})`));
const finite = (name: string): ScalarFunction => within(name, (x) => sql`isfinite(${x})`);

const two = (build: (x: Template, y: Template) => Template): ScalarFunction => ({
  min: 2,
  max: 2,
  rule: ([x, y], ctx) =>
    ctx.once([computed('real', real(x!, ctx)), computed('real', real(y!, ctx))], ([a, b]) =>
      computed('real', ctx.engine.settled(build(a!.sql, b!.sql))),
    ),
});

/** Integers stay integers (lang_mathfunc.html#ceil). */
const rounding = (name: string): ScalarFunction => ({
  min: 1,
  max: 1,
  rule: ([x], ctx) => {
    const y = unboolean(x!);
    if (y.kind === 'integer') return y;
    if (y.kind === 'real')
      return computed(
        'real',
        name === 'trunc' ? ctx.engine.truncated(y.sql) : sql`${name}(${y.sql})`,
        y.notNull,
      );
    if (y.kind === 'null') return y;
    throw new NotNative(`${name} of a ${y.kind}`);
  },
});

const positive = (x: Template): Template => sql`${x} > 0`;
const log10 = within('log10', positive);
/** log(B, X): bases up to 1 give NULL, and X may be the prefix of a text (func.c logFunc). */
const logarithm: ScalarFunction = {
  min: 2,
  max: 2,
  ofC: true,
  rule: ([base, x], ctx) =>
    ctx.once([computed('real', real(base!, ctx)), computed('real', real(x!, ctx))], ([b, y]) =>
      computed('real', sql`CASE WHEN ${b!.sql} > 1 AND ${y!.sql} > 0 THEN ln(${y!.sql}) / ln(${b!.sql}) END`),
    ),
};
const power = ofC(two((x, y) => sql`CASE WHEN ${x} >= 0 OR ${y} = floor(${y}) THEN pow(${x}, ${y}) END`));

export const MATH: ScalarFunctions = {
  acos: within('acos', (x) => sql`${x} BETWEEN -1 AND 1`),
  acosh: within('acosh', (x) => sql`${x} >= 1`),
  asin: within('asin', (x) => sql`${x} BETWEEN -1 AND 1`),
  asinh: everywhere('asinh'),
  atan: everywhere('atan'),
  atan2: ofC(two((y, x) => sql`atan2(${y}, ${x})`)),
  // The engine's own gives +inf for -1.
  atanh: ofC(
    one(
      (x) =>
        sql`CASE WHEN abs(${x}) < 1 THEN atanh(${x}) WHEN abs(${x}) = 1 THEN ${x} * CAST('inf' AS DOUBLE) END`,
    ),
  ),
  ceil: rounding('ceil'),
  ceiling: rounding('ceil'),
  cos: finite('cos'),
  cosh: everywhere('cosh'),
  degrees: one((x) => sql`${x} * (180e0 / pi())`),
  exp: everywhere('exp'),
  floor: rounding('floor'),
  ln: within('ln', positive),
  log: {
    min: 1,
    max: 2,
    ofC: true,
    rule: (args, ctx) => (args.length === 1 ? log10 : logarithm).rule(args, ctx),
  },
  log10,
  log2: within('log2', positive),
  pi: { min: 0, max: 0, rule: () => computed('real', ['pi()'], true) },
  pow: power,
  power,
  radians: one((x) => sql`${x} * (pi() / 180e0)`),
  sin: finite('sin'),
  sinh: everywhere('sinh'),
  // Correctly rounded everywhere.
  sqrt: one((x) => sql`CASE WHEN ${x} >= 0 THEN sqrt(${x}) END`),
  tan: finite('tan'),
  tanh: everywhere('tanh'),
  trunc: rounding('trunc'),
};
