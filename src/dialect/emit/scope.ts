// Where an expression stands in the SQL that is written: the relations whose columns can be read there, SELECT by SELECT
// outwards, and what is around it. Which column a name means has been resolved before.
import { NotNative } from '../not-native.ts';
import type { Template } from '../plan.ts';
import type { ReadColumn } from '../read-column.ts';
import type { Column, CommonTable, Expression, Relation as ResolvedRelation } from '../resolve/tree.ts';
import type { Block } from '../row-plan.ts';
import { sql, type Value } from '../value.ts';
import type { OrderKey } from './order-key.ts';

export interface RelationColumn {
  readonly of: Column;
  /** Read as it is: its column is set. */
  readonly value: Value & { readonly column: ReadColumn };
}

/** One table, subquery or common table of a FROM clause, as it is written there. */
export interface Relation {
  readonly of: ResolvedRelation;
  /** Its name in the SQL that is emitted: unique in the statement. */
  readonly alias: string;
  /** In the order of the relation's own columns. */
  columns: readonly RelationColumn[];
  rowid: RelationColumn | undefined;
  /** What FULL joins merged, once it was read. */
  readonly merged: Map<Column, RelationColumn>;
  /** A table of the snapshot, which lies in the order of its rowids. */
  readonly stored: boolean;
  /** ORDER BY keys that are its rows in their own order; none where it has one row. */
  readonly order: () => readonly OrderKey[];
  /** Sets of columns that no two of its rows share, NULLs left aside. */
  readonly unique: readonly (readonly ReadColumn[])[];
  /** Known to have at most one row. */
  readonly single: boolean;
}

export interface Scope {
  readonly relations: readonly Relation[];
  readonly parent: Scope | undefined;
  /** Set where expressions stand outside of an aggregate query's aggregates: columns go through it. */
  readonly group: Group | undefined;
  readonly common: CommonTables | undefined;
  /** Set where window functions may stand. */
  readonly windows: Windows | undefined;
  /** SQLite's plan of the SELECT. */
  readonly block: Block;
  /** ORDER BY keys that are SQLite's order of the rows here; none where there is one row. */
  readonly order: () => readonly OrderKey[];
}

/** A scope without rows of its own. */
export function emptyScope(parent: Scope | undefined, common: CommonTables | undefined, block: Block): Scope {
  return { relations: [], parent, group: undefined, common, windows: undefined, block, order: () => [] };
}

/** The windows of one SELECT. */
export interface Windows {
  /**
   * ORDER BY keys of each window so far: rows come out in the order of the first, ties in that of the second
   * and so on, since SQLite sorts for the last one first.
   */
  readonly seen: (readonly OrderKey[])[];
  /** The same of all windows, once they are known. */
  readonly all: (readonly OrderKey[])[];
}

/** An aggregate query seen from outside its aggregates: what it offers instead of its rows. */
export interface Group {
  /** GROUP BY is there; else all rows are one group. */
  readonly grouped: boolean;
  /** Where the arguments of aggregates stand. */
  readonly base: Scope;
  /** A column outside of aggregates: a GROUP BY term, or taken from one row of the group. */
  readonly column: (column: RelationColumn) => Value;
  /** The expression as a GROUP BY term, if it is one. */
  readonly term: (expression: Expression) => Value | undefined;
  /** An aggregate's value. `extreme`: set for min() and max() of one argument. */
  readonly aggregate: (value: Value, extreme: Extreme | undefined) => Value;
}
/** min(x) or max(x): columns beside it come from the row where x was found (lang_select.html section 2.5). */
export interface Extreme {
  readonly argument: Value;
  readonly descending: boolean;
  readonly distinct: boolean;
  readonly filter: Template | undefined;
}

/** The common tables that can be read, innermost first. */
export interface CommonTables {
  readonly parent: CommonTables | undefined;
  readonly entries: ReadonlyMap<CommonTable, CommonEntry>;
}
export interface CommonEntry {
  /**
   * A use of it: its SQL name, what its columns are, and a word that its rows' order matters.
   * @param called by this name in the SELECT whose plan is `block`
   * @param alone the only source there
   */
  readonly use: (block: Block, called: string, alone: boolean) => CommonUse;
}
export interface CommonUse {
  readonly sql: Template;
  readonly columns: (of: ResolvedRelation, alias: string) => readonly RelationColumn[];
  readonly single: boolean;
  readonly orderMatters: () => void;
}

interface Read {
  readonly column: RelationColumn;
  /** The SELECT that it belongs to. */
  readonly scope: Scope;
}

/** A column as it is read from here. */
export function readColumn(from: Scope, column: Column): Read {
  for (let scope: Scope | undefined = from; scope !== undefined; scope = scope.parent) {
    const found = columnAmong(scope.relations, column);
    if (found !== undefined) return { column: found, scope };
  }
  throw new NotNative('a column from where it cannot be read');
}

export function columnAmong(relations: readonly Relation[], column: Column): RelationColumn | undefined {
  const relation = relations.find(({ of }) => of === column.owner);
  if (relation === undefined) return undefined;
  const { origin } = column;
  if (origin.type === 'rowid') return relation.rowid;
  if (origin.type !== 'merged') return relation.columns.find(({ of }) => of === column);
  const known = relation.merged.get(column);
  if (known !== undefined) return known;
  const left = columnAmong(relations, origin.left);
  const right = columnAmong(relations, origin.right);
  if (left === undefined || right === undefined) return undefined;
  const made = { of: column, value: firstOf([left.value, right.value]) };
  relation.merged.set(column, made);
  return made;
}

/** The first that is not NULL: what a join has merged (lang_select.html section 2.1). */
function firstOf([left, right]: readonly [RelationColumn['value'], Value]): RelationColumn['value'] {
  const text = sql`coalesce(${left.sql}, ${right.sql})`;
  return { ...left, sql: text, column: { sql: text }, affinity: 'none', simple: false, notNull: false };
}
