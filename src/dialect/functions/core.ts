// Core scalar functions that are not about texts (lang_corefunc.html).
import { GatewayError } from '../../base/errors.ts';
import { NO_SUCH_CHAIN, notResolved } from '../../base/reference-words.ts';
import type { Context } from '../context.ts';
import { NotNative } from '../not-native.ts';
import { compare } from '../operators/compare.ts';
import { computed, integerConstant, nullOf } from '../operators/computed.ts';
import { caseWhen, coalesce, type When } from '../operators/conditional.ts';
import { knownOfEach, unboolean, unify } from '../operators/convert.ts';
import { hasUnsignedZero } from '../operators/known.ts';
import type { Template } from '../plan.ts';
import { join, sql, textLiteral, type Value } from '../value.ts';
import { quote } from './quote.ts';
import { round } from './round.ts';
import type { ScalarFunctions } from './scalar-function.ts';

const MANY = 127;

const CLASS_NAMES = {
  integer: 'integer',
  real: 'real',
  text: 'text',
  blob: 'blob',
  boolean: 'integer',
  null: 'null',
} as const;

function typeOf(x: Value, { engine }: Context): Value {
  if (x.kind === 'number') throw new NotNative('typeof of integers and reals in one');
  const name = textLiteral(CLASS_NAMES[x.kind]);
  // Computed even where the answer is known: only so can an overflow say that it is no integer.
  const text =
    x.kind === 'null' || (x.notNull && x.simple)
      ? [name]
      : x.kind === 'integer' && !x.simple
        ? sql`CASE WHEN ${engine.bits('&', x.sql, ['1'])} < 2 THEN 'integer' ELSE 'null' END`
        : sql`CASE WHEN ${x.sql} IS NULL THEN 'null' ELSE ${name} END`;
  return { ...computed('text', text, true), known: () => ({ ascii: true, noNul: true, maxCharacters: 7 }) };
}

function abs(x: Value, ctx: Context): Value {
  const y = unboolean(x);
  switch (y.kind) {
    case 'integer':
      // The smallest integer has no opposite: an error in the engine, too.
      return computed('integer', sql`abs(${y.sql})`, y.notNull);
    case 'real':
      if (hasUnsignedZero(y, ctx)) return computed('real', sql`abs(${y.sql})`, y.notNull);
      // SQLite leaves -0.0 as it is (func.c absFunc), the engines' own functions do not.
      return ctx.once([y], ([z]) =>
        computed('real', sql`CASE WHEN ${z!.sql} < 0 THEN - ${z!.sql} ELSE ${z!.sql} END`, y.notNull),
      );
    case 'null':
      return y;
    default:
      throw new NotNative(`abs of ${y.kind}`);
  }
}

/** No affinity is applied here, unlike in `=`; the first argument that has a collation gives it. */
const bare = (x: Value): Value => ({ ...x, affinity: 'none' });
const firstCollation = (args: readonly Value[]) => args.find((x) => x.collation !== undefined)?.collation;

function nullIf(args: readonly Value[], ctx: Context): Value {
  const collation = firstCollation(args);
  const named = collation === undefined ? undefined : { ...collation, explicit: true };
  return ctx.once([args[0]!], ([x]) => {
    const equal = compare('=', { ...bare(x!), collation: named }, bare(args[1]!), ctx);
    if (x!.kind === 'null') return nullOf('null');
    const y = unboolean(x!);
    const { json, known: facts, whole } = y;
    return {
      ...computed(y.kind, sql`CASE WHEN ${equal.sql} THEN NULL ELSE ${y.sql} END`),
      ...(json && { json }),
      ...(facts && { known: facts }),
      ...(whole && { whole }),
    };
  });
}

/** max(X, Y, ...) and min(X, Y, ...): NULL where one is NULL (lang_corefunc.html#max_scalar). */
function extreme(largest: boolean, args: readonly Value[], ctx: Context): Value {
  if (args.some((x) => x.kind === 'null')) return nullOf('null');
  const values = unify(args.map(unboolean));
  const kind = values[0]!.kind;
  const collation = firstCollation(args)?.name ?? 'binary';
  if (kind === 'text' && collation !== 'binary') throw new NotNative(`max() by ${collation}`);
  const json = args.every((x) => x.json === 'all') ? 'all' : 'some';
  const embeds: Pick<Value, 'json'> = args.some((x) => x.json !== undefined) ? { json } : {};
  return ctx.once(values, (cheap): Value => {
    const engines = sql`${largest ? 'greatest' : 'least'}(${join(
      cheap.map((x) => (x.kind === 'real' ? ctx.engine.ordered(x.sql) : x.sql)),
      ', ',
    )})`;
    const signed = kind === 'real' && !values.every((x) => hasUnsignedZero(x, ctx));
    const best = signed ? ofZeros(largest, engines, cheap) : engines;
    const nullable = cheap.filter((x) => !x.notNull);
    const kept = { known: knownOfEach(values), ...embeds } as const;
    if (nullable.length === 0) return { ...computed(kind, best, true), ...kept };
    const present = join(
      nullable.map((x) => sql`${x.sql} IS NOT NULL`),
      ' AND ',
    );
    return { ...computed(kind, sql`CASE WHEN ${present} THEN ${best} END`), ...kept };
  });
}

