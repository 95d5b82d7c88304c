// One snapshot's row store, open in a lane's process: its catalogue, its locked database and what is known of the
// statements that were asked of it.

import type { KnownNames } from '../base/reference-words.ts';
import { rowsPath } from '../snapshot/layout.ts';
import { openStored, type Stored } from '../snapshot/stored.ts';
import type { Job, SnapshotRef } from '../wire/protocol.ts';
import { CALLABLE } from './callable.ts';
import { type Catalogue, readCatalogue } from './catalogue.ts';
import { type DatabaseOptions, openDatabase } from './database.ts';
import { registerFunctions } from './functions.ts';
import { createNarrow, type IsNarrow } from './narrow.ts';
import { createSeekTables, type SeekTables } from './seek-tables.ts';
import { proveDatabase } from './self-test.ts';
import type { ShapeMemory } from './shape-memory.ts';
import { createStatements, type Statements } from './statements.ts';

export interface RowStore {
  readonly snapshot: string;
  readonly catalogue: Catalogue;
  readonly statements: Statements;
  readonly isNarrow: IsNarrow;
  /** What the gateway itself asks. */
  readonly stored: Stored;
  close(): void;
}

export interface StoreOptions {
  readonly heapBytes: number;
  /** See {@link DatabaseOptions.mapped}. */
  readonly mapped?: boolean;
  readonly valueBytes: number;
  readonly maxVisits: number;
  /** Tables of so many rows are bound enough without a plan. */
  readonly plainVisits: number;
  readonly shapes: number;
  /** Of all stores of a process. */
  readonly memory: ShapeMemory;
  /** Of a page that SQLite writes as JSON. */
  readonly pageBytes: number;
  /** Rows of a table that may be read to get ready for a statement. */
  readonly readRows: number;
  /** Of all look-up tables together: their values. */
  readonly seekBytes: number;
  /** Whether rows are counted by several columns at once: there are very many pairs of columns. */
  readonly countsPairs: boolean;
  /** False only in tests that compare with it: columns without an index are scanned. */
  readonly seeks: boolean;
  /** Whether to try the escapes before it is used. */
  readonly proven: boolean;
}

/** @throws Error where it is missing, damaged at its head or not locked */
export function openStore({ id, path }: SnapshotRef, options: StoreOptions): RowStore {
  let tables: Catalogue['tables'] = new Map();
  const locked = openDatabase({
    ...options,
    path: rowsPath(path),
    isServed: (table) => tables.has(table),
  });
  const { database, own } = locked;
  try {
    const catalogue = readCatalogue(own, options.memory.descriptions);
    ({ tables } = catalogue);
    registerFunctions(database, catalogue.blocks);
    if (options.proven) proveDatabase(database);
    const seekTables = options.seeks ? createSeekTables(locked, catalogue, options) : NO_SEEKS;
    return {
      snapshot: id,
      catalogue,
      statements: createStatements(locked, catalogue, seekTables, options),
      isNarrow: createNarrow(own, catalogue),
      stored: openStored(own),
      close: () => locked.close(),
    };
  } catch (error) {
    locked.close();
    throw error;
  }
}

const NO_SEEKS: SeekTables = { find: () => undefined, most: () => undefined };

/** What somebody may have meant by a name that a statement has. */
export function knownNames({ catalogue, statements, stored }: RowStore, job: Job): KnownNames {
  return {
    tables: () => [...catalogue.tables.values()].map(({ name }) => name),
    columns: () =>
      !('shape' in job)
        ? []
        : statements.tablesOf(job.shape, job.literals).flatMap((table) => stored.columns(table)),
    functions: () => CALLABLE,
  };
}
