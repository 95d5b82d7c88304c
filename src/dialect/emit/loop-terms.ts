// What the conditions of a SELECT say about single columns, as SQLite's planner sees them (optoverview.html
// sections 1 and 2): which columns are compared with what, and which tables that needs first.
import type { Expression } from '../ast.ts';
import type { Value } from '../value.ts';
import { lookUp, type Relation, type RelationColumn, type Scope } from './scope.ts';
import { allColumnsOf, columnsOf, conjuncts, disjuncts } from './tree.ts';

/** A condition as one that lets fewer rows through. */
export interface LoopFilter {
  readonly part: object;
  readonly relations: ReadonlySet<Relation>;
  /** By how much it cuts a table's rows at least (logarithm): more for equality. */
  readonly culls: number;
  /** Of an equality with an integer, which cuts less where that is -1, 0 or 1: the literal. */
  readonly integer?: number | undefined;
}

/** An OR of conditions, each of which an index of the relation may serve (optoverview.html section 3). */
export interface LoopChoice {
  readonly relation: Relation;
  readonly branches: readonly { readonly expression: Expression; readonly terms: readonly LoopTerm[] }[];
}

export interface LoopTerm {
  readonly relation: Relation;
  /** The column's SQL. */
  readonly column: string;
  readonly kind: 'equal' | 'in' | 'low' | 'high';
  /** The condition that says so: an expression, or a pair of USING. */
  readonly part: object;
  /** The condition is IS NULL. */
  readonly nulls?: true;
  /** Of `in`: the logarithm of how many values it has, where that is known. */
  readonly values?: number;
  /** Tables whose row must be known before. */
  readonly needs: ReadonlySet<Relation>;
}

/** Conditions on one table; `only`: of an outer join's ON, which constrains its right table alone. */
export type Condition = {
  readonly only: Relation | undefined;
  /** The table behind the join whose ON or USING it is; undefined: WHERE. */
  readonly of: Relation | undefined;
} & (
  | { readonly expression: Expression }
  /** Columns that USING makes equal. */
  | { readonly pair: readonly [Value, Value] }
);

export function loopTerms(conditions: readonly Condition[], scope: Scope): readonly LoopTerm[] {
  const constants = constantColumns(conditions, scope);
  return conditions.flatMap((condition) =>
    ('pair' in condition
      ? told(pairTerms(condition.pair, scope), condition.pair)
      : conjuncts(condition.expression).flatMap((part) => told(termsOf(part, scope, constants), part))
    ).filter((term) => serves(condition, term.relation, scope)),
  );
}

/** Tables left of a RIGHT JOIN, and its own, take only their own ON (constraintCompatibleWithOuterJoin). */
function serves({ only, of }: Condition, relation: Relation, { relations }: Scope): boolean {
  if (only !== undefined && relation !== only) return false;
  const right = relations.findLastIndex(({ join }) => join === 'right' || join === 'full');
  return relations.indexOf(relation) > right || of === relation;
}

type Bare = Omit<LoopTerm, 'part'>;
const told = (terms: readonly Bare[], part: object): readonly LoopTerm[] =>
  terms.map((term) => ({ ...term, part }));

export function loopFilters(conditions: readonly Condition[], scope: Scope): readonly LoopFilter[] {
  const constants = constantColumns(conditions, scope);
  return conditions.flatMap((condition): LoopFilter[] => {
    const only = condition.only === undefined ? [] : [condition.only];
    if ('pair' in condition) {
      const owners = condition.pair.flatMap((value) => ownerOf(value.sql.join(''), scope) ?? []);
      return [{ part: condition.pair, relations: new Set([...only, ...owners]), culls: 20 }];
    }
    return conjuncts(condition.expression).map((part) => {
      const found = allColumnsOf(part).flatMap((column) => find(column, scope) ?? []);
      const columns = found.map((column) => column.value.sql.join(''));
      const open = columns.filter((column) => columns.length === 1 || !constants.has(column));
      const owners = open.flatMap((column) => ownerOf(column, scope) ?? []);
      const equal = part.type === 'binary' && (part.operator === '=' || part.operator === 'is');
      const indexable = equal && [part.left, part.right].some((side) => owned(side, scope) !== undefined);
      const integer = indexable ? [part.right, part.left].flatMap(integerLiteral)[0] : undefined;
      return { part, relations: new Set([...only, ...owners]), culls: indexable ? 20 : 0, integer };
    });
  });
}

function integerLiteral(node: Expression): readonly number[] {
  const inner =
    node.type === 'unary' && (node.operator === '-' || node.operator === '+') ? node.operand : node;
  return inner.type === 'literal' && inner.kind === 'integer' ? [inner.index] : [];
}

