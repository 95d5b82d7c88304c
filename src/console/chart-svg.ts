// A drawn chart as an SVG that stands for itself: the same scales, texts and colours. Names and values become texts, and
// nothing else. Draws what the canvas shows, so a part of a chart that was zoomed in is saved as that part.
import type uPlot from 'uplot';
import { type Drawing, type Drawn, type DrawnSeries, GROUP, opacityOf, POINT } from './chart.ts';
import { plainName } from './chart-text.ts';

const FONT = 'font-family="system-ui, sans-serif" font-size="12"';
/** A line of the legend, and what a letter is wide at most. */
const LEGEND = 20;
const LETTER = 7.2;

export interface SvgPicture {
  readonly text: string;
  readonly width: number;
  readonly height: number;
}

export function chartSvg({ plot, colours, series }: Drawn, drawing: Drawing, title: string): SvgPicture {
  const { left, top, width, height } = boxOf(plot);
  const all = plot.width;
  const legend = legendOf(series, all, plot.height + 14);
  const total = plot.height + 14 + legend.lines * LEGEND;
  const place = (scale: 'x' | 'y', value: number): number =>
    plot.valToPos(value, scale) + (scale === 'x' ? left : top);
  const ink = `fill="${attribute(colours.ink)}"`;
  const middle = `x="${left + width / 2}"`;
  const parts = [
    `<rect width="${all}" height="${total}" fill="${attribute(colours.ground)}"/>`,
    ...axisLines(plot, 'y', (at) => `x1="${left}" x2="${left + width}" y1="${at}" y2="${at}"`, place).map(
      (line) => `<line ${line} stroke="${attribute(colours.line)}"/>`,
    ),
    ...axisTexts(plot, 'y', place).map(
      ([at, text]) => `<text x="${left - 9}" y="${at + 4}" text-anchor="end" ${ink}>${escaped(text)}</text>`,
    ),
    ...axisTexts(plot, 'x', place).map(
      ([at, text]) =>
        `<text x="${at}" y="${top + height + 19}" text-anchor="middle" ${ink}>${escaped(text)}</text>`,
    ),
    `<text ${middle} y="${top + height + 44}" text-anchor="middle" ${ink}>${escaped(plainName(drawing.xName, 60))}</text>`,
    `<text transform="translate(14 ${top + height / 2}) rotate(-90)" text-anchor="middle" ${ink}>${escaped(plainName(drawing.yName, 60))}</text>`,
    `<clipPath id="box"><rect x="${left}" y="${top}" width="${width}" height="${height}"/></clipPath>`,
    '<g clip-path="url(#box)">',
    ...series.map((each, i) => marks(plot, drawing, each, i, series.length, place)),
    '</g>',
    ...legend.parts.map((part) => part.replace('INK', ink)),
  ];
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${all} ${total}" width="${all}" height="${total}" role="img" ${FONT}>
<title>${escaped(plainName(title, 200))}</title>
${parts.join('\n')}
</svg>
`;
  return { text, width: all, height: total };
}

type Place = (scale: 'x' | 'y', value: number) => number;

/** Of the plot, in the page's pixels. */
function boxOf({ bbox }: uPlot): { left: number; top: number; width: number; height: number } {
  const ratio = devicePixelRatio;
  return {
    left: bbox.left / ratio,
    top: bbox.top / ratio,
    width: bbox.width / ratio,
    height: bbox.height / ratio,
  };
}

/** What uPlot has drawn last: it tells nobody, but keeps it. */
interface DrawnAxis {
  readonly _splits?: readonly number[] | null;
  readonly _values?: readonly (string | null | undefined)[] | null;
}

function axisTexts(plot: uPlot, scale: 'x' | 'y', place: Place): readonly (readonly [number, string])[] {
  const { _splits, _values } = plot.axes[scale === 'x' ? 0 : 1] as unknown as DrawnAxis;
  return (_splits ?? []).flatMap((split, i) => {
    const text = _values?.[i];
    return text === null || text === undefined || text === ''
      ? []
      : [[round(place(scale, split)), text] as const];
  });
}

function axisLines(
  plot: uPlot,
  scale: 'x' | 'y',
  line: (at: number) => string,
  place: Place,
): readonly string[] {
  return axisTexts(plot, scale, place).map(([at]) => line(at));
}

function marks(
  plot: uPlot,
  { kind, data, stacked }: Drawing,
  { colour, ends }: DrawnSeries,
  at: number,
  of: number,
  place: Place,
): string {
  const paint = attribute(colour);
  if (kind === 'bar') {
    const bars = stacked ? 1 : of;
    const ground = place('y', Math.max(0, plot.scales['y']?.min ?? 0));
    const rects = ends.flatMap((end, i) => {
      if (typeof end !== 'number') return [];
      const x = (data.xs[i] ?? 0) - GROUP / 2 + ((stacked ? 0 : at) * GROUP) / bars;
      const [from, to, y] = [place('x', x), place('x', x + GROUP / bars), place('y', end)];
      return [
        `<rect x="${round(from)}" y="${round(Math.min(y, ground))}" width="${round(to - from)}" height="${round(Math.abs(y - ground))}"/>`,
      ];
    });
    return `<g fill="${paint}">${rects.join('')}</g>`;
  }
  const points = ends.map((end, i) =>
    typeof end === 'number' ? ([round(place('x', data.xs[i] ?? 0)), round(place('y', end))] as const) : end,
  );
  if (kind === 'scatter')
    return `<g fill="${paint}" fill-opacity="${opacityOf(ends.length)}">${points
      .flatMap((point) => (point ? [`<circle cx="${point[0]}" cy="${point[1]}" r="${POINT}"/>`] : []))
      .join('')}</g>`;
  let isOpen = false;
  const path = points.flatMap((point) => {
    // A place of another series is no gap.
    if (point === undefined) return [];
    const step = point === null ? '' : `${isOpen ? 'L' : 'M'}${point[0]} ${point[1]}`;
    isOpen = point !== null;
    return step === '' ? [] : [step];
  });
  return `<path d="${path.join('')}" fill="none" stroke="${paint}" stroke-width="2"/>`;
}

function legendOf(
  series: readonly DrawnSeries[],
  width: number,
  top: number,
): { readonly lines: number; readonly parts: readonly string[] } {
  let [x, line] = [16, 0];
  const parts = series.map(({ name, colour }) => {
    const text = plainName(name, 60);
    const needs = 30 + LETTER * text.length;
    if (x > 16 && x + needs > width) [x, line] = [16, line + 1];
    const y = top + line * LEGEND;
    const part = `<rect x="${x}" y="${y - 9}" width="10" height="10" rx="2" fill="${attribute(colour)}"/><text x="${x + 16}" y="${y}" INK>${escaped(text)}</text>`;
    x += needs;
    return part;
  });
  return { lines: line + 1, parts };
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** XML has no place for some characters, however they are written. */
export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\ufffe\uffff]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

function attribute(text: string): string {
  return escaped(text).replaceAll('"', '&quot;');
}
