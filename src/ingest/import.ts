// A whole import: lock the data folder, build aside, check, publish. Whatever happens in between, nothing is left
// behind and the snapshot that was current stays so.
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkWhole } from '../snapshot/folder.ts';
import { sourcesPath } from '../snapshot/layout.ts';
import { type Draft, openDraft } from '../snapshot/publish.ts';
import { readSource, SETTLE_MS, type Source } from '../source/source.ts';
import type { TableName } from '../source/table-file.ts';
import type { SnapshotRef } from '../wire/protocol.ts';
import { type Changes, changesOf, servedBy, tablesThatGo } from './changes.ts';
import { ImportError, reasonOf } from './failure.ts';
import { type ImportJob, importDatabase } from './import-database.ts';
import type { RemoteSource } from './import-remote.ts';
import type { Progress } from './progress.ts';
import { type Base, type Built, SnapshotBuilder } from './snapshot-builder.ts';
import { type KnownTables, readSourceRecords } from './source-records.ts';
import { SourceChanged } from './sqlite-open.ts';
import { MoreThanRows, updateRows } from './update-rows.ts';

export interface ImportOptions {
  readonly source: string;
  /** The data folder; made where it is missing. */
  readonly data: string;
  /** Set for a file that becomes one table; undefined for a validator's database or a folder of files. */
  readonly table: TableName | undefined;
  /** Set where that file is a SQLite database: the name of the table in it. */
  readonly fromTable: string | undefined;
  /** Set where the table's rows stay in the distributed engine. */
  readonly remote: RemoteSource | undefined;
  /** Only what changed since the current snapshot; without it, everything. */
  readonly update: boolean;
  /** Whether served tables may be removed that an update would not remove. */
  readonly replace: boolean;
  /** Tables of at least so many rows are kept for scans, too. */
  readonly columnarRows: number;
  /** Tables of at most so many rows get an index for each column that can be a key; 0: none does. */
  readonly indexRows: number;
  /** `TABLE.COLUMN`: indexed however large the table is. */
  readonly indexColumns: readonly string[];
  /** That the process may use. */
  readonly memoryBytes: number;
  /** Snapshots that stay in the data folder, the new one included. */
  readonly keep: number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

export interface ImportSummary {
  /** Undefined where nothing had changed: there is no new one. */
  readonly snapshot: SnapshotRef | undefined;
  readonly changes: Changes;
  /** Whether the source's log told which tables to look at; else all were. */
  readonly byLog: boolean;
  /** Of each table that was added or changed: its columns' names and types. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
  readonly tables: number;
  /** Of the snapshot, all tables together. */
  readonly rows: number;
  /** Of the snapshot's files. */
  readonly bytes: number;
}

const ATTEMPTS = 3;
const UNCHANGED: ImportSummary = {
  snapshot: undefined,
  changes: { added: [], replaced: [], removed: [] },
  byLog: false,
  columns: new Map(),
  ...{ tables: 0, rows: 0, bytes: 0 },
};

/**
 * @throws ImportError, OperatorError (data folder) with one line for the operator; the signal's reason
 */
export async function importSource(options: ImportOptions): Promise<ImportSummary> {
  let rowsAlone = options.update && options.table === undefined && options.remote === undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      return await importOnce(options, rowsAlone);
    } catch (error) {
      options.signal.throwIfAborted();
      if (error instanceof MoreThanRows) {
        rowsAlone = false;
        attempt--;
        continue;
      }
      if (!(error instanceof SourceChanged)) throw error;
      if (attempt === ATTEMPTS)
        throw new ImportError(
          `${options.source} was changed while it was read, ${ATTEMPTS} times; try again`,
        );
      options.progress.note(`${options.source} was changed while it was read; reading it again`);
    }
  }
}

