// The data folder: `DIR/snapshots/NUMBER-RANDOM.duckdb`; the highest number is what is served. Finds and checks
// the current snapshot; making one is publish.ts's job. Loads no DuckDB: the front uses this.
import { access, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { OperatorError } from '../errors.ts';
import type { SnapshotRef } from '../protocol.ts';
import { faultOfFile } from './header.ts';

const SUFFIX = '.duckdb';
const NAME = /^(\d{6,15})-[0-9a-f]{6}\.duckdb$/;

export interface SnapshotFile extends SnapshotRef {
  /** Ascends with every snapshot of a folder. */
  readonly number: number;
}

export function snapshotsFolder(dir: string): string {
  return join(resolve(dir), 'snapshots');
}

export function snapshotId(number: number, random: string): string {
  return `${String(number).padStart(6, '0')}-${random}`;
}

/** Newest first; empty where the folder is missing. Files of other names are nobody's business here. */
export async function listSnapshots(dir: string): Promise<readonly SnapshotFile[]> {
  const folder = snapshotsFolder(dir);
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new OperatorError(`the data folder cannot be read: ${folder}: ${reason(error)}`);
  });
  return names
    .filter((name) => NAME.test(name))
    .map((name) => ({
      id: name.slice(0, -SUFFIX.length),
      path: join(folder, name),
      number: Number(NAME.exec(name)?.[1]),
    }))
    .sort((a, b) => b.number - a.number || (a.id < b.id ? 1 : -1));
}

/**
 * The snapshot to serve.
 * @throws OperatorError with a line that says what is wrong and what to do
 */
export async function currentSnapshot(dir: string): Promise<SnapshotRef> {
  const newest = (await listSnapshots(dir))[0];
  if (newest === undefined) {
    const missing = await access(resolve(dir)).then(
      () => false,
      () => true,
    );
    throw new OperatorError(
      missing
        ? `there is no data folder ${resolve(dir)}; make it with: tablegate import SOURCE --data ${dir}`
        : `there is no snapshot in ${resolve(dir)}; make one with: tablegate import SOURCE --data ${dir}`,
    );
  }
  await checkSnapshot(newest);
  return { id: newest.id, path: newest.path };
}

/** @throws OperatorError where the snapshot must not or cannot be opened by this program's engine */
export async function checkSnapshot(snapshot: SnapshotRef): Promise<void> {
  const wal = `${snapshot.path}.wal`;
  const stray = await access(wal).then(
    () => true,
    () => false,
  );
  // The engine would replay it into what it serves, whoever wrote it.
  if (stray)
    throw new OperatorError(`a snapshot has no write-ahead log, but there is one: ${wal}; remove it`);
  let fault: string | undefined;
  try {
    fault = await faultOfFile(snapshot.path);
  } catch (error) {
    fault = `cannot be read: ${reason(error as NodeJS.ErrnoException)}`;
  }
  if (fault !== undefined)
    throw new OperatorError(
      `the snapshot ${snapshot.path} ${fault}; import again, or remove it to serve the one before`,
    );
}

function reason(error: NodeJS.ErrnoException): string {
  return error.code ?? error.message;
}
