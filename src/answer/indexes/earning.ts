// When an index is worth making: when lookups of its shape have cost the engine as much as making it would. Whoever
// wants one made must have asked for about as much work before, so that nobody gets much for little. Pure; time
// comes in as an argument.
import { LRUCache } from 'lru-cache';

export interface IndexEarning {
  /** The engine has answered a lookup. @param engineMs what it took */
  spent(shape: string, engineMs: number): void;
  /**
   * How long making an index may take, in ms; undefined where it has not been earned.
   * @param rows about how many it will have
   */
  allowance(shape: string, rows: number, now: number): number | undefined;
  made(shape: string): void;
  failed(shape: string, why: IndexFailure, now: number): void;
  /** Other data: all has to be earned anew. */
  newSnapshot(): void;
}

/**
 * `slow`: its time was over; it has to be earned again, and will have more of it then. `busy`: there was no room for
 * it. `none`: there are no rows for an index, or too many.
 */
export type IndexFailure = 'slow' | 'busy' | 'none';

interface History {
  spentMs: number;
  /** As much has to be spent, whatever its rows are: it took longer than they say. */
  neededMs: number;
  restsUntil: number;
  /** How often in a row there were no rows for one. */
  vain: number;
}

/** Of shapes that are remembered, two bytes a character. */
const HISTORY_BYTES = 8 * 1024 * 1024;
const ENTRY_BYTES = 300;
/** What making an index costs: for itself and for each row. */
const BUILD_MS = 5;
const ROW_MS = 0.0005;
/** What a lookup costs front and lane besides the engine's own time. */
const LOOKUP_MS = 0.15;
/** Making it beside lookups, at a lower priority, takes much longer than alone. */
const ALLOWED_MS = 100;
const ALLOWED_SHARE = 8;
/** A shape is left alone for so long, and twice as long each time that there are no rows again. */
const REST_MS: { readonly [F in IndexFailure]: number } = { slow: 0, busy: 1_000, none: 60_000 };
const MAX_REST_MS = 3_600_000;

export function createIndexEarning(): IndexEarning {
  const histories = new LRUCache<string, History>({
    maxSize: HISTORY_BYTES,
    sizeCalculation: (_, shape) => 2 * shape.length + ENTRY_BYTES,
  });
  const historyOf = (shape: string): History => {
    let history = histories.get(shape);
    if (history === undefined) {
      history = { spentMs: 0, neededMs: 0, restsUntil: 0, vain: 0 };
      histories.set(shape, history);
    }
    return history;
  };
  return {
    spent(shape, engineMs) {
      historyOf(shape).spentMs += engineMs + LOOKUP_MS;
    },
    allowance(shape, rows, now) {
      const { spentMs, neededMs, restsUntil } = historyOf(shape);
      if (now < restsUntil || spentMs < Math.max(BUILD_MS + rows * ROW_MS, neededMs)) return undefined;
      return ALLOWED_MS + spentMs * ALLOWED_SHARE;
    },
    made(shape) {
      const history = historyOf(shape);
      history.spentMs = 0;
      history.vain = 0;
    },
    failed(shape, why, now) {
      const history = historyOf(shape);
      if (why === 'slow') history.neededMs = ALLOWED_MS + history.spentMs * ALLOWED_SHARE;
      history.restsUntil = now + Math.min(MAX_REST_MS, REST_MS[why] * 2 ** history.vain);
      if (why === 'none') history.vain += 1;
    },
    newSnapshot() {
      for (const history of histories.values()) history.spentMs = 0;
    },
  };
}
