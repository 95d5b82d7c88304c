// What the page keeps in the browser, under names of its own. A browser that keeps nothing, or has no room left, costs
// nothing but that: whoever asks is told, and goes on with what he has.

/** Of two gateways on one host each has its own. */
const keyOf = (name: string): string => `tablegate ${new URL('.', location.href).pathname} ${name}`;

export type Where = 'browser' | 'tab';

function storage(where: Where): Storage {
  return where === 'tab' ? sessionStorage : localStorage;
}

/** Undefined where there is nothing, or nothing that can be read. */
export function kept(name: string, where: Where = 'browser'): unknown {
  try {
    return JSON.parse(storage(where).getItem(keyOf(name)) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** @returns whether it is kept */
export function keep(name: string, value: unknown, where: Where = 'browser'): boolean {
  try {
    storage(where).setItem(keyOf(name), JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

export interface KeptList<Item> {
  items(): readonly Item[];
  set(items: readonly Item[]): void;
  /** Whether the browser keeps them; else they last as long as the page does. */
  isKept(): boolean;
}

/**
 * A list that all tabs share.
 * @param read of whatever is kept: another version of the page may have written it
 * @param givesUp whether what stands last is given up where there is no room for all
 * @param onChange called when it was changed, also by another tab
 */
export function keptList<Item>(
  name: string,
  read: (value: unknown) => Item | undefined,
  givesUp: boolean,
  onChange: () => void,
): KeptList<Item> {
  const load = (): readonly Item[] => {
    const value = kept(name);
    return Array.isArray(value) ? value.flatMap((each) => read(each) ?? []) : [];
  };
  /** Set where the browser does not keep it. */
  let own: readonly Item[] | undefined;
  addEventListener('storage', ({ key }) => {
    if (key === null || key === keyOf(name)) onChange();
  });
  return {
    items: () => own ?? load(),
    set(items) {
      let isKept = keep(name, items);
      for (let some = items; givesUp && !isKept && some.length > 1; ) {
        some = some.slice(0, Math.floor(some.length / 2));
        isKept = keep(name, some);
      }
      own = isKept ? undefined : items;
      onChange();
    },
    isKept: () => own === undefined,
  };
}
