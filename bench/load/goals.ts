// Goals as numbers that can be read off the lines of a run: ratios are taken round by round, between runs that
// stood next to each other in time, and the median of the rounds decides.
import type { LoadLine } from '../results.ts';
import { at, median, type PERCENTILES } from '../statistics.ts';
import type { TargetName } from './workload.ts';

export interface Goal {
  /** `>= 5 x reference (16 connections)` */
  readonly text: string;
  /** Undefined where the lines do not tell. */
  readonly measure: (lines: readonly LoadLine[]) => number | undefined;
  readonly met: (value: number) => boolean;
  readonly show: (value: number) => string;
}

type Percentile = (typeof PERCENTILES)[number];

function perRound(
  lines: readonly LoadLine[],
  pick: (round: readonly LoadLine[]) => number | undefined,
): number | undefined {
  const rounds = new Map<number, LoadLine[]>();
  for (const line of lines) rounds.set(line.round, [...(rounds.get(line.round) ?? []), line]);
  const values = [...rounds.values()]
    .map(pick)
    .filter((value) => value !== undefined && Number.isFinite(value));
  return values.length === 0 ? undefined : median(values as number[]);
}

function find(lines: readonly LoadLine[], target: TargetName, variant: string): LoadLine | undefined {
  // A gateway given by its address stands where Tablegate stands.
  return (
    lines.find((line) => line.target === target && line.variant === variant) ??
    (target === 'tablegate'
      ? lines.find((line) => line.target === 'url' && line.variant === variant)
      : undefined)
  );
}

const times = (value: number): string => `${value < 10 ? value.toFixed(2) : value.toFixed(1)} x`;

/** Answers a second, against another target under the same load. */
export function rateAtLeast(factor: number, of: TargetName, variant: string): Goal {
  return rateOf(factor, { target: of, variant }, variant, `>= ${factor} x ${of} (${variant})`);
}

/** The same, against another load on ourselves. */
export function rateOfOwn(share: number, of: string, variant: string, text: string): Goal {
  return rateOf(share, { target: 'tablegate', variant: of }, variant, text);
}

function rateOf(
  factor: number,
  of: { readonly target: TargetName; readonly variant: string },
  variant: string,
  text: string,
): Goal {
  return {
    text,
    measure: (lines) =>
      perRound(lines, (round) => {
        const own = find(round, 'tablegate', variant);
        const other = find(round, of.target, of.variant);
        return own && other ? own.requestsPerSecond / other.requestsPerSecond : undefined;
      }),
    met: (value) => value >= factor,
    show: times,
  };
}

/** Latency at a percentile, against another target (or another variant of our own). */
export function latencyAtMost(
  factor: number,
  of: { readonly target: TargetName; readonly variant: string },
  percentile: Percentile,
  variant: string,
  text: string,
): Goal {
  return {
    text,
    measure: (lines) =>
      perRound(lines, (round) => {
        const own = find(round, 'tablegate', variant);
        const other = find(round, of.target, of.variant);
        return own && other ? at(own.latency, percentile) / at(other.latency, percentile) : undefined;
      }),
    met: (value) => value <= factor,
    show: times,
  };
}

/** Time per answer at one connection: how many times faster than another target. */
export function fasterAtLeast(factor: number, of: TargetName, variant: string): Goal {
  return {
    text: `>= ${factor} x faster than ${of} (${variant})`,
    measure: (lines) =>
      perRound(lines, (round) => {
        const own = find(round, 'tablegate', variant);
        const other = find(round, of, variant);
        return own && other ? at(other.latency, 50) / at(own.latency, 50) : undefined;
      }),
    met: (value) => value >= factor,
    show: times,
  };
}

/** A measure of our own, below a bound. */
export function measureAtMost(
  name: string,
  bound: number,
  variant: string,
  text: string,
  unit: string,
): Goal {
  return {
    text,
    measure: (lines) => perRound(lines, (round) => find(round, 'tablegate', variant)?.measures[name]),
    met: (value) => value <= bound,
    show: (value) => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ${unit}`,
  };
}
