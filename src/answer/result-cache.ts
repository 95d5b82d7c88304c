// Finished answers by what they depend on, bounded in bytes. A snapshot never changes and the state of its data is part
// of every key, so an entry is right for as long as it is kept; nothing here expires by time.
import { createByteCache } from '../base/cache.ts';

/** Anything with bytes that can be sent again. */
export interface Cacheable {
  /** A string is ASCII. */
  readonly body: Uint8Array | string;
}

export interface ResultCache<T extends Cacheable> {
  get(key: string): T | undefined;
  /** Keeps the answer unless it is larger than an eighth of the cache: one answer must not push out all others. */
  set(key: string, answer: T): void;
  readonly bytes: number;
  readonly entries: number;
}

/** Bytes that an entry costs besides its body: key (two bytes a character), headers' values, map slot. */
const ENTRY_OVERHEAD_BYTES = 400;

/**
 * @param maxBytes bound of all bodies, keys and overhead together; 0 keeps nothing.
 */
export function createResultCache<T extends Cacheable>(maxBytes: number): ResultCache<T> {
  if (maxBytes === 0) return { get: () => undefined, set: () => {}, bytes: 0, entries: 0 };
  const cache = createByteCache<T>({
    maxBytes,
    maxEntryBytes: maxBytes / 8,
    bytesOf: (answer, key) => answer.body.length + 2 * key.length + ENTRY_OVERHEAD_BYTES,
  });
  return {
    get: (key) => cache.get(key),
    set: (key, answer) => {
      cache.set(key, answer);
    },
    get bytes() {
      return cache.calculatedSize;
    },
    get entries() {
      return cache.size;
    },
  };
}
