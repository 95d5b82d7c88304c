// Whether a WHERE lets one row through at most: then a scalar subquery needs no LIMIT, which the engine
// would turn into a window.
import type { ReadColumn } from '../read-column.ts';
import type { Expression } from '../resolve/tree.ts';
import { conjuncts } from '../resolve/walk.ts';
import { columnAmong, type Relation } from './scope.ts';

/** One table, and a unique set of its columns each compared by `=` with a literal or an outer column. */
export function fixedToOneRow(relations: readonly Relation[], where: Expression | undefined): boolean {
  const [relation] = relations;
  if (relation === undefined || relations.length > 1 || where === undefined) return false;
  const fixed = new Set<ReadColumn>();
  for (const part of conjuncts(where)) {
    if (part.type !== 'binary' || part.operator !== '=') continue;
    const own = ownColumn(part.left, relations) ?? ownColumn(part.right, relations);
    const other = ownColumn(part.left, relations) === undefined ? part.left : part.right;
    if (own !== undefined && isOutside(other, relations)) fixed.add(own);
  }
  return relation.unique.some((set) => set.length > 0 && set.every((column) => fixed.has(column)));
}

/** Sets of columns that no two rows share whatever they hold: UNIQUE allows any number of NULLs. */
export function withoutNulls({ unique, columns, rowid }: Relation): Relation['unique'] {
  const never = new Set(
    [...columns, ...(rowid === undefined ? [] : [rowid])].flatMap(({ value }) =>
      value.notNull ? [value.column] : [],
    ),
  );
  return unique.filter((set) => set.length > 0 && set.every((column) => never.has(column)));
}

function ownColumn(node: Expression, relations: readonly Relation[]): ReadColumn | undefined {
  const found = node.type === 'column' ? columnAmong(relations, node.column) : undefined;
  if (found === undefined) return undefined;
  const { collation, column } = found.value;
  return (collation?.name ?? 'binary') === 'binary' ? column : undefined;
}

function isOutside(node: Expression, relations: readonly Relation[]): boolean {
  if (node.type === 'literal') return true;
  return node.type === 'column' && columnAmong(relations, node.column) === undefined;
}
