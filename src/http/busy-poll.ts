// A process that sleeps until the next request comes is woken some 20 to 50 microseconds late, on virtual machines above
// all: a client that asks one thing after the other waits for that each time. So it looks for a while before it sleeps,
// where that would have found the last requests: to look costs less than to sleep and be woken. It does not where
// requests come with longer pauses, nor where several come at once: then others have a use for the processor.

/** How long, in milliseconds, is looked for the next request. */
const LOOK_MS = 0.1;
/** A request that came so soon would have been found, since of this a part was waking up. */
const SOON_MS = 0.2;
/** So many requests, each alone and soon after the one before, show that it pays. */
const ENOUGH = 3;
/** So many are asked for in addition after it looked in vain. */
const AFTER_VAIN = 4;

export interface BusyPoll {
  /** A request has come. */
  came(): void;
  /** All that came in one turn of the event loop was worked on. */
  rest(requests: number): void;
}

/** @param idle whether nothing is under way: what others work on for this process needs the processor more */
export function createBusyPoll(idle: () => boolean, now = () => performance.now()): BusyPoll {
  let restMs = Number.NEGATIVE_INFINITY;
  /** How many came alone and soon, one after the other. */
  let inTurn = 0;
  let looking = false;
  const look = (): void => {
    const over = now() - restMs >= LOOK_MS;
    if (over) inTurn = -AFTER_VAIN;
    looking = !over && idle();
    if (looking) setImmediate(look);
  };
  return {
    came() {
      inTurn = now() - restMs < SOON_MS ? inTurn + 1 : Math.min(inTurn, 0);
    },
    rest(requests) {
      restMs = now();
      if (requests > 1) inTurn = Math.min(inTurn, 0);
      if (inTurn < ENOUGH || looking) return;
      looking = true;
      setImmediate(look);
    },
  };
}
