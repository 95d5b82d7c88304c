// Whether a WHERE lets one row through at most: then a scalar subquery needs no LIMIT, which the engine
// would turn into a window.
import type { Expression } from '../ast.ts';
import type { Column } from '../resolve/column.ts';
import { lookUp, type Relation, type Scope } from './scope.ts';
import { conjuncts } from './tree.ts';

/** One table, and a unique set of its columns each compared by `=` with a literal or an outer column. */
export function fixedToOneRow(
  relations: readonly Relation[],
  where: Expression | undefined,
  scope: Scope,
): boolean {
  const [relation] = relations;
  if (relation === undefined || relations.length > 1 || where === undefined) return false;
  const fixed = new Set<Column>();
  for (const part of conjuncts(where)) {
    if (part.type !== 'binary' || part.operator !== '=') continue;
    const own = ownColumn(part.left, scope) ?? ownColumn(part.right, scope);
    const other = ownColumn(part.left, scope) === undefined ? part.left : part.right;
    if (own !== undefined && isOutside(other, scope)) fixed.add(own);
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

function ownColumn(node: Expression, scope: Scope): Column | undefined {
  if (node.type !== 'column') return undefined;
  const found = lookUp(scope, node.table, node.name);
  if (found?.type !== 'column' || found.scope !== scope) return undefined;
  const { collation, column } = found.column.value;
  return (collation?.name ?? 'binary') === 'binary' ? column : undefined;
}

function isOutside(node: Expression, scope: Scope): boolean {
  if (node.type === 'literal') return true;
  if (node.type !== 'column') return false;
  const found = lookUp(scope, node.table, node.name);
  return found?.type === 'column' && found.scope !== scope;
}
