// How SQLite orders values of any kind (datatype3.html section 4.1): NULL, numbers, texts, blobs.
import type { Collation } from '../../value.ts';
import type { SqlValue } from './number-text.ts';

const rank = (value: SqlValue): number =>
  value === null ? 0 : typeof value === 'string' ? 2 : value instanceof Uint8Array ? 3 : 1;

export function foldAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (part) => part.toLowerCase());
}

/** A text that compares by its code points as this one does in the collation. */
export function collationKey(text: string, collation: Collation): string {
  switch (collation) {
    case 'binary':
      return text;
    case 'nocase':
      return foldAscii(text);
    case 'rtrim':
      return text.replace(/ +$/, '');
  }
}

/** By code points, which is the order of UTF-8 bytes; JavaScript's own order is that of UTF-16 units. */
function compareText(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // Surrogates stand for code points above all others.
    const surrogates = Number(x >= 0xd800 && x < 0xe000) - Number(y >= 0xd800 && y < 0xe000);
    return surrogates || x - y;
  }
  return a.length - b.length;
}

export function compareValues(a: SqlValue, b: SqlValue, collation: Collation): number {
  const difference = rank(a) - rank(b);
  if (difference !== 0 || a === null || b === null) return difference;
  if (typeof a === 'string')
    return compareText(collationKey(a, collation), collationKey(b as string, collation));
  if (a instanceof Uint8Array) return Buffer.compare(a, b as Uint8Array);
  // JavaScript compares a bigint with a number exactly.
  const other = b as bigint | number;
  return a < other ? -1 : Number(a > other);
}

/** Scalar max() and min(): NULL where an argument is; min keeps the last of equals, max the first (func.c). */
export function extreme(largest: boolean, collation: Collation, values: readonly SqlValue[]): SqlValue {
  let best = values[0]!;
  for (const value of values) {
    if (value === null) return null;
    const difference = compareValues(best, value, collation);
    if (largest ? difference < 0 : difference >= 0) best = value;
  }
  return best;
}
