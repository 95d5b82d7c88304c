// What is held against statements: which shapes or single statements are not run any more, and whether lanes end
// so often that strangers' new shapes go one at a time. Time comes in as an argument.
import type { Observe } from '../observe.ts';
import type { QueryJob } from '../protocol.ts';
import type { Shapes } from './shapes.ts';
import { statementKey } from './ticket.ts';

export interface Guilt {
  /** It could not be stopped, or its memory could not be bounded. */
  strike(job: QueryJob, why: string): void;
  /** Alone in a lane, it ended it. */
  convict(job: QueryJob, why: string): void;
  refused(job: QueryJob): boolean;
  /** A lane ended. All that it gives back in one turn of the event loop is one death. */
  death(now: number): void;
  distrustful(now: number): boolean;
  /** A new snapshot is other data: what hung may run now. */
  forgive(): void;
}

/** So many deaths of a lane within the window, and shapes that never ran cleanly go one at a time. */
const DEATHS_OF_DISTRUST = 3;
const DISTRUST_MS = 30_000;
/** Strikes that a shape with clean runs may have before it is refused; each such statement is refused at once. */
const STRIKES = 5;

export function createGuilt(shapes: Shapes, observe: Observe): Guilt {
  const strikes = new Map<string, number>();
  const deaths: number[] = [];
  let noted = false;

  return {
    strike(job, why) {
      const count = (strikes.get(job.shape) ?? 0) + 1;
      strikes.set(job.shape, count);
      // A client must not be able to take a shape that others use away with one bad value.
      const isShape = !shapes.known(job.shape) || count >= STRIKES;
      shapes.refuse(isShape ? job.shape : statementKey(job), why);
      shapes.demote(job.shape);
      observe({ type: 'shape-refused', shape: job.shape, why });
    },
    convict(job, why) {
      this.strike(job, `alone in a lane it ended it (${why})`);
    },
    refused: (job) =>
      shapes.refused(job.shape) !== undefined || shapes.refused(statementKey(job)) !== undefined,
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
      shapes.forgive();
      strikes.clear();
    },
  };
}
