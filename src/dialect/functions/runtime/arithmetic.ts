// Arithmetic on values of any kind as SQLite's virtual machine does it (vdbe.c OP_Add ... OP_ShiftRight;
// lang_expr.html "Operators"): integers where they fit 64 bits, else reals; NaN is NULL.
import { MAX_INTEGER, MIN_INTEGER, type SqlValue, toInteger, toNumber } from './number-text.ts';

type Given = Exclude<SqlValue, null>;

const fits = (value: bigint): boolean => value >= MIN_INTEGER && value <= MAX_INTEGER;
const real = (value: number): number | null => (Number.isNaN(value) ? null : value);

type Operation = (a: Given, b: Given) => SqlValue;

function operation(
  whole: (a: bigint, b: bigint) => bigint,
  fraction: (a: number, b: number) => number,
): Operation {
  return (left, right) => {
    const a = toNumber(left);
    const b = toNumber(right);
    if (typeof a === 'bigint' && typeof b === 'bigint') {
      const result = whole(a, b);
      if (fits(result)) return result;
    }
    return real(fraction(Number(a), Number(b)));
  };
}

export const add = operation(
  (a, b) => a + b,
  (a, b) => a + b,
);
export const subtract = operation(
  (a, b) => a - b,
  (a, b) => a - b,
);
export const multiply = operation(
  (a, b) => a * b,
  (a, b) => a * b,
);

export function divide(left: Given, right: Given): SqlValue {
  const a = toNumber(left);
  const b = toNumber(right);
  if (typeof a === 'bigint' && typeof b === 'bigint') {
    if (b === 0n) return null;
    const result = a / b;
    if (fits(result)) return result;
  }
  const divisor = Number(b);
  return divisor === 0 ? null : real(Number(a) / divisor);
}

/** Both sides as integers; the result is real where a side is. */
export function modulo(left: Given, right: Given): SqlValue {
  const a = toNumber(left);
  const b = toNumber(right);
  const integers = typeof a === 'bigint' && typeof b === 'bigint';
  const divisor = toInteger(integers ? b : right);
  if (divisor === 0n) return null;
  const result = toInteger(integers ? a : left) % divisor;
  return integers ? result : Number(result);
}

export function negate(value: Given): SqlValue {
  return subtract(0n, value);
}

export function shiftLeft(value: bigint, count: bigint): bigint {
  if (count < 0n) return shiftRight(value, -count);
  return count >= 64n ? 0n : BigInt.asIntN(64, value << count);
}

export function shiftRight(value: bigint, count: bigint): bigint {
  if (count < 0n) return shiftLeft(value, -count);
  return count >= 64n ? (value < 0n ? -1n : 0n) : value >> count;
}
