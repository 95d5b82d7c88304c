// LEFT JOINs that are inner joins to SQLite's planner, since the WHERE cannot be true for a row of NULLs
// (select.c, the "OUTER JOIN strength reduction"; expr.c, sqlite3ExprImpliesNonNullRow).
import type { Expression } from '../ast.ts';
import { type Condition, ownerOf } from './loop-terms.ts';
import { lookUp, type Relation, type Scope } from './scope.ts';
import { conjuncts } from './tree.ts';

/** The conditions of WHERE and ON; those of a LEFT JOIN that is none are free. */
export function innerConditions(
  where: Expression | undefined,
  on: readonly Condition[],
  scope: Scope,
): readonly Condition[] {
  if (where === undefined) return on;
  const parts = conjuncts(where);
  for (const relation of scope.relations)
    if (relation.join === 'left' && parts.some((part) => needsRow(part, relation, scope))) {
      relation.join = 'inner';
      relation.barrier = false;
    }
  return [
    { expression: where, only: undefined, of: undefined },
    ...on.map((condition) =>
      condition.only?.join === 'inner' ? { ...condition, only: undefined } : condition,
    ),
  ];
}

function needsRow(part: Expression, relation: Relation, scope: Scope): boolean {
  if (part.type === 'isnull' && part.not) return within(part.operand, relation, scope);
  if (part.type === 'binary' && part.operator === 'is not' && part.right.type === 'null')
    return within(part.left, relation, scope);
  return within(part, relation, scope);
}

/** Whether a NULL in some column of the relation makes the whole NULL. */
function within(node: Expression, relation: Relation, scope: Scope): boolean {
  const inside = (other: Expression): boolean => within(other, relation, scope);
  switch (node.type) {
    case 'column': {
      const found = lookUp(scope, node.table, node.name);
      return (
        found?.type === 'column' &&
        found.scope === scope &&
        ownerOf(found.column.value.sql.join(''), scope) === relation
      );
    }
    case 'binary':
      switch (node.operator) {
        case 'is':
        case 'is not':
        case 'or':
        case '->':
        case '->>':
          return false;
        case 'and':
          return inside(node.left) && inside(node.right);
        default:
          return inside(node.left) || inside(node.right);
      }
    case 'unary':
    case 'collate':
    case 'cast':
      return inside(node.operand);
    case 'between':
      return inside(node.operand);
    default:
      return false;
  }
}
