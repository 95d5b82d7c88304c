// Whether two expressions are the same to SQLite (expr.c, sqlite3ExprCompare): names are compared by the
// column that they stand for, literals by value, which pins them.
import type { Expression, Name } from '../ast.ts';
import type { Emitter } from './emitter.ts';
import { nameKey } from './name.ts';
import { lookUp, type Scope } from './scope.ts';

export function sameExpression(a: Expression, b: Expression, scope: Scope, emitter: Emitter): boolean {
  const literals: (readonly [number, number])[] = [];
  if (!sameNode(a, b, scope, literals)) return false;
  return literals.every(([left, right]) => {
    if (left === right) return true;
    const one = emitter.pin(left);
    const other = emitter.pin(right);
    return one.kind === other.kind && one.text === other.text;
  });
}

/** The same, but for literals: each is the same as itself alone, so that no plan is made for its value. */
export function isSameTree(a: Expression, b: Expression, scope: Scope): boolean {
  const literals: (readonly [number, number])[] = [];
  return sameNode(a, b, scope, literals) && literals.every(([left, right]) => left === right);
}

type Node = Readonly<Record<string, unknown>>;

function sameNode(a: unknown, b: unknown, scope: Scope, literals: (readonly [number, number])[]): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, i) => sameNode(item, b[i], scope, literals))
    );
  const left = a as Node;
  const right = b as Node;
  if (left['type'] !== right['type']) return false;
  if ('first' in left || 'select' in left) return false;
  if (left['type'] === 'column') return sameColumn(left, right, scope);
  if (left['type'] === 'literal') {
    if (left['kind'] !== right['kind']) return false;
    literals.push([left['index'] as number, right['index'] as number]);
    return true;
  }
  if ('quote' in left && 'text' in left)
    return nameKey(left['text'] as string) === nameKey(right['text'] as string);
  const keys = Object.keys(left).filter((key) => key !== 'parens');
  return keys.every((key) => sameNode(left[key], right[key], scope, literals));
}

function sameColumn(a: Node, b: Node, scope: Scope): boolean {
  const found = [a, b].map((node) => lookUp(scope, node['table'] as Name | undefined, node['name'] as Name));
  const [left, right] = found;
  if (left?.type === 'column' && right?.type === 'column') return left.column === right.column;
  if (left?.type === 'alias' && right?.type === 'alias') return left.expression === right.expression;
  return left === right && nameKey((a['name'] as Name).text) === nameKey((b['name'] as Name).text);
}
