// Says which snapshots are being read, to whoever removes old ones: a small file a reader and snapshot, touched
// while it is read. A reader's lanes may have to open the file anew at any time, so an open file is not enough.
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { snapshotsFolder } from './folder.ts';

const BEAT_MS = 5_000;
/** A lease that was not touched for so long is of a dead reader; one of this machine is known dead at once. */
const SILENCE_MS = 60_000;
const NAME = /^\.reading-(\d+-[0-9a-f]+)-\d+-[0-9a-f]{8}$/;

export interface Lease {
  release(): Promise<void>;
}

/** Never fails: on a folder that cannot be written nobody else removes by our word either. */
export async function leaseSnapshot(dir: string, id: string): Promise<Lease> {
  const name = `.reading-${id}-${process.pid}-${randomBytes(4).toString('hex')}`;
  const path = join(snapshotsFolder(dir), name);
  const write = (): Promise<void> =>
    writeFile(path, JSON.stringify({ pid: process.pid, host: hostname() })).catch(() => undefined);
  await write();
  const beat = setInterval(() => {
    const now = new Date();
    // Somebody took us for dead while we were stopped: say again that we live.
    utimes(path, now, now).catch(write);
  }, BEAT_MS);
  beat.unref();
  return {
    release: async () => {
      clearInterval(beat);
      await rm(path, { force: true }).catch(() => undefined);
    },
  };
}

/** Ids of the snapshots that somebody reads. Removes the leases of the dead. */
export async function snapshotsInUse(dir: string): Promise<ReadonlySet<string>> {
  const folder = snapshotsFolder(dir);
  const used = new Set<string>();
  for (const name of await readdir(folder).catch(() => [] as string[])) {
    const id = NAME.exec(name)?.[1];
    if (id === undefined) continue;
    if (await isLive(join(folder, name))) used.add(id);
    else await rm(join(folder, name), { force: true }).catch(() => undefined);
  }
  return used;
}

async function isLive(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || Date.now() - found.mtimeMs > SILENCE_MS) return false;
  try {
    const { pid, host } = JSON.parse(await readFile(path, 'utf8')) as { pid: number; host: string };
    return host !== hostname() || processLives(pid);
  } catch {
    // Just being written.
    return true;
  }
}

function processLives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
