// What a validator's database holds: its registered tables and system tables with their columns, keys and
// constraints. Reads the schema and the registry only, no rows of tables.

import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { asciiLower } from '../base/ascii-lower.ts';
import type { Kind } from '../columns/column-buffer.ts';
import { askOf } from '../snapshot/ask.ts';
import { type Ddl, readDdl } from './ddl.ts';
import { ImportError } from './failure.ts';
import type { NewColumn, NewTable } from './snapshot-table.ts';

/** Name of the source on its connection. */
export const SOURCE = 'source';

/** A table that is to be served, as far as the schema of its database and the registry tell of it at a glance. */
export interface ListedTable {
  readonly name: string;
  /** Its CREATE TABLE, then its CREATE INDEX, as SQLite keeps them. */
  readonly sql: readonly string[];
  /** Page on which its tree begins. */
  readonly root: number;
  /** Undefined for what is no table of a user. */
  readonly registered: Registered | undefined;
}

export interface SourceTable extends ListedTable {
  readonly schema: typeof SOURCE;
  readonly table: NewTable;
  /** A word for SQLite's rowid that no column hides; undefined where there is none to be read. */
  readonly rowid: string | undefined;
  /** Columns that hold values: all but generated ones. */
  readonly stored: readonly string[];
  /** Columns whose kind only their values tell: those of tables that are not STRICT, and ANY. */
  readonly loose: ReadonlySet<string>;
}

export interface Listing {
  readonly tables: readonly ListedTable[];
  /** Lines about what is left out. */
  readonly warnings: readonly string[];
}

export interface Registered {
  readonly chainId: number;
  readonly tableId: string;
  readonly prefix: string;
  readonly createdAt: number;
}

