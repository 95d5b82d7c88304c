// One cell to JSON, by the rules of the API's cell values: every digit of an integer, texts that are JSON
// embedded, blobs in base64, reals as ECMAScript (and Go) prints them.
import type { ByteWriter } from './byte-writer.ts';
import { type ColumnData, isNull } from './column-data.ts';
import { writeText } from './json-text.ts';

const ZERO = 0x30;
const MINUS = 0x2d;
const QUOTE = 0x22;

export function writeCell(out: ByteWriter, column: ColumnData, row: number): void {
  if (isNull(column.validity, row)) {
    writeNull(out);
    return;
  }
  switch (column.kind) {
    case 'integer':
      writeInteger(out, column.halves[row * 2] as number, column.halves[row * 2 + 1] as number);
      return;
    case 'real':
      writeReal(out, column.values[row] as number);
      return;
    case 'text': {
      const start = column.texts.starts[row] as number;
      writeText(out, column.texts.bytes, start, start + (column.texts.lengths[row] as number));
      return;
    }
    case 'blob': {
      const start = column.texts.starts[row] as number;
      writeBlob(out, column.texts.bytes, start, start + (column.texts.lengths[row] as number));
      return;
    }
    case 'any':
      writeCell(out, column.members[column.tags[row] as number] as ColumnData, row);
  }
}

function writeNull(out: ByteWriter): void {
  out.reserve(4);
  const bytes = out.bytes;
  const at = out.length;
  bytes[at] = 0x6e;
  bytes[at + 1] = 0x75;
  bytes[at + 2] = 0x6c;
  bytes[at + 3] = 0x6c;
  out.length = at + 4;
}

function writeInteger(out: ByteWriter, low: number, high: number): void {
  // The high half only repeats the sign of the low one: the number has 32 bits.
  if (high !== low >> 31) {
    out.ascii(((BigInt(high) << 32n) | BigInt(low >>> 0)).toString());
    return;
  }
  out.reserve(11);
  const bytes = out.bytes;
  let value = low;
  if (value < 0) {
    bytes[out.length++] = MINUS;
    value = -value;
  }
  let digits = 1;
  for (let bound = 10; value >= bound; bound *= 10) digits++;
  for (let at = out.length + digits - 1; at >= out.length; at--) {
    const rest = Math.floor(value / 10);
    bytes[at] = ZERO + (value - rest * 10);
    value = rest;
  }
  out.length += digits;
}

function writeReal(out: ByteWriter, value: number): void {
  // JSON has no infinities; NaN cannot come (SQLite makes it NULL).
  if (!Number.isFinite(value)) writeNull(out);
  else out.ascii(Object.is(value, -0) ? '-0' : String(value));
}

function writeBlob(out: ByteWriter, source: Uint8Array, from: number, to: number): void {
  const text = Buffer.from(source.buffer, source.byteOffset + from, to - from).toString('base64');
  out.reserve(text.length + 2);
  out.bytes[out.length++] = QUOTE;
  out.ascii(text);
  out.bytes[out.length++] = QUOTE;
}
