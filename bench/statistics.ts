// Medians and percentiles of what was measured; latencies are kept in a histogram of 3 digits.
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

/** Points of the percentile curve that every result keeps. */
export const PERCENTILES = [1, 5, 10, 25, 50, 75, 90, 95, 97.5, 99, 99.5, 99.9, 99.99] as const;

/** Latencies in microseconds. */
export interface Latency {
  readonly count: number;
  readonly mean: number;
  readonly max: number;
  /** [percentile, microseconds], rising. */
  readonly curve: readonly (readonly [number, number])[];
}

export interface LatencyRecorder {
  record(milliseconds: number): void;
  read(): Latency;
}

export function createLatencyRecorder(): LatencyRecorder {
  const histogram: RecordableHistogram = createHistogram({ lowest: 1, highest: 600_000_000, figures: 3 });
  return {
    record(milliseconds) {
      histogram.record(Math.min(600_000_000, Math.max(1, Math.round(milliseconds * 1000))));
    },
    read() {
      const count = histogram.count;
      if (count === 0) return { count: 0, mean: 0, max: 0, curve: [] };
      return {
        count,
        mean: Math.round(histogram.mean),
        max: histogram.max,
        curve: PERCENTILES.map((point) => [point, histogram.percentile(point)] as const),
      };
    },
  };
}

/** Microseconds at a percentile of {@link PERCENTILES}; NaN where nothing was recorded. */
export function at(latency: Latency, percentile: (typeof PERCENTILES)[number]): number {
  return latency.curve.find(([point]) => point === percentile)?.[1] ?? Number.NaN;
}

/** NaN for none. */
export function median(values: readonly number[]): number {
  if (values.length === 0) return Number.NaN;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
