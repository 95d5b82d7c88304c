// Which snapshot of a data folder is to be served where that is not simply the newest: one that an operator went
// back to, or the one that a store has as its current one. Two small files beside the snapshots.
import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { snapshotNumber } from './layout.ts';

/** An operator went back to it: it stays until the operator says otherwise, whoever adds newer ones. */
export const PINNED = '.pinned';
/** What was pulled last from a store, which decides where nothing is pinned. */
export const PULLED = '.pulled';

export interface Pulled {
  /** Undefined where an import made its own snapshot the current one since. */
  readonly id: string | undefined;
  /** Of its pointer: older ones are refused. */
  readonly sequence: number;
}

/** @param folder of the snapshots, in all of these */
export async function pinnedSnapshot(folder: string): Promise<string | undefined> {
  const { id } = await readHold(folder, PINNED);
  return typeof id === 'string' && snapshotNumber(id) !== undefined ? id : undefined;
}

export async function pinSnapshot(folder: string, id: string): Promise<void> {
  await writeHold(folder, PINNED, { id });
}

export async function unpinSnapshot(folder: string): Promise<void> {
  await rm(join(folder, PINNED), { force: true });
}

/** Undefined where nothing was ever pulled into the folder. */
export async function pulledSnapshot(folder: string): Promise<Pulled | undefined> {
  const { id, sequence } = await readHold(folder, PULLED);
  if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence)) return undefined;
  return { id: typeof id === 'string' && snapshotNumber(id) !== undefined ? id : undefined, sequence };
}

export async function writePulled(folder: string, { id, sequence }: Pulled): Promise<void> {
  await writeHold(folder, PULLED, { id: id ?? null, sequence });
}

/** Ids in the order in which they decide; neither needs to be there any more. */
export async function heldSnapshots(folder: string): Promise<readonly string[]> {
  const ids = [await pinnedSnapshot(folder), (await pulledSnapshot(folder))?.id];
  return ids.filter((id) => id !== undefined);
}

async function readHold(folder: string, file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const value: unknown = JSON.parse(await readFile(join(folder, file), 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

async function writeHold(folder: string, file: string, value: object): Promise<void> {
  const own = join(folder, `${file}-${process.pid}-${randomBytes(3).toString('hex')}`);
  try {
    await writeFile(own, `${JSON.stringify(value)}\n`, { flush: true });
    await rename(own, join(folder, file));
  } catch (error) {
    await rm(own, { force: true });
    throw error;
  }
}
