// The name that was most likely meant by one that is not known. What it costs is bounded, whatever strangers wrote and
// whatever they called their tables: names are compared along a narrow band, up to so many places of all together.

/** Longer names are not compared: nobody mistypes them letter by letter. */
const MAX_NAME = 64;
/** Letters that may be wrong, and never more than a third of them. */
const MAX_WRONG = 3;
/** Of all names together; some 40 ms. */
const MAX_PLACES = 2_000_000;
const MAX_NAMES = 200_000;

/** The name among these that was most likely meant; undefined where none is near. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  if (name.length > MAX_NAME) return undefined;
  const wanted = name.toLowerCase();
  let best: { readonly name: string; readonly distance: number } | undefined;
  let bound = Math.min(MAX_WRONG, Math.floor(wanted.length / 3));
  const work = { places: 0 };
  let count = 0;
  for (const each of names) {
    if (++count > MAX_NAMES || work.places > MAX_PLACES || bound < 0) break;
    if (Math.abs(wanted.length - each.length) > bound) continue;
    const distance = distanceOfMiddles(wanted, each.toLowerCase(), bound, work);
    if (distance > bound) continue;
    best = { name: each, distance };
    // Only a nearer one is better.
    bound = distance - 1;
  }
  return best?.name;
}

/** Also the only one that begins with it: `minted` for `minted_at`. */
export function didYouMean(name: string, names: Iterable<string>): string | undefined {
  const all = [...take(names, MAX_NAMES)];
  const near = nearestName(name, all) ?? onlyBeginning(name, all);
  return near === undefined ? undefined : `Did you mean ${near}?`;
}

function onlyBeginning(name: string, names: readonly string[]): string | undefined {
  if (name.length < 3 || name.length > MAX_NAME) return undefined;
  const wanted = name.toLowerCase();
  const found = names.filter((each) => each.toLowerCase().startsWith(wanted));
  return found.length === 1 ? found[0] : undefined;
}

function* take(names: Iterable<string>, most: number): Iterable<string> {
  let count = 0;
  for (const each of names) {
    if (++count > most) return;
    yield each;
  }
}

/** Of tables: also the one whose prefix it has, with the chain and id of another or with none. */
export function didYouMeanTable(name: string, tables: () => Iterable<string>): string | undefined {
  if (name.length > MAX_NAME) return undefined;
  const near = nearestName(name, tables());
  if (near !== undefined) return `Did you mean ${near}?`;
  const prefix = `${name.toLowerCase().replace(/_\d+_\d+$/, '')}_`;
  if (!/[a-z]/.test(prefix)) return undefined;
  let count = 0;
  for (const each of tables()) {
    if (++count > MAX_NAMES) break;
    if (each.toLowerCase().startsWith(prefix) && /^\d+_\d+$/.test(each.slice(prefix.length)))
      return `Did you mean ${each}?`;
  }
  return undefined;
}

/** Without what both begin and end with: most tables' names have their prefix and chain in common. */
function distanceOfMiddles(one: string, other: string, bound: number, work: { places: number }): number {
  let start = 0;
  const shorter = Math.min(one.length, other.length);
  while (start < shorter && one.charCodeAt(start) === other.charCodeAt(start)) start++;
  let end = 0;
  while (
    end < shorter - start &&
    one.charCodeAt(one.length - 1 - end) === other.charCodeAt(other.length - 1 - end)
  )
    end++;
  return distanceOf(one.slice(start, one.length - end), other.slice(start, other.length - end), bound, work);
}

const ROWS = [0, 1, 2].map(() => new Uint8Array(MAX_NAME + 2 + MAX_WRONG)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];

/**
 * Insertions, deletions, replacements and swapped neighbours that make one of the other; any number above `bound` where
 * there are more. Looks only at places that are at most `bound` apart.
 */
function distanceOf(one: string, other: string, bound: number, work: { places: number }): number {
  let [before, row, next] = ROWS;
  const far = bound + 1;
  for (let j = 0; j <= other.length; j++) row[j] = Math.min(j, far);
  for (let i = 1; i <= one.length; i++) {
    const from = Math.max(1, i - bound);
    const to = Math.min(other.length, i + bound);
    work.places += to - from + 1;
    next[from - 1] = from === 1 ? Math.min(i, far) : far;
    let nearest = next[from - 1]!;
    for (let j = from; j <= to; j++) {
      const same = one.charCodeAt(i - 1) === other.charCodeAt(j - 1);
      // Above the band of the row before, and left of this one's, nothing was computed.
      const above = j < i + bound ? row[j]! : far;
      let least = Math.min(above + 1, next[j - 1]! + 1, row[j - 1]! + (same ? 0 : 1), far);
      if (
        i > 1 &&
        j > 1 &&
        one.charCodeAt(i - 1) === other.charCodeAt(j - 2) &&
        one.charCodeAt(i - 2) === other.charCodeAt(j - 1)
      )
        least = Math.min(least, before[j - 2]! + 1);
      next[j] = least;
      if (least < nearest) nearest = least;
    }
    if (nearest > bound && (i === one.length || !mayBeSwapped(row, from, to, bound))) return far;
    [before, row, next] = [row, next, before];
  }
  return row[other.length]!;
}

/** A swap goes two rows down at once. */
function mayBeSwapped(row: Uint8Array, from: number, to: number, bound: number): boolean {
  for (let j = Math.max(0, from - 2); j < to; j++) if (row[j]! < bound) return true;
  return false;
}
