// Bounds the height of a syntax tree, so that whatever walks it later may recurse without a care for the
// stack. Itself it does not recurse.
import type { Select } from '../ast.ts';
import { tooComplex } from './cursor.ts';

/**
 * Objects inside one another from the root of the tree. SQLite allows expressions 1,000 high (limits.html
 * section 5), but what walks a tree here takes a few frames a level, and engines slow down long before.
 */
export const MAX_HEIGHT = 600;

export function checkHeight(root: Select): void {
  let level: object[] = [root];
  for (let height = 1; level.length > 0; height++) {
    if (height > MAX_HEIGHT) throw tooComplex(`An expression is more than ${MAX_HEIGHT} levels high.`);
    const below: object[] = [];
    for (const node of level)
      for (const child of Array.isArray(node) ? node : Object.values(node))
        if (typeof child === 'object' && child !== null) below.push(child);
    level = below;
  }
}
