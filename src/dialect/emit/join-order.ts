// The order in which SQLite gives the rows of a join: nested loops, each over one table by rowid. Which loop
// is outermost is its planner's choice; this follows the FROM clause.
import type { Template } from '../plan.ts';
import type { Relation } from './scope.ts';

export function joinOrder(relations: readonly Relation[]): readonly Template[] {
  // The rows of the right table that found no partner come last: there, all keys on the left are NULL.
  const unmatched = relations.some(({ join }) => join === 'right' || join === 'full');
  return relations.flatMap((relation) => relation.order(unmatched));
}
