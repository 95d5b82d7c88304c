// Numbers read from text and written to it as SQLite 3.39 does (util.c sqlite3AtoF and sqlite3Atoi64, whose
// rules datatype3.html section 3 and lang_expr.html "CAST expressions" describe). A SQLite value in
// JavaScript: null, bigint (INTEGER), number (REAL), string (TEXT), Uint8Array (BLOB).
import { divide, fromInteger, type LongDouble, multiply, toDouble } from './long-double.ts';
import { formatReal } from './real-format.ts';

export type SqlValue = null | bigint | number | string | Uint8Array;

export const MAX_INTEGER = 0x7fffffffffffffffn;
export const MIN_INTEGER = -0x8000000000000000n;
const LIMIT = (MAX_INTEGER - 9n) / 10n;

export const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);
const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** sqlite3Pow10: squaring in long doubles, so its rounding errors are part of the answer. */
function pow10(exponent: number): LongDouble {
  let x = fromInteger(10n);
  let result = fromInteger(1n);
  for (let rest = exponent; ; x = multiply(x, x)) {
    if (rest & 1) result = multiply(result, x);
    rest >>= 1;
    if (rest === 0) return result;
  }
}
const POWERS = Array.from({ length: 343 }, (_, exponent) => pow10(exponent));

function scaled(significand: bigint, exponent: number): number {
  if (significand === 0n) return 0;
  let s = significand;
  let e = Math.abs(exponent);
  const up = exponent > 0;
  while (e > 0) {
    if (up) {
      if (s >= MAX_INTEGER / 10n) break;
      s *= 10n;
    } else {
      if (s % 10n !== 0n) break;
      s /= 10n;
    }
    e--;
  }
  if (e === 0) return Number(s);
  if (e >= 342) return up ? Number.POSITIVE_INFINITY : 0;
  const scale = POWERS[e > 307 ? e - 308 : e]!;
  const value = toDouble(up ? multiply(fromInteger(s), scale) : divide(fromInteger(s), scale));
  return e > 307 ? (up ? value * 1e308 : value / 1e308) : value;
}

export interface ReadReal {
  readonly value: number;
  /**
   * 'integer': all of the text is an integer; 'real': all of it is a number with a point or exponent;
   * 'real prefix': a number with a point or exponent comes first; 'none': anything else.
   */
  readonly form: 'integer' | 'real' | 'real prefix' | 'none';
}

/** sqlite3AtoF */
export function readReal(text: string): ReadReal {
  const end = text.length;
  let at = 0;
  let significand = 0n;
  // Small significands stay numbers: BigInt arithmetic for each digit is slow.
  let small = 0;
  let usesBig = false;
  let shift = 0;
  let exponent = 0;
  let type = 1;
  let exponentValid = true;
  let digits = 0;
  while (at < end && isSpace(text.charCodeAt(at))) at++;
  const negative = text[at] === '-';
  if (negative || text[at] === '+') at++;
  const push = (digit: number): void => {
    if (!usesBig && small < 900_000_000_000_000) small = small * 10 + digit;
    else {
      if (!usesBig) significand = BigInt(small);
      usesBig = true;
      significand = significand * 10n + BigInt(digit);
    }
    digits++;
  };
  const full = (): boolean => usesBig && significand >= LIMIT;
  while (at < end && isDigit(text.charCodeAt(at))) {
    if (full()) shift++;
    else push(text.charCodeAt(at) - 48);
    at++;
  }
  if (at < end) {
    if (text[at] === '.') {
      at++;
      type++;
      while (at < end && isDigit(text.charCodeAt(at))) {
        if (!full()) {
          push(text.charCodeAt(at) - 48);
          shift--;
        }
        at++;
      }
    }
    if (text[at] === 'e' || text[at] === 'E') {
      at++;
      exponentValid = false;
      type++;
      const down = text[at] === '-';
      if (down || text[at] === '+') at++;
      while (at < end && isDigit(text.charCodeAt(at))) {
        exponent = exponent < 10_000 ? exponent * 10 + (text.charCodeAt(at) - 48) : 10_000;
        exponentValid = true;
        at++;
      }
      if (down) exponent = -exponent;
    }
    while (at < end && isSpace(text.charCodeAt(at))) at++;
  }
  const magnitude =
    !usesBig && exponent + shift === 0
      ? small
      : scaled(usesBig ? significand : BigInt(small), exponent + shift);
  const value = negative ? -magnitude : magnitude;
  if (at === end && digits > 0 && exponentValid) return { value, form: type === 1 ? 'integer' : 'real' };
  if (type >= 2 && (type === 3 || exponentValid) && digits > 0) return { value, form: 'real prefix' };
  return { value, form: 'none' };
}

