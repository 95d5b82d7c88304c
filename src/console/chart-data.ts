// The numbers that a chart draws, out of a result. No DOM, no drawing.
import { type Chart, columnHolds, finite, numberOf } from './chart-choice.ts';
import { LEAST_DRAWN, MOST_DRAWN } from './chart-scale.ts';
import type { Cell } from './lossless-json.ts';
import { cellText, type Result } from './result.ts';

/** Null is a gap; undefined: the place is another series'. */
export type Value = number | null | undefined;

export interface ChartData {
  /** Numbers; seconds since 1970 where `time`; 0, 1, 2 ... where there are `labels`. Ascending. */
  readonly xs: readonly number[];
  readonly series: readonly (readonly Value[])[];
  readonly names: readonly string[];
  readonly labels: readonly string[] | undefined;
  readonly time: boolean;
  /** Rows that are not drawn because there are too many. */
  readonly left: number;
  /** Rows whose values were added to those of others, at the same place. */
  readonly added: number;
  /** Values that have no place on a logarithmic scale. */
  readonly unplaced: number;
  /** Values of a size that no scale has a place for. */
  readonly beyond: number;
  /** Whether the last series is of all that have no colour of their own. */
  readonly others: boolean;
}

const MAX_BARS = 400;
const MAX_POINTS = 50_000;
/** Colours that can be told apart; the last is for all others where there are more. */
export const MAX_COLOURS = 6;
const OTHERS = 'all others';

type Drawn = Omit<ChartData, 'time' | 'unplaced' | 'beyond'>;

/** NULL and what is no number become gaps. */
export function chartData(result: Result, chart: Chart): ChartData {
  const { kind, x, colour = -1, log = false } = chart;
  const holds = x < 0 ? 'nothing' : columnHolds(result.rows, x);
  const asLabels = kind === 'bar' || (holds !== 'numbers' && holds !== 'times');
  let beyond = 0;
  const placeOf = (row: readonly Cell[]): number => {
    const place = holds === 'times' ? secondsOf(String(row[x])) : numberOf(row[x]);
    if (!(Math.abs(place) > MOST_DRAWN)) return place;
    beyond++;
    return Number.NaN;
  };
  const drawn =
    colour < 0
      ? byColumn(result, chart, asLabels, placeOf)
      : asLabels
        ? byColourAndLabel(result, chart, colour)
        : byColour(result, chart, colour, placeOf);
  let unplaced = 0;
  const placed = (value: Value): Value => {
    if (typeof value !== 'number') return value;
    if (log && value <= 0) unplaced++;
    else if (Math.abs(value) > MOST_DRAWN || (log && value < LEAST_DRAWN)) beyond++;
    else return value;
    return null;
  };
  const series = drawn.series.map((values) => values.map(placed));
  return { ...drawn, series, unplaced, beyond, time: !asLabels && holds === 'times' };
}

function byColumn(
  { columns, rows }: Result,
  { kind, x, ys }: Chart,
  asLabels: boolean,
  placeOf: (row: readonly Cell[]) => number,
): Drawn {
  const drawn = rows.slice(0, kind === 'bar' ? MAX_BARS : MAX_POINTS);
  const points = drawn.map((row, i) => ({
    x: asLabels ? i : placeOf(row),
    ys: ys.map((y) => finite(numberOf(row[y]))),
  }));
  // Drawn from left to right: points without a place are left out.
  const placed = points.filter((point) => !Number.isNaN(point.x)).sort((a, b) => a.x - b.x);
  return {
    xs: placed.map((point) => point.x),
    series: ys.map((_, i) => placed.map((point) => point.ys[i] ?? null)),
    names: ys.map((y) => columns[y] ?? ''),
    labels: asLabels ? drawn.map((row, i) => labelOf(row, x, i)) : undefined,
    left: rows.length - drawn.length,
    added: 0,
    others: false,
  };
}

