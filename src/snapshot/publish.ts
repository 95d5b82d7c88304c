// Makes room for a new snapshot beside the served ones and publishes it by one rename. Whoever dies in the
// middle leaves a file that the next one removes; the current snapshot is never touched.
import { randomBytes } from 'node:crypto';
import { access, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OperatorError } from '../errors.ts';
import type { SnapshotRef } from '../protocol.ts';
import { checkSnapshot, listSnapshots, snapshotId, snapshotsFolder } from './folder.ts';
import { snapshotsInUse } from './lease.ts';
import { isLeftLock, lockFolder } from './lock.ts';

const PREFIX = '.building-';

export interface Draft {
  /** What the snapshot will be called; write it into the file. */
  readonly id: string;
  /** Where to build it. Files beside it that start with the same name are removed with it. */
  readonly building: string;
  /** The snapshot that was current when the draft was opened. */
  readonly base: SnapshotRef | undefined;
  /**
   * Makes the built file the current snapshot. The file must be closed.
   * @throws OperatorError where it is damaged or somebody else took the folder over
   */
  publish(): Promise<SnapshotRef>;
  /** Removes what was built; harmless after publish(). Always call it. */
  close(): Promise<void>;
}

/**
 * @param keep snapshots that stay in the folder, the new one included; those that a reader has open stay too
 * @throws OperatorError where another process is building, or the folder cannot be written
 */
export async function openDraft(dir: string, keep: number): Promise<Draft> {
  const folder = snapshotsFolder(dir);
  const random = randomBytes(3).toString('hex');
  const name = `${PREFIX}${process.pid}-${random}`;
  const building = join(folder, name);
  await makeSnapshotsFolder(dir);
  const lock = await lockFolder(folder, random).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`the data folder cannot be written: ${folder}: ${error.code ?? error.message}`);
  });
  try {
    await removeLeftovers(folder);
    const newest = (await listSnapshots(dir))[0];
    const id = snapshotId((newest?.number ?? 0) + 1, random);
    const path = join(folder, `${id}.duckdb`);
    return {
      id,
      building,
      base: newest === undefined ? undefined : { id: newest.id, path: newest.path },
      publish: async () => {
        await checkSnapshot({ id, path: building });
        await sync(building);
        if (!(await lock.held()))
          throw new OperatorError(`another import took over ${folder}; nothing was published`);
        await rename(building, path);
        await sync(folder);
        await removeOld(dir, keep);
        return { id, path };
      },
      close: async () => {
        await removeStarting(folder, name);
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** @throws OperatorError */
export async function makeSnapshotsFolder(dir: string): Promise<void> {
  const folder = snapshotsFolder(dir);
  try {
    await mkdir(folder, { recursive: true });
    await access(folder);
  } catch (error) {
    throw new OperatorError(
      `the data folder cannot be written: ${folder}: ${(error as NodeJS.ErrnoException).code ?? error}`,
    );
  }
}

/** So that a power cut cannot leave the new name on an empty file. */
async function sync(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } catch {
    // Some file systems refuse it for folders.
  } finally {
    await file.close();
  }
}

async function removeStarting(folder: string, prefix: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [] as string[]))
    if (name === prefix || name.startsWith(`${prefix}.`))
      await rm(join(folder, name), { recursive: true, force: true });
}

/** Whoever builds holds the lock, and we hold it now: what is there was left by the dead. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const left = name.startsWith(PREFIX) || (await isLeftLock(folder, name));
    if (left) await rm(path, { recursive: true, force: true });
  }
}

async function removeOld(dir: string, keep: number): Promise<void> {
  const old = (await listSnapshots(dir)).slice(keep);
  if (old.length === 0) return;
  const read = await snapshotsInUse(dir);
  for (const { id, path } of old) {
    if (read.has(id)) continue;
    await rm(path, { force: true });
    await rm(`${path}.wal`, { force: true });
    await removeStarting(dirname(path), `${id}.duckdb.tmp`);
  }
}