/** @param rowsAlone whether it is tried as if nothing but rows had changed */
async function importOnce(options: ImportOptions, rowsAlone: boolean): Promise<ImportSummary> {
  const { data, progress, signal, table, keep } = options;
  const source = options.remote === undefined ? resolve(options.source) : options.source;
  const draft = await openDraft(data, keep);
  let base: Base | Error | undefined;
  let builder: SnapshotBuilder | undefined;
  const interrupt = (): void => builder?.interrupt();
  signal.addEventListener('abort', interrupt);
  const open = async (from: 'current' | 'nothing'): Promise<SnapshotBuilder> => {
    builder = await SnapshotBuilder.open({
      folder: draft.building,
      id: draft.id,
      base: from === 'current' ? usable(base) : undefined,
      columnarRows: options.columnarRows,
      memoryBytes: options.memoryBytes,
      indexes: {
        rows: options.indexRows,
        columns: new Set(options.indexColumns.map((name) => name.toLowerCase())),
      },
    });
    return builder;
  };
  let built: Built | undefined;
  const finish = async (builder: SnapshotBuilder): Promise<void> => {
    progress.stage('writing');
    built = await builder.finish({ source, createdAt: Math.trunc(Date.now() / 1000) });
  };
  try {
    base = await readBase(draft);
    const scratch = `${draft.building}.source`;
    const told =
      rowsAlone && base !== undefined && !(base instanceof Error) && !isWasteful(base)
        ? await updateRows({ source, leaving: () => [], open, finish, scratch, progress, signal }, base)
        : undefined;
    const known = options.update && told === undefined ? knownTables(base) : undefined;
    if (base instanceof Error)
      progress.note(`warning: tables of the snapshot before are not known: ${reasonOf(base)}`);
    // Of a snapshot that cannot be read nothing is known, and nobody serves it.
    const before = base instanceof Error ? undefined : base?.manifest;
    const whole = options.update ? 'update' : 'whole';
    const leaving: ImportJob['leaving'] = (incoming) =>
      tablesThatGo({
        served: before === undefined ? new Map() : servedBy(before),
        ...{ incoming, known, replace: options.replace },
        mode: table === undefined ? whole : 'one',
      }).map(({ name }) => name);
    if (told === undefined)
      await runImport({ source, known, leaving, open, finish, scratch, progress, signal }, options);
    signal.throwIfAborted();
    if (built === undefined) return UNCHANGED;
    const { manifest, columns, bytes } = built;
    const changes = changesOf(before, manifest, draft.id);
    const snapshot = await draft.publish();
    const tables = Object.keys(manifest.versions).length;
    const rows = Object.values(manifest.rows).reduce((sum, each) => sum + each, 0);
    return { snapshot, changes, byLog: told?.byLog === true, columns, tables, rows, bytes };
  } catch (error) {
    signal.throwIfAborted();
    throw isEngineError(error)
      ? new ImportError(`the snapshot cannot be built: ${reasonOf(error)}`, { cause: error })
      : error;
  } finally {
    signal.removeEventListener('abort', interrupt);
    builder?.close();
    await draft.close();
    progress.stop();
  }
}

/** Where nothing changed no snapshot is opened. */
async function runImport(
  job: ImportJob,
  { table, fromTable, remote }: Pick<ImportOptions, 'table' | 'fromTable' | 'remote'>,
): Promise<void> {
  if (table !== undefined && remote !== undefined)
    return (await import('./import-remote.ts')).importRemote(job, table, remote);
  if (table !== undefined && fromTable !== undefined)
    return (await import('./import-sqlite-table.ts')).importSqliteTable(job, table, fromTable);
  if (table !== undefined) {
    const { source, progress, signal } = job;
    const gone = job.leaving([table]);
    const builder = await job.open('current');
    for (const name of gone) await builder.dropTable(name);
    const { importFile } = await import('./import-file.ts');
    progress.expect((await stat(source).catch(() => undefined))?.size ?? 0);
    await importFile({ source, builder, progress, signal }, table);
    await job.finish(builder);
    return;
  }
  const source = await settledSource(job).catch((error: unknown) => {
    throw new ImportError(`${job.source} cannot be read: ${reasonOf(error)}`);
  });
  if (source.kind === 'folder') await (await import('./import-folder.ts')).importFolder(job, source);
  else await importDatabase({ ...job, source: source.path });
}

/** The first import of a folder takes all of its files, also those that were put there a moment ago. */
async function settledSource({ source, known }: ImportJob): Promise<Source> {
  const found = await readSource(source);
  if (known !== undefined || found.kind !== 'folder' || !found.files.some(({ fresh }) => fresh)) return found;
  await sleep(SETTLE_MS + 100);
  return readSource(source);
}

/** Of files that are mostly free space a copy is not worth much: then everything is imported into new ones. */
const FREE_SHARE = 0.7;
const FREE_BYTES = 64 * 1024 * 1024;

/** The snapshot that is current, or why it cannot be read; undefined where there is none. */
async function readBase({ base }: Draft): Promise<Base | Error | undefined> {
  if (base === undefined) return undefined;
  try {
    return { folder: base.path, manifest: await checkWhole(base) };
  } catch (error) {
    return error as Error;
  }
}

/** The tables that are there already, to which one is added. */
function usable(base: Base | Error | undefined): Base | undefined {
  if (base instanceof Error) throw base;
  return base;
}

/** Undefined where there is no snapshot that could be changed: it is no reason not to make a good one. */
function knownTables(base: Base | Error | undefined): KnownTables | undefined {
  if (base === undefined || base instanceof Error) return undefined;
  const { versions } = base.manifest;
  try {
    const known = readSourceRecords(sourcesPath(base.folder));
    const isMixed = Object.keys(versions).some((name) => !known.sources.has(name));
    return isWasteful(base) && !isMixed ? undefined : known;
  } catch {
    return undefined;
  }
}

function isWasteful({ manifest: { files } }: Base): boolean {
  return Object.values(files).some(({ bytes, free }) => bytes > FREE_BYTES && free / bytes > FREE_SHARE);
}

/** The engine's errors and the system's have no class of their own; mistakes of this program have. */
function isEngineError(error: unknown): boolean {
  return error instanceof Error && (error.constructor === Error || 'syscall' in error);
}
