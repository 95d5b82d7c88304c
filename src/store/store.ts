// The seam to a place where snapshots are published: immutable parts, each named by its SHA-256, and one small pointer
// that is written by condition. Who uses it need not know whether it is a folder, a web server or an object store.

/** What the pointer was when it was read. */
export interface StoredPointer {
  readonly text: string;
  /** Changes with the text; undefined where the place has no such thing. */
  readonly tag: string | undefined;
  /** Whether the tag can be relied on: one that is made of a time of a second is not, in the second of the change. */
  readonly isSettled: boolean;
}

export interface PartStream {
  /** The byte at which `chunks` begins: what was asked for, or 0 where the place cannot begin elsewhere. */
  readonly from: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface StoredPart {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly changedMs: number;
}

/** All of these throw StoreError where the place does not do what is asked. */
export interface Store {
  /** Where it is, without credentials: for messages. */
  readonly name: string;
  /** @param known a tag of a pointer: the answer is `unchanged` where it is that still */
  readPointer(
    known: string | undefined,
    signal: AbortSignal,
  ): Promise<StoredPointer | 'unchanged' | 'absent'>;
  /**
   * Writes the pointer where it is still `over`, or where there is none still.
   * @returns `taken` where somebody else wrote another one meanwhile
   */
  writePointer(
    text: string,
    over: StoredPointer | undefined,
    signal: AbortSignal,
  ): Promise<'written' | 'taken'>;
  /** @param name 64 hexadecimal digits, as in all of these */
  openPart(name: string, from: number, signal: AbortSignal): Promise<PartStream>;
  hasPart(name: string, signal: AbortSignal): Promise<boolean>;
  /** Whole or not at all. */
  putPart(name: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** Harmless where it is gone. */
  removePart(name: string, signal: AbortSignal): Promise<void>;
  /** Undefined where the place cannot list what it has. */
  readonly listParts: ((signal: AbortSignal) => Promise<readonly StoredPart[]>) | undefined;
}

/** In words for an operator: what the place did wrong. */
export class StoreError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
  }
}

export const POINTER = 'current.json';
export const PARTS = 'parts';
/** Longer pointers are not read: they have a few lines and the snapshots before. */
export const MAX_POINTER_BYTES = 256 * 1024;
