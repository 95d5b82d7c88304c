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
    const add = (child: unknown): void => {
      if (typeof child === 'object' && child !== null) below.push(child);
    };
    for (const node of level)
      if (Array.isArray(node)) node.forEach(add);
      // Nodes have no properties but their own: this makes no array of each one's.
      else for (const name in node) add((node as Record<string, unknown>)[name]);
    level = below;
  }
}
