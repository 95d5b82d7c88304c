// A shape whose rows are kept in the front as an index (answer/shape-index.ts): which SELECTs that is the same
// answer for, and what the index must know of each row. Conditions `column < literal` are taken out of the WHERE,
// their columns come behind the result's, and whoever looks the rows up compares. What is left must be the same
// for every statement of the shape, and nothing may look at several rows. Rows come in the statement's own order,
// so the rows of a lookup, and of a LIMIT, are the first that fit.
import type { IndexTerm } from '../../protocol.ts';
import type { BinaryOperator, Expression, Select } from '../ast.ts';
import { computed } from '../operators/computed.ts';
import type { Template } from '../plan.ts';
import { sql, type Value } from '../value.ts';
import type { Emitter } from './emitter.ts';
import { integerLiteral, isRowByRow } from './gather.ts';
import { lookUp, type Scope } from './scope.ts';
import { conjuncts } from './tree.ts';

export function isIndexable(select: Select): boolean {
  const { limit, offset } = select;
  return (
    isRowByRow(select) &&
    (limit === undefined || integerLiteral(limit) !== undefined) &&
    (offset === undefined || integerLiteral(offset) !== undefined)
  );
}

/** A condition that the index compares, and the column that it compares. */
export interface ColumnTerm extends IndexTerm {
  readonly column: Value;
}

export interface IndexConditions {
  readonly terms: readonly ColumnTerm[];
  /** The conditions that are none of the index's. */
  readonly rest: readonly Expression[];
}

/** Undefined where the rows are not those of tables. */
export function indexConditions(
  where: Expression | undefined,
  scope: Scope,
  emitter: Emitter,
): IndexConditions | undefined {
  if (scope.relations.length === 0 || scope.relations.some(({ rows }) => rows === undefined))
    return undefined;
  const terms: ColumnTerm[] = [];
  const rest: Expression[] = [];
  for (const part of where === undefined ? [] : conjuncts(where)) {
    const found = termsOf(part, scope, emitter);
    if (found === undefined) rest.push(part);
    else terms.push(...found);
  }
  return { terms, rest };
}

/** A comparison with NULL is never true. */
export function isComparable({ column }: ColumnTerm): Template {
  return sql`${column.sql} IS NOT NULL`;
}

export function comparedValue({ column, kind }: ColumnTerm): Value {
  return computed(kind, column.sql, true);
}

type Comparison = IndexTerm['operator'];
const MIRRORED = { '=': '=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

function termsOf(part: Expression, scope: Scope, emitter: Emitter): readonly ColumnTerm[] | undefined {
  if (part.type === 'between' && !part.not) {
    const low = termOf(part.operand, '>=', part.low, scope, emitter);
    const high = termOf(part.operand, '<=', part.high, scope, emitter);
    return low === undefined || high === undefined ? undefined : [low, high];
  }
  if (part.type !== 'binary' || !isComparison(part.operator)) return undefined;
  const { left, operator, right } = part;
  const term =
    termOf(left, operator, right, scope, emitter) ?? termOf(right, MIRRORED[operator], left, scope, emitter);
  return term === undefined ? undefined : [term];
}

function isComparison(operator: BinaryOperator): operator is Comparison {
  return operator in MIRRORED;
}

/** Integers as they are, and texts that are equal byte by byte. */
function termOf(
  side: Expression,
  operator: Comparison,
  other: Expression,
  scope: Scope,
  emitter: Emitter,
): ColumnTerm | undefined {
  if (side.type !== 'column' || other.type !== 'literal' || emitter.pins.has(other.index)) return undefined;
  const found = lookUp(scope, side.table, side.name);
  if (found?.type !== 'column' || found.scope !== scope) return undefined;
  const column = found.column.value;
  const { kind, simple, collation } = column;
  if (!simple || kind !== other.kind) return undefined;
  const isInteger = kind === 'integer';
  const isText = kind === 'text' && operator === '=' && (collation?.name ?? 'binary') === 'binary';
  return isInteger || isText ? { literal: other.index, operator, kind, column } : undefined;
}
