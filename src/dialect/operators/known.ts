// What is known of a value that a rule has before it: by the facts of columns, and of literals by their values.
import { type Known, magnitude, realsFrom } from '../facts.ts';
import type { Pin, Value } from '../value.ts';
import { integerOf } from './literal.ts';

/** Of a literal it makes the plan one for its value. */
export function known(x: Value, ctx: Pin): Known {
  if (x.known !== undefined) return x.known(ctx);
  if (x.kind === 'boolean') return { min: 0n, max: 1n };
  if (x.literal === undefined) return {};
  const { text } = ctx.pin(x.literal.index);
  if (x.kind === 'text') return knownText(text);
  if (x.kind === 'real') return knownReal(text);
  if (x.kind !== 'integer') return {};
  const value = x.literal.negative ? -integerOf(text) : integerOf(text);
  return { min: value, max: value };
}

export function knownText(text: string): Known {
  return {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is asked.
    ascii: /^[\x00-\x7f]*$/.test(text),
    noNul: !text.includes('\0'),
    maxCharacters: [...text].length,
  };
}

/** @param text a literal in SQL's notation */
function knownReal(text: string): Known {
  const size = Math.abs(Number(text));
  if (!Number.isFinite(size)) return {};
  const [, digits] = /^\d*\.?(\d*)$/.exec(text) ?? [];
  const reals = size > 0 ? realsFrom(size, size) : { size, grid: 0 };
  return { reals: digits === undefined ? reals : { ...reals, digits: digits.length } };
}

/** Whether a real is never -0.0. Of a literal nobody asks: the plan would be one for its value. */
export const hasUnsignedZero = (x: Value, ctx: Pin): boolean => x.known?.(ctx).unsignedZero === true;

/** Decimal digits and a sign. */
export const DIGITS: Known = { ascii: true, noNul: true, maxCharacters: 20 };

/** Integers up to here are reals without loss. */
const EXACT_REAL = 2n ** 53n;

/** Whether a value is known to be an integer that a real holds without loss. */
export function isExactReal(x: Value, ctx: Pin): boolean {
  const size = magnitude(known(x, ctx));
  return size !== undefined && size <= EXACT_REAL;
}
