// What waits for a worker in a lane: in whose turn, and who has waited too long. Runs nothing.
import { createFairQueue } from '../limit/fair-queue.ts';
import type { Job } from '../protocol.ts';

export interface Waiting {
  readonly id: number;
  readonly client: string;
  /** Id of the snapshot to be read. */
  readonly snapshot: string;
  readonly job: Job;
  /** Nobody waits longer than this. */
  readonly waitsUntil: number;
}

export interface Line {
  readonly size: number;
  /** Whether some stand in the line: who comes has to stand behind them. */
  readonly standing: boolean;
  /** It came just now, and may be begun before it takes a place. */
  come(item: Waiting): void;
  /** All that came take their places. Gives those for whom there is none, of whichever client fills the line. */
  takePlaces(): readonly Waiting[];
  /** Taken out: the next that may be begun. */
  next(): Waiting | undefined;
  /** Taken out: those who have waited too long. */
  late(now: number): readonly Waiting[];
  /** False: it does not wait. */
  leave(id: number): boolean;
}

/** @param places of the line */
export function createLine(places: number): Line {
  const queue = createFairQueue<Waiting>(places);
  /** Those that stand in the queue. */
  const standing = new Map<number, Waiting>();
  let fresh: Waiting[] = [];

  const step = (item: Waiting | undefined): Waiting | undefined => {
    if (item !== undefined) standing.delete(item.id);
    return item;
  };

  return {
    get size() {
      return fresh.length + queue.size;
    },
    get standing() {
      return queue.size > 0;
    },
    come: (item) => {
      fresh.push(item);
    },
    takePlaces() {
      const refused: Waiting[] = [];
      for (const item of fresh) {
        standing.set(item.id, item);
        const other = step(queue.push(item.client, item));
        if (other !== undefined) refused.push(other);
      }
      fresh = [];
      return refused;
    },
    next: () => fresh.shift() ?? step(queue.shift()),
    late(now) {
      const late = [...standing.values()].filter(({ waitsUntil }) => now > waitsUntil);
      for (const item of late) {
        step(item);
        queue.remove(item.client, item);
      }
      return late;
    },
    leave(id) {
      const item = standing.get(id);
      if (item !== undefined) {
        step(item);
        return queue.remove(item.client, item);
      }
      const at = fresh.findIndex((each) => each.id === id);
      if (at < 0) return false;
      fresh.splice(at, 1);
      return true;
    },
  };
}
