// Which charts a run gives: lines of results in, pictures out.
import type { LoadLine } from '../results.ts';
import { at, median } from '../statistics.ts';
import { linearAxis, logAxis, percentileAxis, stepAxis } from './axis.ts';
import { type Bar, barChart } from './bar-chart.ts';
import { lineChart, type Series } from './line-chart.ts';
import { compact, duration } from './markup.ts';
import { TONES } from './style.ts';

const ORDER = ['tablegate', 'url', 'url2', 'before', 'after', 'reference', 'naive', 'engine', 'bare'];

export function toneOf(target: string): string {
  return TONES[target] ?? 'bare';
}

function groupBy<K>(lines: readonly LoadLine[], key: (line: LoadLine) => K): Map<K, LoadLine[]> {
  const groups = new Map<K, LoadLine[]>();
  for (const line of lines) groups.set(key(line), [...(groups.get(key(line)) ?? []), line]);
  return groups;
}

export function targetsIn(lines: readonly LoadLine[]): string[] {
  const place = (name: string): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  return [...new Set(lines.map((line) => line.target))].sort((a, b) => place(a) - place(b));
}

function byTarget(lines: readonly LoadLine[]): [string, LoadLine[]][] {
  return targetsIn(lines).map((target) => [target, lines.filter((line) => line.target === target)]);
}

/** Answers a second, or for one connection the time of an answer: the median of the rounds. */
export function rateBars(title: string, lines: readonly LoadLine[]): string {
  const bars = byTarget(lines).map(([target, own]): Bar => {
    const rounds = own.map((line) => line.requestsPerSecond);
    return {
      name: target,
      tone: toneOf(target),
      value: median(rounds),
      label: `${compact(median(rounds))} /s`,
      rounds,
    };
  });
  return barChart(title, bars);
}

export function timeBars(title: string, lines: readonly LoadLine[]): string {
  const bars = byTarget(lines).map(([target, own]): Bar => {
    const rounds = own.map((line) => at(line.latency, 50));
    return {
      name: target,
      tone: toneOf(target),
      value: median(rounds),
      label: duration(median(rounds)),
      rounds,
    };
  });
  return barChart(title, bars);
}

/** Latency at each percentile; the medians of the rounds. Variants of one target are dashed but for the first. */
export function percentileChart(title: string, lines: readonly LoadLine[]): string {
  const variants = [...new Set(lines.map((line) => line.variant))];
  const series = byTarget(lines).flatMap(([target, own]) =>
    [...groupBy(own, (line) => line.variant)].map(([variant, group]): Series => {
      const name = variants.length === 1 ? target : `${target}, ${variant}`;
      const points = (group[0]?.latency.curve ?? []).map(([percentile], index) => ({
        x: percentile,
        y: median(group.map((line) => line.latency.curve[index]?.[1] ?? Number.NaN)),
      }));
      return {
        name,
        tone: toneOf(target),
        dashed: variant !== variants[0],
        points: points.map(({ x, y }) => ({ x, y, tip: `${name}: ${x} % within ${duration(y)}` })),
      };
    }),
  );
  return lineChart({
    title,
    series,
    x: percentileAxis(),
    y: logAxis(
      series.flatMap(({ points }) => points.map(({ y }) => y)),
      duration,
    ),
    xLabel: 'percentile of the answers',
    yLabel: 'latency',
  });
}

export function concurrencyChart(title: string, lines: readonly LoadLine[]): string {
  const series = byTarget(lines).map(([target, own]): Series => {
    const groups = [...groupBy(own, (line) => line.connections)].sort(([a], [b]) => a - b);
    return {
      name: target,
      tone: toneOf(target),
      points: groups.map(([connections, group]) => {
        const y = median(group.map((line) => line.requestsPerSecond));
        return { x: connections, y, tip: `${target}, ${connections} connections: ${compact(y)} answers/s` };
      }),
    };
  });
  const rates = series.flatMap(({ points }) => points.map(({ y }) => y));
  return lineChart({
    title,
    series,
    x: stepAxis(
      lines.map((line) => line.connections),
      String,
    ),
    y: linearAxis(Math.max(...rates), compact),
    xLabel: 'connections',
    yLabel: 'answers a second',
  });
}

/** Resident memory of the target's processes over the time of the first round. */
export function memoryChart(title: string, lines: readonly LoadLine[]): string {
  const series = byTarget(lines).flatMap(([target, own]): Series[] => {
    const samples = own.find((line) => line.memory.length > 2)?.memory;
    if (samples === undefined) return [];
    return [
      {
        name: target,
        tone: toneOf(target),
        plain: true,
        points: samples.map((sample) => ({ x: sample.ms / 1000, y: sample.bytes / 2 ** 20, tip: '' })),
      },
    ];
  });
  const all = series.flatMap(({ points }) => points);
  return lineChart({
    title,
    series,
    x: linearAxis(Math.max(...all.map(({ x }) => x)), (value) => `${compact(value)} s`),
    y: linearAxis(Math.max(...all.map(({ y }) => y)), (value) => `${compact(value)} MB`),
    xLabel: 'time since the run began',
    yLabel: 'resident memory',
  });
}

function risingSeries(
  lines: readonly LoadLine[],
  value: (line: LoadLine) => number,
  show: (value: number) => string,
): Series[] {
  return byTarget(lines).map(([target, own]) => ({
    name: target,
    tone: toneOf(target),
    points: [...groupBy(own, (line) => line.rate ?? 0)]
      .sort(([a], [b]) => a - b)
      .map(([rate, group]) => {
        const y = median(group.map(value));
        return { x: rate, y, tip: `${target} at ${compact(rate)}/s: ${show(y)}` };
      }),
  }));
}

/** p99 from the intended start, as the rate rises: where the line goes up, the target no longer keeps up. */
export function collapseLatencyChart(title: string, lines: readonly LoadLine[]): string {
  const series = risingSeries(lines, (line) => at(line.latency, 99), duration);
  return lineChart({
    title,
    series,
    x: linearAxis(Math.max(...lines.map((line) => line.rate ?? 0)), compact),
    y: logAxis(
      series.flatMap(({ points }) => points.map(({ y }) => y)),
      duration,
    ),
    xLabel: 'requests started a second',
    yLabel: 'p99 from the intended start',
  });
}

export function collapseRateChart(title: string, lines: readonly LoadLine[]): string {
  const series = risingSeries(
    lines,
    (line) => line.requestsPerSecond,
    (value) => `${compact(value)} answers/s`,
  );
  const most = Math.max(...lines.map((line) => line.rate ?? 0));
  return lineChart({
    title,
    series: [
      {
        name: 'as asked',
        tone: 'bare',
        dashed: true,
        plain: true,
        points: [
          { x: 0, y: 0, tip: '' },
          { x: most, y: most, tip: '' },
        ],
      },
      ...series,
    ],
    x: linearAxis(most, compact),
    y: linearAxis(Math.max(most, ...lines.map((line) => line.requestsPerSecond)), compact),
    xLabel: 'requests started a second',
    yLabel: 'answers a second',
  });
}
