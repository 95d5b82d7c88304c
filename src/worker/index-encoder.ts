// Rows on their way into the front's index of a shape: written as in an answer, each with its separator behind it,
// and with the values by which they are found. What is taken of it is one block of index-block.ts.
import type { IndexPlan } from '../dialect/plan.ts';
import { writeIndexBlock } from '../index-block.ts';
import type { IndexDefinition, Output } from '../protocol.ts';
import type { ByteWriter } from './byte-writer.ts';
import { type ColumnData, chunkRows, readColumns, wholeNumber } from './column-data.ts';
import { type Encoder, holdChunk, layoutOfRows, type ResultColumn, writeRows } from './encode.ts';
import type { MakeEncoder } from './formats.ts';

/** Only JSON's formats are made of rows that stand for themselves. */
const FORMATS: ReadonlySet<string> = new Set(['objects', 'table', 'ndjson']);

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
  if (!FORMATS.has(output.format)) return undefined;
  const { layout, open, close, separator } = layoutOfRows(columns, output);
  if (layout.refusal !== undefined) return undefined;
  const kinds = [...layout.kinds, ...terms.map(({ kind }) => kind)];
  const make = (out: ByteWriter): Encoder => {
    out.clear();
    let rows = 0;
    let taken = 0;
    let ends: number[] = [];
    let values: (number[] | string[])[] = terms.map(() => []);
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
      add(chunk) {
        holdChunk(chunk);
        const data = readColumns(chunk, kinds);
        const count = chunkRows(chunk);
        writeRows(out, layout, data, 0, count, undefined, ends);
        terms.forEach((_, i) => {
          addValues(values[i] as (number | string)[], data[layout.kinds.length + i] as ColumnData, count);
        });
        rows += count;
        holdChunk(undefined);
      },
      take() {
        const block = writeIndexBlock(values, ends, out.written());
        taken += out.length;
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

/** Integers as numbers. @throws Error where one is too large to be exact */
function addValues(into: (number | string)[], column: ColumnData, rows: number): void {
  if (column.kind === 'integer') {
    const { halves } = column;
    for (let row = 0; row < rows; row++) {
      const value = wholeNumber(halves[row * 2] as number, halves[row * 2 + 1] as number);
      if (value === undefined) throw new Error('an integer that no index can hold');
      into.push(value);
    }
    return;
  }
  if (column.kind !== 'text') throw new Error(`no index by ${column.kind}`);
  const { bytes, starts, lengths } = column.texts;
  const texts = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let row = 0; row < rows; row++) {
    const start = starts[row] as number;
    into.push(texts.toString('latin1', start, start + (lengths[row] as number)));
  }
}
