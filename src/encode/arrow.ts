// Rows as an Arrow IPC stream (arrow.apache.org/docs/format/Columnar.html): a schema, record batches as they
// fill, and the mark of the end. Every column may hold NULL.
import type { ByteWriter } from './byte-writer.ts';
import { type BatchColumn, type BatchKind, type ColumnBatch, isFixed } from './column-batch.ts';
import { createColumnEncoder, type TypedColumn } from './column-encoder.ts';
import type { Encoder } from './encode.ts';
import { type Child, type Field, flatbuffer } from './flatbuffer.ts';

/** A batch is sent when it has so many rows or bytes; a chunk is never split. */
const BATCH = { rows: 64 * 1024, bytes: 1024 * 1024 };

/** MetadataVersion V5, of Arrow 1.0 and later. */
const V5 = 4;
const HEADER = { schema: 1, recordBatch: 3 } as const;

const i8 = (value: number): Field => ({ bytes: 1, value });
const i16 = (value: number): Field => ({ bytes: 2, value });
const i32 = (value: number): Field => ({ bytes: 4, value });
const i64 = (value: number): Field => ({ bytes: 8, value });

/** Number and table of each type in Schema.fbs. */
const TYPE: { readonly [K in BatchKind]: { readonly tag: number; readonly table: Child } } = {
  integer: { tag: 2, table: { table: [i32(64), i8(1)] } },
  real: { tag: 3, table: { table: [i16(2)] } },
  blob: { tag: 4, table: { table: [] } },
  text: { tag: 5, table: { table: [] } },
};

export function createArrowEncoder(columns: readonly TypedColumn[], out: ByteWriter): Encoder {
  return createColumnEncoder(columns, out, BATCH, {
    start: () => putMessage(out, HEADER.schema, schema(columns), 0),
    batch: (batch) => putBatch(out, batch),
    end: () => out.put(END),
  });
}

/** A continuation mark and no message. */
const END = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);

function schema(columns: readonly TypedColumn[]): Child {
  const fields = columns.map(({ name, kind }): Child => {
    const { tag, table } = TYPE[kind];
    // Name, nullable, type, dictionary, children: readers in C++ want the children though there are none.
    return { table: [{ text: name }, i8(1), i8(tag), table, undefined, { vector: [] }] };
  });
  return { table: [undefined, { vector: fields }] };
}

function putMessage(out: ByteWriter, header: number, table: Child, bodyBytes: number): void {
  const metadata = flatbuffer([i16(V5), i8(header), table, i64(bodyBytes)]);
  const prefix = new DataView(new ArrayBuffer(8));
  prefix.setUint32(0, 0xffffffff, true);
  prefix.setUint32(4, metadata.length, true);
  out.put(new Uint8Array(prefix.buffer));
  out.put(metadata);
}

const padded = (bytes: number): number => (bytes + 7) & ~7;

function putBatch(out: ByteWriter, { rows, columns }: ColumnBatch): void {
  const buffers: Uint8Array[] = [];
  for (const column of columns) buffers.push(...buffersOf(column, rows));
  const places: [number, number][] = [];
  let body = 0;
  for (const { length } of buffers) {
    places.push([body, length]);
    body += padded(length);
  }
  const nodes = columns.map(({ nulls }) => [rows, nulls]);
  putMessage(out, HEADER.recordBatch, { table: [i64(rows), { structs: nodes }, { structs: places }] }, body);
  out.reserve(body);
  for (const buffer of buffers) {
    out.put(buffer);
    out.put(PADDING.subarray(0, padded(buffer.length) - buffer.length));
  }
}

const PADDING = new Uint8Array(8);

/** Validity (left out where nothing is NULL), where texts end, values. */
function buffersOf({ kind, nulls, valid, values, used, ends }: BatchColumn, rows: number): Uint8Array[] {
  const bitmap = valid.subarray(0, nulls === 0 ? 0 : (rows + 7) >> 3);
  const data = values.subarray(0, used);
  return isFixed(kind)
    ? [bitmap, data]
    : [bitmap, new Uint8Array(ends.buffer, ends.byteOffset, (rows + 1) * 4), data];
}
