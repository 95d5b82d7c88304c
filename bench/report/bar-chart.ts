// Horizontal bars as inline SVG, one a target, with a tick for every round that the median came from.
import { element, escapeText } from './markup.ts';

export interface Bar {
  readonly name: string;
  readonly tone: string;
  readonly value: number;
  readonly label: string;
  /** The single rounds. */
  readonly rounds: readonly number[];
}

const WIDTH = 560;
const LEFT = 86;
const RIGHT = 116;
/** As high as the line charts beside it. */
const HEIGHT = 250;
const MOST_ROW = 58;
const MOST_BAR = 30;

export function barChart(title: string, bars: readonly Bar[]): string {
  const most = Math.max(...bars.flatMap(({ value, rounds }) => [value, ...rounds]), 1e-9);
  const row = Math.min(MOST_ROW, HEIGHT / bars.length);
  const thick = Math.min(MOST_BAR, row * 0.6);
  const top = (HEIGHT - row * bars.length) / 2;
  const width = (value: number): number => (value / most) * (WIDTH - LEFT - RIGHT);
  const rows = bars.map((bar, index) => {
    const y = top + index * row + (row - thick) / 2;
    return element(
      'g',
      { class: `series ${bar.tone}` },
      element(
        'text',
        { x: LEFT - 10, y: y + thick / 2 + 4.5, class: 'name', 'text-anchor': 'end' },
        escapeText(bar.name),
      ),
      element(
        'rect',
        { x: LEFT, y, width: Math.max(1, width(bar.value)), height: thick, rx: 3, class: 'bar' },
        element('title', {}, escapeText(`${bar.name}: ${bar.label}`)),
      ),
      ...bar.rounds.map((value) =>
        element('line', {
          x1: LEFT + width(value),
          x2: LEFT + width(value),
          y1: y - 3,
          y2: y + thick + 3,
          class: 'round',
        }),
      ),
      element(
        'text',
        {
          x: LEFT + Math.max(width(bar.value), ...bar.rounds.map(width)) + 8,
          y: y + thick / 2 + 4.5,
          class: 'value',
        },
        escapeText(bar.label),
      ),
    );
  });
  return element('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': title }, ...rows);
}
