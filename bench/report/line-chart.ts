// A line chart as inline SVG: a grid, one line a series, a dot with a tooltip at each point.
import type { Axis } from './axis.ts';
import { element, escapeText, round } from './markup.ts';

export interface Series {
  readonly name: string;
  /** Class that gives the colour: see style.ts. */
  readonly tone: string;
  readonly points: readonly { readonly x: number; readonly y: number; readonly tip: string }[];
  readonly dashed?: boolean;
  /** Many points: no dots. */
  readonly plain?: boolean;
}

export interface LineChart {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly series: readonly Series[];
}

const WIDTH = 560;
const HEIGHT = 270;
const LEFT = 70;
const RIGHT = 16;
const TOP = 14;
const BOTTOM = 42;

export function lineChart(chart: LineChart): string {
  const px = (x: number): number => LEFT + chart.x.place(x) * (WIDTH - LEFT - RIGHT);
  const py = (y: number): number => HEIGHT - BOTTOM - chart.y.place(y) * (HEIGHT - TOP - BOTTOM);
  const text = (x: number, y: number, kind: string, anchor: string, content: string): string =>
    element('text', { x, y, class: kind, 'text-anchor': anchor }, escapeText(content));

  const grid = chart.y.ticks.map(({ value, label }) => [
    element('line', { x1: LEFT, x2: WIDTH - RIGHT, y1: py(value), y2: py(value), class: 'grid' }),
    text(LEFT - 8, py(value) + 4, 'tick', 'end', label),
  ]);
  const below = chart.x.ticks.map(({ value, label }) => [
    element('line', {
      x1: px(value),
      x2: px(value),
      y1: HEIGHT - BOTTOM,
      y2: HEIGHT - BOTTOM + 4,
      class: 'axis',
    }),
    text(px(value), HEIGHT - BOTTOM + 17, 'tick', 'middle', label),
  ]);
  const lines = chart.series.map(({ points, tone, dashed, plain }) => {
    const path = points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${round(px(x))} ${round(py(y))}`);
    return element(
      'g',
      { class: `series ${tone}` },
      element('path', { d: path.join(''), class: dashed === true ? 'line dashed' : 'line' }),
      ...(plain === true
        ? []
        : points.map(({ x, y, tip }) =>
            element('circle', { cx: px(x), cy: py(y), r: 3 }, element('title', {}, escapeText(tip))),
          )),
    );
  });
  return element(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': chart.title },
    ...grid.flat(),
    ...below.flat(),
    element('line', { x1: LEFT, x2: WIDTH - RIGHT, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM, class: 'axis' }),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, 'label', 'middle', chart.xLabel),
    element(
      'text',
      {
        x: 12,
        y: 0,
        class: 'label',
        'text-anchor': 'middle',
        transform: `translate(0 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90 10 0)`,
      },
      escapeText(chart.yLabel),
    ),
    ...lines,
  );
}
