// How many engine threads a statement gets: scans that run at the same time share the lane's. Each worker's engine has
// threads of its own, and two scans with all of them would put twice as many on the cores as there are: no scan is
// sooner done, and whoever wakes up for a lookup waits behind them.
import type { Job } from '../protocol.ts';
import { createShapeCache } from '../shape-cache.ts';

export interface ThreadShares {
  /**
   * A job begins. Gives its engine threads, undefined where their number does not matter to it, and what is to be
   * called when it has ended.
   */
  begins(
    job: Job,
    now: number,
  ): { readonly threads: number | undefined; readonly ended: (now: number) => void };
}

/** What runs for so long is a scan; lookups come and go, and need but one thread. */
const SCAN_MS = 10;
const SHAPES = 10_000;

interface Running {
  readonly shape: string;
  readonly began: number;
}

/** @param threads of the lane */
export function createThreadShares(threads: number): ThreadShares {
  if (threads === 1) return { begins: () => ({ threads: undefined, ended: () => {} }) };
  /** How long the last of a shape ran: one that has just begun may be known as a scan. */
  const ranMs = createShapeCache<number>(SHAPES);
  const running = new Set<Running>();
  const isScan = ({ shape, began }: Running, now: number): boolean =>
    now - began >= SCAN_MS || (ranMs.get(shape) ?? 0) >= SCAN_MS;

  return {
    begins(job, began) {
      let sharers = 1;
      for (const other of running) if (isScan(other, began)) sharers += 1;
      const one: Running = { shape: job.kind === 'query' ? job.shape : job.kind, began };
      running.add(one);
      const before = ranMs.get(one.shape);
      return {
        // To change it costs the engine half a millisecond, which is a lookup's own time.
        threads:
          before !== undefined && before < SCAN_MS ? undefined : Math.max(1, Math.floor(threads / sharers)),
        ended(now) {
          if (running.delete(one)) ranMs.set(one.shape, now - began);
        },
      };
    },
  };
}
