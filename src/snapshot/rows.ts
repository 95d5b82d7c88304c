// Opens the row store of a snapshot for the gateway's own statements: it is never changed, and nothing is written, not
// even a lock or a log beside it.
import { pathToFileURL } from 'node:url';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

/**
 * Reads the file's head and no more: the first statement of a connection reads its schema, some 11 us for each table.
 * @throws Error of SQLite where there is no such file, or it is none of SQLite's
 */
export function openRows(path: string): DatabaseSyncInstance {
  const database = new DatabaseSync(`${pathToFileURL(path).href}?immutable=1`, {
    readOnly: true,
    enableForeignKeyConstraints: false,
    allowExtension: false,
    // Nothing in a file from elsewhere may call functions of ours.
    defensive: true,
  });
  try {
    for (const pragma of ['trusted_schema=off', 'query_only=on', 'cell_size_check=on', 'mmap_size=0'])
      database.exec(`pragma ${pragma}`);
    database.prepare('pragma schema_version').get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