/** SQLite folds the case of ASCII letters only in names. */
export function foldName(name: string): string {
  return asciiLower(name);
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** @throws ImportError where it is no validator's database */
export function listTables(database: DatabaseSyncInstance, source: string): Listing {
  const created = readCreated(database);
  if (!created.has('registry'))
    throw new ImportError(
      `${source} is not a validator's database: it has no table "registry"; for one of its tables add --from-table NAME --table PREFIX_CHAIN_ID; ${namesIn(created)}`,
    );
  const warnings: string[] = [];
  const registered = readRegistry(database, source, warnings);
  const tables: ListedTable[] = [];
  for (const [name, entry] of registered) {
    const found = created.get(name);
    if (found === undefined) warnings.push(`${name} is in the registry but there is no such table; left out`);
    else tables.push({ ...found, registered: entry });
  }
  for (const [name, found] of created) {
    const isKnown = name === 'registry' || name.startsWith('system_');
    const isNamedLikeOne = /^\w*_\d+_\d+$/.test(name);
    // The reference asks the registry for metadata only: its statements read whatever table has the name.
    if (isKnown || (isNamedLikeOne && !registered.has(name)))
      tables.push({ ...found, registered: undefined });
  }
  return { tables, warnings };
}

/** Names that are listed in one line. */
const MAX_NAMES = 20;

/** `it has the tables a, b`, for people. */
export function namesIn(created: ReadonlyMap<string, Created>): string {
  const names = [...created.values()].map(({ name }) => name).filter((name) => !/^sqlite_/i.test(name));
  if (names.length === 0) return 'it has no tables';
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `it has ${names.slice(0, MAX_NAMES).join(', ')}${more}`;
}

type Created = Pick<ListedTable, 'name' | 'sql' | 'root'>;

/** Tables by their folded names; no virtual ones, which have no page. */
export function readCreated(database: DatabaseSyncInstance): ReadonlyMap<string, Created> {
  const rows = askOf(database)(
    `select type, name, tbl_name, sql, rootpage from source.sqlite_master
     where type in ('table', 'index') and rootpage > 0 and sql is not null`,
  ) as [type: string, name: string, of: string, sql: string, root: number][];
  const created = new Map<string, Created & { readonly sql: string[] }>();
  for (const [type, name, , sql, root] of rows)
    if (type === 'table') created.set(foldName(name), { name, sql: [sql], root });
  for (const [type, , of, sql] of rows) if (type === 'index') created.get(foldName(of))?.sql.push(sql);
  return created;
}

function readRegistry(
  database: DatabaseSyncInstance,
  source: string,
  warnings: string[],
): ReadonlyMap<string, Registered> {
  let rows: [id: string | null, prefix: string | null, chainId: string | null, createdAt: number][];
  try {
    rows = askOf(database)(
      `select cast(id as text), cast(prefix as text), cast(chain_id as text),
         coalesce(cast(created_at as real), 0) from source.registry order by chain_id, id`,
    ) as typeof rows;
  } catch (error) {
    throw new ImportError(`${source} is not a validator's database: its registry has other columns`, {
      cause: error,
    });
  }
  const registered = new Map<string, Registered>();
  const ids = new Map<string, string>();
  for (const [id, prefix, chain_id, created_at] of rows) {
    const name = `${prefix ?? ''}_${chain_id}_${id}`;
    const chainId = Number(chain_id ?? NaN);
    if (id === null || !/^\d+$/.test(id) || !Number.isSafeInteger(chainId) || chainId < 0)
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

/** Describes tables one by one. Of thousands only those that changed are. */
export function createDescriber(database: DatabaseSyncInstance): (listed: ListedTable) => SourceTable {
  const info = database.prepare('select name, type, "notnull", pk, hidden from pragma_table_xinfo(?, ?)');
  const indexes = database.prepare(
    `select l.name as "index", l."unique", l.origin, l.partial, i.name from pragma_index_list(?, ?) as l
     join pragma_index_info(l.name, ?) as i order by l.seq, i.seqno`,
  );
  return (listed) =>
    describe(
      listed,
      info.all(listed.name, SOURCE) as unknown as PragmaColumn[],
      indexes.all(listed.name, SOURCE, SOURCE) as unknown as PragmaIndexColumn[],
    );
}

interface PragmaIndexColumn {
  readonly index: string;
  readonly unique: number;
  readonly origin: string;
  readonly partial: number;
  /** Null for an expression or the rowid. */
  readonly name: string | null;
}

function describe(
  listed: ListedTable,
  info: readonly PragmaColumn[],
  indexes: readonly PragmaIndexColumn[],
): SourceTable {
  const found = info.filter(({ hidden }) => hidden !== HIDDEN_OF_VIRTUAL_TABLE);
  const ddl = readDdl(listed.sql[0] ?? '');
  const key = integerKey(
    found,
    ddl,
    indexes.some(({ origin }) => origin === 'pk'),
  );
  const columns = found.map((column) => newColumn(column, ddl, key));
  const names = new Set(columns.map(({ name }) => foldName(name)));
  const rowid = ddl.withoutRowid ? undefined : ['rowid', '_rowid_', 'oid'].find((word) => !names.has(word));
  const { registered } = listed;
  const unique = uniqueSets(indexes);
  return {
    ...listed,
    schema: SOURCE,
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
      unique: key === undefined ? unique : [[key], ...unique],
      tableConstraints: ddl.tableConstraints,
    },
    rowid: key === undefined ? rowid : quoteName(key),
    loose: new Set(
      found.filter(({ type }) => !ddl.strict || type.toLowerCase() === 'any').map(({ name }) => name),
    ),
  };
}

/** `_rowid` with as many underscores as it takes to be no column's name. */
export function freeName(names: ReadonlySet<string>): string {
  let name = '_rowid';
  while (names.has(name)) name += '_';
  return name;
}

function uniqueSets(indexes: readonly PragmaIndexColumn[]): readonly (readonly string[])[] {
  const sets = new Map<string, (string | null)[]>();
  for (const { index, unique, partial, name } of indexes) {
    if (unique !== 1 || partial !== 0) continue;
    const known = sets.get(index);
    if (known === undefined) sets.set(index, [name]);
    else known.push(name);
  }
  // Of an expression or the rowid in an index there is nothing to be said of columns.
  return [...sets.values()].filter((set): set is string[] => set.every((name) => name !== null));
}

/** The column that is the rowid (lang_createtable.html, "ROWIDs and the INTEGER PRIMARY KEY"). */
function integerKey(columns: readonly PragmaColumn[], ddl: Ddl, hasKeyIndex: boolean): string | undefined {
  const keys = columns.filter(({ pk }) => pk > 0);
  const only = keys.length === 1 ? keys[0] : undefined;
  // A key with an index of its own (as INTEGER PRIMARY KEY DESC has) is a column like any other.
  if (ddl.withoutRowid || hasKeyIndex || only?.type.toLowerCase() !== 'integer') return undefined;
  return only.name;
}

function newColumn(column: PragmaColumn, ddl: Ddl, key: string | undefined): NewColumn {
  const written = ddl.columns.find(({ name }) => foldName(name) === foldName(column.name));
  const affinity = affinityOf(column.type, ddl.strict);
  const collation = written?.collation;
  return {
    name: column.name,
    written: written?.written ?? column.name,
    declaredType: column.type.toLowerCase(),
    kind: KIND_OF_AFFINITY[affinity],
    affinity,
    // Keys of STRICT and WITHOUT ROWID tables may not be NULL; elsewhere SQLite lets them (a kept mistake).
    notNull:
      column.notnull === 1 || column.name === key || (column.pk > 0 && (ddl.strict || ddl.withoutRowid)),
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
