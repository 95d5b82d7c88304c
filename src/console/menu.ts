// A button that opens a few more below it. Escape, a click beside it and the focus elsewhere close it again.
import { element } from './element.ts';

export interface Menu {
  readonly box: HTMLDetailsElement;
  /** Closes it, with the focus on its button. */
  close(): void;
}

export function createMenu(label: string, ...items: readonly Node[]): Menu {
  const summary = element('summary', { class: 'quiet' }, label);
  const box = element(
    'details',
    { class: 'menu' },
    summary,
    element('div', { class: 'menu-list' }, ...items),
  );
  const close = (): void => {
    box.open = false;
    summary.focus();
  };
  const leave = (event: Event): void => {
    if (event.target instanceof Node && box.contains(event.target)) return;
    box.open = false;
  };
  box.addEventListener('toggle', () => {
    const act = box.open ? 'addEventListener' : 'removeEventListener';
    document[act]('click', leave);
    document[act]('focusin', leave);
  });
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !box.open) return;
    event.stopPropagation();
    close();
  });
  return { box, close };
}
