// The names that an expression may use, and what they stand for (SQLite: resolve.c's rules, lang_select.html).
// Knows relations and scopes, not how they are written in SQL.
import { GatewayError } from '../../base/errors.ts';
import type { Expression, Name, Window } from '../ast.ts';
import type { Template } from '../plan.ts';
import type { Column } from '../resolve/column.ts';
import type { Block } from '../row-plan.ts';
import { sql, type Value } from '../value.ts';
import { nameKey, ROWID_NAMES } from './name.ts';
import type { OrderKey } from './order-key.ts';

export interface RelationColumn {
  /** As the client sees it. */
  readonly name: Template;
  /** For look-ups; undefined where the name holds a literal of the statement. */
  readonly key: string | undefined;
  /** What `key` is for the values of these literals. */
  readonly literalKey?: () => string;
  /** Read as it is: its column is set. */
  readonly value: Value & { readonly column: Column };
}

/** One table, subquery or table function of a FROM clause. */
export interface Relation {
  /** Its name in the SQL that is emitted: unique in the statement. */
  readonly alias: string;
  /** Key of the name that qualifies its columns; undefined for a subquery without one. */
  readonly key: string | undefined;
  columns: readonly RelationColumn[];
  rowid: RelationColumn | undefined;
  /** Keys of columns that the join in front of this relation merges with columns further left. */
  merged: ReadonlySet<string>;
  /** By key, where the join is a FULL one: what columns on both sides become, once it was asked for. */
  readonly coalesced: Map<string, RelationColumn>;
  /** Kind of the join in front of this relation. */
  join: 'inner' | 'left' | 'right' | 'full';
  /** A table of the snapshot, which lies in the order of its rowids. */
  readonly stored: boolean;
  /** ORDER BY keys that are its rows in their own order; none where it has one row. */
  readonly order: () => readonly OrderKey[];
  /** Sets of columns that no two of its rows share, NULLs left aside. */
  readonly unique: readonly (readonly Column[])[];
  /** Known to have at most one row. */
  readonly single: boolean;
}

/** A result column with a name, which other clauses of the same SELECT may use. */
export interface AliasEntry {
  readonly key: string;
  readonly expression: Expression;
}

export interface Scope {
  readonly relations: readonly Relation[];
  readonly parent: Scope | undefined;
  /** Aliases of result columns: used where no column fits (resolve.c, lookupName). */
  readonly aliases: readonly AliasEntry[];
  /** Set where expressions stand outside of an aggregate query's aggregates: columns go through it. */
  readonly group: Group | undefined;
  /** Common tables that can be named here. */
  readonly common: CommonTables | undefined;
  /** Set where window functions may stand. */
  readonly windows: Windows | undefined;
  /** SQLite's plan of the SELECT. */
  readonly block: Block;
  /** ORDER BY keys that are SQLite's order of the rows here; none where there is one row. */
  readonly order: () => readonly OrderKey[];
  /** Told of every relation that a column of this scope or an inner one belongs to. */
  readonly uses: ((relation: Relation) => void) | undefined;
}

/** The windows of one SELECT. */
export interface Windows {
  readonly names: ReadonlyMap<string, Window>;
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
  /** Where the arguments of aggregates are resolved. */
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

/** The WITH clauses around a place, innermost first. */
export interface CommonTables {
  readonly parent: CommonTables | undefined;
  readonly entries: ReadonlyMap<string, CommonEntry>;
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
  readonly columns: (alias: string) => readonly RelationColumn[];
  readonly single: boolean;
  readonly orderMatters: () => void;
}

export type Found =
  | { readonly type: 'column'; readonly column: RelationColumn; readonly scope: Scope }
  | { readonly type: 'alias'; readonly expression: Expression; readonly scope: Scope };

/**
 * Finds a column by SQLite's order: columns of the innermost FROM, its rowid, its aliases, then the same one
 * SELECT further out. Undefined where there is none.
 * @throws GatewayError ambiguous-column
 */
export function lookUp(scope: Scope, table: Name | undefined, name: Name): Found | undefined {
  const key = nameKey(name.text);
  const tableKey = table === undefined ? undefined : nameKey(table.text);
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
    const column = columnOf(at, table, name) ?? rowidOf(at, tableKey, key);
    if (column !== undefined) return { type: 'column', column, scope: at };
    if (tableKey !== undefined) continue;
    const alias = at.aliases.find((entry) => entry.key === key);
    if (alias !== undefined) return { type: 'alias', expression: alias.expression, scope: at };
  }
  return undefined;
}

function columnOf(scope: Scope, table: Name | undefined, name: Name): RelationColumn | undefined {
  const key = nameKey(name.text);
  const tableKey = table === undefined ? undefined : nameKey(table.text);
  let found: RelationColumn | undefined;
  let owners: Relation[] = [];
  for (const relation of scope.relations) {
    if (tableKey !== undefined && relation.key !== tableKey) continue;
    const column = relation.columns.find((candidate) => hasKey(candidate, key));
    if (column === undefined) continue;
    if (found === undefined) {
      found = column;
      owners = [relation];
    } else if (relation.merged.has(key)) {
      // Merged columns: the left one, except that RIGHT takes the right one and FULL whichever is not NULL.
      if (relation.join === 'right') {
        found = column;
        owners = [relation];
      } else if (relation.join === 'full') {
        found = bothSides(key, found, column, relation);
        owners.push(relation);
      }
    } else throw ambiguous(table, name);
  }
  for (const owner of owners) {
    scope.uses?.(owner);
  }
  return found;
}

const WORD = /^[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*$/;

/** Names with literals in them are no words, so that few look-ups need their values. */
function hasKey({ key, literalKey }: RelationColumn, wanted: string): boolean {
  if (key !== undefined) return key === wanted;
  return literalKey !== undefined && !WORD.test(wanted) && literalKey() === wanted;
}

function rowidOf(scope: Scope, tableKey: string | undefined, key: string): RelationColumn | undefined {
  if (!ROWID_NAMES.has(key)) return undefined;
  const fitting = scope.relations.filter(({ key: own }) => tableKey === undefined || own === tableKey);
  if (fitting.length !== 1) return undefined;
  const [relation] = fitting;
  if (relation?.rowid !== undefined) scope.uses?.(relation);
  return relation?.rowid;
}

/** FULL JOIN ... USING: the column is coalesce(left, right) (lang_select.html section 2.1). */
function bothSides(
  key: string,
  left: RelationColumn,
  right: RelationColumn,
  { coalesced }: Relation,
): RelationColumn {
  const known = coalesced.get(key);
  if (known !== undefined) return known;
  const text = sql`coalesce(${left.value.sql}, ${right.value.sql})`;
  const value = {
    ...left.value,
    sql: text,
    column: { sql: text },
    affinity: 'none',
    simple: false,
    notNull: false,
  } as const;
  const made = { ...left, value };
  coalesced.set(key, made);
  return made;
}

function ambiguous(table: Name | undefined, name: Name): GatewayError {
  const full = table === undefined ? name.text : `${table.text}.${name.text}`;
  return new GatewayError('ambiguous-column', `ambiguous column name: ${full}`, {
    hint: 'Write its table before it, as in t.name.',
  });
}

export function unknownColumn(table: Name | undefined, name: Name): GatewayError {
  const full = table === undefined ? name.text : `${table.text}.${name.text}`;
  return new GatewayError('unknown-column', `no such column: ${full}`);
}
