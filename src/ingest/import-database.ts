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
import { type KnownTables, OF_SCHEMA, type SourceRecord } from './source-records.ts';
import { columnKinds, kindsOfRanges } from './sqlite-kinds.ts';
import { compareLeaves, readLeaves } from './sqlite-leaves.ts';
import { explain, type SqliteSource, withSqlite } from './sqlite-open.ts';
import type { PageReader } from './sqlite-pages.ts';
import { digestOfEntries, readSchemaPages } from './sqlite-schema-pages.ts';
import {
  createDescriber,
  type ListedTable,
  listTables,
  quoteName,
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
export const LAYOUT_VERSION = 2;

/** Where nothing changed no snapshot is opened. @throws ImportError, SourceChanged */
export async function importDatabase(job: ImportJob): Promise<void> {
  const { source, progress, signal, known } = job;
  progress.stage('opening the source');
  await withSqlite(source, job.scratch, signal, async (opened) => {
    const { database } = opened;
    const { tables, warnings } = listTables(database, source);
    progress.stage('looking for changes');
    const { records, pages, entries } = readRecords(opened, tables);
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
    const moment = pages === undefined ? undefined : opened.moment();
    if (moment !== undefined && pages !== undefined) {
      builder.records.setPages(pages);
      builder.records.setMoment({ ...moment, layout: LAYOUT_VERSION, entries });
    }
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
export type Record = Omit<SourceRecord, 'kinds'>;

interface Records {
  readonly records: ReadonlyMap<string, Record>;
  /** Of each table, and of the schema; undefined where they cannot be told. */
  readonly pages: ReadonlyMap<string, Uint32Array> | undefined;
  /** Digest of the schema's entries. */
  readonly entries: string;
}

/** Empty where the pages cannot be read beside SQLite: then every table counts as changed. */
function readRecords(opened: SqliteSource, tables: readonly ListedTable[]): Records {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const reader = opened.pages();
      if (reader === undefined) break;
      const schema = readSchema(reader);
      const pages = new Map([[OF_SCHEMA, Uint32Array.from(schema?.pages ?? [])]]);
      const records = new Map<string, Record>();
      for (const { name, sql, registered, root } of tables) {
        const own: number[] = [];
        const leaves = readLeaves(reader, root, (page) => own.push(page));
        records.set(name, { layout: layoutOf(name, registered, sql), leaves });
        pages.set(name, Uint32Array.from(own));
      }
      if (reader.confirm())
        return schema === undefined
          ? { records, pages: undefined, entries: '' }
          : { records, pages, entries: schema.entries };
    } catch {
      // Damaged pages: SQLite will say it in better words when it reads the rows.
      break;
    }
  }
  return { records: new Map(), pages: undefined, entries: '' };
}

/** Undefined where a name is too long for its page: tables are told apart by their leaves all the same. */
function readSchema(reader: PageReader): { readonly pages: readonly number[]; entries: string } | undefined {
  try {
    return { pages: readSchemaPages(reader, () => false).pages, entries: digestOfEntries(reader) };
  } catch {
    return undefined;
  }
}

const layoutOf = (name: string, registered: Registered | undefined, sql: readonly string[]): string =>
  JSON.stringify([LAYOUT_VERSION, name, registered, sql]);

/** The table that a layout is of, where its root is known. */
export function listedBy(layout: string, root: number): ListedTable {
  const [, name, registered, sql] = JSON.parse(layout) as [number, string, Registered | null, string[]];
  return { name, sql, root, registered: registered ?? undefined };
}

export function isUnchanged(before: SourceRecord | undefined, now: Record | undefined): boolean {
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
  if (rows.isFixed) {
    rows.database.exec(`delete from rows.${quoteName(name)}`);
    copyFromSource(rows, source);
    return rows.countRows(name);
  }
  if (!rows.isCopy) {
    const [create = '', ...indexes] = sql;
    rows.dropTable(name);
    rows.create(create);
    copyFromSource(rows, source);
    for (const index of indexes) rows.create(index);
  }
  return rows.countRows(name);
}

export function readBlocks(
  database: DatabaseSyncInstance,
  tables: readonly Pick<ListedTable, 'name'>[],
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
