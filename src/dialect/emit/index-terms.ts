// A shape whose rows are kept in the front as an index (answer/indexes/row-index.ts): which SELECTs that is the same answer
// for, and what the index must know of each row. Conditions `column < literal` are taken out of the WHERE, their
// columns come behind the result's, and whoever looks the rows up compares. Nothing may look at several rows but a
// GROUP BY that has the compared columns: its groups are the same with the conditions and without. Rows come in the
// statement's own order, so the rows of a lookup, and of a LIMIT, are the first that fit.
import type { IndexTerm } from '../../protocol.ts';
import type { BinaryOperator, Expression, Select, SelectCore } from '../ast.ts';
import type { Template } from '../plan.ts';
import { sql, type Value } from '../value.ts';
import type { Emitter } from './emitter.ts';
import { integerLiteral, isPlain, plainComparison } from './gather.ts';
import { templateKey } from './name.ts';
import type { Scope } from './scope.ts';
import { conjuncts, hasAggregate } from './tree.ts';

type Core = Extract<SelectCore, { readonly type: 'select' }>;

export function isIndexable(select: Select): boolean {
  const { first, orderBy, limit, offset } = select;
  return (
    isPlain(select) &&
    first.type === 'select' &&
    (first.groupBy.length > 0 || (first.having === undefined && !hasAggregate([first.columns, orderBy]))) &&
    (limit === undefined || integerLiteral(limit) !== undefined) &&
    (offset === undefined || integerLiteral(offset) !== undefined)
  );
}

/** A condition that the index compares. */
export interface ColumnTerm extends IndexTerm {
  /** The column that it compares, as written and as it is. */
  readonly expression: Expression;
  readonly column: Value;
}

export interface IndexConditions {
  readonly terms: readonly ColumnTerm[];
  /** The conditions that are none of the index's. */
  readonly rest: readonly Expression[];
}

/**
 * @param groups what the GROUP BY groups by
 * @returns undefined where the rows are not those of tables
 */
export function indexConditions(
  core: Core,
  groups: readonly Value[],
  scope: Scope,
  emitter: Emitter,
): IndexConditions | undefined {
  if (scope.relations.length === 0 || scope.relations.some(({ rows }) => rows === undefined))
    return undefined;
  // GROUP BY x COLLATE NOCASE puts together what the condition tells apart.
  const exact = groups.filter(({ collation }) => (collation?.name ?? 'binary') === 'binary');
  const keys = new Set(exact.map((value) => templateKey(value.sql)));
  const isKey = ({ column }: ColumnTerm): boolean =>
    core.groupBy.length === 0 || keys.has(templateKey(column.sql));
  const terms: ColumnTerm[] = [];
  const rest: Expression[] = [];
  for (const part of core.where === undefined ? [] : conjuncts(core.where)) {
    const found = termsOf(part, scope, emitter);
    if (found?.every(isKey)) terms.push(...found);
    else rest.push(part);
  }
  return { terms, rest };
}

/** A comparison with NULL is never true. */
export function isComparable({ column }: ColumnTerm): Template {
  return sql`${column.sql} IS NOT NULL`;
}

/** The column as the result has it: of a GROUP BY's term. @throws Error where it is of another kind then */
export function comparedValue({ expression, kind }: ColumnTerm, scope: Scope, emitter: Emitter): Value {
  const value = emitter.expression(expression, scope);
  if (value.kind !== kind) throw new Error(`a ${value.kind} that was ${kind}`);
  return value;
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
  const found = plainComparison(side, other, scope, emitter);
  if (found === undefined) return undefined;
  const { column, literal } = found;
  const { kind } = column;
  if (kind !== 'integer' && (kind !== 'text' || operator !== '=')) return undefined;
  return { literal, operator, kind, expression: side, column };
}
