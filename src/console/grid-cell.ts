// A cell of a result's table. A long value is cut, and shown whole on demand; an address is a link.
import { linkOf } from './cell-link.ts';
import { element, grouped } from './element.ts';
import { type Cell, prettyPieces } from './lossless-json.ts';
import { cellText } from './result.ts';

const LONG = 60;
/** Characters of a cut value. */
const SHOWN = 56;

/** @param at place of its row */
export function gridCell(cell: Cell, column: string, at: number, numeric: boolean): HTMLElement {
  const text = cellText(cell);
  if (text === null) return element('td', { class: numeric ? 'number null' : 'null', tabindex: -1 }, 'NULL');
  const isJson = typeof cell === 'object' && cell !== null && 'json' in cell;
  const isWhole = isShownWhole(text);
  const shown = isWhole ? text : shortened(text);
  const href = isJson ? undefined : linkOf(text);
  const kind = isJson ? 'json' : numeric ? 'number' : undefined;
  // What a text says of its direction ends with it.
  const content = element('bdi', {}, shown);
  if (href !== undefined)
    return element(
      'td',
      { tabindex: -1 },
      element('a', { href, target: '_blank', rel: 'noopener noreferrer', tabindex: -1 }, content),
    );
  if (isWhole) return element('td', { class: kind, tabindex: -1 }, content);
  const open = element(
    'button',
    {
      type: 'button',
      class: 'long',
      tabindex: -1,
      'aria-label': `Show ${column.slice(0, 80)} of row ${grouped(at + 1)} whole`,
      onclick: () => showWhole(cell, column, at),
    },
    content,
  );
  return element('td', { class: kind, tabindex: -1 }, open);
}

/** In its cell. */
export function isShownWhole(text: string): boolean {
  return text.length <= LONG && !/[\r\n]/.test(text);
}

function shortened(text: string): string {
  const start = text
    .slice(0, SHOWN)
    .replaceAll(/\s*[\r\n]\s*/g, ' ⏎ ')
    .toWellFormed();
  return text.length > SHOWN ? `${start}…` : start;
}

export function showWhole(cell: Cell, column: string, at: number): void {
  const text = cellText(cell) ?? 'NULL';
  const isJson = typeof cell === 'object' && cell !== null && 'json' in cell;
  const shown = isJson
    ? prettyPieces(text)
        .map(([, piece]) => piece)
        .join('')
    : text;
  const title = `${column.length > 200 ? `${column.slice(0, 200).toWellFormed()}…` : column}, row ${grouped(at + 1)}`;
  const close = element('button', { type: 'submit', class: 'quiet' }, 'Close');
  const dialog = element(
    'dialog',
    { 'aria-labelledby': 'whole-title', class: 'whole' },
    element('form', { method: 'dialog' }, element('h2', { id: 'whole-title' }, title), close),
    element('pre', { tabindex: 0 }, shown),
  );
  const before = document.activeElement;
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (before instanceof HTMLElement) before.focus();
  });
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
}
