// What each client's statements took of an engine lately: in all, and the longest of them. Time comes in as an argument.
import { createCache } from '../base/cache.ts';

export interface Habit {
  /** Milliseconds of all; half as many after each ten seconds. */
  readonly used: number;
  /**
   * Of the longest; half as many after each half minute in which nothing of it waits. Of one that was not stopped, half as
   * many also when shorter ones have taken as long. Undefined: none is known.
   */
  readonly longest: number | undefined;
}

export interface Habits {
  of(client: string, now: number): Habit;
  /** @param wouldHave at least what it would have taken, where it was stopped */
  ran(client: string, ms: number, now: number, wouldHave?: number): void;
  /** Something of it waits from now on, or no longer. */
  waits(client: string, more: 1 | -1, now: number): void;
}

const USED_HALF_LIFE_MS = 10_000;
const LONGEST_HALF_LIFE_MS = 30_000;
const CLIENTS = 10_000;

interface Known {
  used: number;
  longest: number | undefined;
  /** What the longest is at least, since one that would have gone on was stopped. */
  stopped: number;
  at: number;
  waiting: number;
}

export function createHabits(): Habits {
  const habits = createCache<Known>(CLIENTS);

  const current = (client: string, now: number): Known => {
    const known = habits.get(client) ?? { used: 0, longest: undefined, stopped: 0, at: now, waiting: 0 };
    const passed = now - known.at;
    known.used *= 0.5 ** (passed / USED_HALF_LIFE_MS);
    if (known.waiting === 0 && known.longest !== undefined) {
      known.longest *= 0.5 ** (passed / LONGEST_HALF_LIFE_MS);
      known.stopped *= 0.5 ** (passed / LONGEST_HALF_LIFE_MS);
    }
    known.at = now;
    habits.set(client, known);
    return known;
  };

  return {
    of: current,
    ran(client, ms, now, wouldHave) {
      const known = current(client, now);
      known.used += ms;
      if (wouldHave !== undefined) known.stopped = Math.max(known.stopped, wouldHave);
      // A machine that others overran makes a short one long now and then. To have that forgiven takes as much of the engine.
      const before = known.longest ?? 0;
      const forgiven = known.waiting === 0 && before > 0 ? before * 0.5 ** (ms / before) : before;
      known.longest = Math.max(forgiven, ms, known.stopped);
    },
    waits(client, more, now) {
      current(client, now).waiting += more;
    },
  };
}
