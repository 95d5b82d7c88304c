// Holds a database in use as it is at this moment, by SQLite's own lock of a reader, without having SQLite read its
// schema: of tens of thousands of tables that takes longer than all that is done here.
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { type DatabaseFiles, NO_LOG, openDatabaseFiles, type PageReader } from './sqlite-pages.ts';

/** A moment of a database with a log, as the next import recognises it. */
export interface LogMoment {
  /** Which file it is. */
  readonly file: string;
  /** {@link DatabaseFiles.state} */
  readonly log: string;
  /** SQLite's count of the changes of its schema. */
  readonly schema: number;
}

export interface LockedPages {
  readonly pages: PageReader;
  readonly moment: LogMoment;
  close(): void;
}

/** How long a lock of another program is waited for. */
export const LOCK_MS = 5_000;
/** So often is a transaction begun until no writer came between it and a look at the log. */
export const BEGINS = 50;
const SCHEMA_COOKIE_AT = 40;
const LOG_SUFFIXES = ['-wal', '-shm'];

/** Undefined where there is no log, or its moment cannot be told. @throws Error of SQLite */
export function lockPages(path: string): LockedPages | undefined {
  // SQLite would make a log where there is none.
  if (!LOG_SUFFIXES.every((suffix) => existsSync(path + suffix))) return undefined;
  const database = new DatabaseSync(`${pathToFileURL(path).href}?mode=ro`, {
    readOnly: true,
    timeout: LOCK_MS,
    enableForeignKeyConstraints: false,
    defensive: true,
  });
  const files = openDatabaseFiles(path);
  const close = (): void => {
    if (database.isTransaction) database.exec('rollback');
    database.close();
    // Only now: closing a file takes the locks of every connection to it away.
    files.close();
  };
  try {
    const read = database.prepare('pragma schema_version');
    // From here on nobody removes the log: the files that are opened next are those that SQLite has.
    read.get();
    const seen = beginUnseen(files, database, () => read.get());
    if (seen !== undefined && seen !== NO_LOG) {
      const pages = files.reader(seen);
      return { pages, moment: momentOf(files, pages, seen), close };
    }
  } catch (error) {
    close();
    throw error;
  }
  close();
  return undefined;
}

/**
 * Begins a transaction that reads.
 * @param read the transaction takes its view of the database with the first read
 * @returns the state that it sees; undefined where a writer always came between
 */
export function beginUnseen(
  files: DatabaseFiles,
  database: Pick<DatabaseSyncInstance, 'exec'>,
  read: () => unknown,
): string | undefined {
  for (let attempt = 1; ; attempt++) {
    const before = files.state();
    database.exec('begin');
    read();
    const seen = before === files.state() ? before : undefined;
    if (seen !== undefined || attempt === BEGINS) return seen;
    database.exec('rollback');
  }
}

export function momentOf(files: DatabaseFiles, pages: PageReader, state: string): LogMoment {
  return { file: files.identity(), log: state, schema: pages.read(1).readUInt32BE(SCHEMA_COOKIE_AT) };
}
