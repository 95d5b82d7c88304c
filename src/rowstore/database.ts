// The row store of a snapshot, open and locked: read only, never changing, and no way to anything but the tables that
// are served. HARDENING: read-only alone is no lock; VACUUM INTO writes files, temporary tables and pragmas pass.
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { CALLABLE } from './callable.ts';
import { isSeekTable } from './seek-tables.ts';

export type Database = DatabaseSyncInstance;
export type Prepared = StatementSyncInstance;

export interface DatabaseOptions {
  readonly path: string;
  /** Of the process: SQLite counts the memory of all its databases together. */
  readonly heapBytes: number;
  /** Of one text, blob or row. */
  readonly valueBytes: number;
  /** Lower-case name of a table that clients may read. */
  readonly isServed: (table: string) => boolean;
}

/** sqlite3.h: action codes of the authorizer, and its answers. */
const ACTION = { read: 20, select: 21, function: 31, recursive: 33 } as const;
const OK = 0;
const DENY = 1;

const PAGE_CACHE_KIB = 16 * 1024;

/** Above what the gateway's own caps let through (a statement has 35,000 bytes), below what could harm. */
const LIMITS = {
  sqlLength: 1_000_000,
  column: 2_000,
  exprDepth: 1_000,
  compoundSelect: 500,
  vdbeOp: 1_000_000,
  functionArg: 127,
  attach: 0,
  likePatternLength: 50_000,
  variableNumber: 32_766,
  triggerDepth: 0,
} as const;

/** @throws Error of SQLite where the file is none of its, or damaged at its head */
export function openDatabase(options: DatabaseOptions): Database {
  const database = openFile(options.path, { length: options.valueBytes, ...LIMITS });
  try {
    for (const pragma of [
      `hard_heap_limit=${options.heapBytes}`,
      'temp_store=memory',
      'mmap_size=0',
      'cell_size_check=on',
      `cache_size=-${PAGE_CACHE_KIB}`,
      'trusted_schema=off',
      'query_only=on',
    ])
      database.exec(`pragma ${pragma}`);
    lock(database, options.isServed);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** For the gateway's own statements alone: not locked, but nothing can be written either. */
export function openOwn(path: string): Database {
  return openFile(path, {});
}

function openFile(path: string, limits: Readonly<Record<string, number>>): Database {
  // Immutable: neither a lock nor a log is looked for, and no byte of the folder is written.
  const name = `file:${encodeURI(path).replaceAll('?', '%3f').replaceAll('#', '%23')}?immutable=1`;
  return new DatabaseSync(name, {
    readOnly: true,
    enableForeignKeyConstraints: false,
    // As the reference: "x" is a text where no column has the name.
    enableDoubleQuotedStringLiterals: true,
    returnArrays: true,
    allowExtension: false,
    defensive: true,
    limits,
  });
}

/** Runs the gateway's own work on a locked database, which may make temporary tables then. */
export function unlocked(database: Database, isServed: DatabaseOptions['isServed'], work: () => void): void {
  database.setAuthorizer(null);
  try {
    database.exec('pragma query_only=off');
    work();
  } finally {
    database.exec('pragma query_only=on');
    lock(database, isServed);
  }
}

/** Lower-case names of all tables, views and modules, served or not. Its schema never changes. */
function realNames(database: Database): ReadonlySet<string> {
  const known = NAMES.get(database);
  if (known !== undefined) return known;
  const names = new Set<string>();
  for (const sql of ["select name from sqlite_schema where type in ('table', 'view')", 'pragma module_list'])
    for (const [name] of database.prepare(sql).all() as [string][]) names.add(name.toLowerCase());
  NAMES.set(database, names);
  return names;
}
const NAMES = new WeakMap<Database, ReadonlySet<string>>();

function lock(database: Database, isServed: (table: string) => boolean): void {
  const real = realNames(database);
  // Of a table that is only counted, SQLite asks by its name alone: it may be one of the statement's own.
  const isCommon = (table: string, column: string | null): boolean =>
    column === '' && !real.has(table) && !/^(?:pragma|sqlite)_/.test(table);
  const mayRead = (table: string, column: string | null): boolean =>
    isServed(table) || JSON_TABLES.has(table) || isSeekTable(table) || isCommon(table, column);
  database.setAuthorizer((action, first, second) => {
    switch (action) {
      case ACTION.select:
      case ACTION.recursive:
        return OK;
      case ACTION.read:
        return first !== null && mayRead(first.toLowerCase(), second) ? OK : DENY;
      case ACTION.function:
        return second !== null && CALLABLE.has(second.toLowerCase()) ? OK : DENY;
      default:
        return DENY;
    }
  });
}

const JSON_TABLES: ReadonlySet<string> = new Set(['json_each', 'json_tree']);
