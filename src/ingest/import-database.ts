// A validator's SQLite database -> tables of a new snapshot: all registered tables, the registry and the system
// tables, as one transaction saw them; only what changed where the snapshot before says what it has.
import { rm } from 'node:fs/promises';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Kind } from '../columns/column-buffer.ts';
import { copyRows, hasRanges } from '../columns/row-copy.ts';
import { PLAIN_ROWS } from './column-store.ts';
import { ImportError, reasonOf } from './failure.ts';
import type { KnownTables, SourceRecord } from './known-tables.ts';
import type { Progress } from './progress.ts';
import { copyFromSource, copyPages } from './row-fill.ts';
import type { SnapshotBuilder } from './snapshot-builder.ts';
import { columnKinds, countRows, estimateRows } from './sqlite-copy.ts';
import { compareLeaves, readLeaves } from './sqlite-leaves.ts';
import { explain, openSqlite, type SqliteSource } from './sqlite-open.ts';
import { readSourceSchema, type SourceTable } from './sqlite-tables.ts';
import { applyDelta } from './table-delta.ts';

export interface ImportJob {
  /** Absolute path. */
  readonly source: string;
  /** What the current snapshot has; undefined where all is to be imported. */
  readonly known: KnownTables | undefined;
  /** Opens the snapshot to be built: a copy of the current one, or an empty one. Once. */
  readonly open: (from: 'current' | 'nothing') => Promise<SnapshotBuilder>;
  /** Ends the building, while the source is still as it was read. */
  readonly finish: (builder: SnapshotBuilder) => Promise<void>;
  /** A file name for private copies, removed afterwards with what starts with it and a dot or dash. */
  readonly scratch: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** With more of a table changed than this, reading it wholly is as fast. */
const DELTA_SHARE = 0.3;
/** Names the way in which tables are imported: another one makes other rows of the same source. */
const LAYOUT_VERSION = 1;

/** Where nothing changed no snapshot is opened. @throws ImportError, SourceChanged */
export async function importDatabase(job: ImportJob): Promise<void> {
  const { source, progress, signal } = job;
  progress.stage('opening the source');
  const opened = await openSqlite(source, job.scratch, signal);
  try {
    const { database } = opened;
    const { tables, warnings } = readSourceSchema(database, source);
    progress.stage('looking for changes');
    const records = readRecords(opened, tables);
    const todo = tables.filter((table) => !isUnchanged(job.known, table, records.get(table.table.name)));
    const gone = goneTables(
      job.known,
      tables.map(({ table }) => table.name),
    );
    if (job.known !== undefined && todo.length === 0 && gone.length === 0) return;
    for (const warning of warnings) progress.note(`warning: ${warning}`);
    const builder = await job.open(job.known === undefined ? 'nothing' : 'current');
    await openRows(job, opened, builder, tables);
    for (const name of gone) await builder.dropTable(name);
    for (const table of todo) progress.expect(estimateRows(database, table));
    for (const table of todo) await importTable(job, builder, database, table, records.get(table.table.name));
    await builder.setBlocks(readBlocks(database, tables));
    await opened.checkUnchanged();
    await job.finish(builder);
  } catch (error) {
    throw explain(source, error);
  } finally {
    await opened.close();
  }
}

/** A whole import begins with all pages of the source: its tables come as they are, however many there are. */
async function openRows(
  job: ImportJob,
  opened: SqliteSource,
  builder: SnapshotBuilder,
  tables: readonly SourceTable[],
): Promise<void> {
  const isWhole = job.known === undefined;
  const pages = isWhole ? opened.pages() : undefined;
  const isCopied = pages !== undefined && (await copyPages(pages, builder.rowsPath, job.signal));
  if (isWhole && !isCopied) await rm(builder.rowsPath, { force: true });
  const served = new Set(tables.map(({ table }) => table.name));
  builder.attachRows(opened.database, isCopied ? served : undefined);
}

/** Of a table as the transaction sees it; kinds are known only once its rows are looked at. */
type Record = Omit<SourceRecord, 'kinds'>;

/** Empty where the pages cannot be read beside SQLite: then every table counts as changed. */
function readRecords(opened: SqliteSource, tables: readonly SourceTable[]): ReadonlyMap<string, Record> {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const pages = opened.pages();
      if (pages === undefined) break;
      const records = new Map<string, Record>();
      for (const source of tables) {
        const { pageSize, usableSize, textEncoding } = pages;
        const about = { LAYOUT_VERSION, pageSize, usableSize, textEncoding, table: source.table };
        records.set(source.table.name, {
          layout: JSON.stringify(about),
          leaves: readLeaves(pages, source.root),
        });
      }
      if (pages.confirm()) return records;
    } catch {
      // Damaged pages: SQLite will say it in better words when it reads the rows.
      break;
    }
  }
  return new Map();
}

