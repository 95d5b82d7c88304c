// The order in which SQLite gives the rows of a join: nested loops, each over one table by rowid. Which loop
// is outermost is its planner's choice; this follows the FROM clause.
import type { Expression } from '../ast.ts';
import type { Template } from '../plan.ts';
import type { Relation } from './scope.ts';

export function joinOrder(
  relations: readonly Relation[],
  _where: Expression | undefined,
): readonly Template[] {
  return relations.flatMap((relation) => relation.order());
}