/** The zero that SQLite gives where several are equal: of the largest the first, of the smallest the last (func.c minmaxFunc). */
function ofZeros(largest: boolean, best: Template, reals: readonly Value[]): Template {
  const inTurn = largest ? reals : [...reals].reverse();
  const zeros = inTurn.map((x) => sql` WHEN ${x.sql} = 0 THEN ${x.sql}`);
  return sql`CASE WHEN ${best} <> 0 THEN ${best}${zeros.flat()} END`;
}

function likelihood([x, p]: readonly Value[], ctx: Context): Value {
  const chance = p!.literal === undefined || p!.kind !== 'real' ? -1 : Number(ctx.pin(p!.literal.index).text);
  if (!(chance >= 0 && chance <= 1) || p!.literal?.negative)
    throw new GatewayError(
      'statement-syntax',
      'second argument to likelihood() must be a constant between 0.0 and 1.0',
    );
  return unboolean(x!);
}

/** iif(B1, V1, B2, V2, ..., VN): pairs of condition and value, and what holds otherwise. */
function iif(args: readonly Value[], ctx: Context): Value {
  const whens: When[] = [];
  for (let i = 0; i + 1 < args.length; i += 2) whens.push({ when: args[i]!, result: args[i + 1]! });
  return caseWhen(undefined, whens, args.length % 2 === 1 ? args[args.length - 1] : undefined, ctx);
}

function blockNumber(args: readonly Value[], ctx: Context): Value {
  const [chain] = args;
  if (args.length !== 1)
    throw new GatewayError(
      'unknown-function',
      notResolved('block_num function should have exactly one argument'),
    );
  if (chain?.kind !== 'integer' || chain.literal === undefined)
    throw new GatewayError(
      'unsupported',
      notResolved(
        `argument of block_num is not ${chain?.literal === undefined ? 'a literal value' : 'an integer'}`,
      ),
      {
        hint: 'block_num takes the number of a chain.',
      },
    );
  const id = Number(ctx.pin(chain.literal.index).text) * (chain.literal.negative ? -1 : 1);
  const block = ctx.blockNumber(id);
  if (block === undefined)
    throw new GatewayError('unknown-function', notResolved(NO_SUCH_CHAIN), {
      hint: `Chain ${id} is not served.`,
    });
  return integerConstant(block);
}

export const CORE: ScalarFunctions = {
  abs: { min: 1, max: 1, rule: ([x], ctx) => abs(x!, ctx) },
  block_num: { min: 0, max: 127, rule: blockNumber },
  coalesce: { min: 2, max: MANY, rule: coalesce },
  ifnull: { min: 2, max: 2, rule: coalesce },
  // Two arguments, more than three, and the name `if` are newer than the reference (lang_corefunc.html#iif).
  iif: { min: 2, max: MANY, rule: iif },
  if: { min: 2, max: MANY, rule: iif },
  // Hints for SQLite's planner: the value itself (lang_corefunc.html#likely).
  likelihood: { min: 2, max: 2, rule: likelihood },
  likely: { min: 1, max: 1, rule: ([x]) => unboolean(x!) },
  unlikely: { min: 1, max: 1, rule: ([x]) => unboolean(x!) },
  max: { min: 2, max: MANY, rule: (args, ctx) => extreme(true, args, ctx) },
  min: { min: 2, max: MANY, rule: (args, ctx) => extreme(false, args, ctx) },
  nullif: { min: 2, max: 2, rule: nullIf },
  quote: { min: 1, max: 1, rule: ([x], ctx) => quote(x!, ctx) },
  round: { min: 1, max: 2, rule: round },
  typeof: { min: 1, max: 1, rule: ([x], ctx) => ctx.once([x!], ([y]) => typeOf(y!, ctx)) },
};
