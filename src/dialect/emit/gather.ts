// Lookups of one shape as one statement: which SELECTs that is the same answer for, and what it adds to them.
// A lookup has `column = literal` among the conditions that must all hold, so a row belongs to the lookup whose
// key it has. The gathered statement takes the rows of all keys, in every other literal's place the one that
// goes with the row's key (template.ts), and says of each row which lookup it is of. Row by row that is what
// each lookup asks for; so nothing may look at several rows: no aggregate, DISTINCT, window or subquery.
import type { Expression, Select } from '../ast.ts';
import { computed } from '../operators/computed.ts';
import type { Slot, Template } from '../plan.ts';
import { sql, type Value } from '../value.ts';
import type { Emitter, GatherKey } from './emitter.ts';
import { lookUp, type Relation, type RelationColumn, type Scope } from './scope.ts';
import { conjuncts, hasAggregate, hasSelect } from './tree.ts';

/** A LIMIT says nothing about one row at most, unless it is 0. */
export function isGatherable(select: Select): boolean {
  const { first, limit, offset } = select;
  return (
    isRowByRow(select) &&
    first.type === 'select' &&
    first.where !== undefined &&
    offset === undefined &&
    (limit === undefined || integerLiteral(limit) !== undefined)
  );
}

/** Each row of the result is made of one row of the FROM clause alone. */
function isRowByRow(select: Select): boolean {
  const { first, orderBy } = select;
  return (
    isPlain(select) &&
    first.type === 'select' &&
    first.groupBy.length === 0 &&
    first.having === undefined &&
    !hasAggregate([first.columns, orderBy]) &&
    !hasSelect([first, orderBy])
  );
}

/** One SELECT, no DISTINCT, no window; and what it reads is the same whatever its literals are. */
export function isPlain({ with: common, first, rest, orderBy }: Select): boolean {
  return (
    common === undefined &&
    rest.length === 0 &&
    first.type === 'select' &&
    !first.distinct &&
    first.windows.length === 0 &&
    !hasNode([first.columns, first.where, first.having, orderBy], isWindowCall) &&
    !hasSelect(first.from) &&
    !hasNode(first.from, (node) => node.type === 'literal')
  );
}

/** Index of the literal that a LIMIT or OFFSET is; undefined where it is none or no literal. */
export function integerLiteral(count: Expression | undefined): number | undefined {
  return count?.type === 'literal' && count.kind === 'integer' ? count.index : undefined;
}

type Node = Partial<Expression>;
const isWindowCall = (node: Node): boolean => node.type === 'call' && node.over !== undefined;

function hasNode(tree: unknown, is: (node: Node) => boolean): boolean {
  if (typeof tree !== 'object' || tree === null) return false;
  if (Array.isArray(tree)) return tree.some((node) => hasNode(node, is));
  return is(tree as Node) || Object.values(tree).some((node) => hasNode(node, is));
}

/**
 * A condition `column = literal` that the engine compares as it is: integers, and texts byte by byte. Of several
 * the one that tells most lookups apart, by what the table says is unique: an index on it then serves, too.
 */
export function gatherKey(
  where: Expression | undefined,
  scope: Scope,
  emitter: Emitter,
): GatherKey | undefined {
  let best: GatherKey | undefined;
  let bestRank = Number.POSITIVE_INFINITY;
  for (const part of where === undefined ? [] : conjuncts(where)) {
    if (part.type !== 'binary' || part.operator !== '=') continue;
    const key = keyOf(part.left, part.right, scope, emitter) ?? keyOf(part.right, part.left, scope, emitter);
    const rank = key === undefined ? bestRank : rankOf(key.column, scope);
    if (key === undefined || rank >= bestRank) continue;
    bestRank = rank;
    // That a row has one of the keys says it already, and written twice it keeps the engine from its index.
    best = { ...key, rest: where === undefined ? undefined : without(where, part) };
  }
  return best;
}

/** 0: unique by itself; then the columns of longer unique sets, the first ones first. */
function rankOf(column: string, { relations }: Scope): number {
  const places = relations.flatMap(({ unique }) =>
    unique.flatMap((set) => (set.includes(column) ? [set.length === 1 ? 0 : 1 + set.indexOf(column)] : [])),
  );
  return Math.min(1_000, ...places);
}

function keyOf(
  side: Expression,
  other: Expression,
  scope: Scope,
  emitter: Emitter,
): Omit<GatherKey, 'rest'> | undefined {
  const found = plainComparison(side, other, scope, emitter);
  if (found === undefined) return undefined;
  const { column, literal, entry } = found;
  const owner = scope.relations.find((relation) => ownsColumn(relation, entry));
  return {
    index: literal,
    column: column.sql.join(''),
    kind: column.kind as GatherKey['kind'],
    scanned: owner?.rows !== undefined && owner.rows <= SCANNED_ROWS,
  };
}

/**
 * A column of this SELECT and a literal of its own kind, which the engine compares as they are: integers, and texts
 * byte by byte. Other kinds and collations are compared by SQLite's rules.
 */
export function plainComparison(
  side: Expression,
  other: Expression,
  scope: Scope,
  emitter: Emitter,
): { readonly column: Value; readonly literal: number; readonly entry: RelationColumn } | undefined {
  if (side.type !== 'column' || other.type !== 'literal' || emitter.pins.has(other.index)) return undefined;
  const found = lookUp(scope, side.table, side.name);
  if (found?.type !== 'column' || found.scope !== scope) return undefined;
  const { value: column } = found.column;
  const { kind, simple, collation } = column;
  if (!simple || kind !== other.kind) return undefined;
  if (kind !== 'integer' && (kind !== 'text' || (collation?.name ?? 'binary') !== 'binary')) return undefined;
  return { column, literal: other.index, entry: found.column };
}

function ownsColumn({ columns, rowid }: Relation, column: RelationColumn): boolean {
  return rowid === column || columns.includes(column);
}

/** Tables so small that to look at each row costs less than the engine's preparations for IN (600 us for 64 keys). */
const SCANNED_ROWS = 10_000;

function without(tree: Expression, part: Expression): Expression | undefined {
  if (tree === part) return undefined;
  if (tree.type !== 'binary' || tree.operator !== 'and') return tree;
  const left = without(tree.left, part);
  const right = without(tree.right, part);
  if (left === undefined || right === undefined) return left ?? right;
  return left === tree.left && right === tree.right ? tree : { ...tree, left, right };
}

export function isOneOfKeys({ index, column, scanned }: GatherKey): Template {
  const keys: Slot = { index, as: scanned ? 'keyList' : 'keys' };
  return scanned ? sql`list_contains(${keys}, ${column})` : sql`(${column} IN (${keys}))`;
}

/** Says which lookup a row is of. */
export function keyValue({ column, kind }: GatherKey): Value {
  return computed(kind, [column], true);
}
