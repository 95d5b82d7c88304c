// The cell of a result's table that was chosen, by a click or by the arrows, and what can be done with it.
import { copyButton } from './copy-button.ts';
import { element, grouped } from './element.ts';
import { isShownWhole, showWhole } from './grid-cell.ts';
import type { Cell } from './lossless-json.ts';
import { cellText, type Result } from './result.ts';
import { rowLine } from './result-copy.ts';

export interface CellBar {
  readonly box: HTMLElement;
  /** After other rows have come. */
  refresh(): void;
}

const STEPS: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
};

export function createCellBar(
  scroller: HTMLElement,
  body: HTMLTableSectionElement,
  { columns, rows }: Result,
): CellBar {
  let chosen: { readonly at: number; readonly column: number } | undefined;
  const row = (): readonly Cell[] => rows[chosen?.at ?? -1] ?? [];
  const cell = (): Cell => row()[chosen?.column ?? -1] ?? null;
  const name = (): string => columns[chosen?.column ?? -1] ?? '';
  const textOfCell = (): string => cellText(cell()) ?? '';
  const place = element('bdi', { class: 'cell-place' });
  const whole = element(
    'button',
    { type: 'button', class: 'quiet', onclick: () => showWhole(cell(), name(), chosen?.at ?? 0) },
    'Show whole',
  );
  const tools = element(
    'span',
    { class: 'cell-tools', hidden: true },
    place,
    copyButton('Copy cell', textOfCell),
    copyButton('Copy row', () => rowLine(row(), '\t')),
    whole,
  );
  const hint = element('span', { class: 'note' }, 'Choose a cell to copy it or its row.');

  const cellsOf = (line: Element | undefined): HTMLElement[] => [
    ...(line?.querySelectorAll<HTMLElement>('td') ?? []),
  ];
  const choose = (td: HTMLElement): void => {
    const line = td.closest('tr');
    if (line === null) return;
    for (const old of body.querySelectorAll('.chosen')) old.classList.remove('chosen');
    for (const old of body.querySelectorAll<HTMLElement>('td[tabindex="0"]')) old.tabIndex = -1;
    td.classList.add('chosen');
    td.tabIndex = 0;
    const number = Number((line.querySelector('th')?.textContent ?? '').replaceAll(',', ''));
    chosen = { at: number - 1, column: cellsOf(line).indexOf(td) };
    place.textContent = `${name().slice(0, 40).toWellFormed()}, row ${grouped(number)}`;
    whole.hidden = isShownWhole(textOfCell());
    tools.hidden = false;
    hint.hidden = true;
  };
  body.addEventListener('focusin', ({ target }) => {
    const td = target instanceof Element ? target.closest('td') : null;
    if (td !== null) choose(td);
  });
  body.addEventListener('keydown', (event) => {
    const td = event.target;
    if (!(td instanceof HTMLTableCellElement)) return;
    const inside = td.querySelector<HTMLElement>('a, button');
    if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && inside !== null) {
      // The same key would close what is opened.
      event.preventDefault();
      inside.click();
    }
    const step = STEPS[event.key];
    const lines = [...body.rows];
    const at = lines.indexOf(td.parentElement as HTMLTableRowElement);
    const [down, right] = step ?? [0, 0];
    const to = cellsOf(lines[at + down])[cellsOf(lines[at]).indexOf(td) + right];
    if (step === undefined || to === undefined) return;
    event.preventDefault();
    to.focus();
    to.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  });
  // What is selected is copied as ever.
  scroller.addEventListener('copy', (event) => {
    const inBody = document.activeElement?.closest('tbody') === body;
    if (!inBody || chosen === undefined || getSelection()?.isCollapsed === false) return;
    event.clipboardData?.setData('text/plain', textOfCell());
    event.preventDefault();
  });
  return {
    box: element('div', { class: 'cell-bar' }, hint, tools),
    refresh() {
      chosen = undefined;
      tools.hidden = true;
      hint.hidden = false;
      const first = body.querySelector<HTMLElement>('td');
      if (first !== null) first.tabIndex = 0;
    },
  };
}
