// Rows to the bytes of a body, in each form of the API: objects or table, extracted, unwrapped. Measured
// against the engine's own JSON functions: the SQL for those costs a lookup 280 us more, and they differ from
// what the API promises (reals, what counts as valid JSON).
import type { ColumnKind } from '../dialect/plan.ts';
import { type ByteWriter, type Piece, writePieces } from './byte-writer.ts';
import { beginCells, type Cells, cellsOf } from './cells.ts';
import type { ColumnData } from './column-data.ts';
import type { Layout } from './layout.ts';

export interface Encoder {
  readonly rows: number;
  /** Bytes that were written and not yet taken. */
  readonly waiting: number;
  /** Bytes of the body so far. */
  readonly total: number;
  /** Who made the encoder gets it back. */
  readonly writer: ByteWriter;
  /** Of each column in turn. */
  readonly kinds: readonly ColumnKind[];
  add(columns: readonly ColumnData[], count: number): void;
  /** Gives what was written since the last take. The memory is the encoder's until the next add. */
  take(): Uint8Array;
  /** Writes what stands after the last row. */
  finish(): void;
}

/** @param out is cleared first */
export function createEncoder(layout: Layout, out: ByteWriter): Encoder {
  out.clear();
  out.put(layout.open);
  let rows = 0;
  let taken = 0;
  return {
    writer: out,
    get total() {
      return taken + out.length;
    },
    get rows() {
      return rows;
    },
    get waiting() {
      return out.length;
    },
    kinds: layout.kinds,
    add(columns, count) {
      writeRows(out, layout, columns, rows, count);
      rows += count;
    },
    take() {
      const written = out.written();
      taken += written.length;
      out.length = 0;
      return written;
    },
    finish: () => out.put(layout.close),
  };
}

/**
 * Column by column, since a loop over cells of one kind takes half the time of one over all cells of a row: first how
 * many bytes each row takes, then each cell at its place.
 * @throws GatewayError extract-columns
 * @param before rows of the body so far: whether the first of these needs a separator
 */
function writeRows(
  out: ByteWriter,
  layout: Layout,
  columns: readonly ColumnData[],
  before: number,
  count: number,
): void {
  if (count === 0) return;
  if (layout.refusal !== undefined) throw layout.refusal;
  const { cells, next, rowEnd, rowBytes } = layout;
  const befores = cells.map(({ before }) => before);
  const [first = next] = befores;
  beginCells();
  const data = cells.map(({ column }) => cellsOf(columns[column] as ColumnData, count));
  const places = takePlaces(count);
  places.fill(rowBytes, 0, count);
  if (before === 0) places[0] = rowBytes - next.bytes.length + first.bytes.length;
  for (const each of data) each.addSizes(places);
  const end = placesOf(places, count, out.length);
  out.reserve(end - out.length);
  if (before === 0) writePieces(out, first, places, 0, 1);
  for (let from = 0; from < count; from += BLOCK_ROWS) {
    const to = Math.min(from + BLOCK_ROWS, count);
    writePieces(out, next, places, before + from === 0 ? 1 : from, to);
    for (let i = 0; i < cells.length; i++) {
      if (i > 0) writePieces(out, befores[i] as Piece, places, from, to);
      (data[i] as Cells).write(out, places, from, to);
    }
    writePieces(out, rowEnd, places, from, to);
  }
  out.length = end;
}

/** Rows that are written column by column: as many as stay in a processor's nearest cache. */
const BLOCK_ROWS = 128;

/** Kept for the next rows. */
let rowPlaces = new Int32Array(2048);
function takePlaces(count: number): Int32Array {
  if (rowPlaces.length < count) rowPlaces = new Int32Array(count);
  return rowPlaces;
}

/**
 * Makes the sizes of rows their places, the first at `start`. Gives the place after the last.
 * @throws RangeError
 */
function placesOf(sizes: Int32Array, count: number, start: number): number {
  let at = start;
  for (let row = 0; row < count; row++) {
    const size = sizes[row] as number;
    sizes[row] = at;
    at += size;
  }
  if (at > 0x7fffffff) throw new RangeError('rows of one chunk pass 2 GiB');
  return at;
}
