// Tables that only the row store has, brought over into the engine's memory when a statement of the scan lane first
// names them: once, whoever asks meanwhile, and within a bound of bytes. Those that were used longest ago make room.

import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { asciiLower } from '../base/ascii-lower.ts';
import { OperatorError } from '../base/errors.ts';
import { DUCKDB_TYPES, type Kind } from '../columns/column-buffer.ts';
import type { CopySource } from '../columns/copy-source.ts';
import { copyRows } from '../columns/row-copy.ts';
import { TableWriter } from '../columns/table-writer.ts';
import type { SchemaTable } from '../dialect/schema.ts';
import { identifier } from '../dialect/value.ts';
import type { EngineConnection } from './engine.ts';

export interface SmallTables {
  /**
   * The tables are in the engine until what is given back is called.
   * @throws NoRoom where they are too large together with those that other statements read
   */
  hold(tables: readonly SchemaTable[]): Promise<() => void>;
  /** Of all tables that are there, about. */
  readonly bytes: number;
}

/** The statement is to be run where its tables are. */
export class NoRoom extends Error {}

export interface SmallTablesOptions {
  /** Of rows.sqlite. */
  readonly rows: DatabaseSyncInstance;
  /** Of the instance, for these tables alone: it writes. */
  readonly connection: EngineConnection;
  readonly maxBytes: number;
}

interface Held {
  readonly table: SchemaTable;
  readonly ready: Promise<void>;
  bytes: number;
  /** Statements that read it or are about to. */
  readers: number;
}

/** However few rows a table has, the engine takes places for so many. */
const LEAST_ROWS = 2048;
/** A value's place, without the bytes of texts and blobs. */
const CELL_BYTES: Readonly<Record<Kind, number>> = { integer: 8, real: 8, text: 16, blob: 16, any: 49 };

export function createSmallTables({ rows, connection, maxBytes }: SmallTablesOptions): SmallTables {
  /** By name; the one that was asked for last is the last. */
  const held = new Map<string, Held>();
  /** Names of those that are larger than all that may be there. */
  const tooLarge = new Set<string>();
  let bytes = 0;
  /** One after the other: the row store calls one function of ours for all. */
  let turn: Promise<unknown> = Promise.resolve();

  const drop = async (name: string): Promise<void> => {
    bytes -= held.get(name)?.bytes ?? 0;
    held.delete(name);
    // Whoever reads it still does: the engine keeps what a transaction sees.
    await connection.query(`DROP TABLE IF EXISTS ${inMemory(name)}`);
  };

  const makeRoom = async (): Promise<void> => {
    for (const [name, { readers }] of held) {
      if (bytes <= maxBytes) return;
      if (readers === 0) await drop(name);
    }
  };

  const bring = async (entry: Held): Promise<void> => {
    const { table } = entry;
    try {
      entry.bytes = await copyTable(rows, connection, table, maxBytes);
      bytes += entry.bytes;
    } catch (error) {
      await drop(table.name);
      if (error instanceof NoRoom) tooLarge.add(table.name);
      throw error;
    }
    await makeRoom();
    if (bytes <= maxBytes) return;
    await drop(table.name);
    throw new NoRoom(`no room for ${table.name} beside the tables that are read`);
  };

  const enter = (table: SchemaTable): Held => {
    let entry = held.get(table.name);
    if (entry === undefined) {
      const started = turn.then(() => bring(made));
      const made: Held = { table, ready: started, bytes: 0, readers: 0 };
      entry = made;
      turn = started.catch(() => {});
    } else held.delete(table.name);
    held.set(table.name, entry);
    entry.readers += 1;
    return entry;
  };

  return {
    async hold(tables) {
      const large = tables.find(({ name }) => tooLarge.has(name));
      if (large !== undefined) throw new NoRoom(`${large.name} is too large to be brought over`);
      const entries = tables.map(enter);
      const release = (): void => {
        for (const entry of entries) entry.readers -= 1;
      };
      try {
        for (const { ready } of entries) await ready;
      } catch (error) {
        await Promise.allSettled(entries.map(({ ready }) => ready));
        release();
        throw error;
      }
      return release;
    },
    get bytes() {
      return bytes;
    },
  };
}

const inMemory = (name: string): string => `memory.main.${identifier(name)}`;

/** In the form that an import gives it. @returns its bytes. @throws NoRoom where it has more than it may */
async function copyTable(
  rows: DatabaseSyncInstance,
  connection: EngineConnection,
  table: SchemaTable,
  maxBytes: number,
): Promise<number> {
  const { columns, name, rowid } = table;
  const hidden = rowid === undefined || columns.some((column) => column.name === rowid) ? undefined : rowid;
  const kinds = columns.map(({ kind }) => kind);
  const allKinds: readonly Kind[] = hidden === undefined ? kinds : [...kinds, 'integer'];
  const names = [...columns.map((column) => column.name), ...(hidden === undefined ? [] : [hidden])];
  const definitions = names.map((column, i) => `${identifier(column)} ${DUCKDB_TYPES[allKinds[i] ?? 'any']}`);
  const rowBytes = allKinds.reduce((sum, kind) => sum + CELL_BYTES[kind], 0);
  const size = (writer: TableWriter): number =>
    Math.max(writer.rows, LEAST_ROWS) * rowBytes + writer.valueBytes;

  await connection.query(`CREATE TABLE ${inMemory(name)} (${definitions.join(', ')})`);
  const appender = connection.appender('memory', name);
  const writer: TableWriter = new TableWriter(
    {
      ...appender,
      append(chunk) {
        if (size(writer) > maxBytes) throw new NoRoom(`${name} is too large to be brought over`);
        appender.append(chunk);
      },
    },
    allKinds,
  );
  const source: CopySource = {
    table: {
      name,
      columns: columns.map((column) => ({ name: column.name, declaredType: column.kind })),
      hasHiddenRowid: hidden !== undefined,
    },
    rowid: rowid === undefined ? undefined : hidden === undefined ? identifier(rowid) : rowidWord(table),
  };
  await copyRows(rows, source, kinds, writer, { signal: new AbortController().signal, rows: () => {} });
  if (writer.rows !== table.rows)
    throw new OperatorError(
      `the row store has ${writer.rows} rows of ${name}, its catalogue says ${table.rows}`,
    );
  return size(writer);
}

/** A word for SQLite's rowid that no column hides (lang_createtable.html, "ROWIDs"). */
function rowidWord({ columns }: SchemaTable): string | undefined {
  const names = new Set(columns.map(({ name }) => asciiLower(name)));
  return ['rowid', '_rowid_', 'oid'].find((word) => !names.has(word));
}
