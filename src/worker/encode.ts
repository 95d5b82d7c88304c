// Rows to the bytes of a body, in each form of the API: objects or table, extracted, unwrapped. Measured
// against the engine's own JSON functions: the SQL for those costs a lookup 280 us more, and they differ from
// what the API promises (reals, what counts as valid JSON).
import type { ColumnKind } from '../dialect/plan.ts';
import { GatewayError } from '../errors.ts';
import type { Output } from '../protocol.ts';
import { type ByteWriter, memoryOf, PIECE_SLACK, type Piece, pieceOf, writePiece } from './byte-writer.ts';
import { cellBytes, mostCellBytes, writeCell } from './cell.ts';
import { type ColumnData, chunkRows, readColumns } from './column-data.ts';
import type { DataChunk } from './engine.ts';
import { mostBytes, writeString } from './json-text.ts';

export interface ResultColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** What stands around cells and rows. */
export interface Layout {
  readonly kinds: readonly ColumnKind[];
  readonly open: Uint8Array;
  /** Columns in the order of writing, and the bytes before each. */
  readonly cells: readonly { readonly column: number; readonly before: Piece }[];
  readonly rowEnd: Piece;
  readonly separator: Piece;
  readonly close: Uint8Array;
  /** The most bytes of a row that its cells do not count. */
  readonly rowBytes: number;
  /** Why no row can be written. */
  readonly refusal?: GatewayError;
}

export interface Encoder {
  readonly rows: number;
  /** Bytes that were written and not yet taken. */
  readonly waiting: number;
  /** Bytes of the body so far. */
  readonly total: number;
  /** Who made the encoder gets it back. */
  readonly writer: ByteWriter;
  add(chunk: DataChunk): void;
  /** Only some rows of a chunk whose columns are read already; encoders of JSON alone have it. */
  addRows?(columns: readonly ColumnData[], picked: readonly number[]): void;
  /** Gives what was written since the last take. The memory is the encoder's until the next add. */
  take(): Uint8Array;
  /** Writes what stands after the last row. */
  finish(): void;
}

const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'utf8');

function jsonString(text: string): string {
  const source = bytesOf(text);
  const out = memoryOf(new Uint8Array(mostBytes(source, 0, source.length)));
  const end = writeString(out, 0, memoryOf(source), 0, source.length);
  return Buffer.from(out.bytes.subarray(0, end)).toString('utf8');
}

/** As the reference: the last of equally named columns wins, and keys are in the order of their bytes. */
function objectColumns(columns: readonly ResultColumn[]): { name: string; column: number }[] {
  const byName = new Map<string, number>();
  columns.forEach(({ name }, index) => {
    byName.set(name, index);
  });
  return [...byName]
    .map(([name, column]) => ({ name, column }))
    .sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
}

/** A {@link Layout} as text. */
interface Drawn {
  readonly open: string;
  readonly cells: readonly { readonly column: number; readonly before: string }[];
  readonly rowEnd: string;
  readonly separator: string;
  readonly close: string;
  readonly refusal?: GatewayError;
}

export function layoutOf(columns: readonly ResultColumn[], output: Output): Layout {
  return madeOf(columns, draw(columns, output));
}

/** Rows that stand for themselves, the separator behind each, and what they are put between. */
export function layoutOfRows(
  columns: readonly ResultColumn[],
  output: Output,
): Pick<Drawn, 'open' | 'close' | 'separator'> & { readonly layout: Layout } {
  const drawn = draw(columns, output);
  const { open, close, rowEnd, separator } = drawn;
  const row = { ...drawn, open: '', rowEnd: rowEnd + separator, separator: '', close: '' };
  return { layout: madeOf(columns, row), open, close, separator };
}

