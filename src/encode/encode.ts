// Rows to the bytes of a body, in each form of the API: objects or table, extracted, unwrapped. Measured
// against the engine's own JSON functions: the SQL for those costs a lookup 280 us more, and they differ from
// what the API promises (reals, what counts as valid JSON).
import type { ColumnKind } from '../dialect/plan.ts';
import { type ByteWriter, writePiece } from './byte-writer.ts';
import { cellBytes, mostCellBytes, writeCell } from './cell.ts';
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

/** Undefined where rows differ so much that each is looked at. */
function mostRowBytes(data: readonly ColumnData[], rowBytes: number): number | undefined {
  let most = rowBytes;
  for (const column of data) {
    const cell = mostCellBytes(column);
    if (cell === undefined) return undefined;
    most += cell;
  }
  return most;
}

/**
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
  if (layout.refusal !== undefined && count > 0) throw layout.refusal;
  const data = layout.cells.map(({ column }) => columns[column] as ColumnData);
  const { cells, separator, rowEnd, rowBytes } = layout;
  const mostOfAny = mostRowBytes(data, rowBytes);
  let at = out.length;
  for (let row = 0; row < count; row++) {
    const most = mostOfAny ?? data.reduce((sum, column) => sum + cellBytes(column, row), rowBytes);
    if (at + most > out.bytes.length) {
      out.length = at;
      out.reserve(most);
    }
    const { view } = out;
    if (before + row > 0) at = writePiece(view, at, separator);
    for (let i = 0; i < cells.length; i++) {
      at = writePiece(view, at, (cells[i] as Layout['cells'][number]).before);
      at = writeCell(out, at, data[i] as ColumnData, row);
    }
    at = writePiece(view, at, rowEnd);
  }
  out.length = at;
}
