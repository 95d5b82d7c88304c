// What SQLite's planner weighs: how many conditions a part of an expression is, and what is the same for every row.
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

/** Cheap to be written twice, and the same in a subquery. */
export function isPlain(value: Expression): boolean {
  if (value.type === 'unary') return value.operator === '-' && isPlain(value.operand);
  return value.type === 'literal' || (value.type === 'column' && value.name.quote !== '"');
}

/** A literal, with or without operators before it: the same for every row. */
export function isConstant(value: Expression): boolean {
  return value.type === 'unary' ? isConstant(value.operand) : value.type === 'literal';
}
