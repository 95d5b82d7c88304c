// Makes room for a new snapshot beside the served ones and publishes it by one rename. Whoever dies in the
// middle leaves a folder that the next one removes; the current snapshot is never touched.
import { randomBytes } from 'node:crypto';
import { access, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../base/errors.ts';
import type { SnapshotRef } from '../wire/protocol.ts';
import { rememberDigests } from './file-digests.ts';
import { checkMade, listOldSnapshots, listSnapshots, servedSnapshot, snapshotsFolder } from './folder.ts';
import { heldSnapshots, pulledSnapshot, writePulled } from './hold.ts';
import { snapshotId } from './layout.ts';
import { snapshotsInUse } from './lease.ts';
import { isLeftLock, lockFolder } from './lock.ts';

const PREFIX = '.building-';

export interface Draft {
  /** What the snapshot will be called; write it into its manifest. */
  readonly id: string;
  /** The empty folder to build it in. What is beside it and starts with the same name is removed with it. */
  readonly building: string;
  /** The snapshot that was current when the draft was opened. */
  readonly base: SnapshotRef | undefined;
  /**
   * Makes what was built the current snapshot. Its files must be closed, and have the digests that its manifest says.
   * @throws OperatorError where it is damaged or somebody else took the folder over
   */
  publish(): Promise<SnapshotRef>;
  /** Removes what was built; harmless after publish(). Always call it. */
  close(): Promise<void>;
}

/**
 * @param keep snapshots that stay in the folder, the new one included; those that a reader has open stay too
 * @param given the id of a snapshot that comes from elsewhere; without it, the draft gets the next one
 * @throws OperatorError where another process is building, or the folder cannot be written
 */
export async function openDraft(dir: string, keep: number, given?: string): Promise<Draft> {
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
    await mkdir(building);
    const newest = (await listSnapshots(dir))[0];
    const old = (await listOldSnapshots(dir))[0];
    const id = given ?? snapshotId(Math.max(newest?.number ?? 0, old?.number ?? 0) + 1, random);
    const base = await servedSnapshot(dir);
    const path = join(folder, id);
    return {
      id,
      building,
      base: base === undefined ? undefined : { id: base.id, path: base.path },
      publish: async () => {
        const manifest = await checkMade({ id, path: building });
        for (const name of await readdir(building)) await sync(join(building, name));
        await sync(building);
        if (!(await lock.held()))
          throw new OperatorError(`another import took over ${folder}; nothing was published`);
        await rename(building, path);
        await sync(folder);
        await rememberDigests(path, manifest);
        if (given === undefined) await releasePulled(folder);
        await removeOld(dir, keep, id);
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

/** What is imported here is served, even where snapshots were pulled before. */
async function releasePulled(folder: string): Promise<void> {
  const pulled = await pulledSnapshot(folder);
  if (pulled?.id !== undefined) await writePulled(folder, { ...pulled, id: undefined });
}

async function removeOld(dir: string, keep: number, own: string): Promise<void> {
  const all = [...(await listSnapshots(dir)), ...(await listOldSnapshots(dir))];
  const old = all.sort((a, b) => b.number - a.number).slice(keep);
  if (old.length === 0) return;
  const stay = new Set([own, ...(await snapshotsInUse(dir)), ...(await heldSnapshots(snapshotsFolder(dir)))]);
  for (const { id, path } of old) {
    if (stay.has(id)) continue;
    // Under a name that nobody takes for a snapshot: half of one must never look like one.
    const aside = join(snapshotsFolder(dir), `${PREFIX}${process.pid}-${id}`);
    await rename(path, aside).catch(() => undefined);
    await rm(aside, { recursive: true, force: true });
  }
}
