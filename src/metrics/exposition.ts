// Metrics in Prometheus' text format 0.0.4: families with their help and type, a sample a line. Knows no metric
// by name.
import { METRICS, type MetricName } from './catalogue.ts';
import { BOUNDS_S, type HistogramCounts } from './histogram.ts';

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type Labels = Readonly<Record<string, string | number>>;

/** A number, or where the metric is a histogram, one of those. */
export interface Sample {
  readonly labels?: Labels;
  readonly value: number | HistogramCounts;
}

export interface Family {
  readonly name: MetricName;
  readonly samples: readonly Sample[];
}

/** A family of one sample; undefined leaves it without any: what cannot be known is not 0. */
export function single(
  name: MetricName,
  value: number | HistogramCounts | undefined,
  labels?: Labels,
): Family {
  if (value === undefined) return { name, samples: [] };
  return { name, samples: [labels === undefined ? { value } : { labels, value }] };
}

/** Samples of a metric with one label. */
export function byLabel(
  name: MetricName,
  label: string,
  values: Iterable<readonly [string | number, number | HistogramCounts]>,
): Family {
  return { name, samples: [...values].map(([key, value]) => ({ labels: { [label]: key }, value })) };
}

export function writeExposition(families: readonly Family[]): string {
  return families.map(writeFamily).join('');
}

function writeFamily({ name, samples }: Family): string {
  const { type, help } = METRICS[name];
  const lines = [`# HELP ${name} ${escaped(help, /[\\\n]/g)}`, `# TYPE ${name} ${type}`];
  for (const { labels = {}, value } of samples)
    if (typeof value === 'number') lines.push(`${name}${writeLabels(labels)} ${writeNumber(value)}`);
    else writeHistogram(lines, name, labels, value);
  return `${lines.join('\n')}\n`;
}

function writeHistogram(lines: string[], name: string, labels: Labels, histogram: HistogramCounts): void {
  let below = 0;
  for (const [at, count] of histogram.counts.entries()) {
    below += count;
    const le = at < BOUNDS_S.length ? String(BOUNDS_S[at]) : '+Inf';
    lines.push(`${name}_bucket${writeLabels({ ...labels, le })} ${below}`);
  }
  lines.push(`${name}_sum${writeLabels(labels)} ${writeNumber(histogram.sum)}`);
  lines.push(`${name}_count${writeLabels(labels)} ${histogram.count}`);
}

function writeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escaped(String(value), /[\\\n"]/g)}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string, what: RegExp): string {
  return text.replace(what, (character) => (character === '\n' ? '\\n' : `\\${character}`));
}

function writeNumber(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
