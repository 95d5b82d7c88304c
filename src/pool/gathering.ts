// Which waiting lookups may be run as one statement: those of a shape whose last answer said so. Knows no SQL;
// whether they really can be is the worker's matter, which gives back those that cannot.
import { LRUCache } from 'lru-cache';
import { GATHER } from '../frames.ts';
import type { Job } from '../protocol.ts';

/** What waits in the lane's line. */
export interface Gatherable {
  readonly job: Job;
  /** Snapshot to be read. */
  readonly snapshot: string;
  /** It did not fit among others: it is run by itself. */
  readonly alone: boolean;
}

export interface Gathering {
  /** Tells those that may be run together with this one; undefined where none may. */
  partners(of: Gatherable): ((other: Gatherable) => boolean) | undefined;
  /** @param flags of the first frame of its answer */
  answered(job: Job, flags: number): void;
}

const SHAPES = 10_000;

/** @param most lookups of one statement; 1 is none */
export function createGathering(most: number): Gathering {
  const shapes = new LRUCache<string, true>({ max: SHAPES });
  return {
    partners({ job, snapshot, alone }) {
      if (alone || most < 2 || job.kind !== 'query' || shapes.get(job.shape) === undefined) return undefined;
      const { shape } = job;
      return (other) =>
        !other.alone &&
        other.job.kind === 'query' &&
        other.job.shape === shape &&
        other.snapshot === snapshot;
    },
    answered(job, flags) {
      if (job.kind !== 'query') return;
      if ((flags & GATHER) !== 0) shapes.set(job.shape, true);
      else shapes.delete(job.shape);
    },
  };
}
