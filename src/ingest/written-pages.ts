// Which pages of rows.sqlite an update writes: they go to a write-ahead log first, whose frames say where they belong
// (fileformat2.html, section 4). Of all others the digests are known from the snapshot before.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';

const LOG_HEADER_BYTES = 32;
const PAGE_SIZE_AT = 8;
const FRAME_HEADER_BYTES = 24;

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
  const written = placesIn(`${path}-wal`);
  const { journal_mode: mode } = database.prepare(`pragma ${schema}.journal_mode=memory`).get() as {
    journal_mode: string;
  };
  if (mode !== 'memory') throw new Error(`the log of ${path} cannot be ended`);
  // The first page says that there is a log, and that there is none any more.
  return [0, ...written];
}

/** A log that was begun by one connection and never reset has frames of its transactions and nothing else. */
function placesIn(path: string): readonly number[] {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const read = (bytes: number, at: number): Buffer => {
      const buffer = Buffer.allocUnsafe(bytes);
      if (readSync(file, buffer, 0, bytes, at) < bytes) throw new Error(`${path} is cut short`);
      return buffer;
    };
    if (size === 0) return [];
    const pageSize = read(LOG_HEADER_BYTES, 0).readUInt32BE(PAGE_SIZE_AT);
    const places = new Set<number>();
    for (let at = LOG_HEADER_BYTES; at < size; at += FRAME_HEADER_BYTES + pageSize)
      places.add((read(FRAME_HEADER_BYTES, at).readUInt32BE(0) - 1) * pageSize);
    return [...places];
  } finally {
    closeSync(file);
  }
}
