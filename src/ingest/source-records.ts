// What a snapshot was made of, in a small database of its own beside it: by it the next import tells what has
// changed in the source since.
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import type { Kind } from '../columns/column-buffer.ts';
import type { LogMoment } from './sqlite-lock.ts';

export interface SourceRecord {
  /** All that a table's rows depend on besides its rows in the source; a change means to import it wholly. */
  readonly layout: string;
  readonly kinds: readonly Kind[];
  /** Of sqlite-leaves.ts; empty for a file. */
  readonly leaves: Buffer;
}

/** What the snapshot before was made of. */
export interface KnownTables {
  /** By name; those that were added by hand have none. */
  readonly sources: ReadonlyMap<string, SourceRecord>;
}

/** What is recorded besides, where the source is a database in use: by it the pages of its log lead to tables. */
export interface Moment extends LogMoment {
  /** Of what is recorded of tables; see import-database.ts. */
  readonly layout: number;
  /** Of sqlite-schema-pages.ts: the entries of its schema. */
  readonly entries: string;
}

/** Stands for the schema itself where a page leads to a table. */
export const OF_SCHEMA = '';

/** Looks of a table at a time, where few are wanted of many. */
export interface RecordLooks {
  /** Undefined where the source had no log, or something else was imported since. */
  moment(): Moment | undefined;
  /** The table that a page of the source was of, or {@link OF_SCHEMA}; undefined: of none. Some pages may be of none by now. */
  tableOf(page: number): string | undefined;
  record(name: string): SourceRecord | undefined;
  /** Of all tables, the largest first. */
  leaves(): Iterable<readonly [name: string, leaves: Buffer]>;
  close(): void;
}

/** @throws Error where the file is none, or was written before there were moments */
export function openSourceRecords(path: string): RecordLooks {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const moment = database.prepare('select value from moments');
    const tableOf = database.prepare('select table_name as name from pages where page = ?');
    const leaves = database.prepare('select table_name, leaves from sources order by length(leaves) desc');
    leaves.setReturnArrays(true);
    const record = database.prepare('select layout, kinds, leaves from sources where table_name = ?');
    return {
      moment() {
        const found = moment.get()?.['value'];
        return found === undefined ? undefined : (JSON.parse(String(found)) as Moment);
      },
      tableOf: (page) => tableOf.get(page)?.['name'] as string | undefined,
      record(name) {
        const found = record.get(name) as { layout: string; kinds: string; leaves: Uint8Array } | undefined;
        if (found === undefined) return undefined;
        const { layout, kinds, leaves } = found;
        return {
          layout,
          kinds: JSON.parse(kinds) as Kind[],
          leaves: Buffer.from(leaves.buffer, leaves.byteOffset, leaves.byteLength),
        };
      },
      *leaves() {
        for (const row of leaves.iterate()) {
          const [name, bytes] = row as unknown as [string, Uint8Array];
          yield [name, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)] as const;
        }
      },
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** @throws Error where the file is none */
export function readSourceRecords(path: string): KnownTables {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const statement = database.prepare('select table_name, layout, kinds, leaves from sources');
    statement.setReturnArrays(true);
    const sources = new Map<string, SourceRecord>();
    for (const row of statement.iterate() as Iterable<unknown>) {
      const [name, layout, kinds, leaves] = row as [string, string, string, Uint8Array];
      sources.set(name, {
        layout,
        // Of thousands only those of tables that changed are looked at.
        get kinds() {
          return JSON.parse(kinds) as Kind[];
        },
        leaves: Buffer.from(leaves.buffer, leaves.byteOffset, leaves.byteLength),
      });
    }
    return { sources };
  } finally {
    database.close();
  }
}

export class SourceRecords {
  readonly #database: DatabaseSyncInstance;
  readonly #add: StatementSyncInstance;
  readonly #remove: StatementSyncInstance;
  #place: StatementSyncInstance | undefined;

  /** @param path of a new file, or of a copy of one that is to be changed: what is changed is of no moment, unless that is said */
  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    this.#database.exec(`pragma journal_mode=off; pragma synchronous=off;
      create table if not exists sources(table_name text collate nocase primary key, layout text not null,
        kinds text not null, leaves blob not null) strict;
      create table if not exists pages(page integer primary key, table_name text not null) strict;
      create table if not exists moments(value text not null) strict;
      create table if not exists rows_parts(digests blob not null) strict;
      begin;
      delete from moments`);
    this.#add = this.#database.prepare('insert or replace into sources values (?, ?, ?, ?)');
    this.#remove = this.#database.prepare('delete from sources where table_name = ?');
  }

  set(name: string, { layout, kinds, leaves }: SourceRecord): void {
    this.#add.run(name, layout, JSON.stringify(kinds), leaves);
  }

  delete(name: string): void {
    this.#remove.run(name);
  }

  /** Says of all pages what they are of. What is not said is of nothing. */
  setPages(all: Iterable<readonly [table: string, pages: Iterable<number>]>): void {
    this.#database.exec('delete from pages');
    for (const [table, pages] of all) this.addPages(table, pages);
  }

  /** Says it of some more; of what they were of before, they are no longer. */
  addPages(table: string, pages: Iterable<number>): void {
    this.#place ??= this.#database.prepare('insert or replace into pages values (?, ?)');
    for (const page of pages) this.#place.run(page, table);
  }

  /** All that is recorded is of this moment. Without it, the next import looks at every table. */
  setMoment(moment: Moment): void {
    this.#database.prepare('insert into moments values (?)').run(JSON.stringify(moment));
  }

  /** Of the parts of rows.sqlite (snapshot/file-parts.ts), as the snapshot had them that this is a copy of. */
  rowsDigests(): Buffer | undefined {
    const found = this.#database.prepare('select digests from rows_parts').get() as
      | { digests: Uint8Array }
      | undefined;
    return found && Buffer.from(found.digests);
  }

  setRowsDigests(digests: Buffer): void {
    this.#database.exec('delete from rows_parts');
    this.#database.prepare('insert into rows_parts values (?)').run(digests);
  }

  finish(): void {
    this.#database.exec('commit');
    this.#database.close();
  }

  /** Harmless when closed already. */
  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}
