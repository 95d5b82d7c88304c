// What a follower says of itself, in a small file beside the snapshots: so that every gateway on the folder can say
// whether its data is kept fresh, whichever process keeps it so.
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { snapshotsFolder } from './folder.ts';

const FILE = '.following';

export interface FollowStatus {
  readonly source: string;
  readonly pid: number;
  /** `current`: all that was seen is published; `building`: being imported; `failed`: the last import failed. */
  readonly state: 'current' | 'building' | 'failed';
  readonly everyMs: number;
  /** When the source was looked at last; milliseconds since 1970, as all times here. */
  readonly checkedAt: number;
  /** Since when the source has what is not published yet; null where nothing is. */
  readonly behindSince: number | null;
  /** In one line; null where the last import did not fail. */
  readonly error: string | null;
}

export async function writeFollowStatus(dir: string, status: FollowStatus): Promise<void> {
  const path = join(snapshotsFolder(dir), FILE);
  const own = `${path}-${process.pid}`;
  try {
    await writeFile(own, `${JSON.stringify(status)}\n`);
    await rename(own, path);
  } catch {
    // A full disk must not end a follower: readers see that the file grows old.
    await rm(own, { force: true }).catch(() => undefined);
  }
}

export async function removeFollowStatus(dir: string): Promise<void> {
  await rm(join(snapshotsFolder(dir), FILE), { force: true }).catch(() => undefined);
}

/** Undefined where nobody follows. */
export async function readFollowStatus(dir: string): Promise<FollowStatus | undefined> {
  try {
    return JSON.parse(await readFile(join(snapshotsFolder(dir), FILE), 'utf8')) as FollowStatus;
  } catch {
    return undefined;
  }
}

/** A follower says something at least this often, or with every look where that is rarer. */
export const STATUS_MS = 5_000;
/** Behind for so long, it does not keep up. */
const BEHIND_MS = 30_000;

export interface Freshness {
  /** `none`: nobody follows; `silent`: the follower died or hangs. */
  readonly state: 'none' | 'current' | 'building' | 'behind' | 'failed' | 'silent';
  /** In one line, where something is wrong. */
  readonly problem: string | undefined;
}

/** @param now milliseconds since 1970 */
export function freshnessOf(status: FollowStatus | undefined, now: number): Freshness {
  if (status === undefined) return { state: 'none', problem: undefined };
  const { state, checkedAt, everyMs, behindSince, error } = status;
  const silentMs = now - checkedAt;
  if (silentMs > 3 * Math.max(STATUS_MS, everyMs))
    return { state: 'silent', problem: `the follower says nothing for ${seconds(silentMs)}` };
  if (state === 'failed') return { state, problem: error ?? 'the last import failed' };
  const behindMs = behindSince === null ? 0 : now - behindSince;
  if (behindMs > Math.max(BEHIND_MS, 3 * everyMs))
    return { state: 'behind', problem: `the source is ahead for ${seconds(behindMs)}` };
  return { state, problem: undefined };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
