// Text to JSON: as a string, or embedded where it is JSON itself. Works on UTF-8 bytes and never recurses, so
// that nesting in data costs no stack. Whoever calls has made room: see mostBytes.

import { type Memory, memoryOf } from './byte-writer.ts';
import type { Texts } from './column-data.ts';

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
const SPACE = 0x20;

/** Go's encoding/json, which the reference asks, takes no text nested deeper. */
const MAX_DEPTH = 10_000;
/** Below this a text's room is taken for the worst case; above, its escapes are counted. */
const COUNT_BYTES = 4096;

const HEX = '0123456789abcdef';
/** 0: stands for itself in a JSON string; 1: six bytes as \u00xx; else the letter of its short escape (RFC 8259 section 7). */
const ESCAPE = new Uint8Array(256);
ESCAPE.fill(1, 0, SPACE);
for (const [code, letter] of [
  [0x08, 'b'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0c, 'f'],
  [0x0d, 'r'],
  [QUOTE, '"'],
  [BACKSLASH, '\\'],
] as const)
  ESCAPE[code] = letter.charCodeAt(0);

/** The most bytes that a text can take as JSON. */
export function mostBytes(source: Uint8Array, from: number, to: number): number {
  if (to - from <= COUNT_BYTES) return (to - from) * 6 + 2;
  let escapes = 0;
  for (let i = from; i < to; i++) if (ESCAPE[source[i] as number] !== 0) escapes++;
  return to - from + escapes * 5 + 2;
}

/** Text of a cell: embedded where it starts, after spaces only, with `{` or `[` and is valid JSON; else a string. */
export function writeText(out: Memory, at: number, source: Memory, from: number, to: number): number {
  const { bytes } = source;
  let first = from;
  while (first < to && bytes[first] === SPACE) first++;
  const start = first < to ? bytes[first] : 0;
  if (start === OPEN_OBJECT || start === OPEN_ARRAY) {
    const end = embed(out.bytes, at, bytes, first, to);
    if (end >= 0) return end;
  }
  return writeString(out, at, source, from, to);
}

export function writeString(out: Memory, place: number, source: Memory, from: number, to: number): number {
  const { bytes, view } = out;
  let at = place;
  bytes[at++] = QUOTE;
  let i = from;
  for (; i + 4 <= to; i += 4) {
    const four = source.view.getInt32(i, true);
    if (escapesOf(four) !== 0) at = writeEscaped(bytes, at, source.bytes, i, i + 4);
    else {
      view.setInt32(at, four, true);
      at += 4;
    }
  }
  const left = to - i;
  if (left > 0 && i + 4 <= source.bytes.length) {
    // What stands behind the text does not count, and what is written of it is written over.
    const four = (source.view.getInt32(i, true) & FIRST_BYTES[left]!) | (0x20202020 & ~FIRST_BYTES[left]!);
    if (escapesOf(four) === 0 && at + 4 <= bytes.length) {
      view.setInt32(at, four, true);
      at += left;
      i = to;
    }
  }
  at = writeEscaped(bytes, at, source.bytes, i, to);
  bytes[at++] = QUOTE;
  return at;
}

const FIRST_BYTES = [0, 0xff, 0xffff, 0xffffff] as const;

/**
 * Not 0 where one of four bytes may be a control character, a quote or a backslash: `(x - n) & ~x` has the high bit
 * of a byte below n set (Bit Twiddling Hacks, "Determine if a word has a byte less than n"); seldom that of another.
 */
function escapesOf(four: number): number {
  const quote = four ^ 0x22222222;
  const backslash = four ^ 0x5c5c5c5c;
  const below = ((four - 0x20202020) | 0) & ~four;
  const quotes = ((quote - 0x01010101) | 0) & ~quote;
  const backslashes = ((backslash - 0x01010101) | 0) & ~backslash;
  return (below | quotes | backslashes) & 0x80808080;
}

/** Whether each is a JSON string as it stands: none has what needs an escape, or may be JSON. */
export function arePlain(texts: Texts, count: number): boolean {
  const { view, starts, lengths } = texts;
  const from = starts[0] as number;
  const to = (starts[count - 1] as number) + (lengths[count - 1] as number);
  const whole = from + ((to - from) & ~3);
  return (
    !wordsNeedEscapes(view, from, whole) &&
    !bytesNeedEscapes(texts.bytes, whole, to) &&
    !mayBeJson(texts, count)
  );
}

/** Each loop has a function of its own: V8 takes one that was compiled within the loop before it back at its end. */
function wordsNeedEscapes(view: DataView, from: number, to: number): boolean {
  let bits = 0;
  for (let i = from; i < to; i += 4) bits |= escapesOf(view.getInt32(i, true));
  return bits !== 0;
}

function bytesNeedEscapes(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (ESCAPE[bytes[i] as number] !== 0) return true;
  return false;
}

function mayBeJson({ bytes, starts, lengths }: Texts, count: number): boolean {
  for (let row = 0; row < count; row++) {
    if (lengths[row] === 0) continue;
    const code = bytes[starts[row] as number];
    if (code === OPEN_OBJECT || code === OPEN_ARRAY || code === SPACE) return true;
  }
  return false;
}

