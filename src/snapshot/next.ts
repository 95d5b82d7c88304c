// Which snapshot of a data folder a gateway turns to next, and when: the served one of the folder, or first those that were
// it and wait for their moment, so that all replicas of a store go through the same steps.

import type { SnapshotRef } from '../wire/protocol.ts';
import { readActivation } from './activation.ts';
import { servedSnapshot } from './folder.ts';

export interface Step {
  readonly snapshot: SnapshotRef;
  /** Milliseconds since 1970; 0: at once. */
  readonly atMs: number;
  /** Why that is at once although something else is written there. */
  readonly fault: string | undefined;
}

/** To the served snapshot of the folder; undefined where there is none. */
export async function lastStep(dir: string, nowMs: number): Promise<Step | undefined> {
  const found = await servedSnapshot(dir);
  if (found === undefined) return undefined;
  const { id, path } = found;
  const { atMs = 0, fault } = await readActivation(path, nowMs);
  return { snapshot: { id, path }, atMs, fault };
}

/**
 * The steps from the snapshot that is served, the next one first; none where the last is served.
 * @param steps of before
 */
export function stepsTo(
  last: Step | undefined,
  steps: readonly Step[],
  servedId: string,
  nowMs: number,
): readonly Step[] {
  if (last === undefined || last.snapshot.id === servedId) return [];
  if (last.atMs <= nowMs) return [last];
  // One whose moment is that of a later one, or after it, will never be turned to.
  const before = steps.filter(
    ({ snapshot, atMs }) => snapshot.id !== servedId && snapshot.id !== last.snapshot.id && atMs < last.atMs,
  );
  const all = [...before, last];
  const due = all.findLastIndex(({ atMs }) => atMs <= nowMs);
  return all.slice(Math.max(0, due));
}
