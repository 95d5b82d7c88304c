// What waits for a worker in a lane: in whose turn, which lookups wait for one another, and who has waited too long.
// Runs nothing.
import { createFairQueue } from '../limit/fair-queue.ts';
import type { Gatherable, Gathering } from './gathering.ts';

export interface Waiting extends Gatherable {
  readonly id: number;
  readonly client: string;
  /** Nobody waits longer than this. */
  readonly waitsUntil: number;
}

export interface Line {
  readonly size: number;
  /** Whether some stand in the line: who comes has to stand behind them. */
  readonly standing: boolean;
  /** It came just now, and may be begun before it takes a place. */
  come(item: Waiting): void;
  /** It was begun, with others among which it did not fit: it does not stand in line again. */
  comeBack(item: Waiting): void;
  /** All that came take their places. Gives those for whom there is none, of whichever client fills the line. */
  takePlaces(): readonly Waiting[];
  /** Taken out: the next that may be begun now; undefined where none may. */
  next(now: number): Waiting | undefined;
  /** Taken out: lookups that may be run together with this one. */
  partners(of: Waiting): readonly Waiting[];
  /** Taken out: those who have waited too long. */
  late(now: number): readonly Waiting[];
  /** False: it does not wait. */
  leave(id: number): boolean;
}

/**
 * @param places of the line
 * @param together most lookups of one statement
 */
export function createLine(gathering: Gathering, places: number, together: number): Line {
  const queue = createFairQueue<Waiting>(places);
  /** Those that stand in the queue. */
  const standing = new Map<number, Waiting>();
  let back: Waiting[] = [];
  let fresh: Waiting[] = [];

  /** Out of those that stand in no line. */
  const pick = (fits: (item: Waiting) => boolean): Waiting | undefined => {
    for (const list of [back, fresh]) {
      const at = list.findIndex(fits);
      if (at >= 0) return list.splice(at, 1)[0];
    }
    return undefined;
  };
  const step = (item: Waiting | undefined): Waiting | undefined => {
    if (item !== undefined) standing.delete(item.id);
    return item;
  };
  const size = (): number => back.length + fresh.length + queue.size;

  return {
    get size() {
      return size();
    },
    get standing() {
      return queue.size > 0;
    },
    come: (item) => {
      fresh.push(item);
    },
    comeBack: (item) => {
      back.push(item);
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
    next(now) {
      const waiting = size();
      const mayGo = (item: Waiting): boolean => !gathering.waits(item, waiting, now);
      return pick(mayGo) ?? step(queue.shift(mayGo));
    },
    partners(of) {
      const fits = gathering.partners(of);
      if (fits === undefined) return [];
      const others: Waiting[] = [];
      for (let next = pick(fits); next !== undefined; next = pick(fits)) {
        others.push(next);
        if (others.length === together - 1) return others;
      }
      const stood = queue.take(fits, together - 1 - others.length);
      for (const item of stood) step(item);
      return [...others, ...stood];
    },
    late(now) {
      const isLate = ({ waitsUntil }: Waiting): boolean => now > waitsUntil;
      const late = [...standing.values()].filter(isLate);
      for (const item of late) {
        step(item);
        queue.remove(item.client, item);
      }
      const lateBack = back.filter(isLate);
      if (lateBack.length > 0) back = back.filter((item) => !isLate(item));
      return [...late, ...lateBack];
    },
    leave(id) {
      const item = standing.get(id);
      if (item !== undefined) {
        step(item);
        return queue.remove(item.client, item);
      }
      return pick((each) => each.id === id) !== undefined;
    },
  };
}
