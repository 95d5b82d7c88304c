// What a picture of a table shows, as plain values. Pictures are pure text made of these: they know nothing of
// HTTP, SQL or where the rows came from.

export interface TableView {
  readonly name: string;
  readonly chainId: number;
  readonly tableId: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  readonly columns: readonly ViewColumn[];
  readonly tableConstraints: readonly string[];
  /** The first rows, cells as a reader would write them; null is SQL's NULL. */
  readonly rows: readonly (readonly (string | null)[])[];
  readonly rowCount: number;
  /** Address of the table's metadata. */
  readonly address: string;
}

export interface ViewColumn {
  readonly name: string;
  readonly type: string;
  readonly constraints: readonly string[];
}

/** Characters that XML 1.0 (section 2.2) and HTML do not take, lone surrogates among them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that is safe between tags and in quoted attributes of HTML and XML alike. */
export function escapeMarkup(text: string): string {
  return text
    .toWellFormed()
    .replace(FORBIDDEN, '\ufffd')
    .replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

/** Code points that take two columns in a monospace font: CJK, Hangul, kana, full-width forms, most emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** How many columns of a monospace font a text takes, roughly. */
export function breadth(text: string): number {
  let columns = 0;
  for (const character of text) columns += WIDE.test(character) ? 2 : 1;
  return columns;
}

/** One line of at most `columns` columns of a monospace font, the cut marked; whole code points stay whole. */
export function shorten(text: string, columns: number): string {
  // Cut before anything is done with it: a cell may be megabytes.
  const head = text.slice(0, columns * 4 + 8);
  const line = head.replace(/\s+/g, ' ');
  if (head.length === text.length && breadth(line) <= columns) return line;
  let kept = '';
  let taken = 1;
  for (const character of line) {
    taken += WIDE.test(character) ? 2 : 1;
    if (taken > columns) break;
    kept += character;
  }
  return `${wholeAt(line, kept.length)}…`;
}

const CLUSTERS = new Intl.Segmenter('en');

/** The beginning of a line up to `end`, or a little less: what a reader takes for one character stays whole. */
function wholeAt(line: string, end: number): string {
  return line.slice(0, CLUSTERS.segment(line).containing(end)?.index ?? end);
}

/** A table's own colour: its hue comes from chain and id, so that neighbours look different. */
export function hueOf({ chainId, tableId }: Pick<TableView, 'chainId' | 'tableId'>): number {
  let hash = chainId >>> 0;
  for (const digit of tableId) hash = (Math.imul(hash, 31) + digit.charCodeAt(0)) >>> 0;
  // Neighbours differ by one: steps of the golden angle keep them apart.
  return Math.round((hash * 137.508) % 360);
}

/** Numbers end where others of their column end. */
export function holdsNumbers({ type }: ViewColumn): boolean {
  return /^(?:integer|int|real)$/i.test(type);
}

export function isoDate(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? 'unknown' : date.toISOString().slice(0, 10);
}

export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 row`, `2 rows`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}