export interface ReadInteger {
  /** Of the longest prefix that is an integer, held within 64 bits; 0 where there is none. */
  readonly value: bigint;
  readonly overflow: boolean;
}

/** sqlite3Atoi64 */
export function readInteger(text: string): ReadInteger {
  const end = text.length;
  let at = 0;
  while (at < end && isSpace(text.charCodeAt(at))) at++;
  const negative = text[at] === '-';
  if (negative || text[at] === '+') at++;
  while (text[at] === '0') at++;
  const start = at;
  while (at < end && isDigit(text.charCodeAt(at))) at++;
  if (at === start) return { value: 0n, overflow: false };
  if (at - start < 16) {
    const value = Number(text.slice(start, at));
    return { value: BigInt(negative ? -value : value), overflow: false };
  }
  const magnitude = at - start > 19 ? 1n << 64n : BigInt(text.slice(start, at));
  const value = negative ? -magnitude : magnitude;
  if (value > MAX_INTEGER) return { value: MAX_INTEGER, overflow: true };
  if (value < MIN_INTEGER) return { value: MIN_INTEGER, overflow: true };
  return { value, overflow: false };
}

/** A real as integer: towards zero, held within 64 bits (lang_expr.html "CAST expressions"). */
export function truncate(value: number): bigint {
  if (value <= -(2 ** 63)) return MIN_INTEGER;
  if (value >= 2 ** 63) return MAX_INTEGER;
  return BigInt(Math.trunc(value));
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Each byte that is no UTF-8 becomes one U+FFFD, as in the reference's JSON (TextDecoder joins some). */
export function blobText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    let out = '';
    for (let at = 0; at < bytes.length; ) {
      const size = sequenceLength(bytes[at]!);
      try {
        if (size === 0 || at + size > bytes.length) throw new RangeError();
        out += decoder.decode(bytes.subarray(at, at + size));
        at += size;
      } catch {
        out += '\ufffd';
        at++;
      }
    }
    return out;
  }
}

/** Bytes of the UTF-8 sequence that starts so; 0 where none does. */
function sequenceLength(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}
export const textBlob = (text: string): Uint8Array => encoder.encode(text);

/** `%!.15g`: how a real becomes text (lang_expr.html "CAST expressions", floatingpoint.html). */
export function realText(value: number): string {
  // Of -0.0 too: the sign is printed of what is less than 0.
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return `${value}.0`;
  return formatReal(value, { conversion: 'g', precision: 15, alternate2: true });
}

export function toText(value: Exclude<SqlValue, null>): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return realText(value);
  return blobText(value);
}

/** CAST AS INTEGER, and the operands of bit operators. */
export function toInteger(value: Exclude<SqlValue, null>): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return truncate(value);
  return readInteger(toText(value)).value;
}

/** CAST AS REAL */
export function toReal(value: Exclude<SqlValue, null>): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return readReal(toText(value)).value;
}

/** An operand of arithmetic (lang_expr.html "Operators": the longest numeric prefix). */
export function toNumber(value: Exclude<SqlValue, null>): bigint | number {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  const text = toText(value);
  const real = readReal(text);
  if (real.form === 'real' || real.form === 'real prefix') return real.value;
  const integer = readInteger(text);
  return integer.overflow ? real.value : integer.value;
}

/** NUMERIC affinity (datatype3.html section 3): text becomes a number only where all of it is one. */
export function applyNumeric(value: SqlValue): SqlValue {
  if (typeof value !== 'string') return value;
  const real = readReal(value);
  if (real.form !== 'integer' && real.form !== 'real') return value;
  if (real.form === 'integer') {
    const integer = readInteger(value);
    if (!integer.overflow) return integer.value;
  }
  return real.value;
}

const sameAsInteger = (value: number): boolean =>
  value === 0 || (Number.isInteger(value) && value >= -2251799813685248 && value < 2251799813685248);

/** CAST AS NUMERIC: the longest prefix; a real that is a small whole number becomes an integer. */
export function castNumeric(value: SqlValue): SqlValue {
  if (value === null || typeof value === 'bigint' || typeof value === 'number') return value;
  const text = toText(value);
  const real = readReal(text);
  if (real.form === 'integer' || real.form === 'none') {
    const integer = readInteger(text);
    if (!integer.overflow) return integer.value;
  }
  return sameAsInteger(real.value) ? BigInt(real.value) : real.value;
}
