// How many engine threads a statement gets: scans that run at the same time share the lane's. Each worker's engine has
// threads of its own, and two scans with all of them would put twice as many on the cores as there are: no scan is
// sooner done, and whoever wakes up for a lookup waits behind them.
import { LRUCache } from 'lru-cache';
import type { Job } from '../protocol.ts';

export interface ThreadShares {
  /** A statement begins. Gives its engine threads, and what is to be called when it has ended. */
  begins(job: Job, now: number): { readonly threads: number; readonly ended: (now: number) => void };
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
  if (threads === 1) return { begins: () => ({ threads, ended: () => {} }) };
  /** How long the last of a shape ran: one that has just begun may be known as a scan. */
  const ranMs = new LRUCache<string, number>({ max: SHAPES });
  const running = new Set<Running>();
  const isScan = ({ shape, began }: Running, now: number): boolean =>
    now - began >= SCAN_MS || (ranMs.get(shape) ?? 0) >= SCAN_MS;

  return {
    begins(job, began) {
      let sharers = 1;
      for (const other of running) if (isScan(other, began)) sharers += 1;
      const one: Running = { shape: job.kind === 'query' ? job.shape : job.kind, began };
      running.add(one);
      return {
        threads: Math.max(1, Math.floor(threads / sharers)),
        ended(now) {
          if (running.delete(one)) ranMs.set(one.shape, now - began);
        },
      };
    },
  };
}
