// When a snapshot is to be turned to: `activation.json` beside its files says the moment that all replicas share. Whoever
// pulled it wrote it; a snapshot without one is turned to when it is ready.
import { readFile } from 'node:fs/promises';
import { activationPath } from './layout.ts';

export interface Activation {
  /** Milliseconds since 1970; undefined: at once. */
  readonly atMs: number | undefined;
  /** Why what is written there does not count; undefined where it does. */
  readonly fault: string | undefined;
}

/** As in a store's pointer. What is further ahead says more of a clock than of a plan. */
const MAX_AHEAD_MS = 3_600_000;
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;
const AT_ONCE: Activation = { atMs: undefined, fault: undefined };

/** @param folder of the snapshot */
export async function readActivation(folder: string, nowMs: number): Promise<Activation> {
  let activeAt: unknown;
  try {
    const value: unknown = JSON.parse(await readFile(activationPath(folder), 'utf8'));
    activeAt = (value as { readonly activeAt?: unknown } | null)?.activeAt;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return AT_ONCE;
    return { atMs: undefined, fault: 'its activation.json cannot be read' };
  }
  if (activeAt === undefined || activeAt === null) return AT_ONCE;
  const atMs = typeof activeAt === 'string' && UTC.test(activeAt) ? Date.parse(activeAt) : Number.NaN;
  if (Number.isNaN(atMs)) return { atMs: undefined, fault: 'its activation.json has no moment in UTC' };
  if (atMs > nowMs + MAX_AHEAD_MS)
    return { atMs: undefined, fault: `its activation.json says ${activeAt}, more than an hour from now` };
  return { atMs, fault: undefined };
}

/** Whether its moment has come. */
export async function isDue(folder: string, nowMs: number): Promise<boolean> {
  const { atMs } = await readActivation(folder, nowMs);
  return atMs === undefined || atMs <= nowMs;
}
