// A growing run of bytes that bodies are written into. Its fields are public on purpose: the writers of cells
// work on local copies of them, take a place, and give the place after what they wrote.

/** The same memory by the byte and, for what is copied four bytes at a time, as a view. */
export interface Memory {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

export function memoryOf(bytes: Uint8Array): Memory {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
}

const FIRST_BYTES = 16 * 1024;
/** A buffer that a large body left behind is not kept for the next statement. */
const KEEP_BYTES = 1024 * 1024;

export class ByteWriter implements Memory {
  bytes: Uint8Array = new Uint8Array(FIRST_BYTES);
  view = new DataView(this.bytes.buffer);
  length = 0;

  /** Makes room for so many bytes more. */
  reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.length));
    this.#use(grown);
  }

  put(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
    if (this.bytes.length > KEEP_BYTES) this.#use(new Uint8Array(FIRST_BYTES));
  }

  #use(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer);
  }
}

/** Bytes that are written again and again. Fewer than four are written one by one. */
export interface Piece {
  readonly bytes: Uint8Array;
  /** Four at a time, where each begins, the last as far from the end; as many as make whole steps: the last repeats. */
  readonly words: Int32Array;
  readonly offsets: Int32Array;
}
/** Words that are written in one step. */
const STEP_WORDS = 4;

export function pieceOf(bytes: Uint8Array): Piece {
  const { length } = bytes;
  const { view } = memoryOf(bytes);
  const steps = length < 4 ? 0 : Math.ceil(length / 4 / STEP_WORDS);
  const offsets = Int32Array.from({ length: steps * STEP_WORDS }, (_, i) => Math.min(i * 4, length - 4));
  return { bytes, offsets, words: offsets.map((offset) => view.getInt32(offset, true)) };
}

/** Writes a piece at each place from `from` on, and moves these places after it. */
export function writePieces(out: Memory, piece: Piece, places: Int32Array, from: number, to: number): void {
  const { bytes, words } = piece;
  if (words.length === 0) writeFew(out.bytes, bytes, places, from, to);
  for (let word = 0; word < words.length; word += STEP_WORDS) {
    const isLast = word + STEP_WORDS === words.length;
    writeStep(out.view, piece, word, places, from, to, isLast ? bytes.length : 0);
  }
}

function writeFew(out: Uint8Array, bytes: Uint8Array, places: Int32Array, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    const at = places[i] as number;
    for (let byte = 0; byte < bytes.length; byte++) out[at + byte] = bytes[byte] as number;
    places[i] = at + bytes.length;
  }
}

type FourNumbers = readonly [number, number, number, number];

function writeStep(
  view: DataView,
  { words, offsets }: Piece,
  word: number,
  places: Int32Array,
  from: number,
  to: number,
  move: number,
): void {
  const [a, b, c, d] = [words[word], words[word + 1], words[word + 2], words[word + 3]] as FourNumbers;
  const [atA, atB, atC, atD] = [
    offsets[word],
    offsets[word + 1],
    offsets[word + 2],
    offsets[word + 3],
  ] as FourNumbers;
  for (let i = from; i < to; i++) {
    const at = places[i] as number;
    view.setInt32(at + atA, a, true);
    view.setInt32(at + atB, b, true);
    view.setInt32(at + atC, c, true);
    view.setInt32(at + atD, d, true);
    places[i] = at + move;
  }
}

/** Above this, the engine of JavaScript copies sooner than a loop does. */
const LONG_BYTES = 96;

/** Gives the place after what was copied. */
export function copyBytes(out: Memory, place: number, source: Memory, from: number, to: number): number {
  if (to - from > LONG_BYTES) {
    out.bytes.set(source.bytes.subarray(from, to), place);
    return place + to - from;
  }
  let at = place;
  let i = from;
  for (; i + 4 <= to; i += 4, at += 4) out.view.setInt32(at, source.view.getInt32(i, true), true);
  for (; i < to; i++) out.bytes[at++] = source.bytes[i] as number;
  return at;
}
