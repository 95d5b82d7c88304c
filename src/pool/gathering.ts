// Which waiting lookups may be run as one statement: those of a shape whose last answer said so. Knows no SQL;
// whether they really can be is the worker's matter, which gives back those that cannot.
import { GATHER } from '../frames.ts';
import type { Job } from '../protocol.ts';
import { createShapeCache } from '../shape-cache.ts';

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
  /**
   * Whether it is better to wait: a quick round of its shape is running, and what comes meanwhile can be the next.
   * Two rounds at a time are each half as large, and a round costs the engine nearly the same whatever its size.
   * @param waiting how many wait already
   */
  waits(of: Gatherable, waiting: number, now: number): boolean;
  /** A round, or a lookup by itself, begins. Gives what is to be called when it has ended. */
  begins(job: Job, now: number): (now: number) => void;
}

const SHAPES = 10_000;
/** Rounds that take longer are worth a second worker. */
export const QUICK_ROUND_MS = 15;

interface Rounds {
  running: number;
  /** When the last one began. */
  began: number;
  /** How long the last one took that has ended. */
  ms: number;
}

/**
 * @param most lookups of one statement; 1 is none
 * @param places of the line, which those that wait by choice must not fill
 */
export function createGathering(most: number, places = most): Gathering {
  const shapes = createShapeCache<Rounds>(SHAPES);
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
      if ((flags & GATHER) === 0) shapes.delete(job.shape);
      else if (shapes.get(job.shape) === undefined) shapes.set(job.shape, { running: 0, began: 0, ms: 0 });
    },
    waits({ job, alone }, waiting, now) {
      if (alone || job.kind !== 'query' || waiting >= Math.min(most, places)) return false;
      const rounds = shapes.peek(job.shape);
      if (rounds === undefined || rounds.running === 0) return false;
      return rounds.ms <= QUICK_ROUND_MS && now - rounds.began <= QUICK_ROUND_MS;
    },
    begins(job, began) {
      const rounds = job.kind === 'query' ? shapes.peek(job.shape) : undefined;
      if (rounds === undefined) return () => {};
      rounds.running += 1;
      rounds.began = began;
      return (now) => {
        rounds.running -= 1;
        rounds.ms = now - began;
      };
    },
  };
}
