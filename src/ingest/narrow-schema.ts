// rows.sqlite while rows of a few of its tables are changed: its schema names these alone, so that SQLite does not read the
// entries of all others before it begins. Their pages are in no list of free ones, so nothing touches them. Afterwards
// the schema is put back as it was. The file is one that nobody else has: who dies in between leaves no snapshot.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { NO_LOG, openDatabaseFiles } from './sqlite-pages.ts';
import { FILE_HEADER_BYTES, readSchemaPages, treeOf } from './sqlite-schema-pages.ts';
import { foldName } from './sqlite-tables.ts';

export interface NarrowSchema {
  /** Puts the whole schema back. Once all is written. @throws Error where the schema was changed meanwhile */
  widen(): void;
}

const UTF_8 = 1;
const SCHEMA_COOKIE_AT = 40;
/** Not 0 where pages are moved when others become free, and with them their entries would have to be changed. */
const LARGEST_ROOT_AT = 52;

/** What every change of rows writes to, too. */
const OWN = /^(?:tablegate_|sqlite_sequence$)/;

/** @param path of a file that no connection has open @throws Error where it cannot be narrowed */
export function narrowSchema(path: string, tables: readonly string[]): NarrowSchema {
  const names = new Set(tables.map(foldName));
  const files = openDatabaseFiles(path);
  const whole = new Map<number, Buffer>();
  let pageSize: number;
  try {
    const pages = files.reader(NO_LOG);
    const first = pages.read(1);
    if (pages.textEncoding !== UTF_8 || first.readUInt32BE(LARGEST_ROOT_AT) !== 0)
      throw new Error('the schema cannot be narrowed');
    const schema = readSchemaPages(pages, (table) => OWN.test(table) || names.has(foldName(table)));
    const tree = treeOf(pages, schema);
    if (tree === undefined) throw new Error('too many tables for a narrow schema');
    for (const number of tree.keys()) whole.set(number, Buffer.from(pages.read(number)));
    pageSize = pages.pageSize;
    writePages(path, pageSize, tree);
  } finally {
    files.close();
  }
  return {
    widen() {
      const first = whole.get(1) as Buffer;
      const header = readHeader(path);
      if (header.readUInt32BE(SCHEMA_COOKIE_AT) !== first.readUInt32BE(SCHEMA_COOKIE_AT))
        throw new Error('the schema was changed while it was narrow');
      // Sizes, lists of free pages and counters are those of now.
      header.copy(first);
      writePages(path, pageSize, whole);
    },
  };
}

function readHeader(path: string): Buffer {
  const header = Buffer.alloc(FILE_HEADER_BYTES);
  const file = openSync(path, 'r');
  try {
    if (readSync(file, header, 0, header.length, 0) < header.length) throw new Error('the header is missing');
    return header;
  } finally {
    closeSync(file);
  }
}

function writePages(path: string, pageSize: number, pages: ReadonlyMap<number, Buffer>): void {
  const file = openSync(path, 'r+');
  try {
    for (const [number, page] of pages) writePage(file, pageSize, number, page);
  } finally {
    closeSync(file);
  }
}

/** @param file open for writing */
export function writePage(file: number, pageSize: number, number: number, page: Buffer): void {
  const written = writeSync(file, page, 0, pageSize, (number - 1) * pageSize);
  if (written < pageSize) throw new Error('the disk is full');
}
