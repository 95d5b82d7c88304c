// What is remembered by statement shape. Shapes are strangers' texts of up to tens of thousands of characters: a
// number of them alone would be no bound of memory.
import { LRUCache } from 'lru-cache';

/** Of all shapes of one cache together. Those that are really used have a few hundred each. */
const CHARACTERS = 4 * 1024 * 1024;

/** @param max shapes, however short they are */
export function createShapeCache<T extends object | number | string | true>(
  max: number,
): LRUCache<string, T> {
  return new LRUCache<string, T>({
    max,
    maxSize: CHARACTERS,
    sizeCalculation: (_, shape) => shape.length + 1,
  });
}
