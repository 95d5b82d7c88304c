// A result as a chart, with choices of its kind and columns beside it. What suits the result is chosen first.
import { type Chart, type ChartKind, chartData, chooseChart, columnHolds } from './chart-choice.ts';
import { counted, element, grouped } from './element.ts';
import type { Result } from './result.ts';

const KINDS: readonly (readonly [ChartKind, string])[] = [
  ['bar', 'Bars'],
  ['line', 'Line'],
  ['scatter', 'Points'],
];
const ROW_NUMBER = 'row';
/** Columns that may be drawn: more cannot be told apart. */
const MAX_CHOICES = 12;

export interface ResultChart {
  readonly box: HTMLElement;
  /** Draws it anew, in the colours of now. */
  draw(): void;
  remove(): void;
}

/** @returns undefined where the result has nothing to draw */
export function resultChart(result: Result): ResultChart | undefined {
  const chosen = chooseChart(result);
  if (chosen === undefined || result.rows.length === 0) return undefined;
  let chart: Chart = chosen;
  let removeDrawing = (): void => {};
  let drawings = 0;
  const nameOf = (column: number): string => (column < 0 ? ROW_NUMBER : (result.columns[column] ?? ''));
  const canvas = element('div', { class: 'chart-canvas', role: 'img' });
  const note = element('p', { class: 'note part-note' });

  const draw = async (): Promise<void> => {
    const mine = ++drawings;
    const data = chartData(result, chart);
    const { drawChart } = await import('./chart.ts');
    if (mine !== drawings || !canvas.isConnected) return;
    removeDrawing();
    const yNames = chart.ys.map(nameOf);
    canvas.setAttribute('aria-label', describe(chart, nameOf, result));
    note.textContent =
      data.left === 0
        ? ''
        : `The first ${counted(data.xs.length, 'row')} are drawn; ${grouped(data.left)} more are not.`;
    removeDrawing = drawChart(canvas, { kind: chart.kind, data, xName: nameOf(chart.x), yNames });
  };
  const change = (part: Partial<Chart>): void => {
    chart = { ...chart, ...part };
    void draw();
  };
  return {
    box: element('div', { class: 'chart' }, choices(result, chart, change, nameOf), canvas, note),
    draw: () => void draw(),
    remove() {
      drawings++;
      removeDrawing();
    },
  };
}

function describe({ kind, x, ys }: Chart, nameOf: (column: number) => string, { rows }: Result): string {
  const name = KINDS.find(([each]) => each === kind)?.[1] ?? kind;
  return `${name} of ${ys.map(nameOf).join(', ')} by ${nameOf(x)}, ${counted(rows.length, 'row')}. The table shows the same values.`;
}

function choices(
  result: Result,
  chart: Chart,
  change: (part: Partial<Chart>) => void,
  nameOf: (column: number) => string,
): HTMLElement {
  const numbers = result.columns.flatMap((_, i) => (columnHolds(result.rows, i) === 'numbers' ? [i] : []));
  const kind = element(
    'select',
    { onchange: (event) => change({ kind: (event.target as HTMLSelectElement).value as ChartKind }) },
    ...KINDS.map(([value, label]) => element('option', { value, selected: value === chart.kind }, label)),
  );
  const x = element(
    'select',
    { onchange: (event) => change({ x: Number((event.target as HTMLSelectElement).value) }) },
    ...[-1, ...result.columns.keys()].map((i) =>
      element('option', { value: i, selected: i === chart.x }, nameOf(i)),
    ),
  );
  const ys = new Set(chart.ys);
  const offered = [...new Set([...chart.ys, ...numbers])].sort((a, b) => a - b).slice(0, MAX_CHOICES);
  const toggle = (column: number, box: HTMLInputElement): void => {
    if (box.checked) ys.add(column);
    else ys.delete(column);
    // A chart of nothing is none: the last one stays.
    if (ys.size === 0) {
      ys.add(column);
      box.checked = true;
    }
    change({ ys: [...ys].sort((a, b) => a - b) });
  };
  const boxes = offered.map((i) =>
    element(
      'label',
      { class: 'check' },
      element('input', {
        type: 'checkbox',
        checked: ys.has(i),
        onchange: (event) => toggle(i, event.target as HTMLInputElement),
      }),
      nameOf(i),
    ),
  );
  return element(
    'div',
    { class: 'chart-choices' },
    element('label', {}, 'Chart', kind),
    element('label', {}, 'Across', x),
    element('fieldset', {}, element('legend', {}, 'Values'), ...boxes),
  );
}
