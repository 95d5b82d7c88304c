// What a snapshot was made of, in a small database of its own beside it: by it the next import tells what has
// changed in the source since.
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import type { Kind } from '../columns/column-buffer.ts';

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

  /** @param path of a new file, or of a copy of one that is to be changed */
  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    this.#database.exec(`pragma journal_mode=off; pragma synchronous=off;
      create table if not exists sources(table_name text collate nocase primary key, layout text not null,
        kinds text not null, leaves blob not null) strict;
      begin`);
    this.#add = this.#database.prepare('insert or replace into sources values (?, ?, ?, ?)');
    this.#remove = this.#database.prepare('delete from sources where table_name = ?');
  }

  set(name: string, { layout, kinds, leaves }: SourceRecord): void {
    this.#add.run(name, layout, JSON.stringify(kinds), leaves);
  }

  delete(name: string): void {
    this.#remove.run(name);
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
