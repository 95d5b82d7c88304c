// The cells of one column of some rows to JSON: how many bytes each takes, and then all of them, each at its place.
import { ByteWriter, copyBytes, type Memory } from './byte-writer.ts';
import { cellBytes, digitsOf, isShort, writeCell, writeInteger, writeNull } from './cell.ts';
import { type ColumnData, isNull, type Texts } from './column-data.ts';
import { arePlain } from './json-text.ts';

export interface Cells {
  /** Adds the bytes of each row's cell. */
  addSizes(sizes: Int32Array): void;
  /** Writes the cells of some rows, each at its place, and moves the place after it. */
  write(out: Memory, places: Int32Array, from: number, to: number): void;
}

const NULL_BYTES = 4;
const QUOTE = 0x22;

type Validity = ColumnData['validity'];

export function cellsOf(column: ColumnData, count: number): Cells {
  const { validity } = column;
  if (column.kind === 'integer' && areShort(column.halves, validity, count)) {
    const { halves } = column;
    return {
      addSizes: (sizes) => addIntegerSizes(sizes, halves, validity, count),
      write: (out, places, from, to) => writeIntegers(out, places, halves, validity, from, to),
    };
  }
  if (column.kind === 'text' && arePlain(column.texts, count)) {
    const { texts } = column;
    return {
      addSizes: (sizes) => addTextSizes(sizes, texts, validity, count),
      write: (out, places, from, to) => writeTexts(out, places, texts, validity, from, to),
    };
  }
  const cells = makeCells(column, count);
  return {
    addSizes: (sizes) => {
      for (let row = 0; row < count; row++)
        sizes[row] = (sizes[row] as number) + (cells.lengths[row] as number);
    },
    write: (out, places, from, to) => copyCells(out, places, cells, from, to),
  };
}

function areShort(halves: Int32Array, validity: Validity, count: number): boolean {
  for (let row = 0; row < count; row++)
    if (!isShort(halves[row * 2] as number, halves[row * 2 + 1] as number) && !isNull(validity, row))
      return false;
  return true;
}

function addIntegerSizes(sizes: Int32Array, halves: Int32Array, validity: Validity, count: number): void {
  for (let row = 0; row < count; row++) {
    const value = halves[row * 2] as number;
    const bytes = isNull(validity, row) ? NULL_BYTES : value < 0 ? 1 + digitsOf(-value) : digitsOf(value);
    sizes[row] = (sizes[row] as number) + bytes;
  }
}

function writeIntegers(
  out: Memory,
  places: Int32Array,
  halves: Int32Array,
  validity: Validity,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    const at = places[row] as number;
    places[row] = isNull(validity, row)
      ? writeNull(out.bytes, at)
      : writeInteger(out, at, halves[row * 2] as number);
  }
}

function addTextSizes(sizes: Int32Array, { lengths }: Texts, validity: Validity, count: number): void {
  for (let row = 0; row < count; row++) {
    const bytes = isNull(validity, row) ? NULL_BYTES : (lengths[row] as number) + 2;
    sizes[row] = (sizes[row] as number) + bytes;
  }
}

function writeTexts(
  out: Memory,
  places: Int32Array,
  texts: Texts,
  validity: Validity,
  from: number,
  to: number,
): void {
  const { starts, lengths } = texts;
  for (let row = from; row < to; row++) {
    const at = places[row] as number;
    if (isNull(validity, row)) {
      places[row] = writeNull(out.bytes, at);
      continue;
    }
    const start = starts[row] as number;
    out.bytes[at] = QUOTE;
    const end = copyBytes(out, at + 1, texts, start, start + (lengths[row] as number));
    out.bytes[end] = QUOTE;
    places[row] = end + 1;
  }
}

type Places = Pick<Texts, 'starts' | 'lengths'>;

function copyCells(
  out: Memory,
  places: Int32Array,
  { starts, lengths }: Places,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    const start = starts[row] as number;
    places[row] = copyBytes(out, places[row] as number, made, start, start + (lengths[row] as number));
  }
}

/** Cells of some rows that tell their size only when they are written, of all their columns. */
const made = new ByteWriter();

/** Forgets the cells of the rows before. */
export function beginCells(): void {
  made.clear();
}

function makeCells(column: ColumnData, count: number): Places {
  const starts = new Int32Array(count);
  const lengths = new Int32Array(count);
  for (let row = 0; row < count; row++) {
    made.reserve(cellBytes(column, row));
    const start = made.length;
    made.length = writeCell(made, start, column, row);
    starts[row] = start;
    lengths[row] = made.length - start;
  }
  return { starts, lengths };
}
