// A validator's SQLite database -> tables of a new snapshot: all registered tables, the registry and the system
// tables, as one transaction saw them.
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { ImportError, reasonOf } from './failure.ts';
import type { Progress } from './progress.ts';
import type { SnapshotBuilder } from './snapshot-builder.ts';
import { columnKinds, copyRows, estimateRows } from './sqlite-copy.ts';
import { explain, openSqlite } from './sqlite-open.ts';
import { readSourceSchema, type SourceTable } from './sqlite-tables.ts';

export interface ImportJob {
  /** Absolute path. */
  readonly source: string;
  readonly builder: SnapshotBuilder;
  /** A file name for private copies, removed afterwards with what starts with it and a dot or dash. */
  readonly scratch: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** @throws ImportError, SourceChanged */
export async function importDatabase(job: ImportJob): Promise<void> {
  const { source, progress, signal } = job;
  progress.stage('opening the source');
  const opened = await openSqlite(source, job.scratch, signal);
  try {
    const { database } = opened;
    const { tables, warnings } = readSourceSchema(database, source);
    for (const warning of warnings) progress.note(`warning: ${warning}`);
    for (const table of tables) progress.expect(estimateRows(database, table));
    for (const table of tables) await importTable(job, database, table);
    await job.builder.setBlocks(readBlocks(database, tables));
    await opened.checkUnchanged();
  } catch (error) {
    throw explain(source, error);
  } finally {
    await opened.close();
  }
}

async function importTable(
  job: ImportJob,
  database: DatabaseSyncInstance,
  source: SourceTable,
): Promise<void> {
  const { builder, progress } = job;
  const { table } = source;
  progress.stage(table.name);
  const kinds = columnKinds(database, source);
  try {
    await builder.createTable(table, kinds);
  } catch (error) {
    job.signal.throwIfAborted();
    // Whoever registers a table chooses its names: they must not stop the import of all others.
    progress.note(`warning: ${table.name} has names that cannot be served; left out: ${reasonOf(error)}`);
    return;
  }
  const writer = await builder.openWriter(table, kinds);
  let rows: number;
  try {
    rows = await copyRows(database, source, kinds, writer, {
      signal: job.signal,
      rows: (more) => progress.rows(more),
    });
  } catch (error) {
    if (error instanceof ImportError) throw error;
    const explained = explain(job.source, error);
    throw explained instanceof ImportError
      ? new ImportError(`${explained.message} (table ${table.name})`, { cause: error })
      : explained;
  }
  progress.stage(`${table.name}: indexes`);
  await builder.index(table, kinds, rows);
  await builder.describe(table, kinds, rows);
}

function readBlocks(
  database: DatabaseSyncInstance,
  tables: readonly SourceTable[],
): readonly (readonly [number, number])[] {
  if (!tables.some(({ table }) => table.name === 'system_txn_processor')) return [];
  const rows = database
    .prepare(
      `select cast(chain_id as integer) as chain, cast(block_number as integer) as block from system_txn_processor
       where chain_id is not null and block_number is not null order by 1`,
    )
    .all() as { chain: number; block: number }[];
  return rows.map(({ chain, block }) => [chain, block] as const);
}
