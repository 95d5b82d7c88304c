// What the import tests share: a temporary folder, databases in the validator's form, and a look into a snapshot.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type Json } from '@duckdb/node-api';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { importCommand } from '../../src/ingest/command.ts';
import { readSourceRecords } from '../../src/ingest/source-records.ts';
import { currentSnapshot } from '../../src/snapshot/folder.ts';
import { columnsPath, rowsPath, sourcesPath } from '../../src/snapshot/layout.ts';

export interface Scratch {
  readonly folder: string;
  path(name: string): string;
  remove(): void;
}

export function scratch(): Scratch {
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-ingest-'));
  return {
    folder,
    path: (name) => join(folder, name),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The tables that the validator makes itself and imports need, in its own words. */
export const REGISTRY = `
  create table registry (id INTEGER NOT NULL, structure TEXT NOT NULL, controller TEXT NOT NULL, prefix TEXT NOT NULL,
    created_at INTEGER NOT NULL DEFAULT (strftime('%s', 'now')), chain_id INTEGER, PRIMARY KEY(chain_id, id), CHECK(id >= 0));
  create table system_txn_processor (chain_id INTEGER PRIMARY KEY NOT NULL, block_number INTEGER NOT NULL);
  create table schema_migrations (version uint64, dirty bool);`;

export function makeDatabase(path: string, fill: (database: DatabaseSyncInstance) => void): string {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  try {
    database.exec(REGISTRY);
    fill(database);
  } finally {
    database.close();
  }
  return path;
}

/** By exec: a prepared statement would keep the connection, and so its log, open until it is collected. */
export function register(database: DatabaseSyncInstance, name: string, createdAt = 1): void {
  const [, prefix, chain, id] = /^(.*)_(\d+)_(\d+)$/.exec(name) ?? [];
  database.exec(
    `insert into registry (id, structure, controller, prefix, created_at, chain_id)
     values (${id}, 's', '0x1', '${prefix}', ${createdAt}, ${chain})`,
  );
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command in this process. @throws OperatorError on bad usage, as main.ts sees it */
export async function runImport(...args: readonly string[]): Promise<Ran> {
  let out = '';
  let err = '';
  const code = await importCommand(
    args,
    // So that small tables are in both stores.
    { TABLEGATE_COLUMNAR_ROWS: '0', TABLEGATE_INDEX_ROWS: process.env['TABLEGATE_INDEX_ROWS'] },
    {
      out: { write: (text) => (out += text) },
      err: { write: (text) => (err += text) },
    },
  );
  return { code, out, err };
}

/** Rows of a statement on the row store of the current snapshot; integers as bigints. */
export async function askRows(data: string, sql: string): Promise<unknown[][]> {
  const { path } = await currentSnapshot(data);
  const database = new DatabaseSync(rowsPath(path), { readOnly: true });
  try {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    return statement.all() as unknown[][];
  } finally {
    database.close();
  }
}

/** The same with integers as strings. */
export async function askCatalogue(data: string, sql: string): Promise<Json[][]> {
  const rows = await askRows(data, sql);
  return rows.map((row) => row.map((value) => (typeof value === 'bigint' ? String(value) : (value as Json))));
}

/** What the current snapshot was made of. */
export async function askSources(data: string): Promise<unknown> {
  const { path } = await currentSnapshot(data);
  return [...readSourceRecords(sourcesPath(path)).sources].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Rows of a statement on the columns of the current snapshot of a data folder; integers as strings. */
export async function ask(data: string, sql: string): Promise<Json[][]> {
  const { path } = await currentSnapshot(data);
  const instance = await DuckDBInstance.create(columnsPath(path), { access_mode: 'READ_ONLY', threads: '1' });
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
