// Rows of a SQLite database into rows.sqlite: all or some of a table that stands in another database on the same
// connection, or all pages of a source at once.
import { open } from 'node:fs/promises';
import type { RowRange } from '../columns/copy-source.ts';
import type { RowStore } from './row-store.ts';
import type { PageReader } from './sqlite-pages.ts';
import { quoteName, type SourceTable } from './sqlite-tables.ts';
import { writeStatement } from './write-statement.ts';

/** Pages of a write, and between two turns of the event loop. */
const RUN_BYTES = 4 * 1024 * 1024;
/** Where a SQLite header says that a write-ahead log is used, for writers and readers. */
const WAL_FLAGS_AT = 18;
const NO_WAL = Buffer.from([1, 1]);

/**
 * The whole database as its transaction sees it, page by page: rowids, keys and indexes as they are.
 * @returns false where it cannot be read like this
 */
export async function copyPages(
  pages: PageReader,
  path: string,
  signal: AbortSignal,
  onShare: (share: number) => void,
): Promise<boolean> {
  const file = await open(path, 'w');
  try {
    const run = Buffer.allocUnsafe(Math.max(pages.pageSize, RUN_BYTES));
    let filled = 0;
    for (let number = 1; number <= pages.pages; number++) {
      filled += pages.read(number).copy(run, filled);
      if (filled < run.length && number < pages.pages) continue;
      // One call may write less, such as where the disk is full: the next one says why.
      for (let at = 0; at < filled; ) at += (await file.write(run, at, filled - at)).bytesWritten;
      filled = 0;
      onShare(number / pages.pages);
      signal.throwIfAborted();
    }
    await file.write(NO_WAL, 0, NO_WAL.length, WAL_FLAGS_AT);
    return pages.confirm();
  } finally {
    await file.close();
  }
}

/**
 * Puts the rows of the ranges in place of those that the store has there; all rows into a new table without them.
 * @returns by how many rows the table grew
 */
export function copyFromSource(store: RowStore, source: SourceTable, ranges?: readonly RowRange[]): number {
  const { database } = store;
  const { table, rowid, stored } = source;
  const name = quoteName(table.name);
  const from = quoteName(source.name);
  const columns = stored.map(quoteName);
  // A key that is the rowid is one of the columns already.
  if (rowid !== undefined && table.hasHiddenRowid) columns.unshift(rowid);
  const list = columns.join(', ');
  // NOT INDEXED: rows come in the order of the table, not of an index that has all their columns.
  const copy = `insert into rows.${name}(${list}) select ${list} from source.${from} not indexed`;
  if (ranges === undefined) {
    database.exec(rowid === undefined ? copy : `${copy} order by ${rowid}`);
    return 0;
  }
  const within = `where ${rowid} between ? and ?`;
  const remove = writeStatement(database, `delete from rows.${name} ${within}`);
  const add = writeStatement(database, `${copy} ${within} order by ${rowid}`);
  // First all that goes: a value may have moved from one range to another.
  let grown = 0;
  for (const [first, last] of ranges) grown -= Number(remove.run(first, last).changes);
  for (const [first, last] of ranges) grown += Number(add.run(first, last).changes);
  return grown;
}
