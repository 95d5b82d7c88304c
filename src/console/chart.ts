// Draws a chart with uPlot on a canvas. Loaded when the first chart is asked for. Chooses nothing.
import uPlot from 'uplot';
import type { ChartData, ChartKind } from './chart-choice.ts';

export interface Drawing {
  readonly kind: ChartKind;
  readonly data: ChartData;
  readonly xName: string;
  readonly yNames: readonly string[];
}

const HEIGHT = 380;
const SERIES = 6;
/** The part of a bar's place that the bars of its group fill. */
const GROUP = 0.76;

/** @returns takes the chart away */
export function drawChart(host: HTMLElement, drawing: Drawing): () => void {
  const { data } = drawing;
  const width = (): number => Math.max(240, host.clientWidth);
  const plot = new uPlot(
    { width: width(), height: HEIGHT, ...optionsOf(drawing, coloursOf(host)) },
    [data.xs as number[], ...data.series.map((values) => values as (number | null)[])],
    host,
  );
  const watch = new ResizeObserver(() => {
    if (plot.width !== width()) plot.setSize({ width: width(), height: HEIGHT });
  });
  watch.observe(host);
  return () => {
    watch.disconnect();
    plot.destroy();
  };
}

interface Colours {
  readonly ink: string;
  readonly line: string;
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
  const colours = { ink: read('soft'), line: read('line'), series };
  probe.remove();
  return colours;
}

function optionsOf(
  { kind, data, xName, yNames }: Drawing,
  colours: Colours,
): Omit<uPlot.Options, 'width' | 'height'> {
  const { labels } = data;
  const axis: uPlot.Axis = {
    stroke: colours.ink,
    grid: { stroke: colours.line, width: 1 },
    ticks: { stroke: colours.line, width: 1 },
    font: '12px system-ui, sans-serif',
  };
  const x: uPlot.Axis = { ...axis, label: xName, labelFont: '12px system-ui, sans-serif', labelSize: 22 };
  if (labels !== undefined) {
    x.grid = { show: false };
    x.values = (_, places) => places.map((place) => shortLabel(labels[place] ?? ''));
    x.splits = (plot) => labelPlaces(labels.length, plot.width);
  }
  const edge = 0.5;
  return {
    padding: [16, 16, 0, 4],
    scales: {
      x: {
        time: data.time,
        range:
          labels === undefined
            ? (_, low, high) => apart(low ?? 0, high ?? 1)
            : ([-edge, labels.length - 1 + edge] as [number, number]),
      },
      // A bar's length is its value: it starts at 0.
      y: { range: (_, low, high) => yRange(kind === 'bar', low, high) },
    },
    axes: [x, { ...axis, size: 64, values: (_, values) => values.map(shortNumber) }],
    series: [
      {
        label: xName,
        ...(labels === undefined ? {} : { value: (_: uPlot, at: number) => labels[at] ?? '–' }),
      },
      ...yNames.map((name, i) => seriesOf(kind, name, i, yNames.length, colours)),
    ],
    legend: { live: true },
    cursor: { points: { show: kind !== 'bar' }, drag: { x: labels === undefined, y: false } },
  };
}

function seriesOf(kind: ChartKind, name: string, at: number, of: number, colours: Colours): uPlot.Series {
  const colour = colours.series[at % SERIES] ?? colours.ink;
  const base = {
    label: name,
    stroke: colour,
    value: (_: uPlot, value: number | null) =>
      value === null ? '–' : value.toLocaleString('en-US', { maximumFractionDigits: 6 }),
  };
  if (kind === 'scatter')
    return { ...base, paths: () => null, points: { show: true, size: 7, fill: colour, stroke: colour } };
  if (kind === 'line') return { ...base, width: 2, spanGaps: false, points: { size: 6, fill: colour } };
  const paths = uPlot.paths.bars?.({
    radius: 0.08,
    disp: {
      x0: { unit: 1, values: (plot) => Array.from(plot.data[0], (x) => x - GROUP / 2 + (at * GROUP) / of) },
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

function shortLabel(text: string): string {
  const [...characters] = text;
  return characters.length > 12 ? `${characters.slice(0, 11).join('')}…` : text;
}

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 });

function shortNumber(value: number): string {
  return Math.abs(value) >= 10_000 ? compact.format(value) : String(Number(value.toPrecision(6)));
}