export function loopChoices(conditions: readonly Condition[], scope: Scope): readonly LoopChoice[] {
  const none: ReadonlySet<string> = new Set();
  return conditions.flatMap((condition) => {
    if ('pair' in condition) return [];
    return conjuncts(condition.expression).flatMap((part): LoopChoice[] => {
      if (part.type !== 'binary' || part.operator !== 'or' || sameColumn(part, scope)) return [];
      const branches = disjuncts(part).map((expression) => ({
        expression,
        terms: conjuncts(expression).flatMap((inner) => told(termsOf(inner, scope, none), inner)),
      }));
      return scope.relations
        .filter((relation) => condition.only === undefined || relation === condition.only)
        .map((relation) => ({
          relation,
          branches: branches.map(({ expression, terms }) => ({
            expression,
            terms: terms.filter((term) => term.relation === relation),
          })),
        }))
        .filter((choice) => choice.branches.every(({ terms }) => terms.length > 0));
    });
  });
}

/** Columns that a WHERE makes equal to a literal stand for it everywhere else (where.c, propagateConstants). */
function constantColumns(conditions: readonly Condition[], scope: Scope): ReadonlySet<string> {
  const found = new Set<string>();
  for (const condition of conditions) {
    if ('pair' in condition || condition.only !== undefined) continue;
    for (const part of conjuncts(condition.expression)) {
      if (part.type !== 'binary' || part.operator !== '=') continue;
      const column =
        part.right.type === 'literal' ? part.left : part.left.type === 'literal' ? part.right : part;
      const own = owned(column, scope);
      if (own !== undefined) found.add(own.column);
    }
  }
  return found;
}

function pairTerms([a, b]: readonly [Value, Value], scope: Scope): readonly Bare[] {
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

function termsOf(part: Expression, scope: Scope, constants: ReadonlySet<string>): readonly Bare[] {
  switch (part.type) {
    case 'binary': {
      const same = part.operator === 'or' ? sameColumn(part, scope) : undefined;
      if (same !== undefined) return inTerms(same.column, same.values, scope);
      const sides = [part.left, part.right].map((side) => owned(side, scope)?.column ?? '');
      if (sides.every((column) => column !== '') && sides.some((column) => constants.has(column)))
        return withConstant(part, sides, scope, constants);
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
      return part.not ? [] : inTerms(part.operand, part.list, scope);
    case 'in-select':
      return part.not ? [] : term(part.operand, 'in', [], scope);
    case 'isnull':
      if (part.not) return [];
      return term(part.operand, 'equal', [], scope).map((made) => ({ ...made, nulls: true }));
    default:
      return [];
  }
}

function inTerms(operand: Expression, list: readonly Expression[], scope: Scope): readonly Bare[] {
  const values = Math.round(10 * Math.log2(Math.max(1, list.length)));
  return term(operand, 'in', list, scope).map((made) => ({ ...made, values }));
}

/** `x = 1 OR x = 2` is `x IN (1, 2)` to SQLite (optoverview.html section 3). */
function sameColumn(
  or: Expression,
  scope: Scope,
): { readonly column: Expression; readonly values: readonly Expression[] } | undefined {
  const parts = disjuncts(or).map((part) =>
    part.type === 'binary' && part.operator === '=' ? [part.left, part.right] : [],
  );
  for (const side of parts[0] ?? []) {
    const own = owned(side, scope)?.column;
    const at = parts.map((sides) => sides.findIndex((one) => owned(one, scope)?.column === own));
    if (own !== undefined && at.every((index) => index >= 0))
      return { column: side, values: parts.map((sides, i) => sides[1 - (at[i] as number)] as Expression) };
  }
  return undefined;
}

/** One column compared with another that is known: the known one asks for nothing, the other for no table. */
function withConstant(
  { operator, left, right }: Extract<Expression, { readonly type: 'binary' }>,
  sides: readonly string[],
  scope: Scope,
  constants: ReadonlySet<string>,
): readonly Bare[] {
  const bound = operator === '=' || operator === 'is' ? 'equal' : RANGES[operator];
  if (bound === undefined) return [];
  const other = { equal: 'equal', low: 'high', high: 'low' } as const;
  return [
    ...(constants.has(sides[0] ?? '') ? [] : term(left, bound, [right], scope)),
    ...(constants.has(sides[1] ?? '') ? [] : term(right, other[bound], [left], scope)),
  ].map((made) => ({ ...made, needs: new Set<Relation>() }));
}

function term(
  side: Expression,
  kind: LoopTerm['kind'],
  others: readonly Expression[],
  scope: Scope,
): readonly Bare[] {
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
  try {
    const found = lookUp(scope, node.table, node.name);
    return found?.type === 'column' && found.scope === scope ? found.column : undefined;
  } catch {
    // Ambiguous here, so it belongs to a subquery.
    return undefined;
  }
}

/** The SQL of a column where it is compared as its index is: by its own collation (wherePathSatisfiesOrderBy). */
export function indexedColumn(value: Value, scope: Scope): string | undefined {
  if (!value.simple) return undefined;
  const column = value.sql.join('');
  const relation = ownerOf(column, scope);
  const own = relation?.columns.find((candidate) => candidate.value.sql.join('') === column)?.value;
  const name = own?.collation?.name ?? 'binary';
  return relation === undefined || (value.collation?.name ?? 'binary') !== name ? undefined : column;
}

/** The relation of this scope that a column's SQL names. */
export function ownerOf(column: string, scope: Scope): Relation | undefined {
  return scope.relations.find((relation) => column.startsWith(`${relation.alias}.`));
}
