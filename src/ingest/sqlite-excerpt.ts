// Some tables of a database as a file of their own: the pages of their trees, in the places that they have there, and a
// schema of them alone. SQLite opens it at once, however many tables the whole database has, and nobody waits for its lock.
import { closeSync, ftruncateSync, openSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { writePage } from './narrow-schema.ts';
import type { PageReader } from './sqlite-pages.ts';
import { type SchemaPages, treeOf } from './sqlite-schema-pages.ts';

/** Of the header: SQLite's formats of reading and writing, of which 1 says that there is no log. */
const FORMATS_AT = 18;
const PAGES_AT = 28;
const CHANGES_AT = 24;
const VALID_FOR_AT = 92;

/** Written as the pages are read: of large values alone they may be more than memory has room for. */
export interface Excerpt {
  /** A page of one of the tables. @throws Error where it has as many already as it may have */
  add(number: number, page: Buffer): void;
  /**
   * Makes a database of it.
   * @param schema the entries of the tables
   * @returns false where there are too many tables for it
   */
  finish(schema: SchemaPages): boolean;
  /** Of no use before it is finished. */
  close(): void;
}

/** @param path of the new file; it has holes where the other tables are @param most so many pages may be added */
export function createExcerpt(path: string, pages: PageReader, most: number): Excerpt {
  const { pageSize } = pages;
  const file = openSync(path, 'w');
  let left = most;
  const add = (number: number, page: Buffer): void => {
    if (left-- === 0) throw new Error('the tables have too many pages to be copied');
    writePage(file, pageSize, number, page);
  };
  return {
    add,
    finish(schema) {
      const tree = treeOf(pages, schema);
      if (tree === undefined) return false;
      const first = tree.get(1) as Buffer;
      first[FORMATS_AT] = 1;
      first[FORMATS_AT + 1] = 1;
      first.writeUInt32BE(pages.pages, PAGES_AT);
      // The number of pages is valid where these are the same.
      first.copy(first, VALID_FOR_AT, CHANGES_AT, CHANGES_AT + 4);
      for (const [number, page] of tree) writePage(file, pageSize, number, page);
      for (const { overflow } of schema.entries)
        for (let next = overflow; next !== 0; ) {
          const page = pages.read(next);
          add(next, page);
          next = page.readUInt32BE(0);
        }
      ftruncateSync(file, pages.pages * pageSize);
      return true;
    },
    close: () => closeSync(file),
  };
}

/** A connection that has it attached as `source`. */
export function openExcerpt(path: string): DatabaseSyncInstance {
  const database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false, defensive: true });
  try {
    database.exec('pragma trusted_schema=off');
    database.prepare('attach ? as source').run(`${pathToFileURL(path).href}?mode=ro&immutable=1`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