function writeEscaped(
  bytes: Uint8Array,
  place: number,
  source: Uint8Array,
  from: number,
  to: number,
): number {
  let at = place;
  for (let i = from; i < to; i++) {
    const code = source[i] as number;
    const escaped = ESCAPE[code] as number;
    if (escaped === 0) bytes[at++] = code;
    else {
      bytes[at++] = BACKSLASH;
      if (escaped !== 1) bytes[at++] = escaped;
      else {
        bytes[at++] = 0x75;
        bytes[at++] = ZERO;
        bytes[at++] = ZERO;
        bytes[at++] = HEX.charCodeAt(code >> 4);
        bytes[at++] = HEX.charCodeAt(code & 15);
      }
    }
  }
  return at;
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
 * would tear a row of an unwrapped answer. Gives -1 where the text is not JSON.
 */
function embed(bytes: Uint8Array, place: number, source: Uint8Array, from: number, to: number): number {
  let at = place;
  let depth = 0;
  let state = VALUE;
  let i = from;
  while (i < to) {
    const code = source[i] as number;
    if (code === SPACE || code === 0x0a || code === 0x0d || code === 0x09) {
      i++;
      continue;
    }
    if (state === NOTHING) return -1;
    if (code === QUOTE) {
      if (state === COLON_NEXT || state === COMMA_OR_CLOSE) return -1;
      const end = stringEnd(source, i, to);
      if (end < 0) return -1;
      while (i < end) bytes[at++] = source[i++] as number;
      state = state === KEY || state === KEY_OR_CLOSE ? COLON_NEXT : COMMA_OR_CLOSE;
    } else if (code === COMMA) {
      if (state !== COMMA_OR_CLOSE) return -1;
      state = stack[depth] === OPEN_OBJECT ? KEY : VALUE;
      bytes[at++] = code;
      i++;
    } else if (code === COLON) {
      if (state !== COLON_NEXT) return -1;
      state = VALUE;
      bytes[at++] = code;
      i++;
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      const opened = code === CLOSE_OBJECT ? OPEN_OBJECT : OPEN_ARRAY;
      const empty = code === CLOSE_OBJECT ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
      if (depth === 0 || stack[depth] !== opened || (state !== COMMA_OR_CLOSE && state !== empty)) return -1;
      depth--;
      state = depth === 0 ? NOTHING : COMMA_OR_CLOSE;
      bytes[at++] = code;
      i++;
    } else {
      if (state !== VALUE && state !== VALUE_OR_CLOSE) return -1;
      if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
        if (depth === MAX_DEPTH) return -1;
        stack[++depth] = code;
        state = code === OPEN_OBJECT ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
        bytes[at++] = code;
        i++;
      } else {
        const isNumber = code === MINUS || (code >= ZERO && code <= NINE);
        const end = isNumber ? numberEnd(source, i, to) : wordEnd(source, i, to, code);
        if (end < 0) return -1;
        while (i < end) bytes[at++] = source[i++] as number;
        state = COMMA_OR_CLOSE;
      }
    }
  }
  return state === NOTHING ? at : -1;
}

/** Each gives the index after the token, or -1. */
function stringEnd(source: Uint8Array, start: number, to: number): number {
  for (let i = start + 1; i < to; i++) {
    const code = source[i] as number;
    if (code === QUOTE) return i + 1;
    if (code < SPACE) return -1;
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

/** The index after a run of digits. */
function digitsEnd(source: Uint8Array, start: number, to: number): number {
  let i = start;
  while (i < to && (source[i] as number) >= ZERO && (source[i] as number) <= NINE) i++;
  return i;
}

function numberEnd(source: Uint8Array, start: number, to: number): number {
  const first = source[start] === MINUS ? start + 1 : start;
  if (first >= to) return -1;
  let i = source[first] === ZERO ? first + 1 : digitsEnd(source, first, to);
  if (i === first) return -1;
  if (i < to && source[i] === 0x2e) {
    const end = digitsEnd(source, i + 1, to);
    if (end === i + 1) return -1;
    i = end;
  }
  if (i < to && (source[i] === 0x65 || source[i] === 0x45)) {
    const signed = i + 1 < to && (source[i + 1] === 0x2b || source[i + 1] === MINUS) ? i + 2 : i + 1;
    const end = digitsEnd(source, signed, to);
    if (end === signed) return -1;
    i = end;
  }
  return i;
}

const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');
const NULL = Buffer.from('null');

function wordEnd(source: Uint8Array, start: number, to: number, code: number): number {
  const word = code === 0x74 ? TRUE : code === 0x66 ? FALSE : NULL;
  if (start + word.length > to) return -1;
  for (let i = 0; i < word.length; i++) if (source[start + i] !== word[i]) return -1;
  return start + word.length;
}

/** A text as a cell of its own: for few rows. */
export function textCell(text: string): string {
  const source = Buffer.from(text, 'utf8');
  const out = new Uint8Array(mostBytes(source, 0, source.length) + 4);
  const end = writeText(memoryOf(out), 0, memoryOf(source), 0, source.length);
  return Buffer.from(out.buffer, 0, end).toString('utf8');
}
