// What is held against statements: which shapes or single statements are not run any more, and whether lanes end
// so often that strangers' new shapes go one at a time. Time comes in as an argument.
import type { Observe } from '../observe.ts';
import type { QueryJob } from '../protocol.ts';
import { createShapeCache } from '../shape-cache.ts';
import { statementKey } from './ticket.ts';

export interface Guilt {
  /** It could not be stopped, or its memory could not be bounded. */
  strike(job: QueryJob, why: string): void;
  /** Alone in a lane, it ended it. */
  convict(job: QueryJob, why: string): void;
  refused(job: QueryJob): boolean;
  /** Struck before and not clean since: to be run alone, where another strike is proof. */
  suspected(job: QueryJob): boolean;
  /** A clean run takes the suspicion away. */
  ran(job: QueryJob): void;
  /** Whether its shape has ever run cleanly. */
  known(job: QueryJob): boolean;
  /** A lane ended. All that it gives back in one turn of the event loop is one death. */
  death(now: number): void;
  distrustful(now: number): boolean;
  /** A new snapshot is other data: what hung may run now. */
  forgive(): void;
}

/** So many deaths of a lane within the window, and shapes that never ran cleanly go one at a time. */
const DEATHS_OF_DISTRUST = 3;
const DISTRUST_MS = 30_000;
/**
 * Strikes until a shape is refused; each such statement is refused at once. One is no proof: on a machine that
 * is overrun, an innocent statement cannot be stopped in time either.
 */
const STRIKES = 2;
/** The same for a shape with clean runs: a client must not take it away from others by a bad value or two. */
const STRIKES_OF_KNOWN = 5;
const SUSPECTED_SHAPES = 1_000;
const KNOWN_SHAPES = 10_000;

export function createGuilt(observe: Observe): Guilt {
  const known = createShapeCache<true>(KNOWN_SHAPES);
  /** Shapes, and statements as {@link statementKey} names them. */
  const refused = createShapeCache<true>(SUSPECTED_SHAPES);
  const strikes = createShapeCache<number>(SUSPECTED_SHAPES);
  const suspected = createShapeCache<true>(SUSPECTED_SHAPES);
  const deaths: number[] = [];
  let noted = false;

  const strike = (job: QueryJob, why: string, ofUnknown: number): void => {
    const count = (strikes.get(job.shape) ?? 0) + 1;
    strikes.set(job.shape, count);
    const isShape = count >= (known.peek(job.shape) === true ? STRIKES_OF_KNOWN : ofUnknown);
    refused.set(isShape ? job.shape : statementKey(job), true);
    suspected.set(job.shape, true);
    observe({ type: 'shape-refused', shape: job.shape, why });
  };

  return {
    strike: (job, why) => strike(job, why, STRIKES),
    convict: (job, why) => strike(job, `alone in a lane it ended it (${why})`, 1),
    suspected: (job) => suspected.has(job.shape),
    ran: (job) => {
      known.set(job.shape, true);
      suspected.delete(job.shape);
    },
    known: (job) => known.peek(job.shape) === true,
    refused: (job) => refused.size > 0 && (refused.has(job.shape) || refused.has(statementKey(job))),
    death(now) {
      if (noted) return;
      noted = true;
      setImmediate(() => {
        noted = false;
      });
      deaths.push(now);
    },
    distrustful(now) {
      while (deaths.length > 0 && now - (deaths[0] ?? 0) > DISTRUST_MS) deaths.shift();
      return deaths.length >= DEATHS_OF_DISTRUST;
    },
    forgive() {
      refused.clear();
      strikes.clear();
      suspected.clear();
    },
  };
}
