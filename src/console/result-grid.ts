// A result as a table, a page of rows at a time. Long values are cut and shown whole in a dialog.
import { columnHolds } from './chart-choice.ts';
import { element, grouped } from './element.ts';
import { type Cell, prettyPieces } from './lossless-json.ts';
import { cellText, type Result } from './result.ts';

const PAGE_ROWS = 100;
const LONG = 60;
/** Characters of a cut value. */
const SHOWN = 56;

/** @param label names the region for screen readers */
export function resultGrid(result: Result, label: string): HTMLElement {
  const { columns, rows } = result;
  const numeric = columns.map((_, i) => columnHolds(rows, i) === 'numbers');
  const body = element('tbody');
  const place = element('span', { class: 'pager-place', role: 'status' });
  const pages = Math.ceil(rows.length / PAGE_ROWS);
  let page = 0;

  const turn = (to: number): void => {
    page = to;
    const from = page * PAGE_ROWS;
    const shown = rows.slice(from, from + PAGE_ROWS);
    body.replaceChildren(...shown.map((row, i) => gridRow(row, from + i + 1, columns, numeric)));
    place.textContent = `Rows ${grouped(from + 1)} to ${grouped(from + shown.length)} of ${grouped(rows.length)}`;
    previous.disabled = page === 0;
    next.disabled = page === pages - 1;
  };
  const scroller = element(
    'div',
    { class: 'grid-scroller', role: 'region', 'aria-label': label, tabindex: 0 },
    element(
      'table',
      { class: 'grid' },
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          element('th', { scope: 'col', class: 'row-number' }, element('span', { class: 'unseen' }, 'Row')),
          ...columns.map((name, i) => element('th', { scope: 'col', class: numeric[i] && 'number' }, name)),
        ),
      ),
      body,
    ),
  );
  const turned = (by: number) => (): void => {
    turn(page + by);
    scroller.scrollTop = 0;
  };
  const previous = element('button', { type: 'button', class: 'quiet', onclick: turned(-1) }, 'Previous');
  const next = element('button', { type: 'button', class: 'quiet', onclick: turned(1) }, 'Next');
  if (rows.length > 0) turn(0);
  const pager = pages > 1 ? element('div', { class: 'pager' }, previous, place, next) : undefined;
  return element('div', { class: 'grid-box' }, scroller, pager);
}

function gridRow(
  row: readonly Cell[],
  number: number,
  columns: readonly string[],
  numeric: readonly boolean[],
): HTMLElement {
  return element(
    'tr',
    {},
    element('th', { scope: 'row', class: 'row-number' }, grouped(number)),
    ...columns.map((name, i) => gridCell(row[i] ?? null, name, number, numeric[i] === true)),
  );
}

function gridCell(cell: Cell, column: string, row: number, numeric: boolean): HTMLElement {
  const text = cellText(cell);
  if (text === null) return element('td', { class: numeric ? 'number null' : 'null' }, 'NULL');
  const kind = typeof cell === 'object' && cell !== null && 'json' in cell ? 'json' : undefined;
  if (text.length <= LONG && !text.includes('\n'))
    return element('td', { class: numeric ? 'number' : kind }, text);
  const open = element(
    'button',
    {
      type: 'button',
      class: 'long',
      'aria-label': `Show ${column} of row ${row} whole`,
      onclick: () => showWhole(`${column}, row ${grouped(row)}`, text, kind === 'json'),
    },
    `${text
      .slice(0, SHOWN)
      .replaceAll(/\s*\n\s*/g, ' ⏎ ')
      .toWellFormed()}${text.length > SHOWN ? '…' : ''}`,
  );
  return element('td', { class: kind }, open);
}

function showWhole(title: string, text: string, isJson: boolean): void {
  const shown = isJson
    ? prettyPieces(text)
        .map(([, piece]) => piece)
        .join('')
    : text;
  const close = element('button', { type: 'submit', class: 'quiet' }, 'Close');
  const dialog = element(
    'dialog',
    { 'aria-labelledby': 'whole-title', class: 'whole' },
    element('form', { method: 'dialog' }, element('h2', { id: 'whole-title' }, title), close),
    element('pre', { tabindex: 0 }, shown),
  );
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
}
