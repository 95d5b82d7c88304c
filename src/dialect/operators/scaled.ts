// Reals that are numbers of some decimals, as whole numbers of the last one: what is added up so is exact, whatever
// the order of the rows. Without a fact that says so there is no such form.
import type { Template } from '../plan.ts';
import { type Pin, type Scaled, sql, type Value } from '../value.ts';
import { known } from './known.ts';

/** Whole numbers are kept below this, so that no step leaves 64 bits. */
const MOST = 2 ** 62;
/** Integers up to here are reals, too, so that both arithmetics mean the same. */
const EXACT = 2 ** 53;

/** @returns undefined where it has no such form */
export function scaledOf(x: Value, ctx: Pin): Scaled | undefined {
  if (x.scaled !== undefined && x.scaled.of === x.sql) return x.scaled.as(ctx);
  const { min, max, reals } = known(x, ctx);
  if (x.kind === 'integer' && min !== undefined && max !== undefined) {
    const size = Math.max(Math.abs(Number(min)), Math.abs(Number(max)));
    return size <= EXACT ? { sql: x.sql, digits: 0, size } : undefined;
  }
  if (x.kind !== 'real' || x.literal === undefined || reals?.digits === undefined) return undefined;
  const { text } = ctx.pin(x.literal.index);
  const whole = BigInt(text.replace('.', ''));
  const size = Number(whole);
  if (size > EXACT) return undefined;
  return { sql: [`CAST(${x.literal.negative ? -whole : whole} AS BIGINT)`], digits: reals.digits, size };
}

/** Of a real `a op b`. */
export function scaledArithmetic(
  op: '+' | '-' | '*',
  of: Template,
  l: Value,
  r: Value,
): NonNullable<Value['scaled']> {
  return {
    of,
    as: (ctx) => {
      const [a, b] = [scaledOf(l, ctx), scaledOf(r, ctx)];
      if (a === undefined || b === undefined) return undefined;
      if (op === '*')
        return within({
          sql: sql`(${a.sql} * ${b.sql})`,
          digits: a.digits + b.digits,
          size: a.size * b.size,
        });
      const digits = Math.max(a.digits, b.digits);
      const [x, y] = [withDigits(a, digits), withDigits(b, digits)];
      return within({ sql: sql`(${x.sql} ${op} ${y.sql})`, digits, size: x.size + y.size });
    },
  };
}

/**
 * Of a value that is one of several.
 * @param given what it may be, before and after it was made of one kind with the others
 * @param build writes what chooses among them
 */
export function scaledChoice(
  of: Template,
  given: readonly Value[],
  results: readonly Value[],
  build: (of: (x: Value) => Template) => Template,
): NonNullable<Value['scaled']> {
  return {
    of,
    as: (ctx) => {
      const forms = new Map<Value, Scaled>();
      for (const [i, x] of given.entries()) {
        if (x.kind === 'null') continue;
        const form = scaledOf(x, ctx);
        if (form === undefined) return undefined;
        forms.set(results[i] ?? x, form);
      }
      const digits = Math.max(...[...forms.values()].map((form) => form.digits));
      for (const [x, form] of forms) forms.set(x, withDigits(form, digits));
      const size = Math.max(...[...forms.values()].map((form) => form.size));
      return within({ sql: build((x) => forms.get(x)?.sql ?? ['CAST(NULL AS BIGINT)']), digits, size });
    },
  };
}

function withDigits(x: Scaled, digits: number): Scaled {
  const factor = 10 ** (digits - x.digits);
  if (factor === 1) return x;
  return { sql: sql`(${x.sql} * ${String(factor)})`, digits, size: x.size * factor };
}

const within = (x: Scaled): Scaled | undefined => (x.size < MOST && x.digits <= MOST_DIGITS ? x : undefined);

/** Powers of ten up to here are reals. */
const MOST_DIGITS = 18;
