// Metrics of several processes as those of one gateway: what is counted is added up, and what a process says of itself
// gets its name for a label. Knows metrics by their kind alone.
import { METRICS, type MetricName } from './catalogue.ts';
import type { Family, Labels, Sample } from './exposition.ts';
import type { HistogramCounts } from './histogram.ts';

export interface Source {
  /** The label `process`. */
  readonly process: string;
  readonly families: readonly Family[];
}

/** Of a process alone: a sum of them would mean nothing. */
const OF_A_PROCESS = /^(process|nodejs)_/;
/** Says what something is, and not how much: the first source, which is the gateway's own, knows it. */
const SAYS_WHAT = /_info$/;

/** @param sources the gateway's own first */
export function sumFamilies(sources: readonly Source[]): readonly Family[] {
  const sums = new Map<MetricName, Map<string, Sample>>();
  for (const [at, { process, families }] of sources.entries())
    for (const { name, samples } of families) {
      const sum = sums.get(name) ?? new Map<string, Sample>();
      sums.set(name, sum);
      if (at > 0 && SAYS_WHAT.test(name)) continue;
      for (const { labels = {}, value } of samples) {
        const named: Labels = OF_A_PROCESS.test(name) ? { process, ...labels } : labels;
        const key = JSON.stringify(named);
        const before = sum.get(key)?.value;
        sum.set(key, { labels: named, value: before === undefined ? value : added(before, value) });
      }
    }
  return [...sums].map(([name, sum]) => ({ name, samples: [...sum.values()] }));
}

/** What stays true of a process that is gone, or says nothing: it counted so much. */
export function countedOf({ process, families }: Source): Source {
  const counted = families.filter(({ name }) => METRICS[name].type !== 'gauge' && !OF_A_PROCESS.test(name));
  return { process, families: counted };
}

/** As data that can cross a socket. */
export function plainFamilies(families: readonly Family[]): readonly Family[] {
  return families.map(({ name, samples }) => ({
    name,
    samples: samples.map(({ labels, value }) => ({
      ...(labels === undefined ? {} : { labels }),
      value:
        typeof value === 'number' ? value : { counts: [...value.counts], sum: value.sum, count: value.count },
    })),
  }));
}

function added(a: number | HistogramCounts, b: number | HistogramCounts): number | HistogramCounts {
  if (typeof a === 'number' || typeof b === 'number') return Number(a) + Number(b);
  return {
    counts: [...a.counts].map((count, at) => count + (b.counts[at] ?? 0)),
    sum: a.sum + b.sum,
    count: a.count + b.count,
  };
}
