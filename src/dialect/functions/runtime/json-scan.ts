// Reads JSON text in place, by SQLite 3.39's grammar (json1.html section 3; RFC 8259, no JSON5): one pass, no
// tree. Deeper than SQLite's own bound counts as malformed.
import { GatewayError } from '../../../errors.ts';

/** json.c JSON_MAX_DEPTH */
const MAX_DEPTH = 2000;

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;

export type JsonType = 'null' | 'true' | 'false' | 'integer' | 'real' | 'text' | 'array' | 'object';

export function skipSpace(text: string, start: number): number {
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return at;
    at++;
  }
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isHex = (code: number): boolean => isDigit(code) || ((code | 32) >= 97 && (code | 32) <= 102);
const isName = (code: number): boolean => isDigit(code) || ((code | 32) >= 97 && (code | 32) <= 122);

/** Index after the string that starts with the quote at `start`, or -1. */
export function skipString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    // Also NaN, past the end.
    if (!(code > 0x1f)) return -1;
    at++;
    if (code !== BACKSLASH) continue;
    const escaped = text[at++];
    if (escaped === 'u') {
      for (let i = 0; i < 4; i++) if (!isHex(text.charCodeAt(at++))) return -1;
    } else if (escaped === undefined || !'"\\/bfnrt'.includes(escaped)) return -1;
  }
}

function skipNumber(text: string, start: number): number {
  let at = start;
  if (text[at] === '-') at++;
  const first = at;
  while (isDigit(text.charCodeAt(at))) at++;
  if (at === first || (text[first] === '0' && at > first + 1)) return -1;
  if (text[at] === '.') {
    const fraction = ++at;
    while (isDigit(text.charCodeAt(at))) at++;
    if (at === fraction) return -1;
  }
  if (text[at] === 'e' || text[at] === 'E') {
    at++;
    if (text[at] === '+' || text[at] === '-') at++;
    const exponent = at;
    while (isDigit(text.charCodeAt(at))) at++;
    if (at === exponent) return -1;
  }
  return at;
}

/** Index after the value that starts at `start` (no space before it), or -1 where it is malformed. */
export function skipValue(text: string, start: number, depth = 0): number {
  switch (text[start]) {
    case '{':
    case '[':
      return skipContainer(text, start, depth + 1);
    case '"':
      return skipString(text, start);
    case 't':
      return skipWord(text, start, 'true');
    case 'f':
      return skipWord(text, start, 'false');
    case 'n':
      return skipWord(text, start, 'null');
    default:
      return skipNumber(text, start);
  }
}

function skipWord(text: string, start: number, word: string): number {
  const end = start + word.length;
  return text.startsWith(word, start) && !isName(text.charCodeAt(end)) ? end : -1;
}

function skipContainer(text: string, start: number, depth: number): number {
  if (depth > MAX_DEPTH) return -1;
  const object = text[start] === '{';
  const close = object ? 125 : 93;
  let at = skipSpace(text, start + 1);
  if (text.charCodeAt(at) === close) return at + 1;
  for (;;) {
    if (object) {
      if (text.charCodeAt(at) !== QUOTE) return -1;
      at = skipString(text, at);
      if (at < 0) return -1;
      at = skipSpace(text, at);
      if (text.charCodeAt(at) !== COLON) return -1;
      at = skipSpace(text, at + 1);
    }
    at = skipValue(text, at, depth);
    if (at < 0) return -1;
    at = skipSpace(text, at);
    const code = text.charCodeAt(at);
    if (code === close) return at + 1;
    if (code !== COMMA) return -1;
    at = skipSpace(text, at + 1);
  }
}

/** Start of the only value of a text, or -1 where the text is not JSON. */
export function validStart(text: string): number {
  const start = skipSpace(text, 0);
  const end = skipValue(text, start);
  return end >= 0 && skipSpace(text, end) === text.length ? start : -1;
}

export const isJson = (text: string): boolean => validStart(text) >= 0;

/** @throws GatewayError run-failed, as SQLite fails while it runs */
export function jsonStart(text: string): number {
  const start = validStart(text);
  if (start < 0) throw new GatewayError('run-failed', 'malformed JSON');
  return start;
}

/** Of a value in valid JSON. */
export function typeAt(text: string, start: number): JsonType {
  switch (text[start]) {
    case '{':
      return 'object';
    case '[':
      return 'array';
    case '"':
      return 'text';
    case 't':
      return 'true';
    case 'f':
      return 'false';
    case 'n':
      return 'null';
    default:
      return /[.eE]/.test(text.slice(start, skipNumber(text, start))) ? 'real' : 'integer';
  }
}

/**
 * Visits the items of an array or the members of an object in valid JSON.
 * @param visit gets each value's start, and its label's (with quotes) where there is one; true ends the visit
 */
export function eachItem(
  text: string,
  start: number,
  visit: (value: number, label: number) => boolean,
): void {
  const object = text[start] === '{';
  let at = skipSpace(text, start + 1);
  if (text[at] === '}' || text[at] === ']') return;
  for (;;) {
    let label = -1;
    if (object) {
      label = at;
      at = skipSpace(text, skipSpace(text, skipString(text, at)) + 1);
    }
    if (visit(at, label)) return;
    at = skipSpace(text, skipValue(text, at));
    if (text.charCodeAt(at) !== COMMA) return;
    at = skipSpace(text, at + 1);
  }
}
