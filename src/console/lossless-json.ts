// Reads JSON without losing a digit: numbers and nested values stay the text that was sent. Reads whatever is
// there of a text that was cut off. No DOM.
import { visibleJson } from './visible.ts';

/** A number as written; may have more digits than a JavaScript number keeps. */
export interface NumberText {
  readonly number: string;
}
/** An object or array as written. */
export interface NestedText {
  readonly json: string;
}
export type Cell = null | boolean | string | NumberText | NestedText;

/** The text ends inside a value. */
export class Cut extends Error {}

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/y;
const PLAIN = /[^"\\[\]{}]*/y;

export function skipSpace(text: string, at: number): number {
  // Past the end a sticky expression starts again at 0.
  if (at >= text.length) return at;
  SPACE.lastIndex = at;
  SPACE.test(text);
  return SPACE.lastIndex;
}

/** Where the string that starts at `at` ends. */
function endOfString(text: string, at: number): number {
  for (let end = at + 1; ; end++) {
    end = text.indexOf('"', end);
    if (end < 0) throw new Cut();
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
}

function endOfNested(text: string, at: number): number {
  let depth = 0;
  for (let end = at; end < text.length; ) {
    const character = text[end];
    if (character === '"') {
      end = endOfString(text, end);
      continue;
    }
    if (character === '{' || character === '[') depth++;
    if (character === '}' || character === ']') depth--;
    end++;
    if (depth === 0) return end;
    PLAIN.lastIndex = end;
    PLAIN.test(text);
    end = PLAIN.lastIndex;
  }
  throw new Cut();
}

/** The end of the value that starts at `at`. */
export function endOfValue(text: string, at: number): number {
  const first = text[at];
  if (first === undefined) throw new Cut();
  if (first === '"') return endOfString(text, at);
  if (first === '{' || first === '[') return endOfNested(text, at);
  SCALAR.lastIndex = at;
  // A number at the very end may go on in what is missing; the callers know whether something is.
  if (!SCALAR.test(text)) {
    if (text.length - at < 5) throw new Cut();
    throw new Error(`no JSON value at ${at}`);
  }
  return SCALAR.lastIndex;
}

export function readCell(text: string, from: number, to: number): Cell {
  const first = text[from];
  if (first === '"') return JSON.parse(text.slice(from, to)) as string;
  if (first === '{' || first === '[') return { json: text.slice(from, to) };
  const word = text.slice(from, to);
  if (word === 'null') return null;
  if (word === 'true' || word === 'false') return word === 'true';
  return { number: word };
}

/**
 * Calls `each` with the borders of every item of the array that starts at `at`.
 * @returns the end of the array
 * @throws Cut where the text ends before it; the items before the cut were given
 */
export function eachItem(text: string, at: number, each: (from: number, to: number) => void): number {
  if (text[at] === undefined) throw new Cut();
  if (text[at] !== '[') throw new Error(`no array at ${at}`);
  let here = skipSpace(text, at + 1);
  if (text[here] === ']') return here + 1;
  for (;;) {
    const end = endOfValue(text, here);
    const next = skipSpace(text, end);
    // Only what is followed by something is known to be whole.
    if (text[next] === undefined) throw new Cut();
    each(here, end);
    if (text[next] === ']') return next + 1;
    if (text[next] !== ',') throw new Error(`neither , nor ] at ${next}`);
    here = skipSpace(text, next + 1);
  }
}

/** Calls `each` with the name and the value's borders of every member of the object that starts at `at`. */
export function eachMember(
  text: string,
  at: number,
  each: (name: string, from: number, to: number) => void,
): number {
  if (text[at] === undefined) throw new Cut();
  if (text[at] !== '{') throw new Error(`no object at ${at}`);
  let here = skipSpace(text, at + 1);
  if (text[here] === '}') return here + 1;
  for (;;) {
    const nameEnd = endOfValue(text, here);
    const name = JSON.parse(text.slice(here, nameEnd)) as string;
    const from = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const to = endOfValue(text, from);
    each(name, from, to);
    const next = skipSpace(text, to);
    if (text[next] === undefined) throw new Cut();
    if (text[next] === '}') return next + 1;
    here = skipSpace(text, next + 1);
  }
}

/** A piece of JSON as it is shown: what it is, and its text. */
export type Piece = readonly ['key' | 'string' | 'number' | 'word' | 'mark', string];

/** Lays JSON out over lines, every digit and escape as sent, and escapes for what is not seen; a text that is cut off is laid out up to its end. */
export function prettyPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let indent = 0;
  const line = (): string => `\n${'  '.repeat(indent)}`;
  const token = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+|\n/gy;
  token.lastIndex = skipSpace(text, 0);
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [word] = match;
    const next = text[skipSpace(text, token.lastIndex)];
    if (word === '{' || word === '[') {
      const empty = next === '}' || next === ']';
      if (!empty) indent++;
      pieces.push(['mark', empty ? word : word + line()]);
    } else if (word === '}' || word === ']') {
      const opened = pieces.at(-1)?.[1];
      const empty = opened === '{' || opened === '[';
      if (!empty) indent = Math.max(0, indent - 1);
      pieces.push(['mark', empty ? word : line() + word]);
    } else if (word === ',') pieces.push(['mark', `,${line()}`]);
    else if (word === ':') pieces.push(['mark', ': ']);
    else if (word === '\n') pieces.push(['mark', '\n']);
    else if (word.startsWith('"')) pieces.push([next === ':' ? 'key' : 'string', visibleJson(word)]);
    else pieces.push([/^[-\d]/.test(word) ? 'number' : 'word', word]);
    // Lines of JSON values stay lines; other space is laid out anew.
    const spaceEnd = skipSpace(text, token.lastIndex);
    const newline = indent === 0 ? text.slice(token.lastIndex, spaceEnd).includes('\n') : false;
    if (newline) pieces.push(['mark', '\n']);
    token.lastIndex = spaceEnd;
  }
  return pieces;
}
