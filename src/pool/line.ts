// What waits for a worker in a lane: in whose turn, who has waited too long, and who is stopped for others. Runs
// nothing.
import { createTurns } from '../limit/turns.ts';
import type { Job } from '../wire/protocol.ts';

export interface Waiting {
  readonly id: number;
  readonly client: string;
  /** Id of the snapshot to be read. */
  readonly snapshot: string;
  readonly job: Job;
  /** Nobody waits longer than this. */
  readonly waitsUntil: number;
  /** As of the task. */
  readonly unproven: boolean;
}

export interface Line {
  readonly size: number;
  /** Whether some stand in the line: who comes has to stand behind them. */
  readonly standing: boolean;
  /** It came just now, and may be begun before it takes a place. */
  come(item: Waiting): void;
  /** All that came take their places. Gives those for whom there is none, of whichever client fills the line. */
  takePlaces(now: number): readonly Waiting[];
  /** Taken out: the next that may be begun, where so many workers are free. */
  next(free: number, now: number): Waiting | undefined;
  /** Taken out: those who have waited too long. */
  late(now: number): readonly Waiting[];
  /** Of one that waits. False: it does not. */
  leave(id: number, now: number): boolean;
  /** The first part of its answer was sent. */
  sent(id: number, now: number): void;
  /** It runs no more. */
  ended(id: number, now: number): void;
  /** The one that is to be stopped for others that wait and find no worker. */
  stop(free: number, now: number): number | undefined;
  /** It was stopped for others, and stands in line again. */
  putBack(id: number, now: number): void;
}

/** A scan that runs for longer is stopped where others wait, and run again later. */
const SLICE_MS = 100;

/** @param places of the line */
export function createLine(places: number, workers: number): Line {
  const turns = createTurns<Waiting>({
    max: places,
    places: workers,
    sliceMs: SLICE_MS,
    spare: 'while needed',
  });
  /** Those that stand in the queue. */
  const standing = new Map<number, Waiting>();
  const running = new Map<number, Waiting>();
  let fresh: Waiting[] = [];

  const begun = (item: Waiting | undefined): Waiting | undefined => {
    if (item === undefined) return undefined;
    standing.delete(item.id);
    running.set(item.id, item);
    return item;
  };
  const nextFresh = (free: number, now: number): Waiting | undefined => {
    const [item] = fresh;
    return item !== undefined && turns.begin(item, free, now) ? fresh.shift() : undefined;
  };
  const stopRunning = (id: number): Waiting | undefined => {
    const item = running.get(id);
    running.delete(id);
    return item;
  };

  return {
    get size() {
      return fresh.length + turns.waiting;
    },
    get standing() {
      return turns.waiting > 0;
    },
    come: (item) => {
      fresh.push(item);
    },
    takePlaces(now) {
      const refused: Waiting[] = [];
      for (const item of fresh) {
        standing.set(item.id, item);
        const other = turns.push(item, now);
        if (other === undefined) continue;
        standing.delete(other.id);
        refused.push(other);
      }
      fresh = [];
      return refused;
    },
    next: (free, now) => begun(nextFresh(free, now) ?? turns.next(free, now)),
    late(now) {
      const late = [...standing.values()].filter(({ waitsUntil }) => now > waitsUntil);
      for (const item of late) {
        standing.delete(item.id);
        turns.remove(item, now);
      }
      return late;
    },
    leave(id, now) {
      const item = standing.get(id);
      if (item !== undefined) {
        standing.delete(id);
        return turns.remove(item, now);
      }
      const at = fresh.findIndex((each) => each.id === id);
      if (at < 0) return false;
      fresh.splice(at, 1);
      return true;
    },
    sent(id, now) {
      const item = running.get(id);
      if (item !== undefined) turns.sent(item, now);
    },
    ended(id, now) {
      const item = stopRunning(id);
      if (item !== undefined) turns.ended(item, now);
    },
    stop: (free, now) => turns.stop(free, now)?.id,
    putBack(id, now) {
      const item = stopRunning(id);
      if (item === undefined) return;
      standing.set(id, item);
      turns.putBack(item, now);
    },
  };
}
