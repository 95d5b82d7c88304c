// What is held against statements: which are kept out of the scan lane, since they ended it or could not be stopped
// there, and which are not run at all, since they ended a process in which they were alone. Time comes in as an argument.
import type { Observe } from '../observe.ts';
import type { QueryJob } from '../protocol.ts';
import { createShapeCache } from '../shape-cache.ts';
import { statementKey } from './ticket.ts';

export interface Quarantine {
  /** It could not be stopped in the scan lane, or its memory could not be bounded there. */
  strike(job: QueryJob, why: string, now: number): void;
  /** Alone in a process, it ended it. */
  convict(job: QueryJob, why: string, now: number): void;
  /** Not to be run at all: this statement with these values. */
  refused(job: QueryJob, now: number): boolean;
  /** Not to be run in the scan lane; SQLite answers it. */
  barred(job: QueryJob, now: number): boolean;
  /** It ran cleanly in the scan lane. */
  ran(job: QueryJob): void;
  /** The scan lane ended. All that it gives back in one turn of the event loop is one death. */
  death(now: number): void;
  /** The lane ends so often that a shape which never ran cleanly there is not tried. */
  distrusts(job: QueryJob, now: number): boolean;
}

const DEATHS_OF_DISTRUST = 3;
const DISTRUST_MS = 30_000;
/**
 * Strikes until a shape is barred whatever its values are; each such statement is barred at once. One is no proof: on
 * a machine that is overrun, an innocent statement cannot be stopped in time either.
 */
const STRIKES = 2;
/** The same for a shape with clean runs: a client must not take it away from others by a bad value or two. */
const STRIKES_OF_KNOWN = 5;
/** What is proven holds over swaps of the snapshot, but not for ever: it may have been the machine. */
const FORGIVEN_MS = 10 * 60_000;
const HELD = 1_000;
const KNOWN_SHAPES = 10_000;

export function createQuarantine(observe: Observe): Quarantine {
  const known = createShapeCache<true>(KNOWN_SHAPES);
  /** Until when, by shape or by {@link statementKey}. */
  const barred = createShapeCache<number>(HELD);
  const refused = createShapeCache<number>(HELD);
  const strikes = createShapeCache<number>(HELD);
  const deaths: number[] = [];
  let noted = false;

  const holds = (held: typeof barred, key: string, now: number): boolean => {
    const until = held.get(key);
    if (until === undefined) return false;
    if (now < until) return true;
    held.delete(key);
    return false;
  };

  return {
    strike(job, why, now) {
      const count = (strikes.get(job.shape) ?? 0) + 1;
      strikes.set(job.shape, count);
      const most = known.peek(job.shape) === true ? STRIKES_OF_KNOWN : STRIKES;
      if (count >= most) strikes.delete(job.shape);
      barred.set(count >= most ? job.shape : statementKey(job), now + FORGIVEN_MS);
      observe({ type: 'shape-refused', shape: job.shape, why });
    },
    convict(job, why, now) {
      refused.set(statementKey(job), now + FORGIVEN_MS);
      observe({ type: 'shape-refused', shape: job.shape, why: `alone in a process it ended it (${why})` });
    },
    refused: (job, now) => refused.size > 0 && holds(refused, statementKey(job), now),
    barred: (job, now) =>
      barred.size > 0 && (holds(barred, job.shape, now) || holds(barred, statementKey(job), now)),
    ran: (job) => {
      known.set(job.shape, true);
    },
    death(now) {
      if (noted) return;
      noted = true;
      setImmediate(() => {
        noted = false;
      });
      deaths.push(now);
    },
    distrusts(job, now) {
      while (deaths.length > 0 && now - (deaths[0] ?? 0) > DISTRUST_MS) deaths.shift();
      return deaths.length >= DEATHS_OF_DISTRUST && known.peek(job.shape) !== true;
    },
  };
}
