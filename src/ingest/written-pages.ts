// Which pages of rows.sqlite an update writes: they go to a write-ahead log first, whose frames say where they belong
// (fileformat2.html, section 4). Of all others the digests are known from the snapshot before.
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { openDatabaseFiles } from './sqlite-pages.ts';

/** @param schema name of a database that no other connection has open. Before a transaction begins */
export function beginLog(database: DatabaseSyncInstance, schema: string): void {
  // With a lock of its own it needs no index of the log in a file. Whoever publishes the file syncs it.
  database.exec(
    `pragma ${schema}.synchronous=off; pragma ${schema}.locking_mode=exclusive;
     pragma ${schema}.journal_mode=wal; pragma wal_autocheckpoint=0`,
  );
}

/**
 * Brings what was committed into the database and ends the log.
 * @returns where the pages begin that were written, in bytes from the start of the file
 * @throws Error where the log cannot be read, or not be ended
 */
export function endLog(database: DatabaseSyncInstance, schema: string, path: string): readonly number[] {
  const files = openDatabaseFiles(path);
  let written: readonly number[];
  try {
    written = files.placesInLog();
  } finally {
    files.close();
  }
  const { journal_mode: mode } = database.prepare(`pragma ${schema}.journal_mode=memory`).get() as {
    journal_mode: string;
  };
  if (mode !== 'memory') throw new Error(`the log of ${path} cannot be ended`);
  // The first page says that there is a log, and that there is none any more.
  return [0, ...written];
}
