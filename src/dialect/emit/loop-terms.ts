// What the conditions of a SELECT say about single columns, as SQLite's planner sees them (optoverview.html
// sections 1 and 2): which columns are compared with what, and which tables that needs first.
import type { Expression } from '../ast.ts';
import type { Value } from '../value.ts';
import { lookUp, type Relation, type RelationColumn, type Scope } from './scope.ts';
import { columnsOf, conjuncts } from './tree.ts';

export interface LoopTerm {
  readonly relation: Relation;
  /** The column's SQL. */
  readonly column: string;
  readonly kind: 'equal' | 'in' | 'low' | 'high';
  /** Tables whose row must be known before. */
  readonly needs: ReadonlySet<Relation>;
}

/** Conditions on one table; `only`: of an outer join's ON, which constrains its right table alone. */
export type Condition = { readonly only: Relation | undefined } & (
  | { readonly expression: Expression }
  /** Columns that USING makes equal. */
  | { readonly pair: readonly [Value, Value] }
);

export function loopTerms(conditions: readonly Condition[], scope: Scope): readonly LoopTerm[] {
  return conditions.flatMap((condition) =>
    ('pair' in condition
      ? pairTerms(condition.pair, scope)
      : conjuncts(condition.expression).flatMap((part) => termsOf(part, scope))
    ).filter((term) => condition.only === undefined || term.relation === condition.only),
  );
}

function pairTerms([a, b]: readonly [Value, Value], scope: Scope): readonly LoopTerm[] {
  const left = ownerOf(a.sql.join(''), scope);
  const right = ownerOf(b.sql.join(''), scope);
  if (left === undefined || right === undefined) return [];
  return [
    { relation: left, column: a.sql.join(''), kind: 'equal', needs: new Set([right]) },
    { relation: right, column: b.sql.join(''), kind: 'equal', needs: new Set([left]) },
  ];
}

const RANGES: Readonly<Record<string, 'low' | 'high'>> = {
  '>': 'low',
  '>=': 'low',
  '<': 'high',
  '<=': 'high',
};

function termsOf(part: Expression, scope: Scope): readonly LoopTerm[] {
  switch (part.type) {
    case 'binary': {
      if (part.operator === '=' || part.operator === 'is')
        return [
          ...term(part.left, 'equal', [part.right], scope),
          ...term(part.right, 'equal', [part.left], scope),
        ];
      const bound = RANGES[part.operator];
      if (bound === undefined) return [];
      const other = bound === 'low' ? 'high' : 'low';
      return [...term(part.left, bound, [part.right], scope), ...term(part.right, other, [part.left], scope)];
    }
    case 'between':
      if (part.not) return [];
      return [
        ...term(part.operand, 'low', [part.low], scope),
        ...term(part.operand, 'high', [part.high], scope),
      ];
    case 'in':
      return part.not ? [] : term(part.operand, 'in', part.list, scope);
    case 'in-select':
      return part.not ? [] : term(part.operand, 'in', [], scope);
    case 'isnull':
      return part.not ? [] : term(part.operand, 'equal', [], scope);
    default:
      return [];
  }
}

function term(
  side: Expression,
  kind: LoopTerm['kind'],
  others: readonly Expression[],
  scope: Scope,
): readonly LoopTerm[] {
  const own = owned(side, scope);
  if (own === undefined) return [];
  const needs = new Set<Relation>();
  for (const column of others.flatMap((other) => columnsOf(other))) {
    const found = find(column, scope);
    const relation = found === undefined ? undefined : ownerOf(found.value.sql.join(''), scope);
    if (relation !== undefined) needs.add(relation);
  }
  // A text index does not serve a comparison as numbers (sqlite3IndexAffinityOk).
  if (own.kind === 'text' && others.some((other) => isNumberColumn(other, scope))) return [];
  if (needs.has(own.relation)) return [];
  return [{ relation: own.relation, column: own.column, kind, needs }];
}

function owned(
  node: Expression,
  scope: Scope,
): { readonly relation: Relation; readonly column: string; readonly kind: string } | undefined {
  if (node.type !== 'column') return undefined;
  const value = find(node, scope)?.value;
  const column = value?.sql.join('') ?? '';
  const relation = ownerOf(column, scope);
  return relation === undefined || value === undefined ? undefined : { relation, column, kind: value.kind };
}

function isNumberColumn(node: Expression, scope: Scope): boolean {
  const kind = owned(node, scope)?.kind;
  return kind === 'integer' || kind === 'real';
}

type Column = Extract<Expression, { readonly type: 'column' }>;

function find(node: Column, scope: Scope): RelationColumn | undefined {
  const found = lookUp(scope, node.table, node.name);
  return found?.type === 'column' && found.scope === scope ? found.column : undefined;
}

/** The relation of this scope that a column's SQL names. */
export function ownerOf(column: string, scope: Scope): Relation | undefined {
  return scope.relations.find((relation) => column.startsWith(`${relation.alias}.`));
}
