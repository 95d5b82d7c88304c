// A block of rows on their way into an index: the rows as they are written in an answer, where each ends, and the
// values by which they are found. One part of an index job's body is one block.
//
//   u32 rows | u32 0 | f64 values of each integer term | u32 ends of each text term's values | u32 ends of rows
//   | each text term's values | rows                                                        (little endian)

export interface IndexBlock {
  readonly rows: number;
  /** By term: a number for each row, or a text with a character for each byte of UTF-8. */
  readonly values: readonly (Float64Array | readonly string[])[];
  /** Where each row ends in `bytes`. */
  readonly ends: Uint32Array;
  readonly bytes: Buffer;
}

type Kind = 'integer' | 'text';
const HEADER_BYTES = 8;

/**
 * @param kinds of the terms
 * @param values of each term, one for each row
 */
export function writeIndexBlock(
  kinds: readonly Kind[],
  values: readonly (readonly number[] | readonly string[])[],
  ends: readonly number[],
  bytes: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const rows = ends.length;
  const ofKind = (kind: Kind): unknown[] => values.filter((_, term) => kinds[term] === kind);
  const numbers = ofKind('integer') as (readonly number[])[];
  const textColumns = ofKind('text') as (readonly string[])[];
  const texts = textColumns.map((column) => Buffer.from(column.join(''), 'latin1'));
  const textBytes = texts.reduce((sum, text) => sum + text.length, 0);
  const rowsAt = HEADER_BYTES + rows * (numbers.length * 8 + texts.length * 4 + 4) + textBytes;
  const block = new Uint8Array(rowsAt + bytes.length);
  new DataView(block.buffer).setUint32(0, rows, true);
  let at = HEADER_BYTES;
  for (const column of numbers) {
    new Float64Array(block.buffer, at, rows).set(column);
    at += rows * 8;
  }
  for (const column of textColumns) {
    const into = new Uint32Array(block.buffer, at, rows);
    let end = 0;
    for (let row = 0; row < rows; row++) into[row] = end += column[row]?.length ?? 0;
    at += rows * 4;
  }
  new Uint32Array(block.buffer, at, rows).set(ends);
  at += rows * 4;
  for (const text of texts) {
    block.set(text, at);
    at += text.length;
  }
  block.set(bytes, at);
  return block;
}

/** The block stays in the part's memory where that lies as numbers must. */
export function readIndexBlock(part: Uint8Array, kinds: readonly Kind[]): IndexBlock {
  const lies = part.byteOffset % 8 === 0 ? part : new Uint8Array(part);
  const { buffer, byteOffset, byteLength } = lies;
  const rows = new DataView(buffer, byteOffset).getUint32(0, true);
  let at = byteOffset + HEADER_BYTES;
  const take = (): Uint32Array => {
    const ends = new Uint32Array(buffer, at, rows);
    at += rows * 4;
    return ends;
  };
  const numbers: Float64Array[] = [];
  for (const kind of kinds) {
    if (kind !== 'integer') continue;
    numbers.push(new Float64Array(buffer, at, rows));
    at += rows * 8;
  }
  const textEnds = kinds.filter((kind) => kind === 'text').map(take);
  const ends = take();
  const texts = textEnds.map((each) => {
    const length = each[rows - 1] ?? 0;
    const text = Buffer.from(buffer as ArrayBuffer, at, length).toString('latin1');
    at += length;
    return Array.from({ length: rows }, (_, row) => text.slice(each[row - 1] ?? 0, each[row]));
  });
  const bytes = Buffer.from(buffer as ArrayBuffer, at, byteOffset + byteLength - at);
  const values = kinds.map((kind) => (kind === 'integer' ? numbers.shift() : texts.shift()) ?? []);
  return { rows, values, ends, bytes };
}