function madeOf(columns: readonly ResultColumn[], drawn: Drawn): Layout {
  const { open, cells, rowEnd, separator, close, ...rest } = drawn;
  const piece = (text: string): Piece => pieceOf(bytesOf(text));
  const pieces = cells.map(({ column, before }) => ({ column, before: piece(before) }));
  const inRow = [...pieces.map(({ before }) => before), piece(rowEnd), piece(separator)];
  return {
    ...rest,
    kinds: columns.map(({ kind }) => kind),
    open: bytesOf(open),
    cells: pieces,
    rowEnd: piece(rowEnd),
    separator: piece(separator),
    close: bytesOf(close),
    rowBytes: inRow.reduce((sum, { length }) => sum + length, PIECE_SLACK),
  };
}

function draw(columns: readonly ResultColumn[], output: Output): Drawn {
  if (output.format === 'table') {
    const head = columns.map(({ name }) => `{"name":${jsonString(name)}}`).join(',');
    return {
      open: `{"columns":[${head}],"rows":[`,
      cells: columns.map((_, column) => ({ column, before: column === 0 ? '[' : ',' })),
      rowEnd: ']',
      separator: ',',
      close: ']}',
    };
  }
  const around = aroundRows(output);
  const named = objectColumns(columns);
  if (output.extract) {
    if (named.length !== 1 || named[0] === undefined)
      return {
        ...around,
        cells: [],
        // As the reference: it is the first row that cannot be written, and no rows are no error.
        refusal: new GatewayError(
          'extract-columns',
          `extract takes the value of the only column, but this result has ${named.length} columns`,
        ),
      };
    return { ...around, cells: [{ column: named[0].column, before: '' }] };
  }
  return {
    ...around,
    cells: named.map(({ name, column }, index) => ({
      column,
      before: `${index === 0 ? '{' : ','}${jsonString(name)}:`,
    })),
    rowEnd: `}${around.rowEnd}`,
  };
}

function aroundRows({ format, unwrap }: Output): Omit<Drawn, 'cells'> {
  // Each line of NDJSON ends with a line break, the last one too; an unwrapped answer's last one does not.
  if (format === 'ndjson') return { open: '', rowEnd: '\n', separator: '', close: '' };
  if (unwrap) return { open: '', rowEnd: '', separator: '\n', close: '' };
  return { open: '[', rowEnd: '', separator: ',', close: ']' };
}

/** A chunk's memory must not be freed while it is read, and an optimizer sees no use of it after the first. */
export let held: DataChunk | undefined;
export function holdChunk(chunk: DataChunk | undefined): void {
  held = chunk;
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
    add(chunk) {
      holdChunk(chunk);
      const count = chunkRows(chunk);
      writeRows(out, layout, readColumns(chunk, layout.kinds), rows, count, undefined);
      rows += count;
      holdChunk(undefined);
    },
    addRows(columns, picked) {
      writeRows(out, layout, columns, rows, picked.length, picked);
      rows += picked.length;
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
 * @param picked the rows to write, where not all are
 * @param ends gets the place in the writer where each row ends
 */
export function writeRows(
  out: ByteWriter,
  layout: Layout,
  columns: readonly ColumnData[],
  before: number,
  count: number,
  picked: readonly number[] | undefined,
  ends?: number[],
): void {
  if (layout.refusal !== undefined && count > 0) throw layout.refusal;
  const data = layout.cells.map(({ column }) => columns[column] as ColumnData);
  const { cells, separator, rowEnd, rowBytes } = layout;
  const mostOfAny = picked === undefined ? mostRowBytes(data, rowBytes) : undefined;
  let at = out.length;
  for (let done = 0; done < count; done++) {
    const row = picked === undefined ? done : (picked[done] as number);
    const most = mostOfAny ?? data.reduce((sum, column) => sum + cellBytes(column, row), rowBytes);
    if (at + most > out.bytes.length) {
      out.length = at;
      out.reserve(most);
    }
    const { view } = out;
    if (before + done > 0) at = writePiece(view, at, separator);
    for (let i = 0; i < cells.length; i++) {
      at = writePiece(view, at, (cells[i] as Layout['cells'][number]).before);
      at = writeCell(out, at, data[i] as ColumnData, row);
    }
    at = writePiece(view, at, rowEnd);
    ends?.push(at);
  }
  out.length = at;
}
