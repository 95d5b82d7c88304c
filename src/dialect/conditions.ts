// What SQLite's planner weighs: how many conditions a part of an expression is.
import type { BinaryOperator, Expression } from './ast.ts';

export const COMPARISONS: ReadonlySet<string> = new Set(['=', '!=', '<', '<=', '>', '>=']);

/** What SQLite takes for LIKE and GLOB when it is written as a call. */
export const PATTERNS: ReadonlySet<string> = new Set(['like', 'glob']);

export function isComparison(operator: BinaryOperator): boolean {
  return COMPARISONS.has(operator) || operator.startsWith('is');
}

/** How many values are compared at once; Infinity: as many as there are columns. */
export function widthOf(expression: Expression): number {
  if (expression.type === 'row') return expression.items.length;
  if (expression.type !== 'subquery') return 1;
  const { first } = expression.select;
  if (first.type === 'values') return first.rows[0]?.length ?? 1;
  return first.columns.every(({ type }) => type === 'expression')
    ? first.columns.length
    : Number.POSITIVE_INFINITY;
}
