// Beside the page: tables, queries of before and saved ones, one of them at a time; on a narrow screen as a drawer.
import { found } from './element.ts';
import { createTabs } from './tabs.ts';

export type Side = 'tables' | 'history' | 'saved';

const SIDES: readonly (readonly [Side, string])[] = [
  ['tables', 'Tables'],
  ['history', 'History'],
  ['saved', 'Saved'],
];

export interface Sidebar {
  /** Shows the part, in the drawer where it is one, and puts the focus into its search. */
  open(side: Side): void;
  show(side: Side): void;
  close(): void;
  readonly isOpen: () => boolean;
}

/** @param onShow is told what is shown now */
export function createSidebar(onShow: (side: Side) => void): Sidebar {
  const button = found('drawer-button');
  const isDrawer = (): boolean => getComputedStyle(button).display !== 'none';
  const isOpen = (): boolean => document.body.classList.contains('drawer-open');
  let shown: Side = 'tables';
  const show = (side: Side): void => {
    shown = side;
    tabs.select(side);
    for (const [name] of SIDES) found(`side-${name}`).hidden = name !== side;
    onShow(side);
  };
  const tabs = createTabs('Show beside the page', SIDES, (name) => `side-${name}`, show);
  found('side-tabs').append(tabs.box);
  const focus = (): void => {
    const search = found<HTMLInputElement>(`${shown === 'tables' ? 'table' : shown}-search`);
    search.focus();
    search.select();
  };
  const setDrawer = (open: boolean): void => {
    if (isOpen() === open) return;
    button.setAttribute('aria-expanded', String(open));
    document.body.classList.toggle('drawer-open', open);
    if (open) focus();
    else if (found('sidebar').contains(document.activeElement)) button.focus();
  };
  button.addEventListener('click', () => setDrawer(!isOpen()));
  found('drawer-shade').addEventListener('click', () => setDrawer(false));
  show('tables');
  return {
    open(side) {
      show(side);
      setDrawer(isDrawer());
      focus();
    },
    show,
    close: () => setDrawer(false),
    isOpen,
  };
}
