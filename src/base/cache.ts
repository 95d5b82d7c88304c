// Every cache of the project is made here: each has a bound, and what was used longest ago goes first. Keys are often
// texts of strangers, of up to tens of thousands of characters: where they are, a number of entries would be no bound of
// memory.
import { LRUCache } from 'lru-cache';

type Value = object | number | string | true;
export type Cache<T extends Value> = LRUCache<string, T>;

/**
 * Bounded by its number of entries: for keys and values that are short.
 * @param onEvicted told of what had to make room
 */
export function createCache<T extends Value>(
  max: number,
  onEvicted?: (value: T, key: string) => void,
): Cache<T> {
  if (onEvicted === undefined) return new LRUCache<string, T>({ max });
  return new LRUCache<string, T>({
    max,
    dispose: (value, key, reason) => {
      if (reason === 'evict') onEvicted(value, key);
    },
  });
}

/** Of all shapes of one cache together. Those that are really used have a few hundred each. */
const CHARACTERS = 4 * 1024 * 1024;

/**
 * Bounded by its number of entries and by the characters of their keys: for what is remembered of a statement's shape.
 * @param max shapes, however short they are
 */
export function createShapeCache<T extends Value>(max: number, characters: number = CHARACTERS): Cache<T> {
  return new LRUCache<string, T>({
    max,
    maxSize: characters,
    sizeCalculation: (_, shape) => shape.length + 1,
  });
}

/** What was seen lately: whether something comes again is worth to know before anything is kept of it. */
export interface Sightings {
  /** Whether the key was seen before. */
  again(key: string): boolean;
}

/**
 * Bounded by the number of its keys and by their characters: the older half is forgotten at once.
 * @param max keys of a half
 */
export function createSightings(max: number, characters: number = CHARACTERS / 4): Sightings {
  let recent = new Set<string>();
  let before = new Set<string>();
  let held = 0;
  return {
    again(key) {
      if (recent.has(key)) return true;
      const known = before.has(key);
      held += key.length + 1;
      if (recent.size >= max || held > characters) {
        before = recent;
        recent = new Set();
        held = key.length + 1;
      }
      recent.add(key);
      return known;
    },
  };
}

export interface ByteBounds<T> {
  readonly maxBytes: number;
  /** Of an entry with its key; a larger one is not kept. Default: all of it. */
  readonly maxEntryBytes?: number;
  readonly bytesOf: (value: T, key: string) => number;
}

/** Bounded by the bytes of its entries. */
export function createByteCache<T extends Value>({
  maxBytes,
  maxEntryBytes,
  bytesOf,
}: ByteBounds<T>): Cache<T> {
  return new LRUCache<string, T>({
    maxSize: maxBytes,
    maxEntrySize: Math.max(1, Math.floor(maxEntryBytes ?? maxBytes)),
    sizeCalculation: bytesOf,
  });
}