function isUnchanged(
  known: KnownTables | undefined,
  { table }: SourceTable,
  now: Record | undefined,
): boolean {
  const before = known?.sources.get(table.name);
  return (
    before !== undefined &&
    now !== undefined &&
    before.layout === now.layout &&
    before.leaves.equals(now.leaves)
  );
}

/** Those of a source that it does not have any more; what was added from files by hand stays. */
export function goneTables(known: KnownTables | undefined, present: readonly string[]): readonly string[] {
  const names = new Set(present);
  return [...(known?.sources.keys() ?? [])].filter((name) => !names.has(name));
}

async function importTable(
  job: ImportJob,
  builder: SnapshotBuilder,
  database: DatabaseSyncInstance,
  source: SourceTable,
  now: Record | undefined,
): Promise<void> {
  const { progress } = job;
  const { table } = source;
  progress.stage(table.name);
  const kinds = columnKinds(database, source);
  let rows: number | undefined;
  try {
    rows =
      (await changeTable(job, builder, database, source, kinds, now)) ??
      (await fillTable(job, builder, database, source, kinds));
  } catch (error) {
    if (error instanceof ImportError) throw error;
    const explained = explain(job.source, error);
    throw explained instanceof ImportError
      ? new ImportError(`${explained.message} (table ${table.name})`, { cause: error })
      : explained;
  }
  if (rows !== undefined) await builder.describe(table, kinds, rows);
  // Also of one that cannot be held: it must not count as changed for ever.
  if (now !== undefined) builder.rows.recordSource(table.name, { ...now, kinds });
}

/** @returns the rows of the whole table; undefined where it must be read wholly */
async function changeTable(
  job: ImportJob,
  builder: SnapshotBuilder,
  database: DatabaseSyncInstance,
  source: SourceTable,
  kinds: readonly Kind[],
  now: Record | undefined,
): Promise<number | undefined> {
  const { table } = source;
  const before = job.known?.sources.get(table.name);
  if (before === undefined || now === undefined || before.layout !== now.layout) return undefined;
  if (!hasRanges(source) || table.rowid === undefined || before.kinds.join() !== kinds.join())
    return undefined;
  const { ranges, share } = compareLeaves(before.leaves, now.leaves);
  if (share > DELTA_SHARE) return undefined;
  const watch = { signal: job.signal, rows: () => undefined };
  const rows = await applyDelta(builder.columns, {
    table,
    kinds,
    ranges,
    fill: (writer) => copyRows(database, source, kinds, writer, watch, ranges),
  });
  copyFromSource(builder.rows, source, ranges);
  await builder.forgetTable(table.name);
  return rows;
}

/** @returns undefined where the engine cannot hold the table */
async function fillTable(
  job: ImportJob,
  builder: SnapshotBuilder,
  database: DatabaseSyncInstance,
  source: SourceTable,
  kinds: readonly Kind[],
): Promise<number | undefined> {
  const { progress } = job;
  const { table } = source;
  const atLeast = countRows(database, source, PLAIN_ROWS);
  await builder.columns.dropTable(table.name);
  try {
    await builder.columns.createTable(table, kinds, atLeast);
  } catch (error) {
    job.signal.throwIfAborted();
    // Whoever registers a table chooses its names: they must not stop the import of all others.
    progress.note(`warning: ${table.name} has names that cannot be served; left out: ${reasonOf(error)}`);
    builder.rows.dropTable(table.name);
    return undefined;
  }
  fillRows(builder, source);
  const writer = await builder.columns.openWriter(table, kinds);
  const rows = await copyRows(database, source, kinds, writer, {
    signal: job.signal,
    rows: (more) => progress.rows(more),
  });
  progress.stage(`${table.name}: indexes`);
  await builder.columns.index(table, kinds, rows);
  return rows;
}

/** The table as the source has it, unless all pages of the source were copied. */
function fillRows(builder: SnapshotBuilder, source: SourceTable): void {
  const { rows } = builder;
  if (rows.isCopy) return;
  const { table, sql } = source;
  const [create, ...indexes] = sql;
  rows.dropTable(table.name);
  rows.create(create ?? '');
  copyFromSource(rows, source);
  for (const index of indexes) rows.create(index);
}

function readBlocks(
  database: DatabaseSyncInstance,
  tables: readonly SourceTable[],
): readonly (readonly [number, number])[] {
  if (!tables.some(({ table }) => table.name === 'system_txn_processor')) return [];
  const rows = database
    .prepare(
      `select cast(chain_id as integer) as chain, cast(block_number as integer) as block from source.system_txn_processor
       where chain_id is not null and block_number is not null order by 1`,
    )
    .all() as { chain: number; block: number }[];
  return rows.map(({ chain, block }) => [chain, block] as const);
}
