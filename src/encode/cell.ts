// One cell to JSON, by the rules of the API's cell values: every digit of an integer, texts that are JSON
// embedded, blobs in base64, reals as ECMAScript (and Go) prints them. Whoever calls has made room.
import type { Memory } from './byte-writer.ts';
import { type ColumnData, isNull, wholeInteger } from './column-data.ts';
import { mostBytes, writeText } from './json-text.ts';

const ZERO = 0x30;
const MINUS = 0x2d;
const QUOTE = 0x22;
/** Integers have 20 bytes at most, reals 25. */
const NUMBER_BYTES = 26;

/** The most bytes that the cell can take. */
export function cellBytes(column: ColumnData, row: number): number {
  switch (column.kind) {
    case 'integer':
    case 'real':
      return NUMBER_BYTES;
    case 'text': {
      const { bytes, starts, lengths } = column.texts;
      const start = starts[row] as number;
      return mostBytes(bytes, start, start + (lengths[row] as number)) + 4;
    }
    case 'blob':
      return Math.ceil((column.texts.lengths[row] as number) / 3) * 4 + 4;
    case 'any':
      return isNull(column.validity, row)
        ? 4
        : cellBytes(column.members[column.tags[row] as number] as ColumnData, row);
  }
}

/** Gives the place after the cell. */
export function writeCell(out: Memory, at: number, column: ColumnData, row: number): number {
  if (isNull(column.validity, row)) return writeNull(out.bytes, at);
  switch (column.kind) {
    case 'integer':
      return writeWhole(out, at, column.halves[row * 2] as number, column.halves[row * 2 + 1] as number);
    case 'real':
      return writeReal(out.bytes, at, column.values[row] as number);
    case 'text': {
      const start = column.texts.starts[row] as number;
      return writeText(out, at, column.texts, start, start + (column.texts.lengths[row] as number));
    }
    case 'blob': {
      const start = column.texts.starts[row] as number;
      const end = start + (column.texts.lengths[row] as number);
      return writeBlob(out.bytes, at, column.texts.bytes, start, end);
    }
    case 'any':
      return writeCell(out, at, column.members[column.tags[row] as number] as ColumnData, row);
  }
}

export function writeNull(bytes: Uint8Array, at: number): number {
  bytes[at] = 0x6e;
  bytes[at + 1] = 0x75;
  bytes[at + 2] = 0x6c;
  bytes[at + 3] = 0x6c;
  return at + 4;
}

function writeAscii(bytes: Uint8Array, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
  return at + text.length;
}

/** Two digits each, as they lie in memory. */
const DIGIT_PAIRS = new Uint16Array(100);
for (let i = 0; i < 100; i++) DIGIT_PAIRS[i] = (ZERO + Math.floor(i / 10)) | ((ZERO + (i % 10)) << 8);

function writeWhole(out: Memory, at: number, low: number, high: number): number {
  return isShort(low, high)
    ? writeInteger(out, at, low)
    : writeAscii(out.bytes, at, wholeInteger(low, high).toString());
}

/** The high half only repeats the sign of the low one, which has a negative in 32 bits. */
export function isShort(low: number, high: number): boolean {
  return high === low >> 31 && low !== -0x8000_0000;
}

/** @param short see {@link isShort} */
export function writeInteger({ bytes, view }: Memory, place: number, short: number): number {
  let at = place;
  let value = short;
  if (value < 0) {
    bytes[at++] = MINUS;
    value = -value;
  }
  const end = at + digitsOf(value);
  at = end;
  while (value >= 100) {
    const rest = (value / 100) | 0;
    at -= 2;
    view.setUint16(at, DIGIT_PAIRS[value - rest * 100] as number, true);
    value = rest;
  }
  if (value >= 10) view.setUint16(at - 2, DIGIT_PAIRS[value] as number, true);
  else bytes[at - 1] = ZERO + value;
  return end;
}

export function digitsOf(value: number): number {
  if (value < 100) return value < 10 ? 1 : 2;
  if (value < 10_000) return value < 1_000 ? 3 : 4;
  if (value < 1_000_000) return value < 100_000 ? 5 : 6;
  if (value < 100_000_000) return value < 10_000_000 ? 7 : 8;
  return value < 1_000_000_000 ? 9 : 10;
}

function writeReal(bytes: Uint8Array, at: number, value: number): number {
  // JSON has no infinities; NaN cannot come (SQLite makes it NULL).
  if (!Number.isFinite(value)) return writeNull(bytes, at);
  return writeAscii(bytes, at, Object.is(value, -0) ? '-0' : String(value));
}

const BASE64 = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const PADDING = 0x3d;

function writeBlob(bytes: Uint8Array, place: number, source: Uint8Array, from: number, to: number): number {
  let at = place;
  bytes[at++] = QUOTE;
  for (let i = from; i < to; i += 3) {
    const left = to - i;
    const three =
      ((source[i] as number) << 16) |
      (left > 1 ? (source[i + 1] as number) << 8 : 0) |
      (left > 2 ? (source[i + 2] as number) : 0);
    bytes[at++] = BASE64[three >> 18] as number;
    bytes[at++] = BASE64[(three >> 12) & 63] as number;
    bytes[at++] = left > 1 ? (BASE64[(three >> 6) & 63] as number) : PADDING;
    bytes[at++] = left > 2 ? (BASE64[three & 63] as number) : PADDING;
  }
  bytes[at++] = QUOTE;
  return at;
}
