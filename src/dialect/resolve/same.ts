// Whether two expressions are the same to SQLite (expr.c, sqlite3ExprCompare): columns are the same objects, literals
// are compared by value, which pins them.
import type { Pin } from '../value.ts';
import { nameKey } from './name.ts';
import type { Expression } from './tree.ts';

export function sameExpression(a: Expression, b: Expression, pins: Pin): boolean {
  const literals: (readonly [number, number])[] = [];
  if (!sameNode(a, b, literals)) return false;
  return literals.every(([left, right]) => {
    if (left === right) return true;
    const one = pins.pin(left);
    const other = pins.pin(right);
    return one.kind === other.kind && one.text === other.text;
  });
}

/** The same, but for literals: each is the same as itself alone, so that no plan is made for its value. */
export function isSameTree(a: Expression, b: Expression): boolean {
  const literals: (readonly [number, number])[] = [];
  return sameNode(a, b, literals) && literals.every(([left, right]) => left === right);
}

type Node = Readonly<Record<string, unknown>>;

function sameNode(a: unknown, b: unknown, literals: (readonly [number, number])[]): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, i) => sameNode(item, b[i], literals))
    );
  const left = a as Node;
  const right = b as Node;
  if (left['type'] !== right['type']) return false;
  if (left['type'] === 'column') return left['column'] === right['column'];
  if (left['type'] === 'literal') {
    if (left['kind'] !== right['kind']) return false;
    literals.push([left['index'] as number, right['index'] as number]);
    return true;
  }
  if (left === right) return true;
  if ('first' in left || 'select' in left) return false;
  if ('quote' in left && 'text' in left)
    return nameKey(left['text'] as string) === nameKey(right['text'] as string);
  const keys = Object.keys(left).filter((key) => key !== 'parens');
  return keys.every((key) => sameNode(left[key], right[key], literals));
}
