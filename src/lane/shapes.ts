// What is known of each statement shape: whether it has earned the fast lane, and whether it took a lane down.
// Pure; bounded by an LRU. Time comes in as arguments.
import { createShapeCache } from '../shape-cache.ts';

export interface Shapes {
  lane(shape: string): 'fast' | 'wide';
  /** Why the shape is not run any more; undefined where it is. */
  refused(shape: string): string | undefined;
  /** False: nothing is refused, and nobody needs to look. */
  readonly anyRefused: boolean;
  /** A clean run. @param ms in the worker */
  ran(shape: string, ms: number): void;
  /** It was too much for the fast lane. */
  demote(shape: string): void;
  /** It took a lane down by itself. */
  refuse(shape: string, why: string): void;
  /** Whether it has ever run cleanly. */
  known(shape: string): boolean;
  /** A new snapshot is other data: what hung may run now. */
  forgive(): void;
}

/** Clean quick runs that earn the fast lane. */
const EARN_RUNS = 3;
const QUICK_MS = 20;
/** A run this slow costs the fast lane at once; two slow ones in a row, too. */
const SLOW_MS = 100;
/** Quick runs that a shape must show after it has lost the fast lane. */
const EARN_BACK_RUNS = 20;
const SHAPES = 10_000;
const REFUSED_SHAPES = 1_000;

interface History {
  /** Quick runs still to show. */
  missing: number;
  slowInARow: number;
  clean: boolean;
}

export function createShapes(): Shapes {
  const histories = createShapeCache<History>(SHAPES);
  const refused = createShapeCache<string>(REFUSED_SHAPES);
  const history = (shape: string): History => {
    let found = histories.get(shape);
    if (found === undefined) {
      found = { missing: EARN_RUNS, slowInARow: 0, clean: false };
      histories.set(shape, found);
    }
    return found;
  };
  const demote = (of: History): void => {
    of.missing = EARN_BACK_RUNS;
    of.slowInARow = 0;
  };
  return {
    lane: (shape) => (histories.get(shape)?.missing === 0 ? 'fast' : 'wide'),
    refused: (shape) => refused.get(shape),
    get anyRefused() {
      return refused.size > 0;
    },
    ran(shape, ms) {
      const of = history(shape);
      of.clean = true;
      if (ms <= QUICK_MS) {
        of.slowInARow = 0;
        if (of.missing > 0) of.missing -= 1;
        return;
      }
      of.slowInARow += 1;
      if (of.missing > 0) of.missing = Math.max(of.missing, EARN_RUNS);
      else if (ms > SLOW_MS || of.slowInARow > 1) demote(of);
    },
    demote: (shape) => demote(history(shape)),
    refuse: (shape, why) => {
      refused.set(shape, why);
    },
    known: (shape) => histories.peek(shape)?.clean === true,
    forgive: () => refused.clear(),
  };
}
