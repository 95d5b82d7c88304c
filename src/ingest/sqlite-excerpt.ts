// Some tables of a database as a file of their own: the pages of their trees, in the places that they have there, and a
// schema of them alone. SQLite opens it at once, however many tables the whole database has, and nobody waits for its lock.
import { closeSync, ftruncateSync, openSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { writePages } from './narrow-schema.ts';
import type { PageReader } from './sqlite-pages.ts';
import { type SchemaPages, treeOf } from './sqlite-schema-pages.ts';

/** Of the header: SQLite's formats of reading and writing, of which 1 says that there is no log. */
const FORMATS_AT = 18;
const PAGES_AT = 28;
const CHANGES_AT = 24;
const VALID_FOR_AT = 92;

/**
 * @param path of the new file; it has holes where the other tables are
 * @param schema the entries of the tables @param numbers of their pages
 * @returns false where there are too many tables for it
 */
export function writeExcerpt(
  path: string,
  pages: PageReader,
  schema: SchemaPages,
  numbers: Iterable<number>,
): boolean {
  const tree = treeOf(pages, schema);
  if (tree === undefined) return false;
  const written = new Map(tree);
  const first = written.get(1) as Buffer;
  first[FORMATS_AT] = 1;
  first[FORMATS_AT + 1] = 1;
  first.writeUInt32BE(pages.pages, PAGES_AT);
  // The number of pages is valid where these are the same.
  first.copy(first, VALID_FOR_AT, CHANGES_AT, CHANGES_AT + 4);
  for (const { overflow } of schema.entries)
    for (let next = overflow; next !== 0 && !written.has(next); ) {
      const page = pages.read(next);
      written.set(next, page);
      next = page.readUInt32BE(0);
    }
  for (const number of numbers) written.set(number, pages.read(number));
  const file = openSync(path, 'w');
  try {
    ftruncateSync(file, pages.pages * pages.pageSize);
  } finally {
    closeSync(file);
  }
  writePages(path, pages.pageSize, written);
  return true;
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
