// Text to JSON: as a string, or embedded where it is JSON itself. Works on UTF-8 bytes; never recurses, so
// that nesting in data costs no stack.
import type { ByteWriter } from './byte-writer.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** Go's encoding/json, which the reference asks, takes no text nested deeper. */
const MAX_DEPTH = 10_000;

const HEX = '0123456789abcdef';
/** 1 for bytes that a JSON string cannot hold as they are (RFC 8259 section 7). */
const ESCAPED = new Uint8Array(256);
const SHORT = new Map([
  [0x08, 'b'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0c, 'f'],
  [0x0d, 'r'],
  [QUOTE, '"'],
  [BACKSLASH, '\\'],
]);
for (let code = 0; code < 0x20; code++) ESCAPED[code] = 1;
ESCAPED[QUOTE] = 1;
ESCAPED[BACKSLASH] = 1;

/** Text of a cell: embedded where it starts, after spaces only, with `{` or `[` and is valid JSON; else a string. */
export function writeText(out: ByteWriter, source: Uint8Array, from: number, to: number): void {
  let first = from;
  while (first < to && source[first] === 0x20) first++;
  const start = first < to ? source[first] : 0;
  if ((start === OPEN_OBJECT || start === OPEN_ARRAY) && embed(out, source, first, to)) return;
  writeString(out, source, from, to);
}

export function writeString(out: ByteWriter, source: Uint8Array, from: number, to: number): void {
  out.reserve(to - from + 2);
  let bytes = out.bytes;
  let at = out.length;
  bytes[at++] = QUOTE;
  for (let i = from; i < to; i++) {
    const code = source[i] as number;
    if (ESCAPED[code] === 0) {
      bytes[at++] = code;
      continue;
    }
    // An escape takes up to five bytes more than was reserved for its character.
    out.length = at;
    out.reserve(to - i + 7);
    bytes = out.bytes;
    bytes[at++] = BACKSLASH;
    const short = SHORT.get(code);
    if (short !== undefined) bytes[at++] = short.charCodeAt(0);
    else {
      bytes[at++] = 0x75;
      bytes[at++] = ZERO;
      bytes[at++] = ZERO;
      bytes[at++] = HEX.charCodeAt(code >> 4);
      bytes[at++] = HEX.charCodeAt(code & 15);
    }
  }
  bytes[at++] = QUOTE;
  out.length = at;
}

/** What may come next. */
const VALUE = 0;
const VALUE_OR_CLOSE = 1;
const KEY = 2;
const KEY_OR_CLOSE = 3;
const COLON_NEXT = 4;
const COMMA_OR_CLOSE = 5;
const NOTHING = 6;

const stack = new Uint8Array(MAX_DEPTH + 1);

/**
 * Checks (as strictly as RFC 8259) and copies in one pass, without the space between tokens: a line break
 * would tear a row of an unwrapped answer. Writes nothing and gives false where the text is not JSON.
 */
function embed(out: ByteWriter, source: Uint8Array, from: number, to: number): boolean {
  out.reserve(to - from);
  const bytes = out.bytes;
  let at = out.length;
  let depth = 0;
  let state = VALUE;
  let i = from;
  while (i < to) {
    const code = source[i] as number;
    if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      i++;
      continue;
    }
    if (state === NOTHING) return false;
    if (code === QUOTE) {
      if (state === COLON_NEXT || state === COMMA_OR_CLOSE) return false;
      const end = stringEnd(source, i, to);
      if (end < 0) return false;
      while (i < end) bytes[at++] = source[i++] as number;
      state = state === KEY || state === KEY_OR_CLOSE ? COLON_NEXT : COMMA_OR_CLOSE;
    } else if (code === COMMA) {
      if (state !== COMMA_OR_CLOSE) return false;
      state = stack[depth] === OPEN_OBJECT ? KEY : VALUE;
      bytes[at++] = code;
      i++;
    } else if (code === COLON) {
      if (state !== COLON_NEXT) return false;
      state = VALUE;
      bytes[at++] = code;
      i++;
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      const opened = code === CLOSE_OBJECT ? OPEN_OBJECT : OPEN_ARRAY;
      const empty = code === CLOSE_OBJECT ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
      if (depth === 0 || stack[depth] !== opened || (state !== COMMA_OR_CLOSE && state !== empty))
        return false;
      depth--;
      state = depth === 0 ? NOTHING : COMMA_OR_CLOSE;
      bytes[at++] = code;
      i++;
    } else {
      if (state !== VALUE && state !== VALUE_OR_CLOSE) return false;
      if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
        if (depth === MAX_DEPTH) return false;
        stack[++depth] = code;
        state = code === OPEN_OBJECT ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
        bytes[at++] = code;
        i++;
      } else {
        const end =
          code === MINUS || (code >= ZERO && code <= NINE)
            ? numberEnd(source, i, to)
            : wordEnd(source, i, to);
        if (end < 0) return false;
        while (i < end) bytes[at++] = source[i++] as number;
        state = COMMA_OR_CLOSE;
      }
    }
  }
  if (state !== NOTHING) return false;
  out.length = at;
  return true;
}

/** Each gives the index after the token, or -1. */
function stringEnd(source: Uint8Array, start: number, to: number): number {
  for (let i = start + 1; i < to; i++) {
    const code = source[i] as number;
    if (code === QUOTE) return i + 1;
    if (code < 0x20) return -1;
    if (code !== BACKSLASH) continue;
    i++;
    const escaped = i < to ? (source[i] as number) : 0;
    if (escaped === 0x75) {
      for (let digit = 1; digit <= 4; digit++) if (!isHex(i + digit < to ? source[i + digit] : 0)) return -1;
      i += 4;
    } else if ('"\\/bfnrt'.indexOf(String.fromCharCode(escaped)) < 0) return -1;
  }
  return -1;
}

function isHex(code: number | undefined): boolean {
  if (code === undefined) return false;
  return (code >= ZERO && code <= NINE) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}

function numberEnd(source: Uint8Array, start: number, to: number): number {
  let i = start;
  const digits = (): boolean => {
    const first = i;
    while (i < to && (source[i] as number) >= ZERO && (source[i] as number) <= NINE) i++;
    return i > first;
  };
  if (source[i] === MINUS) i++;
  if (source[i] === ZERO && i < to) i++;
  else if (!digits()) return -1;
  if (i < to && source[i] === 0x2e) {
    i++;
    if (!digits()) return -1;
  }
  if (i < to && (source[i] === 0x65 || source[i] === 0x45)) {
    i++;
    if (i < to && (source[i] === 0x2b || source[i] === MINUS)) i++;
    if (!digits()) return -1;
  }
  return i;
}

const WORDS = ['true', 'false', 'null'].map((word) => Buffer.from(word));

function wordEnd(source: Uint8Array, start: number, to: number): number {
  for (const word of WORDS)
    if (start + word.length <= to && word.every((code, i) => source[start + i] === code))
      return start + word.length;
  return -1;
}