/** Each row is a point of its own. */
function byColour(
  { rows }: Result,
  { ys: [y = -1] }: Chart,
  colour: number,
  placeOf: (row: readonly Cell[]) => number,
): Drawn {
  const drawn = rows.slice(0, MAX_POINTS);
  const { names, others, colourOf } = coloursOf(drawn, colour);
  const points = drawn
    .map((row) => ({ x: placeOf(row), y: finite(numberOf(row[y])), colour: colourOf(row) }))
    .filter((point) => !Number.isNaN(point.x))
    .sort((a, b) => a.x - b.x);
  return {
    xs: points.map((point) => point.x),
    series: names.map((_, i) => points.map((point) => (point.colour === i ? point.y : undefined))),
    names,
    labels: undefined,
    left: rows.length - drawn.length,
    added: 0,
    others,
  };
}

/** Rows of one label stand at one place. */
function byColourAndLabel({ rows }: Result, { kind, x, ys: [y = -1] }: Chart, colour: number): Drawn {
  const { names, others, colourOf } = coloursOf(rows, colour);
  const most = kind === 'bar' ? MAX_BARS : MAX_POINTS;
  const places = new Map<string, number>();
  const series: (number | null)[][] = names.map(() => []);
  let left = 0;
  let added = 0;
  rows.forEach((row, i) => {
    const label = labelOf(row, x, i);
    const place = places.get(label) ?? places.size;
    if (place === most) {
      left++;
      return;
    }
    places.set(label, place);
    const values = series[colourOf(row)] ?? [];
    const value = finite(numberOf(row[y]));
    const before = values[place];
    if (typeof before === 'number') added++;
    values[place] = value === null ? (before ?? null) : (before ?? 0) + value;
  });
  const labels = [...places.keys()];
  return {
    xs: labels.map((_, place) => place),
    series: series.map((values) => labels.map((_, place) => values[place] ?? null)),
    names,
    labels,
    left,
    added,
    others,
  };
}

interface Colours {
  readonly names: readonly string[];
  readonly others: boolean;
  readonly colourOf: (row: readonly Cell[]) => number;
}

/** By how often they come, so that the many that are left are the rare ones. */
function coloursOf(rows: Result['rows'], column: number): Colours {
  const counts = new Map<string, number>();
  const textOf = (row: readonly Cell[]): string => cellText(row[column] ?? null) ?? 'NULL';
  for (const row of rows) counts.set(textOf(row), (counts.get(textOf(row)) ?? 0) + 1);
  const all = [...counts.keys()];
  const isTooMany = all.length > MAX_COLOURS;
  const own = isTooMany
    ? all.sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0)).slice(0, MAX_COLOURS - 1)
    : all;
  const places = new Map(own.map((text, i) => [text, i]));
  return {
    names: isTooMany ? [...own, OTHERS] : own,
    others: isTooMany,
    colourOf: (row) => places.get(textOf(row)) ?? own.length,
  };
}

function labelOf(row: readonly Cell[], x: number, i: number): string {
  return x < 0 ? String(i + 1) : (cellText(row[x] ?? null) ?? 'NULL');
}

/** Seconds since 1970. A time without a zone is UTC, as SQLite's are. */
export function secondsOf(text: string): number {
  const hasZone = /(?:Z|[-+]\d\d:?\d\d)$/.test(text.slice(10));
  const isDay = text.length === 10;
  return Date.parse(isDay || hasZone ? text.replace(' ', 'T') : `${text.replace(' ', 'T')}Z`) / 1000;
}

/**
 * Values upon each other: each with all before it that have its sign.
 * @returns sums in the order of the series
 */
export function stackedValues(series: ChartData['series']): readonly (readonly Value[])[] {
  const ends = (series[0] ?? []).map(() => ({ up: 0, down: 0 }));
  return series.map((values) =>
    values.map((value, i) => {
      const end = ends[i];
      if (typeof value !== 'number' || end === undefined) return null;
      if (value < 0) end.down += value;
      else end.up += value;
      return value < 0 ? end.down : end.up;
    }),
  );
}
