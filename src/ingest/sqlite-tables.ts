// What a validator's database holds: its registered tables and system tables with their columns, keys and
// constraints. Reads the schema and the registry only, no rows of tables.
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Kind } from '../columns/column-buffer.ts';
import { type Ddl, readDdl } from './ddl.ts';
import { ImportError } from './failure.ts';
import type { NewColumn, NewTable } from './snapshot-table.ts';

/** Name of the source on its connection. */
export const SOURCE = 'source';

export interface SourceTable {
  readonly schema: typeof SOURCE;
  readonly table: NewTable;
  /** Its CREATE TABLE, then its CREATE INDEX, as SQLite keeps them. */
  readonly sql: readonly string[];
  /** Columns that hold values: all but generated ones. */
  readonly stored: readonly string[];
  /** A word for SQLite's rowid that no column hides; undefined where there is none to be read. */
  readonly rowid: string | undefined;
  /** Columns whose kind only their values tell: those of tables that are not STRICT, and ANY. */
  readonly loose: ReadonlySet<string>;
  /** Page on which its tree begins. */
  readonly root: number;
}

export interface SourceSchema {
  readonly tables: readonly SourceTable[];
  /** Lines about what is left out. */
  readonly warnings: readonly string[];
}

interface Listed {
  readonly name: string;
  readonly sql: string;
  readonly indexes: readonly string[];
  readonly root: number;
  readonly strict: boolean;
  readonly withoutRowid: boolean;
}
interface Registered {
  readonly chainId: number;
  readonly tableId: string;
  readonly prefix: string;
  readonly createdAt: number;
}

/** SQLite folds the case of ASCII letters only in names. */
export function foldName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** @throws ImportError where it is no validator's database */
export function readSourceSchema(database: DatabaseSyncInstance, source: string): SourceSchema {
  const listed = listTables(database);
  if (!listed.has('registry'))
    throw new ImportError(
      `${source} is not a validator's database: it has no table "registry"; for one table from a file add --table PREFIX_CHAIN_ID`,
    );
  const warnings: string[] = [];
  const registered = readRegistry(database, source, warnings);
  const tables: SourceTable[] = [];
  for (const [name, entry] of registered) {
    const found = listed.get(name);
    if (found === undefined) warnings.push(`${name} is in the registry but there is no such table; left out`);
    else tables.push(describe(database, found, entry));
  }
  for (const [name, found] of listed) {
    if (name === 'registry' || name.startsWith('system_')) tables.push(describe(database, found, undefined));
    else if (!registered.has(name) && /_\d+_\d+$/.test(name))
      warnings.push(`the table ${found.name} is not in the registry; left out`);
  }
  return { tables, warnings };
}

function listTables(database: DatabaseSyncInstance): ReadonlyMap<string, Listed> {
  const rows = database
    .prepare(
      `select l.name, m.sql, m.rootpage as root, l.strict, l.wr from pragma_table_list as l
       join source.sqlite_master as m on m.name = l.name and m.type = 'table'
       where l.schema = 'source' and l.type = 'table'`,
    )
    .all() as { name: string; sql: string; root: number; strict: number; wr: number }[];
  const indexes = new Map<string, string[]>();
  for (const { name, sql } of database
    .prepare(
      `select tbl_name as name, sql from source.sqlite_master where type = 'index' and sql is not null order by rowid`,
    )
    .all() as { name: string; sql: string }[]) {
    const known = indexes.get(foldName(name));
    if (known === undefined) indexes.set(foldName(name), [sql]);
    else known.push(sql);
  }
  return new Map(
    rows.map(({ name, sql, root, strict, wr }) => [
      foldName(name),
      {
        ...{ name, sql, root },
        indexes: indexes.get(foldName(name)) ?? [],
        strict: strict === 1,
        withoutRowid: wr === 1,
      },
    ]),
  );
}

function readRegistry(
  database: DatabaseSyncInstance,
  source: string,
  warnings: string[],
): ReadonlyMap<string, Registered> {
  let rows: { id: string; prefix: string; created_at: number; chain_id: string }[];
  try {
    rows = database
      .prepare(
        `select cast(id as text) as id, cast(prefix as text) as prefix, cast(chain_id as text) as chain_id,
           coalesce(cast(created_at as real), 0) as created_at from source.registry order by chain_id, id`,
      )
      .all() as typeof rows;
  } catch (error) {
    throw new ImportError(`${source} is not a validator's database: its registry has other columns`, {
      cause: error,
    });
  }
  const registered = new Map<string, Registered>();
  const ids = new Map<string, string>();
  for (const { id, prefix, chain_id, created_at } of rows) {
    const name = `${prefix ?? ''}_${chain_id}_${id}`;
    const chainId = Number(chain_id ?? NaN);
    if (!/^\d+$/.test(id ?? '') || !Number.isSafeInteger(chainId) || chainId < 0)
      warnings.push(
        `the registry has an entry without a proper chain and id, ${JSON.stringify(name)}; left out`,
      );
    else if (ids.has(`${chainId} ${BigInt(id)}`))
      throw new ImportError(
        `${source}: the registry has two tables with the id ${id} of chain ${chainId}: ${ids.get(`${chainId} ${BigInt(id)}`)} and ${name}`,
      );
    else {
      ids.set(`${chainId} ${BigInt(id)}`, name);
      registered.set(foldName(name), {
        chainId,
        tableId: id,
        prefix: prefix ?? '',
        createdAt: Math.trunc(created_at),
      });
    }
  }
  return registered;
}

