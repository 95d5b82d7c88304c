// Looks through a syntax tree without resolving it: what is in an expression of the SELECT that it stands in.
import type { Expression } from '../ast.ts';
import { isAggregate } from '../functions/aggregate.ts';
import { nameKey } from './name.ts';

type Call = Extract<Expression, { readonly type: 'call' }>;
type Column = Extract<Expression, { readonly type: 'column' }>;

/** The columns that it names, those in its subqueries left out. */
export function columnsOf(node: unknown): readonly Column[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(columnsOf);
  const { type } = node as { readonly type?: string };
  if (type === 'column') return [node as Column];
  if ('first' in node) return [];
  return Object.values(node).flatMap(columnsOf);
}

/** Whether an expression has an aggregate of the SELECT that it stands in. */
export function hasAggregate(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if (Array.isArray(node)) return node.some(hasAggregate);
  if ('first' in node) return false;
  if ((node as { readonly type?: string }).type === 'call') {
    const made = node as Call;
    if (made.over === undefined && isAggregate(nameKey(made.name.text), made.args.length)) return true;
  }
  return Object.values(node).some(hasAggregate);
}

/** Aggregates for which SQLite takes any order of rows (func.c, SQLITE_FUNC_ANYORDER). */
const ANY_ORDER: ReadonlySet<string> = new Set(['count', 'min', 'max']);

/** Whether an expression has an aggregate or window of its SELECT that SQLite keeps the order of rows for. */
export function seesOrder(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if (Array.isArray(node)) return node.some(seesOrder);
  if ('first' in node) return false;
  if ((node as { readonly type?: string }).type === 'call') {
    const { name, args, over } = node as Call;
    const key = nameKey(name.text);
    if (over !== undefined || (isAggregate(key, args.length) && !ANY_ORDER.has(key))) return true;
  }
  return Object.values(node).some(seesOrder);
}

/** Whether it has a subquery. */
export function hasSelect(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if (Array.isArray(node)) return node.some(hasSelect);
  return 'first' in node || Object.values(node).some(hasSelect);
}

/** The parts of a condition that must all hold. */
export function conjuncts(where: Expression): readonly Expression[] {
  if (where.type === 'binary' && where.operator === 'and')
    return [...conjuncts(where.left), ...conjuncts(where.right)];
  return [where];
}

/** Whether it has a window function of its SELECT. */
export function hasWindow(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if (Array.isArray(node)) return node.some(hasWindow);
  if ('first' in node) return false;
  return ('over' in node && node.over !== undefined) || Object.values(node).some(hasWindow);
}
