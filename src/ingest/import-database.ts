// A validator's SQLite database -> a new snapshot: all registered tables, the registry and the system tables, as one
// transaction saw them; only what changed where the snapshot before says what it has.
import { rm } from 'node:fs/promises';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { hasRanges, type RowRange } from '../columns/copy-source.ts';
import type { Incoming } from './changes.ts';
import { ImportError } from './failure.ts';
import { indexTable } from './own-indexes.ts';
import type { Progress } from './progress.ts';
import { copyFromSource, copyPages } from './row-fill.ts';
import type { SnapshotBuilder } from './snapshot-builder.ts';
import type { KnownTables, SourceRecord } from './source-records.ts';
import { columnKinds, kindsOfRanges } from './sqlite-kinds.ts';
import { compareLeaves, readLeaves } from './sqlite-leaves.ts';
import { explain, type SqliteSource, withSqlite } from './sqlite-open.ts';
import {
  createDescriber,
  type ListedTable,
  listTables,
  type Registered,
  type SourceTable,
} from './sqlite-tables.ts';

export interface ImportJob {
  /** Absolute path. */
  readonly source: string;
  /** What the current snapshot has; undefined where all is to be imported. */
  readonly known: KnownTables | undefined;
  /**
   * Served tables that go, by their names, when these are all that the source has.
   * @throws ImportError where the operator has not said that they may
   */
  readonly leaving: (incoming: readonly Incoming[]) => readonly string[];
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
const LAYOUT_VERSION = 2;

/** Where nothing changed no snapshot is opened. @throws ImportError, SourceChanged */
export async function importDatabase(job: ImportJob): Promise<void> {
  const { source, progress, signal, known } = job;
  progress.stage('opening the source');
  await withSqlite(source, job.scratch, signal, async (opened) => {
    const { database } = opened;
    const { tables, warnings } = listTables(database, source);
    progress.stage('looking for changes');
    const records = readRecords(opened, tables);
    const todo = tables.filter(({ name }) => !isUnchanged(known?.sources.get(name), records.get(name)));
    const gone = job.leaving(tables.map(({ name, registered }) => incoming(name, registered)));
    if (known !== undefined && todo.length === 0 && gone.length === 0) return;
    for (const warning of warnings) progress.note(`warning: ${warning}`);
    const builder = await job.open(known === undefined ? 'nothing' : 'current');
    const weight = todo.reduce((sum, { name }) => sum + weightOf(records.get(name)), 0);
    progress.expect(2 * weight);
    await openRows(job, opened, builder, tables, progress.part(weight));
    if (known !== undefined) for (const name of gone) await builder.dropTable(name);
    const describe = createDescriber(database);
    for (const listed of todo) {
      const now = records.get(listed.name);
      await importTable(job, builder, database, describe(listed), now, progress.part(weightOf(now)));
    }
    builder.rows.setBlocks(readBlocks(database, tables));
    await opened.checkUnchanged();
    await job.finish(builder);
  });
}

/** A whole import begins with all pages of the source: its tables come as they are, however many there are. */
async function openRows(
  job: ImportJob,
  opened: SqliteSource,
  builder: SnapshotBuilder,
  tables: readonly ListedTable[],
  onShare: (share: number) => void,
): Promise<void> {
  const isWhole = job.known === undefined;
  const pages = isWhole ? opened.pages() : undefined;
  const isCopied = pages !== undefined && (await copyPages(pages, builder.rowsPath, job.signal, onShare));
  onShare(1);
  if (isWhole && !isCopied) await rm(builder.rowsPath, { force: true });
  const served = new Set(tables.map(({ name }) => name));
  builder.attachRows(opened.database, isCopied ? served : undefined);
}

/** What is recorded of a table grows with its pages. */
const weightOf = (now: Record | undefined): number => 1 + (now?.leaves.length ?? 0);

/** Of a table as the transaction sees it; kinds are known only once its rows are looked at. */
type Record = Omit<SourceRecord, 'kinds'>;

/** Empty where the pages cannot be read beside SQLite: then every table counts as changed. */
function readRecords(opened: SqliteSource, tables: readonly ListedTable[]): ReadonlyMap<string, Record> {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const pages = opened.pages();
      if (pages === undefined) break;
      const records = new Map<string, Record>();
      for (const { name, sql, registered, root } of tables)
        records.set(name, {
          layout: JSON.stringify([LAYOUT_VERSION, name, registered, sql]),
          leaves: readLeaves(pages, root),
        });
      if (pages.confirm()) return records;
    } catch {
      // Damaged pages: SQLite will say it in better words when it reads the rows.
      break;
    }
  }
  return new Map();
}

