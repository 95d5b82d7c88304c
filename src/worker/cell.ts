// One cell to JSON, by the rules of the API's cell values: every digit of an integer, texts that are JSON
// embedded, blobs in base64, reals as ECMAScript (and Go) prints them. Whoever calls has made room.
import { type ColumnData, isNull } from './column-data.ts';
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
export function writeCell(bytes: Uint8Array, at: number, column: ColumnData, row: number): number {
  if (isNull(column.validity, row)) return writeNull(bytes, at);
  switch (column.kind) {
    case 'integer':
      return writeInteger(bytes, at, column.halves[row * 2] as number, column.halves[row * 2 + 1] as number);
    case 'real':
      return writeReal(bytes, at, column.values[row] as number);
    case 'text': {
      const start = column.texts.starts[row] as number;
      return writeText(bytes, at, column.texts.bytes, start, start + (column.texts.lengths[row] as number));
    }
    case 'blob': {
      const start = column.texts.starts[row] as number;
      return writeBlob(bytes, at, column.texts.bytes, start, start + (column.texts.lengths[row] as number));
    }
    case 'any':
      return writeCell(bytes, at, column.members[column.tags[row] as number] as ColumnData, row);
  }
}

function writeNull(bytes: Uint8Array, at: number): number {
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

function writeInteger(bytes: Uint8Array, place: number, low: number, high: number): number {
  // The high half only repeats the sign of the low one: the number has 32 bits.
  if (high !== low >> 31)
    return writeAscii(bytes, place, ((BigInt(high) << 32n) | BigInt(low >>> 0)).toString());
  let at = place;
  let value = low;
  if (value < 0) {
    bytes[at++] = MINUS;
    value = -value;
  }
  let digits = 1;
  for (let bound = 10; value >= bound; bound *= 10) digits++;
  const end = at + digits;
  for (let i = end - 1; i >= at; i--) {
    const rest = Math.floor(value / 10);
    bytes[i] = ZERO + (value - rest * 10);
    value = rest;
  }
  return end;
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
