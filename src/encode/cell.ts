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

/** Cells of more bytes are reckoned one by one. */
const MANY_BYTES = 4096;

/** The most bytes that any cell of the column can take; undefined where some may take many. */
export function mostCellBytes(column: ColumnData): number | undefined {
  switch (column.kind) {
    case 'integer':
    case 'real':
      return NUMBER_BYTES;
    case 'text':
    case 'blob': {
      const { lengths } = column.texts;
      let longest = 0;
      for (let row = 0; row < lengths.length; row++) longest = Math.max(longest, lengths[row] as number);
      const most = longest * 6 + 8;
      return most > MANY_BYTES ? undefined : most;
    }
    case 'any': {
      const most = column.members.map(mostCellBytes);
      return most.includes(undefined) ? undefined : Math.max(...(most as number[]));
    }
  }
}

/** Gives the place after the cell. */
export function writeCell(out: Memory, at: number, column: ColumnData, row: number): number {
  if (isNull(column.validity, row)) return writeNull(out.bytes, at);
  switch (column.kind) {
    case 'integer':
      return writeInteger(out, at, column.halves[row * 2] as number, column.halves[row * 2 + 1] as number);
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

/** Two digits each, as they lie in memory. */
const DIGIT_PAIRS = new Uint16Array(100);
for (let i = 0; i < 100; i++) DIGIT_PAIRS[i] = (ZERO + Math.floor(i / 10)) | ((ZERO + (i % 10)) << 8);

function writeInteger({ bytes, view }: Memory, place: number, low: number, high: number): number {
  // The high half only repeats the sign of the low one: the number has 32 bits. The smallest has no negative in those.
  if (high !== low >> 31 || low === -0x8000_0000)
    return writeAscii(bytes, place, wholeInteger(low, high).toString());
  let at = place;
  let value = low;
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

function digitsOf(value: number): number {
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
