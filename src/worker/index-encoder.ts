// Rows on their way into the front's index of a shape: written as in an answer, each with its separator behind it,
// and with the values by which they are found. What is taken of it is one block of index-block.ts.
import type { IndexPlan } from '../dialect/plan.ts';
import type { ByteWriter } from '../encode/byte-writer.ts';
import { type ColumnData, wholeNumber } from '../encode/column-data.ts';
import { type Encoder, writeRows } from '../encode/encode.ts';
import { type MakeEncoder, ROW_FORMATS } from '../encode/formats.ts';
import { layoutOfRows, type ResultColumn } from '../encode/layout.ts';
import { GatewayError } from '../errors.ts';
import { writeIndexBlock } from '../index-block.ts';
import type { IndexDefinition, Output } from '../protocol.ts';

export interface IndexEncoding {
  readonly make: MakeEncoder;
  readonly definition: IndexDefinition;
}

/** Undefined where answers of this form are not rows one after the other. @throws GatewayError mixed-column */
export function indexEncoding(
  columns: readonly ResultColumn[],
  { terms, limit, offset }: IndexPlan,
  output: Output,
): IndexEncoding | undefined {
  if (!ROW_FORMATS.has(output.format)) return undefined;
  const { layout, open, close, separator } = layoutOfRows(columns, output);
  if (layout.refusal !== undefined) return undefined;
  const kindsOfTerms = terms.map(({ kind }) => kind);
  const kinds = [...layout.kinds, ...kindsOfTerms];
  const make = (out: ByteWriter): Encoder => {
    out.clear();
    let rows = 0;
    let taken = 0;
    /** Of what stands beside the rows in a block. */
    let valueBytes = 0;
    let ends: number[] = [];
    let values: (number[] | string[])[] = terms.map(() => []);
    return {
      writer: out,
      get rows() {
        return rows;
      },
      get waiting() {
        return out.length + valueBytes;
      },
      get total() {
        return taken + out.length + valueBytes;
      },
      kinds,
      add(data, count) {
        if (data.reduce((sum, column) => sum + textBytes(column), 0) > MAX_CHUNK_BYTES)
          throw noIndex('its rows are too large');
        writeRows(out, layout, data, 0, count, undefined, ends);
        valueBytes += count * ROW_BYTES;
        terms.forEach((_, i) => {
          const column = data[layout.kinds.length + i] as ColumnData;
          valueBytes += addValues(values[i] as (number | string)[], column, count);
        });
        rows += count;
      },
      take() {
        const block = writeIndexBlock(kindsOfTerms, values, ends, out.written());
        taken += out.length + valueBytes;
        valueBytes = 0;
        out.length = 0;
        ends = [];
        values = terms.map(() => []);
        return block;
      },
      finish: () => {},
    };
  };
  const definition: IndexDefinition = {
    terms,
    limit,
    offset,
    columns: columns.length,
    open,
    close,
    separatorBytes: separator.length,
  };
  return { make, definition };
}

/** Not a fault of anybody: the engine answers the statements as before. */
export function noIndex(why: string): GatewayError {
  return new GatewayError('unsupported', `there can be no index: ${why}`);
}

/** Of texts in 2,048 rows. */
const MAX_CHUNK_BYTES = 8 * 1024 * 1024;

function textBytes(column: ColumnData): number {
  return 'texts' in column ? column.texts.lengths.reduce((sum, length) => sum + length, 0) : 0;
}

/** Where a row ends. */
const ROW_BYTES = 4;
/** A number, and where a text ends. */
const NUMBER_BYTES = 8;
const TEXT_BYTES = 4;

/** Integers as numbers. Gives how many bytes they are in a block. @throws GatewayError where one is not exact */
function addValues(into: (number | string)[], column: ColumnData, rows: number): number {
  if (column.kind === 'integer') {
    const { halves } = column;
    for (let row = 0; row < rows; row++) {
      const value = wholeNumber(halves[row * 2] as number, halves[row * 2 + 1] as number);
      if (value === undefined) throw noIndex('an integer is past 2^53');
      into.push(value);
    }
    return rows * NUMBER_BYTES;
  }
  if (column.kind !== 'text') throw new Error(`no index by ${column.kind}`);
  const { bytes, starts, lengths } = column.texts;
  const texts = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let length = 0;
  for (let row = 0; row < rows; row++) {
    const start = starts[row] as number;
    into.push(texts.toString('latin1', start, start + (lengths[row] as number)));
    length += lengths[row] as number;
  }
  return length + rows * TEXT_BYTES;
}
