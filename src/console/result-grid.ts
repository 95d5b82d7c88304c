// A result as a table, a page of rows at a time: sorted and filtered by its heads, copied by cell, row or whole.
import { createCellBar } from './cell-bar.ts';
import { columnHolds } from './chart-choice.ts';
import { copyButton } from './copy-button.ts';
import { element, grouped } from './element.ts';
import { gridCell } from './grid-cell.ts';
import { createGridHead } from './grid-head.ts';
import { createMenu } from './menu.ts';
import type { Result } from './result.ts';
import { COPIES, copied } from './result-copy.ts';
import { arranged, seenTypes } from './result-order.ts';

const PAGE_ROWS = 100;

/**
 * @param label names the region for screen readers
 * @param types of the columns, where they are known
 */
export function resultGrid(result: Result, label: string, types = seenTypes(result)): HTMLElement {
  const { columns, rows } = result;
  const numeric = columns.map((_, i) => columnHolds(rows, i) === 'numbers');
  const body = element('tbody');
  const place = element('span', { class: 'pager-place', role: 'status' });
  let shown = arranged(rows, undefined, []);
  let page = 0;

  const turn = (to: number): void => {
    page = to;
    const from = page * PAGE_ROWS;
    const places = shown.slice(from, from + PAGE_ROWS);
    body.replaceChildren(
      ...places.map((at) =>
        element(
          'tr',
          {},
          element('th', { scope: 'row', class: 'row-number' }, grouped(at + 1)),
          ...columns.map((name, i) => gridCell(rows[at]?.[i] ?? null, name, at, numeric[i] === true)),
        ),
      ),
    );
    const pages = Math.ceil(shown.length / PAGE_ROWS);
    place.textContent = placeText(from, places.length, shown.length, rows.length);
    previous.disabled = page === 0;
    next.disabled = page >= pages - 1;
    pager.hidden = pages <= 1 && shown.length === rows.length;
    bar.refresh();
  };
  const turned = (by: number) => (): void => {
    turn(page + by);
    scroller.scrollTop = 0;
  };
  const head = createGridHead(columns, types, numeric, (order, filters) => {
    shown = arranged(rows, order, filters);
    turn(0);
  });
  const previous = element('button', { type: 'button', class: 'quiet', onclick: turned(-1) }, 'Previous');
  const next = element('button', { type: 'button', class: 'quiet', onclick: turned(1) }, 'Next');
  const pager = element('div', { class: 'pager' }, previous, place, next);
  const scroller = element(
    'div',
    { class: 'grid-scroller', role: 'region', 'aria-label': label, tabindex: 0 },
    element('table', { class: 'grid', role: 'grid', 'aria-readonly': 'true' }, head.box, body),
  );
  const bar = createCellBar(scroller, body, result);
  const copies = COPIES.map((as) =>
    copyButton(`Table as ${as}`, () =>
      copied(
        as,
        columns,
        shown.map((at) => rows[at] ?? []),
      ),
    ),
  );
  const tools = element(
    'div',
    { class: 'grid-tools' },
    bar.box,
    pager,
    element('div', { class: 'grid-acts' }, head.filterButton, createMenu('Copy', ...copies).box),
  );
  if (rows.length === 0) tools.hidden = true;
  turn(0);
  return element('div', { class: 'grid-box' }, scroller, tools);
}

function placeText(from: number, count: number, shown: number, all: number): string {
  if (shown === 0) return `None of ${grouped(all)}`;
  const rows = `Rows ${grouped(from + 1)} to ${grouped(from + count)} of ${grouped(shown)}`;
  return shown === all ? rows : `${rows} that fit, of ${grouped(all)}`;
}
