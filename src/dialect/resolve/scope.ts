// The names that an expression may use, and what they stand for (SQLite: resolve.c's rules, lang_select.html).
import { GatewayError } from '../../base/errors.ts';
import type * as ast from '../ast.ts';
import { nameKey, ROWID_NAMES } from './name.ts';
import type { Column, CommonTable, Expression, Relation } from './tree.ts';

/** A result column with a name, which other clauses of the same SELECT may use. */
export interface Alias {
  readonly key: string;
  readonly expression: Expression;
}

export interface Scope {
  readonly relations: readonly Relation[];
  readonly parent: Scope | undefined;
  /** Aliases of result columns: used where no column fits (resolve.c, lookupName). */
  readonly aliases: readonly Alias[];
  /** Outside of an aggregate query's aggregates: within these, aliases are not seen. */
  readonly grouped: boolean;
  /** Common tables that can be named here. */
  readonly common: CommonTables | undefined;
  /** The named windows of the SELECT, where window functions may stand. */
  readonly windows: ReadonlyMap<string, ast.Window> | undefined;
  /** Told of every relation that a column of this scope or an inner one belongs to. */
  readonly uses: ((relation: Relation) => void) | undefined;
}

/** The WITH clauses around a place, innermost first. */
export interface CommonTables {
  readonly parent: CommonTables | undefined;
  /** By name: resolved when it is first named, so that those of one WITH may name each other in any order. */
  readonly entries: ReadonlyMap<string, () => CommonTable>;
}

/** A scope without names of its own. */
export function emptyScope(parent: Scope | undefined, common: CommonTables | undefined): Scope {
  return {
    relations: [],
    parent,
    aliases: [],
    grouped: false,
    common,
    windows: undefined,
    uses: undefined,
  };
}

export type Found =
  | { readonly type: 'column'; readonly column: Column }
  | { readonly type: 'alias'; readonly expression: Expression };

/**
 * Finds a column by SQLite's order: columns of the innermost FROM, its rowid, its aliases, then the same one
 * SELECT further out. Undefined where there is none.
 * @throws GatewayError ambiguous-column
 */
export function lookUp(scope: Scope, table: ast.Name | undefined, name: ast.Name): Found | undefined {
  const key = nameKey(name.text);
  const tableKey = table === undefined ? undefined : nameKey(table.text);
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
    const column = columnOf(at, table, name) ?? rowidOf(at, tableKey, key);
    if (column !== undefined) return { type: 'column', column };
    if (tableKey !== undefined) continue;
    const alias = at.aliases.find((entry) => entry.key === key);
    if (alias !== undefined) return { type: 'alias', expression: alias.expression };
  }
  return undefined;
}

function columnOf(scope: Scope, table: ast.Name | undefined, name: ast.Name): Column | undefined {
  const key = nameKey(name.text);
  const tableKey = table === undefined ? undefined : nameKey(table.text);
  let found: Column | undefined;
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
        found = merged(key, found, column);
        owners.push(relation);
      }
    } else throw ambiguous(table, name);
  }
  for (const owner of owners) scope.uses?.(owner);
  return found;
}

function merged(key: string, left: Column, right: Column): Column {
  const { mergedColumns } = right.owner;
  const known = mergedColumns.get(key);
  if (known !== undefined) return known;
  const made: Column = { ...left, owner: right.owner, origin: { type: 'merged', left, right } };
  mergedColumns.set(key, made);
  return made;
}

const WORD = /^[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*$/;

/** Names with literals in them are no words, so that few look-ups need their values. */
function hasKey({ key, literalKey }: Column, wanted: string): boolean {
  if (key !== undefined) return key === wanted;
  return literalKey !== undefined && !WORD.test(wanted) && literalKey() === wanted;
}

function rowidOf(scope: Scope, tableKey: string | undefined, key: string): Column | undefined {
  if (!ROWID_NAMES.has(key)) return undefined;
  const fitting = scope.relations.filter(({ key: own }) => tableKey === undefined || own === tableKey);
  if (fitting.length !== 1) return undefined;
  const [relation] = fitting;
  if (relation?.rowid !== undefined) scope.uses?.(relation);
  return relation?.rowid;
}

function ambiguous(table: ast.Name | undefined, name: ast.Name): GatewayError {
  return new GatewayError('ambiguous-column', `ambiguous column name: ${written(table, name)}`, {
    hint: 'Write its table before it, as in t.name.',
  });
}

export function unknownColumn(table: ast.Name | undefined, name: ast.Name): GatewayError {
  return new GatewayError('unknown-column', `no such column: ${written(table, name)}`);
}

function written(table: ast.Name | undefined, name: ast.Name): string {
  return table === undefined ? name.text : `${table.text}.${name.text}`;
}
