// Queries of before: those that were run, newest first, and those that were given a name. No DOM.
import { EMPTY_QUERY, type Query } from './place.ts';

export interface Ran {
  readonly query: Query;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** How it went, in a few words. */
  readonly how: string;
}
export interface Saved {
  readonly name: string;
  readonly query: Query;
}

const MOST = 200;
/** Of all statements together: browsers keep some megabytes for a page, and all tabs read them. */
const MOST_CHARACTERS = 500_000;
export const MOST_NAME = 80;

/** The same query once, the last time that it ran. */
export function withRan(past: readonly Ran[], now: Ran): readonly Ran[] {
  const key = keyOf(now.query);
  return bounded([now, ...past.filter(({ query }) => keyOf(query) !== key)]);
}

/** A name stands for one query. By name, in the order of people. None is given up for another: see {@link noRoomFor}. */
export function withSaved(saved: readonly Saved[], now: Saved): readonly Saved[] {
  const others = saved.filter(({ name }) => name !== now.name);
  return [...others, now].toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** @returns why it cannot be saved beside the others; undefined where it can */
export function noRoomFor(now: Saved, saved: readonly Saved[]): string | undefined {
  const all = withSaved(saved, now);
  if (all.length > MOST) return `${MOST} queries are saved, which is the most: delete one first.`;
  if (charactersOf(all) <= MOST_CHARACTERS) return undefined;
  return 'The saved queries would be too long together: delete one first.';
}

function charactersOf(items: readonly { readonly query: Query }[]): number {
  return items.reduce((sum, { query }) => sum + query.statement.length + query.params.length, 0);
}

function bounded<Item extends { readonly query: Query }>(items: readonly Item[]): readonly Item[] {
  let characters = 0;
  return items.slice(0, MOST).filter(({ query }) => {
    characters += query.statement.length + query.params.length;
    return characters <= MOST_CHARACTERS;
  });
}

function keyOf({ statement, params, format, extract, unwrap }: Query): string {
  return JSON.stringify([statement, params, format, extract, unwrap]);
}

/** Of those whose every word of the search is in one of the texts, in any case. */
export function matching<Item>(
  items: readonly Item[],
  search: string,
  texts: (item: Item) => string,
): readonly Item[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return items.filter((item) => {
    const text = texts(item).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Whatever was kept: undefined where it is no query. */
export function readQuery(value: unknown): Query | undefined {
  const { statement, params, format, extract, unwrap } = membersOf(value);
  if (typeof statement !== 'string') return undefined;
  return {
    ...EMPTY_QUERY,
    statement,
    params: typeof params === 'string' ? params : '',
    format: format === 'objects' ? 'objects' : 'table',
    extract: extract === true,
    unwrap: unwrap === true,
  };
}

export function readRan(value: unknown): Ran | undefined {
  const { query, at, how } = membersOf(value);
  const read = readQuery(query);
  if (read === undefined || typeof at !== 'number') return undefined;
  return { query: read, at, how: typeof how === 'string' ? how : '' };
}

export function readSaved(value: unknown): Saved | undefined {
  const { query, name } = membersOf(value);
  const read = readQuery(query);
  if (read === undefined || typeof name !== 'string' || name === '') return undefined;
  return { name: name.slice(0, MOST_NAME), query: read };
}

export function membersOf(value: unknown): { readonly [member: string]: unknown } {
  return typeof value === 'object' && value !== null ? (value as { readonly [member: string]: unknown }) : {};
}

/** `just now`, `5 minutes ago`, `3 days ago`. */
export function agoText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  for (const [unit, size] of UNITS) {
    const count = Math.floor(seconds / size);
    if (count >= 1) return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
  }
  return 'just now';
}
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
