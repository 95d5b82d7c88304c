// Draws a chart with uPlot on a canvas. Loaded when the first chart is asked for. Chooses nothing.
import uPlot from 'uplot';
import type { ChartKind } from './chart-choice.ts';
import { type ChartData, stackedValues, type Value } from './chart-data.ts';
import {
  acrossRange,
  areLong,
  areWhole,
  evenTicks,
  labelPlaces,
  linearRange,
  logRange,
  logTicks,
  placeRange,
  WHOLE_STEPS,
} from './chart-scale.ts';
import { numberText, plainName, timeSpace, timeText, wholeTimeText } from './chart-text.ts';

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
/** Of a point, in pixels. */
export const POINT = 3.5;
/** About what the axis of values is wide. */
const Y_AXIS = 80;
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
function seriesOf({ kind, data, stacked }: Drawing, colours: Colours): readonly DrawnSeries[] {
  const ends = stacked ? stackedValues(data.series) : data.series;
  const all = data.series.map((values, i) => ({
    name: data.names[i] ?? '',
    colour: colours.series[i % SERIES] ?? colours.ink,
    values,
    ends: ends[i] ?? [],
  }));
  if (stacked) return all.toReversed();
  // What is left over lies below what has a name.
  const others = data.others && kind !== 'bar' ? all.splice(-1) : [];
  return [...others, ...all];
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
    const short = labels.map((label) => plainName(label, 12));
    x.grid = { show: false };
    x.values = (_, places) => places.map((place) => short[place] ?? '');
    x.splits = (plot) => labelPlaces(short, plot.width - Y_AXIS);
  } else if (data.time) {
    x.values = (_, times, _axis, _space, step) => times.map((time) => timeText(time, step));
    x.space = (_, __, low, high) => timeSpace(high - low);
  } else {
    x.values = (_, values) => values.map(numberText);
    if (areWhole(data.xs)) x.incrs = [...WHOLE_STEPS];
  }
  const isBar = kind === 'bar';
  const ends = series.flatMap((each) => each.ends);
  return {
    padding: [16, 16, 0, 4],
    // Times are UTC, as they were read.
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
    scales: {
      x: {
        time: data.time,
        range:
          labels === undefined
            ? (_, low, high) => acrossRange(kind === 'scatter', low, high)
            : placeRange(labels.length),
      },
      y: log
        ? { distr: 3, log: 10, range: (_, low, high) => logRange(isBar, low, high) }
        : { range: (_, low, high) => linearRange(isBar, low, high) },
    },
    axes: [
      x,
      {
        ...axis,
        label: plainName(yName, 60),
        size: (_, texts) => 18 + 7 * Math.max(3, ...(texts ?? []).map((text) => text?.length ?? 0)),
        values: (_, values) => values.map(numberText),
        ...(log
          ? { splits: (_, __, low, high) => logTicks(low, high), filter: (_, ticks) => ticks }
          : areLong(ends)
            ? { splits: (_, __, low, high) => evenTicks(low, high) }
            : areWhole(ends)
              ? { incrs: [...WHOLE_STEPS] }
              : {}),
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
    return { ...base, paths: pointPaths(fill), points: { show: false } };
  }
  if (kind === 'line') return { ...base, width: 2, spanGaps: false, points: { size: 6, fill: colour } };
  const left = of === 1 ? 0 : at;
  const paths = uPlot.paths.bars?.({
    radius: 0.05,
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

/** Each for itself: drawn as one shape, points upon each other would be as pale as one. */
function pointPaths(fill: string): uPlot.Series.PathBuilder {
  return ({ ctx, bbox, data, valToPos }, series, from, to) => {
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.fillStyle = fill;
    for (let i = from; i <= to; i++) {
      const [x, y] = [data[0][i], data[series]?.[i]];
      if (typeof x !== 'number' || typeof y !== 'number') continue;
      ctx.beginPath();
      ctx.arc(valToPos(x, 'x', true), valToPos(y, 'y', true), POINT * devicePixelRatio, 0, 2 * Math.PI);
      ctx.fill();
    }
    ctx.restore();
    return null;
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
