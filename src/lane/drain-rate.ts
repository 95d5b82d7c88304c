// How soon a full line has room again: made of how many statements were answered lately. Pure; time comes in.

export interface DrainRate {
  /** A statement was answered. */
  answered(now: number): void;
  /** @param waiting statements in line @returns whole seconds, at least 1 */
  retryAfterS(waiting: number, now: number): number;
}

/** Answers are counted by the second, over so many of them. */
const SECONDS = 5;
const MOST_S = 60;

export function createDrainRate(): DrainRate {
  const counts = new Array<number>(SECONDS).fill(0);
  let second = 0;

  const turn = (now: number): void => {
    const current = Math.floor(now / 1000);
    for (let passed = Math.min(current - second, SECONDS); passed > 0; passed--)
      counts[(((current - passed + 1) % SECONDS) + SECONDS) % SECONDS] = 0;
    second = current;
  };

  return {
    answered(now) {
      turn(now);
      const at = second % SECONDS;
      counts[at] = (counts[at] ?? 0) + 1;
    },
    retryAfterS(waiting, now) {
      turn(now);
      const perSecond = counts.reduce((sum, count) => sum + count, 0) / SECONDS;
      if (waiting <= 0) return 1;
      return Math.max(1, Math.min(MOST_S, Math.ceil(perSecond === 0 ? MOST_S : waiting / perSecond)));
    },
  };
}
