// The row store of a snapshot, open and locked: read only, never changing, and no way to anything but the tables that
// are served. HARDENING: read-only alone is no lock; VACUUM INTO writes files, temporary tables and pragmas pass.

import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { asciiLower } from '../base/ascii-lower.ts';
import { type Ask, askOf } from '../snapshot/ask.ts';
import { CALLABLE } from './callable.ts';
import { isSeekTable } from './seek-names.ts';

/** What the operator MATCH calls: for tables without an index of texts, and others are not served, it always fails. */
const OF_MATCH = 'match';

export type Database = DatabaseSyncInstance;
export type Prepared = StatementSyncInstance;

/**
 * Prepares a statement for one use. What is left to the garbage collector is closed late: it sees nothing of SQLite's memory.
 * @throws Error of SQLite
 */
export function preparedOnce<T>(database: Database, sql: string, use: (prepared: Prepared) => T): T {
  const prepared = database.prepare(sql);
  try {
    return use(prepared);
  } finally {
    prepared.close();
  }
}

export interface DatabaseOptions {
  readonly path: string;
  /** Of the process: SQLite counts the memory of all its databases together. */
  readonly heapBytes: number;
  /** Of one text, blob or row. */
  readonly valueBytes: number;
  /**
   * Whether pages are read where the file is mapped, and their cells are not looked at before they are believed: a scan spares a
   * call, a copy and a look for each. Only for a process that may be ended at any time: the system does so where the file cannot be
   * read, or was cut short by others. @default false
   */
  readonly mapped?: boolean;
  /** Lower-case name of a table that clients may read. */
  readonly isServed: (table: string) => boolean;
}

/** sqlite3.h: action codes of the authorizer, and its answers. */
const ACTION = { read: 20, select: 21, function: 31, recursive: 33 } as const;
const OK = 0;
const DENY = 1;

const PAGE_CACHE_KIB = 16 * 1024;
/** The most that SQLite is built for. */
const MAPPED_BYTES = 0x7fff0000;

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

/** A row store of which clients' statements see what is served; what the gateway itself asks sees all of it. */
export interface LockedDatabase {
  readonly database: Database;
  /** Runs a statement of the gateway's own. */
  readonly own: Ask;
  /** Runs a client's statement whose result alone is larger than a value may be. @param bytes of one value meanwhile */
  wide<T>(bytes: number, work: () => T): T;
  /** Runs work of the gateway's own that may make temporary tables. It must run no client's statement. */
  unlocked(work: (database: Database) => void): void;
  close(): void;
}

/**
 * One connection for both: SQLite reads the whole schema for each, and there may be tens of thousands of tables.
 * @throws Error of SQLite where the file is none of its, or damaged at its head
 */
export function openDatabase(options: DatabaseOptions): LockedDatabase {
  const { valueBytes, mapped = false } = options;
  const database = openFile(options.path, { length: valueBytes, ...LIMITS });
  let isOwn = false;
  const asOwn = <T>(work: () => T): T => {
    isOwn = true;
    // The first cells of a table are shown however large they are.
    database.limits.length = Number.POSITIVE_INFINITY;
    try {
      return work();
    } finally {
      database.limits.length = valueBytes;
      isOwn = false;
    }
  };
  try {
    for (const pragma of [
      `hard_heap_limit=${options.heapBytes}`,
      'temp_store=memory',
      `mmap_size=${mapped ? MAPPED_BYTES : 0}`,
      `cell_size_check=${mapped ? 'off' : 'on'}`,
      `cache_size=-${PAGE_CACHE_KIB}`,
      'trusted_schema=off',
      'query_only=on',
    ])
      database.exec(`pragma ${pragma}`);
    // Never set again: SQLite would prepare every statement anew.
    const mayUse = lockOf(realNames(database), options.isServed);
    database.setAuthorizer((action, first, second) => (isOwn || mayUse(action, first, second) ? OK : DENY));
  } catch (error) {
    database.close();
    throw error;
  }
  const ask = askOf(database);
  return {
    database,
    wide(bytes, work) {
      database.limits.length = Math.max(valueBytes, bytes);
      try {
        return work();
      } finally {
        database.limits.length = valueBytes;
      }
    },
    own: (sql, ...values) => asOwn(() => ask(sql, ...values)),
    unlocked: (work) =>
      asOwn(() => {
        database.exec('pragma query_only=off');
        try {
          work(database);
        } finally {
          database.exec('pragma query_only=on');
        }
      }),
    close() {
      // The binding holds its callback for as long as the process lives, and that holds the names of all tables.
      database.setAuthorizer(null);
      database.close();
    },
  };
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

/** Lower-case names of all tables, views and modules, served or not. Its schema never changes. */
function realNames(database: Database): ReadonlySet<string> {
  const names = new Set<string>();
  for (const sql of ["select name from sqlite_schema where type in ('table', 'view')", 'pragma module_list'])
    for (const [name] of database.prepare(sql).all() as [string][]) names.add(asciiLower(name));
  return names;
}

type Authorizer = (action: number, first: string | null, second: string | null) => boolean;

function lockOf(real: ReadonlySet<string>, isServed: (table: string) => boolean): Authorizer {
  // Of a table that is only counted, SQLite asks by its name alone: it may be one of the statement's own.
  const isCommon = (table: string, column: string | null): boolean =>
    column === '' && !real.has(table) && !/^(?:pragma|sqlite)_/.test(table);
  const mayRead = (table: string, column: string | null): boolean =>
    isServed(table) || JSON_TABLES.has(table) || isSeekTable(table) || isCommon(table, column);
  return (action, first, second) => {
    switch (action) {
      case ACTION.select:
      case ACTION.recursive:
        return true;
      case ACTION.read:
        return first !== null && mayRead(asciiLower(first), second);
      case ACTION.function:
        return second !== null && (CALLABLE.has(asciiLower(second)) || second === OF_MATCH);
      default:
        return false;
    }
  };
}

const JSON_TABLES: ReadonlySet<string> = new Set(['json_each', 'json_tree']);
