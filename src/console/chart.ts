// Draws a chart with uPlot on a canvas. Loaded when the first chart is asked for. Chooses nothing.
import uPlot from 'uplot';
import type { ChartKind } from './chart-choice.ts';
import { type ChartData, stackedValues, type Value } from './chart-data.ts';
import { numberText, plainName, timeText, wholeTimeText } from './chart-text.ts';

export interface Drawing {
  readonly kind: ChartKind;
  readonly data: ChartData;
  readonly xName: string;
  readonly yName: string;
  readonly stacked: boolean;
  readonly log: boolean;
}

export interface Drawn {
  readonly plot: uPlot;
  readonly colours: Colours;
  /** In the order in which they are drawn. */
  readonly series: readonly DrawnSeries[];
  remove(): void;
}

export interface DrawnSeries {
  readonly name: string;
  readonly colour: string;
  /** As they are, and where their marks end. */
  readonly values: readonly Value[];
  readonly ends: readonly Value[];
}

const HEIGHT = 380;
const SERIES = 6;
/** The part of a bar's place that the bars of its group fill. */
export const GROUP = 0.76;
const FONT = '12px system-ui, sans-serif';

export function drawChart(host: HTMLElement, drawing: Drawing): Drawn {
  const { data } = drawing;
  const colours = coloursOf(host);
  const series = seriesOf(drawing, colours);
  const width = (): number => Math.max(240, host.clientWidth);
  const plot = new uPlot(
    { width: width(), height: HEIGHT, ...optionsOf(drawing, series, colours) },
    [data.xs as number[], ...series.map(({ ends }) => ends as (number | null)[])],
    host,
  );
  const watch = new ResizeObserver(() => {
    if (plot.width !== width()) plot.setSize({ width: width(), height: HEIGHT });
  });
  watch.observe(host);
  return {
    plot,
    colours,
    series,
    remove() {
      watch.disconnect();
      plot.destroy();
    },
  };
}

export interface Colours {
  readonly ink: string;
  readonly line: string;
  readonly ground: string;
  readonly series: readonly string[];
}

/** A canvas knows no custom properties: their values are read when it is drawn. */
function coloursOf(host: HTMLElement): Colours {
  const probe = document.createElement('span');
  host.append(probe);
  const read = (name: string): string => {
    probe.className = `colour-${name}`;
    return getComputedStyle(probe).color;
  };
  const series = Array.from({ length: SERIES }, (_, i) => read(`series-${i + 1}`));
  const colours = { ink: read('soft'), line: read('line'), ground: read('card'), series };
  probe.remove();
  return colours;
}

/** The highest of a stack is drawn first, and stands first in the legend. */
function seriesOf({ data, stacked }: Drawing, colours: Colours): readonly DrawnSeries[] {
  const ends = stacked ? stackedValues(data.series) : data.series;
  const all = data.series.map((values, i) => ({
    name: data.names[i] ?? '',
    colour: colours.series[i % SERIES] ?? colours.ink,
    values,
    ends: ends[i] ?? [],
  }));
  return stacked ? all.toReversed() : all;
}

