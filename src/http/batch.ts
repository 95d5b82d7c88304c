// Requests that come in one turn of the event loop are answered together at its end, in their order. Reading a request
// and answering it are much code each: one kind of work for all connections, and then the other, finds it in the
// processor's caches, and takes half the time of going through both for each connection (docs/PERFORMANCE.md).
import type { BusyPoll } from './busy-poll.ts';

/** After so long others than requests have their turn: sockets, timers, the heartbeat. */
const TURN_MS = 5;

/** @returns what is given to it is handed to `work` at the end of this turn */
export function inBatches<T>(work: (item: T) => void, poll: BusyPoll): (item: T) => void {
  let batch: T[] = [];
  let scheduled = false;
  const runSome = (): void => {
    const since = performance.now();
    let at = 0;
    try {
      while (at < batch.length && performance.now() - since < TURN_MS) work(batch[at++] as T);
    } finally {
      batch = batch.slice(at);
      scheduled = batch.length > 0;
      if (scheduled) setImmediate(runSome);
      else poll.rest(at);
    }
  };
  return (item) => {
    batch.push(item);
    if (scheduled) return;
    scheduled = true;
    poll.came();
    setImmediate(runSome);
  };
}
