// The rank of a long lane's process at the processor: what runs for long gives way to what is short, to look-ups and
// to the front.
import { getPriority, setPriority } from 'node:os';
import { monotonicMs } from '../base/monotonic.ts';
import type { Lane } from './lane.ts';

export interface Rank {
  /** A statement begins there. */
  began(lane: Pick<Lane, 'pid'>): void;
  /**
   * Nothing runs there any more.
   * @returns whether another process should take its place: this one gives way to all, and its rank cannot be given
   * back, which not every user may do
   */
  ended(lane: Pick<Lane, 'pid'>): boolean;
  /** It still gives way to all. */
  isLow(lane: Pick<Lane, 'pid'>): boolean;
  close(): void;
}

/** A statement that has run for longer gives way. */
const LOWER_MS = 100;
/** Another process costs a third of it. */
const REPLACE_MS = 500;

export type SetPriority = (pid: number, priority: number) => void;

/** @param nice 0: all are equal */
export function createRank(nice: number, set: SetPriority = setPriority): Rank {
  const runs = new Map<unknown, { readonly pid: number; readonly since: number; timer: NodeJS.Timeout }>();
  /** The processes that were lowered, by their lanes. */
  const low = new Map<unknown, number>();

  // SQLite runs on the main thread, whose number is the process's.
  const tried = (pid: number, priority: number): boolean => {
    try {
      set(pid, priority);
      return true;
    } catch {
      return false;
    }
  };
  const lower = (lane: Pick<Lane, 'pid'>, pid: number): void => {
    if (lane.pid === pid && tried(pid, Math.min(19, getPriority() + nice))) low.set(lane, pid);
  };
  const isLow = (lane: Pick<Lane, 'pid'>): boolean => {
    if (low.get(lane) !== lane.pid) low.delete(lane);
    return low.has(lane);
  };

  return {
    began(lane) {
      const { pid } = lane;
      if (nice === 0 || pid === undefined) return;
      clearTimeout(runs.get(lane)?.timer);
      runs.set(lane, { pid, since: monotonicMs(), timer: setTimeout(lower, LOWER_MS, lane, pid) });
    },
    ended(lane) {
      const run = runs.get(lane);
      if (run === undefined) return false;
      clearTimeout(run.timer);
      runs.delete(lane);
      if (!isLow(lane)) return false;
      if (!tried(run.pid, getPriority())) return monotonicMs() - run.since > REPLACE_MS;
      low.delete(lane);
      return false;
    },
    isLow,
    close() {
      for (const { timer } of runs.values()) clearTimeout(timer);
      runs.clear();
    },
  };
}
