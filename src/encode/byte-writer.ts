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

/** Bytes that are written again and again, to be copied four at a time. */
export interface Piece {
  readonly length: number;
  readonly words: Int32Array;
}
/** So many bytes more than its own are written of a piece at most: they are to be written over. */
export const PIECE_SLACK = 3;

export function pieceOf(bytes: Uint8Array): Piece {
  const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  padded.set(bytes);
  const { view } = memoryOf(padded);
  const words = Int32Array.from({ length: padded.length / 4 }, (_, i) => view.getInt32(i * 4, true));
  return { length: bytes.length, words };
}

/** Gives the place after the piece. */
export function writePiece(view: DataView, at: number, { length, words }: Piece): number {
  for (let i = 0; i < words.length; i++) view.setInt32(at + i * 4, words[i] as number, true);
  return at + length;
}
