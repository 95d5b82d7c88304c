// Rows as CSV by RFC 4180: a header row, CRLF after every row, quotes only where needed. NULL is an empty field
// without quotes, the empty text is `""`; blobs are base64, as in the JSON.
import type { ByteWriter, Memory } from './byte-writer.ts';
import { cellBytes, writeCell } from './cell.ts';
import { type ColumnData, isNull } from './column-data.ts';
import type { Encoder } from './encode.ts';
import type { ResultColumn } from './layout.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;

export function createCsvEncoder(columns: readonly ResultColumn[], out: ByteWriter): Encoder {
  out.clear();
  const kinds = columns.map(({ kind }) => kind);
  out.put(headerRow(columns));
  let rows = 0;
  let taken = 0;
  return {
    writer: out,
    get rows() {
      return rows;
    },
    get waiting() {
      return out.length;
    },
    get total() {
      return taken + out.length;
    },
    kinds,
    add(columns, count) {
      writeRows(out, columns, count);
      rows += count;
    },
    take() {
      const written = out.written();
      taken += written.length;
      out.length = 0;
      return written;
    },
    finish: () => {},
  };
}

function headerRow(columns: readonly ResultColumn[]): Uint8Array {
  const names = columns.map(({ name }) => {
    const source = Buffer.from(name, 'utf8');
    const bytes = new Uint8Array(source.length * 2 + 2);
    return Buffer.from(bytes.subarray(0, writeText(bytes, 0, source, 0, source.length))).toString('utf8');
  });
  return Buffer.from(`${names.join(',')}\r\n`);
}

function writeRows(out: ByteWriter, columns: readonly ColumnData[], rows: number): void {
  const width = columns.length;
  let { bytes } = out;
  let at = out.length;
  for (let row = 0; row < rows; row++) {
    let most = width + 2;
    // A text in quotes takes less room than the most that it takes as JSON.
    for (let i = 0; i < width; i++) most += cellBytes(columns[i] as ColumnData, row);
    if (at + most > bytes.length) {
      out.length = at;
      out.reserve(most);
      bytes = out.bytes;
    }
    for (let i = 0; i < width; i++) {
      if (i > 0) bytes[at++] = COMMA;
      at = writeField(out, at, columns[i] as ColumnData, row);
    }
    bytes[at++] = CR;
    bytes[at++] = LF;
  }
  out.length = at;
}

function writeField(out: Memory, at: number, column: ColumnData, row: number): number {
  const { bytes } = out;
  if (isNull(column.validity, row)) return at;
  switch (column.kind) {
    case 'integer':
      return writeCell(out, at, column, row);
    case 'real':
      return writeReal(out, at, column, row);
    case 'text': {
      const start = column.texts.starts[row] as number;
      return writeText(bytes, at, column.texts.bytes, start, start + (column.texts.lengths[row] as number));
    }
    case 'blob':
      return withoutQuotes(bytes, at, writeCell(out, at, column, row));
    case 'any':
      return writeField(out, at, column.members[column.tags[row] as number] as ColumnData, row);
  }
}

/** JSON has no infinities, CSV does: as most programs read them. */
function writeReal(
  out: Memory,
  at: number,
  column: ColumnData & { readonly kind: 'real' },
  row: number,
): number {
  const value = column.values[row] as number;
  if (Number.isFinite(value)) return writeCell(out, at, column, row);
  const word = value > 0 ? 'Infinity' : '-Infinity';
  for (let i = 0; i < word.length; i++) out.bytes[at + i] = word.charCodeAt(i);
  return at + word.length;
}

/** Base64 needs none, but for the empty blob, which is no NULL. */
function withoutQuotes(bytes: Uint8Array, from: number, to: number): number {
  if (to - from === 2) return to;
  bytes.copyWithin(from, from + 1, to - 1);
  return to - 2;
}

function writeText(bytes: Uint8Array, place: number, source: Uint8Array, from: number, to: number): number {
  let at = place;
  if (!needsQuotes(source, from, to)) {
    for (let i = from; i < to; i++) bytes[at++] = source[i] as number;
    return at;
  }
  bytes[at++] = QUOTE;
  for (let i = from; i < to; i++) {
    const code = source[i] as number;
    if (code === QUOTE) bytes[at++] = QUOTE;
    bytes[at++] = code;
  }
  bytes[at++] = QUOTE;
  return at;
}

/** Spaces at either end too: many readers would take them away. */
function needsQuotes(source: Uint8Array, from: number, to: number): boolean {
  if (from === to || source[from] === SPACE || source[to - 1] === SPACE) return true;
  for (let i = from; i < to; i++) {
    const code = source[i] as number;
    if (code === QUOTE || code === COMMA || code === CR || code === LF) return true;
  }
  return false;
}
