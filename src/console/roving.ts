// A list that is one tab stop: the arrows go from entry to entry, Home and End to its ends.

/**
 * @param entries selects what may have the focus
 * @param before gets the focus above the first entry
 */
export function roveIn(list: HTMLElement, entries: string, before: HTMLElement): { refresh(): void } {
  const every = (): HTMLElement[] => [...list.querySelectorAll<HTMLElement>(entries)];
  const all = (): HTMLElement[] => every().filter((entry) => entry.checkVisibility());
  const stopAt = (stop: HTMLElement | undefined): void => {
    for (const entry of every()) entry.tabIndex = entry === stop ? 0 : -1;
  };
  list.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && target.matches(entries)) stopAt(target);
  });
  list.addEventListener('keydown', (event) => {
    const shown = all();
    const at = shown.indexOf(document.activeElement as HTMLElement);
    const step: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: shown.length - 1,
    };
    const to = step[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    (to < 0 ? before : shown[Math.min(to, shown.length - 1)])?.focus();
  });
  before.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
    event.preventDefault();
    all()[0]?.focus();
  });
  return {
    refresh() {
      const shown = all();
      stopAt(shown.find((entry) => entry.tabIndex === 0) ?? shown[0]);
    },
  };
}