function isUnchanged(before: SourceRecord | undefined, now: Record | undefined): boolean {
  return (
    before !== undefined &&
    now !== undefined &&
    before.layout === now.layout &&
    before.leaves.equals(now.leaves)
  );
}

const incoming = (name: string, registered: Registered | undefined): Incoming => ({
  name,
  chainId: registered?.chainId,
  tableId: registered?.tableId,
});

/** @param now undefined where the next update is to take it for changed */
export async function importTable(
  job: ImportJob,
  builder: SnapshotBuilder,
  database: DatabaseSyncInstance,
  source: SourceTable,
  now: Record | undefined,
  onShare: (share: number) => void,
): Promise<void> {
  const { progress, signal } = job;
  const { table } = source;
  progress.stage(table.name);
  try {
    const known = job.known?.sources.get(table.name);
    const before = builder.rows.known(table.name);
    const ranges =
      known === undefined || before === undefined ? undefined : changedRanges(source, known, now);
    const rows = storeRows(builder, source, before?.rows ?? 0, ranges);
    const kinds =
      (ranges === undefined ? undefined : kindsOfRanges(database, source, known?.kinds ?? [], ranges)) ??
      columnKinds(database, source);
    const sameKinds = known?.kinds.join() === kinds.join();
    const fill = {
      source,
      kinds,
      rows,
      before,
      ranges: sameKinds ? ranges : undefined,
      progress,
      onShare,
      signal,
    };
    const isColumnar = rows >= builder.columnarRows || before?.facts !== undefined;
    // DuckDB is loaded by the first table that needs it: a change of a small one is quicker than that.
    const facts = isColumnar
      ? await (await import('./column-fill.ts')).fillColumns(builder, fill)
      : undefined;
    indexTable(builder.rows, table, kinds, rows, builder.indexes);
    builder.rows.forgetTable(table.name);
    builder.rows.describe(table, kinds, { rows, version: builder.id, facts });
    onShare(1);
    // Without one it counts as changed the next time.
    if (now === undefined) builder.records.delete(table.name);
    else builder.records.set(table.name, { ...now, kinds });
  } catch (error) {
    signal.throwIfAborted();
    const explained = explain(job.source, error);
    throw explained instanceof ImportError && explained !== error
      ? new ImportError(`${explained.message} (table ${table.name})`, { cause: error })
      : explained;
  }
}

/** Undefined where the table must be read wholly. */
function changedRanges(
  source: SourceTable,
  before: SourceRecord,
  now: Record | undefined,
): readonly RowRange[] | undefined {
  if (now === undefined || before.layout !== now.layout || !hasRanges(source)) return undefined;
  const { ranges, share } = compareLeaves(before.leaves, now.leaves);
  return share > DELTA_SHARE ? undefined : ranges;
}

/** @returns the rows that the table has now */
function storeRows(
  builder: SnapshotBuilder,
  source: SourceTable,
  before: number,
  ranges: readonly RowRange[] | undefined,
): number {
  const { rows } = builder;
  const { sql } = source;
  const { name } = source.table;
  if (ranges !== undefined) return before + copyFromSource(rows, source, ranges);
  if (!rows.isCopy) {
    const [create = '', ...indexes] = sql;
    rows.dropTable(name);
    rows.create(create);
    copyFromSource(rows, source);
    for (const index of indexes) rows.create(index);
  }
  return rows.countRows(name);
}

function readBlocks(
  database: DatabaseSyncInstance,
  tables: readonly ListedTable[],
): readonly (readonly [number, number])[] {
  if (!tables.some(({ name }) => name === 'system_txn_processor')) return [];
  const rows = database
    .prepare(
      `select cast(chain_id as integer) as chain, cast(block_number as integer) as block from source.system_txn_processor
       where chain_id is not null and block_number is not null order by 1`,
    )
    .all() as { chain: number; block: number }[];
  return rows.map(({ chain, block }) => [chain, block] as const);
}
