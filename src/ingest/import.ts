// A whole import: lock the data folder, build aside, check, publish. Whatever happens in between, nothing is left
// behind and the snapshot that was current stays so.
import { constants, copyFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { SnapshotRef } from '../protocol.ts';
import { checkSnapshot } from '../snapshot/folder.ts';
import { type Draft, openDraft } from '../snapshot/publish.ts';
import { ImportError, reasonOf } from './failure.ts';
import { importDatabase } from './import-database.ts';
import { importFile, type TableName } from './import-file.ts';
import type { Progress } from './progress.ts';
import { SnapshotBuilder } from './snapshot-builder.ts';
import { SourceChanged } from './sqlite-open.ts';

export interface ImportOptions {
  readonly source: string;
  /** The data folder; made where it is missing. */
  readonly data: string;
  /** Set for a file that becomes one table; undefined for a validator's database. */
  readonly table: TableName | undefined;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

export interface ImportSummary {
  readonly snapshot: SnapshotRef;
  readonly tables: number;
  /** Of the snapshot, all tables together. */
  readonly rows: number;
  /** Of the snapshot's file. */
  readonly bytes: number;
}

const ATTEMPTS = 3;

/**
 * @throws ImportError, OperatorError (data folder) with one line for the operator; the signal's reason
 */
export async function importSource(options: ImportOptions): Promise<ImportSummary> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await importOnce(options);
    } catch (error) {
      options.signal.throwIfAborted();
      if (!(error instanceof SourceChanged)) throw error;
      if (attempt === ATTEMPTS)
        throw new ImportError(
          `${options.source} was changed while it was read, ${ATTEMPTS} times; try again`,
        );
      options.progress.note(`${options.source} was changed while it was read; reading it again`);
    }
  }
}

async function importOnce(options: ImportOptions): Promise<ImportSummary> {
  const { data, progress, signal, table } = options;
  const source = resolve(options.source);
  const draft = await openDraft(data);
  let builder: SnapshotBuilder | undefined;
  const interrupt = (): void => builder?.interrupt();
  signal.addEventListener('abort', interrupt);
  try {
    if (table !== undefined) await copyBase(draft);
    builder = await SnapshotBuilder.open(draft.building);
    const job = { source, builder, scratch: `${draft.building}.source`, progress, signal };
    if (table === undefined) await importDatabase(job);
    else await importFile(job, table);
    signal.throwIfAborted();
    progress.stage('writing');
    await builder.finish({ id: draft.id, source, createdAt: Math.trunc(Date.now() / 1000) });
    progress.stage('checking');
    const counted = await builder.check();
    signal.throwIfAborted();
    const { size } = await stat(draft.building);
    const snapshot = await draft.publish();
    return { snapshot, ...counted, bytes: size };
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

/** The tables that are there already, to which one is added; shared with the original where the disk can. */
async function copyBase(draft: Draft): Promise<void> {
  if (draft.base === undefined) return;
  await checkSnapshot(draft.base);
  try {
    await copyFile(draft.base.path, draft.building, constants.COPYFILE_FICLONE);
  } catch (error) {
    throw new ImportError(`the current snapshot cannot be copied: ${reasonOf(error)}`, { cause: error });
  }
}

/** The engine's errors and the system's have no class of their own; mistakes of this program have. */
function isEngineError(error: unknown): boolean {
  return error instanceof Error && (error.constructor === Error || 'syscall' in error);
}
