// What a SELECT's clauses say about the order of its rows: where no order need be asked for.
import type { ReadColumn } from '../read-column.ts';
import type { OrderTerm, SelectCore } from '../resolve/tree.ts';
import { seesOrder } from '../resolve/walk.ts';
import type { Grouping } from './grouping.ts';
import type { Relation, Scope } from './scope.ts';
import { withoutNulls } from './unique.ts';

interface Ordered {
  readonly orderBy: readonly OrderTerm[];
}

/** SQLite: another order or a join comes after, and no aggregate or window looks at the order of the rows. */
export function isOrderless({ from: source, columns, having }: SelectCore, { orderBy }: Ordered): boolean {
  if (orderBy.length === 0 && source?.type !== 'join') return false;
  const expressions = [...columns, ...orderBy].map(({ expression }) => expression);
  return !seesOrder([expressions, having]);
}

/** Within an expression of another SELECT: what uses its row, the engine makes a join of. */
export function isInRow({ parent }: Scope): boolean {
  return parent !== undefined && (parent.relations.length > 0 || isInRow(parent));
}

/** Sets of columns that no two rows share, so that an ORDER BY with all of one needs no tie-break. */
export function uniqueSets(
  relations: readonly Relation[],
  group: Grouping | undefined,
): readonly (readonly ReadColumn[])[] {
  if (group !== undefined) return group.unique();
  const [relation] = relations;
  return relation === undefined || relations.length > 1 ? [] : withoutNulls(relation);
}
