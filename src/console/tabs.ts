// A row of tabs as WAI-ARIA wants it: one tab stop, the arrows go from tab to tab, and what is chosen is told.
import { element } from './element.ts';

export interface Tabs<Name extends string> {
  readonly box: HTMLElement;
  /** Marks it as the chosen one. */
  select(name: Name): void;
}

/** @param panelOf id of what a tab shows */
export function createTabs<Name extends string>(
  label: string,
  names: readonly (readonly [Name, string])[],
  panelOf: (name: Name) => string,
  onChoose: (name: Name) => void,
): Tabs<Name> {
  const buttons = names.map(([name, text]) => ({
    name,
    button: element(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `tab-${name}`,
        'aria-controls': panelOf(name),
        onclick: () => onChoose(name),
      },
      text,
    ),
  }));
  const box = element('div', { role: 'tablist', class: 'tabs', 'aria-label': label });
  box.append(...buttons.map(({ button }) => button));
  box.addEventListener('keydown', (event) => {
    const at = buttons.findIndex(({ button }) => button === document.activeElement);
    const step: Readonly<Record<string, number>> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: -1,
    };
    const to = buttons.at((step[event.key] ?? Number.NaN) % buttons.length);
    if (!(event.key in step) || to === undefined) return;
    event.preventDefault();
    onChoose(to.name);
    to.button.focus();
  });
  return {
    box,
    select(chosen) {
      for (const { name, button } of buttons) {
        button.setAttribute('aria-selected', String(name === chosen));
        button.tabIndex = name === chosen ? 0 : -1;
      }
    },
  };
}
