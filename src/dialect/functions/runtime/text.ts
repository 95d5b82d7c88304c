// Core functions on texts and blobs where the engine's own differ (lang_corefunc.html). Characters are code
// points; texts end at a NUL only where SQLite's do.
import { GatewayError } from '../../../errors.ts';
import { MIN_INTEGER, realText, type SqlValue, textBlob, toReal, toText } from './number-text.ts';
import { formatReal } from './real-format.ts';

type Given = Exclude<SqlValue, null>;

/** A result past this would only be refused later, but cost memory outside the engine's limit first. */
const MAX_RESULT = 64 * 1024 * 1024;

const isAscii = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
};

/** substr(X, Y, Z) by func.c substrFunc: the range [first, last) of characters or bytes. */
function range(length: number, start: number, count: number | undefined): readonly [number, number] {
  let p1 = start;
  let p2 = count ?? Number.MAX_SAFE_INTEGER;
  const backward = p2 < 0;
  if (backward) p2 = -p2;
  if (p1 < 0) {
    p1 += length;
    if (p1 < 0) {
      p2 += p1;
      if (p2 < 0) p2 = 0;
      p1 = 0;
    }
  } else if (p1 > 0) p1--;
  else if (p2 > 0) p2--;
  if (backward) {
    p1 -= p2;
    if (p1 < 0) {
      p2 += p1;
      p1 = 0;
    }
  }
  return [Math.min(p1, length), Math.min(p1 + Math.max(p2, 0), length)];
}

/** sqlite3_value_int: the low 32 bits. */
const int = (value: bigint): number => Number(BigInt.asIntN(32, value));

/** Of what stands before the first NUL (lang_corefunc.html#substr). */
export function substrText(given: string, start: bigint, count: bigint): string {
  const text = untilNul(given);
  if (isAscii(text)) {
    const [first, last] = range(text.length, int(start), int(count));
    return text.slice(first, last);
  }
  const [first, last] = range(characters(text), int(start), int(count));
  const from = unitAt(text, 0, first);
  return text.slice(from, unitAt(text, from, last - first));
}

/** Of an empty blob SQLite gives NULL. */
export function substrBlob(bytes: Uint8Array, start: bigint, count: bigint): Uint8Array | null {
  if (bytes.length === 0) return null;
  const [first, last] = range(bytes.length, int(start), int(count));
  return bytes.slice(first, last);
}

export function substrAny(value: Given, start: bigint, count: bigint): SqlValue {
  return value instanceof Uint8Array
    ? substrBlob(value, start, count)
    : substrText(toText(value), start, count);
}

/** Where so many characters after a place end. */
function unitAt(text: string, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0; left--) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
}

export function instrBlob(bytes: Uint8Array, part: Uint8Array): bigint {
  return BigInt(Buffer.from(bytes).indexOf(part) + 1);
}

export function instrAny(value: Given, part: Given): bigint {
  if (value instanceof Uint8Array && part instanceof Uint8Array) return instrBlob(value, part);
  const text = toText(value);
  const at = text.indexOf(toText(part));
  return at < 0 ? 0n : BigInt(characters(text.slice(0, at)) + 1);
}

export function lengthAny(value: Given): bigint {
  if (value instanceof Uint8Array) return BigInt(value.length);
  return BigInt(characters(untilNul(toText(value))));
}

/** Where C code reads a text, it ends at the first NUL. */
export function untilNul(text: string): string {
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

function characters(text: string): number {
  let pairs = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0xd800 && code < 0xdc00) pairs++;
  }
  return text.length - pairs;
}

/** abs(X): texts and blobs become reals; the smallest integer has no opposite. */
export function abs(value: Given): SqlValue {
  if (typeof value !== 'bigint') return Math.abs(toReal(value));
  if (value === MIN_INTEGER) throw new GatewayError('run-failed', 'integer overflow');
  return value < 0n ? -value : value;
}

export function char(...codes: (bigint | null)[]): string {
  return codes.map((code) => character(code) ?? '\ufffd\ufffd\ufffd').join('');
}

/** Undefined: half a surrogate pair, which SQLite writes as three bytes that are no UTF-8. */
function character(given: bigint | null): string | undefined {
  const code = given ?? 0n;
  if (code >= 0xd800n && code <= 0xdfffn) return undefined;
  return String.fromCodePoint(code >= 0n && code <= 0x10ffffn ? Number(code) : 0xfffd);
}

/** The bytes of the text that char() makes. */
export function charBytes(...codes: (bigint | null)[]): Uint8Array {
  const parts = codes.map((given) => {
    const text = character(given);
    if (text !== undefined) return Buffer.from(text);
    const code = Number(given);
    return Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)]);
  });
  return Buffer.concat(parts);
}

export function unicode(text: string): bigint | null {
  const code = text.codePointAt(0);
  return code === undefined || code === 0 ? null : BigInt(code);
}

/** replace(X, '', Z) is X as it was. */
export function replaceAny(value: Given, from: Given, to: SqlValue): SqlValue {
  const pattern = toText(from);
  if (pattern === '' || pattern.startsWith('\0')) return value instanceof Uint8Array ? toText(value) : value;
  if (to === null) return null;
  return replaceText(toText(value), pattern, toText(to));
}

function replaceText(text: string, pattern: string, to: string): string {
  if (to.length > pattern.length) {
    const found = text.split(pattern).length - 1;
    bound(text.length + found * (to.length - pattern.length));
  }
  return text.replaceAll(pattern, () => to);
}

export function bound(length: number): void {
  if (length > MAX_RESULT) throw new GatewayError('run-failed', 'string or blob too big');
}

/** quote(X): an SQL literal of it (lang_corefunc.html#quote). */
export function quote(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return `'${untilNul(value).replaceAll("'", "''")}'`;
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex').toUpperCase()}'`;
  if (typeof value === 'bigint') return String(value);
  return quoteReal(value);
}

/** 15 digits, or 20 where 15 do not read back as the same real. */
function quoteReal(value: number): string {
  const short = realText(value);
  if (toReal(short) === value) return short;
  return formatReal(value, { conversion: 'e', precision: 20, alternate2: true });
}

export function hexAny(value: Given): string {
  const bytes = value instanceof Uint8Array ? value : textBlob(toText(value));
  return Buffer.from(bytes).toString('hex').toUpperCase();
}