interface PragmaColumn {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
  readonly hidden: number;
}

const HIDDEN_OF_VIRTUAL_TABLE = 1;

function describe(
  database: DatabaseSyncInstance,
  listed: Listed,
  registered: Registered | undefined,
): SourceTable {
  const found = (
    database
      .prepare('select name, type, "notnull", pk, hidden from pragma_table_xinfo(?, ?)')
      .all(listed.name, SOURCE) as unknown as PragmaColumn[]
  ).filter(({ hidden }) => hidden !== HIDDEN_OF_VIRTUAL_TABLE);
  const ddl = readDdl(listed.sql);
  const sets = uniqueSets(database, listed.name);
  const key = integerKey(found, listed, sets.hasKeyIndex);
  const columns = found.map((column) => newColumn(column, ddl, listed, key));
  const names = new Set(columns.map(({ name }) => foldName(name)));
  const rowid = listed.withoutRowid
    ? undefined
    : ['rowid', '_rowid_', 'oid'].find((word) => !names.has(word));
  return {
    schema: SOURCE,
    sql: [listed.sql, ...listed.indexes],
    stored: found.filter(({ hidden }) => hidden === 0).map(({ name }) => name),
    table: {
      name: listed.name,
      chainId: registered?.chainId,
      tableId: registered?.tableId,
      prefix: registered?.prefix,
      createdAt: registered?.createdAt,
      kind: registered === undefined ? 'system' : 'user',
      columns,
      rowid: key ?? (rowid === undefined ? undefined : freeName(names)),
      hasHiddenRowid: key === undefined && rowid !== undefined,
      unique: key === undefined ? sets.sets : [[key], ...sets.sets],
      tableConstraints: ddl.tableConstraints,
    },
    rowid: key === undefined ? rowid : quoteName(key),
    root: listed.root,
    loose: new Set(
      found.filter(({ type }) => !listed.strict || type.toLowerCase() === 'any').map(({ name }) => name),
    ),
  };
}

/** `_rowid` with as many underscores as it takes to be no column's name. */
export function freeName(names: ReadonlySet<string>): string {
  let name = '_rowid';
  while (names.has(name)) name += '_';
  return name;
}

function uniqueSets(
  database: DatabaseSyncInstance,
  table: string,
): { readonly sets: readonly (readonly string[])[]; readonly hasKeyIndex: boolean } {
  const indexes = database
    .prepare('select name, "unique", origin, partial from pragma_index_list(?, ?)')
    .all(table, SOURCE) as { name: string; unique: number; origin: string; partial: number }[];
  const sets: string[][] = [];
  for (const { name, unique, partial } of indexes) {
    if (unique !== 1 || partial !== 0) continue;
    const columns = database
      .prepare('select name from pragma_index_info(?, ?) order by seqno')
      .all(name, SOURCE) as {
      name: string | null;
    }[];
    const named = columns.flatMap((column) => (column.name === null ? [] : [column.name]));
    // An expression or the rowid in an index has no name: nothing to be said of columns.
    if (named.length === columns.length) sets.push(named);
  }
  return { sets, hasKeyIndex: indexes.some(({ origin }) => origin === 'pk') };
}

/** The column that is the rowid (lang_createtable.html, "ROWIDs and the INTEGER PRIMARY KEY"). */
function integerKey(
  columns: readonly PragmaColumn[],
  listed: Listed,
  hasKeyIndex: boolean,
): string | undefined {
  const keys = columns.filter(({ pk }) => pk > 0);
  const only = keys.length === 1 ? keys[0] : undefined;
  // A key with an index of its own (as INTEGER PRIMARY KEY DESC has) is a column like any other.
  if (listed.withoutRowid || hasKeyIndex || only?.type.toLowerCase() !== 'integer') return undefined;
  return only.name;
}

function newColumn(column: PragmaColumn, ddl: Ddl, listed: Listed, key: string | undefined): NewColumn {
  const written = ddl.columns.find(({ name }) => foldName(name) === foldName(column.name));
  const affinity = affinityOf(column.type, listed.strict);
  const collation = written?.collation;
  return {
    name: column.name,
    written: written?.written ?? column.name,
    declaredType: column.type.toLowerCase(),
    kind: KIND_OF_AFFINITY[affinity],
    affinity,
    // Keys of STRICT and WITHOUT ROWID tables may not be NULL; elsewhere SQLite lets them (a kept mistake).
    notNull:
      column.notnull === 1 ||
      column.name === key ||
      (column.pk > 0 && (listed.strict || listed.withoutRowid)),
    collation: collation === 'nocase' || collation === 'rtrim' ? collation : 'binary',
    constraints: written?.constraints ?? [],
  };
}

export type Affinity = 'integer' | 'real' | 'numeric' | 'text' | 'blob';

/** datatype3.html section 3.1; in STRICT tables ANY converts nothing. */
function affinityOf(type: string, strict: boolean): Affinity {
  const upper = type.toUpperCase();
  if (strict && upper === 'ANY') return 'blob';
  if (upper.includes('INT')) return 'integer';
  if (/CHAR|CLOB|TEXT/.test(upper)) return 'text';
  if (upper.includes('BLOB') || upper === '') return 'blob';
  return /REAL|FLOA|DOUB/.test(upper) ? 'real' : 'numeric';
}

/** In STRICT tables the truth; in others what an empty column is taken for. */
const KIND_OF_AFFINITY: Readonly<Record<Affinity, Kind>> = {
  integer: 'integer',
  real: 'real',
  numeric: 'integer',
  text: 'text',
  blob: 'blob',
};
