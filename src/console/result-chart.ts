// A result as a chart, with choices of its kind and columns beside it. What suits the result is chosen first.
import type { Drawing, Drawn } from './chart.ts';
import { type Chart, type ChartKind, chooseChart, columnHolds } from './chart-choice.ts';
import { type ChartData, chartData } from './chart-data.ts';
import type { PictureKind } from './chart-save.ts';
import { plainName } from './chart-text.ts';
import { counted, element, grouped } from './element.ts';
import { createMenu } from './menu.ts';
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
  let drawn: { readonly as: Drawn; readonly drawing: Drawing } | undefined;
  let drawings = 0;
  const nameOf = (column: number): string => (column < 0 ? ROW_NUMBER : (result.columns[column] ?? ''));
  const canvas = element('div', { class: 'chart-canvas', role: 'img' });
  const note = element('p', { class: 'note part-note', role: 'status' });

  const draw = async (): Promise<void> => {
    const mine = ++drawings;
    const data = chartData(result, chart);
    offer.refresh(chart, data);
    const { drawChart } = await import('./chart.ts');
    if (mine !== drawings || !canvas.isConnected) return;
    drawn?.as.remove();
    const { kind, x, ys, log = false } = chart;
    const stacked = canStack(chart, data) && chart.stacked === true;
    const drawing: Drawing = {
      kind,
      data,
      xName: nameOf(x),
      yName: isColoured(chart) ? nameOf(ys[0] ?? -1) : ys.map(nameOf).join(', '),
      stacked,
      log: log && !stacked,
    };
    canvas.setAttribute('aria-label', describe(chart, nameOf, result));
    note.textContent = noteOf(data);
    drawn = { as: drawChart(canvas, drawing), drawing };
  };
  const change = (part: Partial<Chart>): void => {
    chart = { ...chart, ...part };
    // Stacked lengths are sums, which a logarithm is none of.
    if (part.stacked === true) chart = { ...chart, log: false };
    if (part.log === true) chart = { ...chart, stacked: false };
    void draw();
  };
  const save = async (kind: PictureKind): Promise<void> => {
    if (drawn === undefined) return;
    const { saveChart } = await import('./chart-save.ts');
    menu.close();
    await saveChart(kind, drawn.as, drawn.drawing, describe(chart, nameOf, result)).catch((error: Error) => {
      note.textContent = error.message;
    });
  };
  const menu = createMenu(
    'Save picture',
    ...(['PNG', 'SVG'] as const).map((kind) =>
      element('button', { type: 'button', class: 'quiet', onclick: () => void save(kind) }, kind),
    ),
  );
  const offer = choices(result, chart, change, nameOf, menu.box);
  return {
    box: element('div', { class: 'chart' }, offer.box, canvas, offer.hint, note),
    draw: () => void draw(),
    remove() {
      drawings++;
      drawn?.as.remove();
    },
  };
}

const isColoured = ({ colour = -1 }: Chart): boolean => colour >= 0;

function canStack({ kind }: Chart, { series }: ChartData): boolean {
  return kind === 'bar' && series.length > 1;
}

function noteOf({ xs, left, added, unplaced, beyond }: ChartData): string {
  const notes = [
    left === 0 ? '' : `The first ${counted(xs.length, 'row')} are drawn; ${grouped(left)} more are not.`,
    added === 0 ? '' : `${counted(added, 'row')} stood at the place of another: values are added.`,
    unplaced === 0 ? '' : `${counted(unplaced, 'value')} of 0 or less have no place on a logarithmic scale.`,
    beyond === 0 ? '' : `${counted(beyond, 'value')} of a size that has no place on any scale.`,
  ];
  return notes.filter(Boolean).join(' ');
}

function describe(chart: Chart, nameOf: (column: number) => string, { rows }: Result): string {
  const { kind, x, ys, colour = -1 } = chart;
  const name = KINDS.find(([each]) => each === kind)?.[1] ?? kind;
  const values = isColoured(chart) ? nameOf(ys[0] ?? -1) : ys.map(nameOf).join(', ');
  const by = colour < 0 ? '' : ` and ${nameOf(colour)}`;
  return `${name} of ${values} by ${nameOf(x)}${by}, ${counted(rows.length, 'row')}. The table shows the same values.`;
}

interface Choices {
  readonly box: HTMLElement;
  readonly hint: HTMLElement;
  /** Shows what is chosen, and what can be. */
  refresh(chart: Chart, data: ChartData): void;
}

function choices(
  result: Result,
  first: Chart,
  change: (part: Partial<Chart>) => void,
  nameOf: (column: number) => string,
  save: HTMLElement,
): Choices {
  let chart = first;
  const select = (
    label: string,
    options: readonly (readonly [string | number, string])[],
    value: string | number,
    onChange: (value: string) => void,
  ): HTMLElement =>
    element(
      'label',
      {},
      label,
      element(
        'select',
        { onchange: (event) => onChange((event.target as HTMLSelectElement).value) },
        ...options.map(([each, text]) => element('option', { value: each, selected: each === value }, text)),
      ),
    );
  const check = (
    label: string,
    onChange: (isChecked: boolean) => void,
  ): readonly [HTMLElement, HTMLInputElement] => {
    const box = element('input', { type: 'checkbox', onchange: () => onChange(box.checked) });
    return [element('label', { class: 'check' }, box, label), box];
  };
  const columns = [...result.columns.keys()];
  const named = (column: number): readonly [number, string] => [column, plainName(nameOf(column), 40)];
  const numbers = columns.filter((i) => columnHolds(result.rows, i) === 'numbers');
  const offered = [...new Set([...first.ys, ...numbers])].sort((a, b) => a - b).slice(0, MAX_CHOICES);
  const toggle = (column: number, isChecked: boolean): void => {
    const others = chart.ys.filter((y) => y !== column);
    // Colours split one column. And a chart of nothing is none: the last one stays.
    const ys =
      isColoured(chart) || (!isChecked && others.length === 0)
        ? [column]
        : isChecked
          ? [...others, column]
          : others;
    change({ ys: ys.toSorted((a, b) => a - b) });
  };
  const boxes = offered.map((i) => [i, ...check(plainName(nameOf(i), 40), (is) => toggle(i, is))] as const);
  const [stackedLabel, stacked] = check('Stacked', (is) => change({ stacked: is }));
  const [logLabel, log] = check('Log scale', (is) => change({ log: is }));
  const hint = element(
    'p',
    { class: 'note zoom-hint' },
    'Drag across the chart to zoom in; a double click shows all of it.',
  );
  const colour = select('Colour', [[-1, 'by value'], ...columns.map(named)], first.colour ?? -1, (value) => {
    const by = Number(value);
    change(by < 0 ? { colour: by } : { colour: by, ys: chart.ys.slice(0, 1) });
  });
  return {
    box: element(
      'div',
      { class: 'chart-choices' },
      select('Chart', KINDS, first.kind, (kind) => change({ kind: kind as ChartKind })),
      select('Across', [-1, ...columns].map(named), first.x, (x) => change({ x: Number(x) })),
      element('fieldset', {}, element('legend', {}, 'Values'), ...boxes.map(([, label]) => label)),
      colour,
      stackedLabel,
      logLabel,
      save,
    ),
    hint,
    refresh(now, data) {
      chart = now;
      for (const [column, , box] of boxes) box.checked = now.ys.includes(column);
      stackedLabel.hidden = !canStack(now, data);
      stacked.checked = now.stacked === true;
      log.checked = now.log === true;
      hint.hidden = data.labels !== undefined;
    },
  };
}
