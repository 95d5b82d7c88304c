// Statements that read one table in its stored order up to a LIMIT.
import { asciiLower } from '../base/ascii-lower.ts';
import type { Expression, Select } from './ast.ts';

/** Places of the literals that LIMIT and OFFSET are. */
export interface Page {
  readonly limit: number;
  readonly offset: number | undefined;
}

const ROWIDS: ReadonlySet<string> = new Set(['rowid', 'oid', '_rowid_', 'id']);

/**
 * One table in its stored order, with a LIMIT and no condition but a range of one column: where SQLite searches by that
 * column and sorts nothing (the plan says so), it stops at the last row of the page.
 */
export function pageOf(select: Select): Page | undefined {
  const { first } = select;
  const page = limitOf(select);
  if (page === undefined) return undefined;
  if (select.with !== undefined || select.rest.length > 0 || first.type === 'values') return undefined;
  if (
    first.distinct ||
    first.groupBy.length > 0 ||
    first.having !== undefined ||
    first.from?.type !== 'table'
  )
    return undefined;
  if (!first.columns.every((column) => column.type === 'star' || isSimple(column.expression)))
    return undefined;
  if (first.where !== undefined && !isRange(first.where)) return undefined;
  return page;
}

/** Its LIMIT and OFFSET, where both are plain numbers. */
export function limitOf({ limit, offset }: Select): Page | undefined {
  if (limit?.type !== 'literal' || limit.kind !== 'integer') return undefined;
  if (offset !== undefined && (offset.type !== 'literal' || offset.kind !== 'integer')) return undefined;
  return { limit: limit.index, offset: offset?.index };
}

/** Number of its last row, by these literals: undefined where they set no end. */
export function lastRow(
  page: Page | undefined,
  literals: readonly { readonly text: string }[],
): number | undefined {
  if (page === undefined) return undefined;
  const limit = Number(literals[page.limit]?.text);
  const offset = page.offset === undefined ? 0 : Number(literals[page.offset]?.text);
  return limit >= 0 && Number.isFinite(limit + offset) ? limit + Math.max(0, offset) : undefined;
}

/** Neither an aggregate nor a subquery. */
function isSimple(expression: Expression): boolean {
  return expression.type === 'column' || expression.type === 'literal' || expression.type === 'null';
}

function isRange(where: Expression): boolean {
  const isKey = (each: Expression): boolean =>
    each.type === 'column' && ROWIDS.has(asciiLower(each.name.text));
  const isValue = (each: Expression): boolean =>
    each.type === 'literal' ||
    (each.type === 'unary' && each.operator === '-' && each.operand.type === 'literal');
  if (where.type === 'between')
    return !where.not && isKey(where.operand) && isValue(where.low) && isValue(where.high);
  if (where.type !== 'binary') return false;
  const { operator, left, right } = where;
  return (
    ['=', '<', '<=', '>', '>='].includes(operator) &&
    ((isKey(left) && isValue(right)) || (isValue(left) && isKey(right)))
  );
}
