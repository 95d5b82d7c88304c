// How long to wait before a lane's process is started again, and whether it is given up for now. A process that
// a statement ended is started at once: that is an attack, and the others wait. One that ends by itself is not
// started without end. Pure.

export interface Backoff {
  /** @param innocent it ended while it ran nothing, or before it served */
  ended(servedMs: number, innocent: boolean): void;
  /** Until the next start. */
  readonly waitMs: number;
  /** It has ended by itself so often that nobody should wait for it. */
  readonly down: boolean;
  served(): void;
  /** It is to serve something else: what failed before says nothing of that. */
  renew(): void;
}

const WAITS_MS = [0, 100, 200, 400, 800, 1600, 3000] as const;
/** Ends in a row before it counts as down. */
export const TRIES = 3;
/** Whoever served for so long without an end is well again. */
const WELL_MS = 5_000;

export function createBackoff(): Backoff {
  let failures = 0;
  let serves = false;
  return {
    ended(servedMs, innocent) {
      // What ended while it ran a statement had come to serve: whatever failed before is over.
      if (servedMs >= WELL_MS || (serves && !innocent)) failures = 0;
      serves = false;
      if (innocent) failures += 1;
    },
    get waitMs() {
      return WAITS_MS[Math.min(failures, WAITS_MS.length - 1)] ?? 0;
    },
    get down() {
      return !serves && failures >= TRIES;
    },
    served() {
      serves = true;
    },
    renew() {
      failures = 0;
    },
  };
}
