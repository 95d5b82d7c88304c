// Makes DOM elements. Texts become text nodes and attributes are set one by one: no markup is ever parsed, so
// no value can become markup. (The page's policy forbids parsing markup altogether.)

export type Child = Node | string | undefined;

export interface Properties {
  /** Attributes by name; undefined and false are left out, true is an empty value. */
  readonly [attribute: string]: string | number | boolean | undefined | EventListener;
}

/** `element('a', { href: '#', class: 'link', onclick: run }, 'text')`; `on...` are listeners, never attributes. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** An element that the page's HTML has. */
export function found<E extends HTMLElement = HTMLElement>(id: string): E {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no #${id}`);
  return element as E;
}

export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 row`, `2,000 rows`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [value, unit] = bytes < 999_500 ? [bytes / 1000, 'kB'] : [bytes / 1e6, 'MB'];
  return `${value >= 100 ? Math.round(value) : value.toFixed(1)} ${unit}`;
}

export function durationText(ms: number): string {
  return ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}