function optionsOf(
  { kind, data, xName, yName, stacked, log }: Drawing,
  series: readonly DrawnSeries[],
  colours: Colours,
): Omit<uPlot.Options, 'width' | 'height'> {
  const { labels } = data;
  const axis: uPlot.Axis = {
    stroke: colours.ink,
    grid: { stroke: colours.line, width: 1 },
    ticks: { stroke: colours.line, width: 1 },
    font: FONT,
    labelFont: FONT,
    labelSize: 22,
  };
  const x: uPlot.Axis = { ...axis, size: 32, label: plainName(xName, 60) };
  if (labels !== undefined) {
    x.grid = { show: false };
    x.values = (_, places) => places.map((place) => plainName(labels[place] ?? '', 12));
    x.splits = (plot) => labelPlaces(labels.length, plot.width);
  } else if (data.time) {
    x.values = (_, times, _axis, _space, step) => times.map((time) => timeText(time, step));
    x.space = 90;
  } else x.values = (_, values) => values.map(numberText);
  const edge = 0.5;
  const isBar = kind === 'bar';
  return {
    padding: [16, 16, 0, 4],
    // Times are UTC, as they were read.
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
    scales: {
      x: {
        time: data.time,
        range:
          labels === undefined
            ? (_, low, high) => apart(low ?? 0, high ?? 1)
            : ([-edge, labels.length - 1 + edge] as [number, number]),
      },
      y: log
        ? { distr: 3, log: 10 }
        : // A bar's length is its value: it starts at 0.
          { range: (_, low, high) => yRange(isBar, low, high) },
    },
    axes: [
      x,
      {
        ...axis,
        label: plainName(yName, 60),
        size: (_, texts) => 18 + 7 * Math.max(3, ...(texts ?? []).map((text) => text?.length ?? 0)),
        // On a logarithmic scale some lines have no number.
        values: (_, values) =>
          values.map((value) => (value === null || value === undefined ? '' : numberText(value))),
      },
    ],
    series: [
      {
        label: plainName(xName, 60),
        value: (_: uPlot, at: number | null) => {
          if (at === null) return '–';
          if (labels !== undefined) return plainName(labels[at] ?? '–', 60);
          return data.time ? wholeTimeText(at) : numberText(at);
        },
      },
      ...series.map((each, i) => optionsOfSeries(kind, each, i, stacked ? 1 : series.length)),
    ],
    legend: { live: true },
    cursor: { points: { show: !isBar }, drag: { x: labels === undefined, y: false } },
  };
}

/** @param of series beside each other */
function optionsOfSeries(
  kind: ChartKind,
  { name, colour, values }: DrawnSeries,
  at: number,
  of: number,
): uPlot.Series {
  const base = {
    label: plainName(name, 60),
    stroke: colour,
    value: (_: uPlot, __: number | null, ___: number, place: number | null) => {
      const value = place === null ? null : values[place];
      return typeof value === 'number' ? numberText(value) : '–';
    },
  };
  if (kind === 'scatter') {
    const fill = transparent(colour, opacityOf(values.length));
    return { ...base, paths: () => null, points: { show: true, size: 7, width: 0, fill, stroke: fill } };
  }
  if (kind === 'line') return { ...base, width: 2, spanGaps: false, points: { size: 6, fill: colour } };
  const left = of === 1 ? 0 : at;
  const paths = uPlot.paths.bars?.({
    radius: 0.08,
    disp: {
      x0: {
        unit: 1,
        values: (plot) => Array.from(plot.data[0], (x) => x - GROUP / 2 + (left * GROUP) / of),
      },
      size: { unit: 1, values: (plot) => Array.from(plot.data[0], () => GROUP / of) },
    },
  });
  return {
    ...base,
    width: 0,
    fill: colour,
    points: { show: false },
    ...(paths === undefined ? {} : { paths }),
  };
}

/** Where many points lie upon each other, it is to be seen how many. */
export function opacityOf(points: number): number {
  return points > 5_000 ? 0.2 : points > 500 ? 0.4 : 0.65;
}

/** @param colour `rgb(1, 2, 3)` */
function transparent(colour: string, opacity: number): string {
  return colour.replace(/^rgb\((.*)\)$/, `rgba($1, ${opacity})`);
}

function yRange(fromZero: boolean, low: number | null, high: number | null): [number, number] {
  let [min, max] = [low ?? 0, high ?? 1];
  if (fromZero) [min, max] = [Math.min(0, min), Math.max(0, max)];
  [min, max] = apart(min, max);
  const pad = (max - min) * 0.06;
  return [fromZero && min === 0 ? 0 : min - pad, fromZero && max === 0 ? 0 : max + pad];
}

/**
 * Borders far enough apart that steps between them can be counted: near 2^63 doubles stand 1024 apart, and a
 * smaller step would lead nowhere.
 */
function apart(low: number, high: number): [number, number] {
  const size = Math.max(Math.abs(low), Math.abs(high));
  const least = low === high ? size * 0.1 || 1 : size * 1e-9;
  const lack = Math.max(0, least - (high - low)) / 2;
  return [low - lack, high + lack];
}

/** As many labels as have room. */
function labelPlaces(count: number, width: number): number[] {
  const step = Math.max(1, Math.ceil(count / Math.max(1, Math.floor(width / 90))));
  return Array.from({ length: Math.ceil(count / step) }, (_, i) => i * step);
}
