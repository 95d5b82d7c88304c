// Looks through a tree, as it was parsed or resolved: what is in an expression of the SELECT that it stands in. Columns
// are leaves: their relations are no part of the tree.
import { isAggregate } from '../functions/aggregate.ts';
import { nameKey } from './name.ts';
import type { Call, ColumnRead } from './tree.ts';

/** Whether something in a tree is so; what is in the queries of its expressions is theirs. */
function some(node: unknown, test: (node: object) => boolean): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if (Array.isArray(node)) return node.some((item) => some(item, test));
  if (isQuery(node) || isColumn(node)) return false;
  if (test(node)) return true;
  for (const key in node) if (some((node as Record<string, unknown>)[key], test)) return true;
  return false;
}

const isQuery = (node: object): boolean => 'first' in node;
const isColumn = (node: object): boolean => (node as { readonly type?: string }).type === 'column';

function isCall(node: object): node is Call {
  return (node as { readonly type?: string }).type === 'call';
}

/** The columns that it reads, those in its subqueries left out. */
export function columnsIn(node: unknown): readonly ColumnRead[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(columnsIn);
  if (isColumn(node)) return [node as ColumnRead];
  return isQuery(node) ? [] : Object.values(node).flatMap(columnsIn);
}

/** Whether an expression has an aggregate of the SELECT that it stands in. */
export function hasAggregate(node: unknown): boolean {
  return some(
    node,
    (part) =>
      isCall(part) && part.over === undefined && isAggregate(nameKey(part.name.text), part.args.length),
  );
}

/** Aggregates for which SQLite takes any order of rows (func.c, SQLITE_FUNC_ANYORDER). */
const ANY_ORDER: ReadonlySet<string> = new Set(['count', 'min', 'max']);

/** Whether an expression has an aggregate or window of its SELECT that SQLite keeps the order of rows for. */
export function seesOrder(node: unknown): boolean {
  return some(node, (part) => {
    if (!isCall(part)) return false;
    const key = nameKey(part.name.text);
    return part.over !== undefined || (isAggregate(key, part.args.length) && !ANY_ORDER.has(key));
  });
}

/** Whether it has a window function of its SELECT. */
export function hasWindow(node: unknown): boolean {
  return some(node, (part) => 'over' in part && part.over !== undefined);
}

/** Whether it has a subquery. */
export function hasSelect(node: unknown): boolean {
  if (typeof node !== 'object' || node === null || isColumn(node)) return false;
  if (Array.isArray(node)) return node.some(hasSelect);
  return isQuery(node) || Object.values(node).some(hasSelect);
}

/** The parts of a condition that must all hold, of a tree as it was parsed or resolved. */
export function conjuncts<T extends { readonly type: string }>(where: T): readonly T[] {
  const { operator, left, right } = where as {
    readonly operator?: string;
    readonly left?: T;
    readonly right?: T;
  };
  return operator === 'and' && left !== undefined && right !== undefined
    ? [...conjuncts(left), ...conjuncts(right)]
    : [where];
}
