// A histogram of seconds as plain numbers: adding to it is a few comparisons and three additions, so that it may
// stand in the way of every request. Knows no names and no text.

/** Upper bounds in seconds: a hit of the cache takes some 50 us, a statement at its limit 10 s. */
export const BOUNDS_S: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

export interface HistogramCounts {
  /** How many fell under each bound but not under the one before; the last is for those above all. */
  readonly counts: Float64Array | readonly number[];
  readonly sum: number;
  readonly count: number;
}

export interface Histogram extends HistogramCounts {
  /** @param ms negative ones, of clocks that disagree, count as 0 */
  add(ms: number): void;
}

export function createHistogram(): Histogram {
  const counts = new Float64Array(BOUNDS_S.length + 1);
  let sum = 0;
  let count = 0;
  return {
    counts,
    get sum() {
      return sum;
    },
    get count() {
      return count;
    },
    add(ms) {
      const seconds = ms > 0 ? ms / 1000 : 0;
      let at = 0;
      while (at < BOUNDS_S.length && seconds > (BOUNDS_S[at] ?? 0)) at += 1;
      counts[at] = (counts[at] ?? 0) + 1;
      sum += seconds;
      count += 1;
    },
  };
}
