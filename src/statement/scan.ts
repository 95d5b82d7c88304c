// Where one token of SQLite's lexical grammar ends (sqlite.org/lang_expr.html, tokenize.c's rules): each
// function takes the text and the token's first index and gives the index after its last character, or -1
// where it is not closed. Knows nothing of statements.

const SPACE = 1;
const DIGIT = 2;
const HEX = 4;
/** Letters, `_` and everything past ASCII may start a name; digits and `$` may follow. */
const NAME_START = 8;
const NAME_PART = 16;

const CLASSES = new Uint8Array(128);
const mark = (characters: string, bits: number): void => {
  for (const character of characters) CLASSES[character.charCodeAt(0)]! |= bits;
};
mark(' \t\n\f\r', SPACE);
mark('0123456789', DIGIT | HEX | NAME_PART);
mark('abcdefABCDEF', HEX);
mark('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_', NAME_START | NAME_PART);
mark('$', NAME_PART);

// NaN, which charCodeAt gives past the end, is of no class.
const classOf = (code: number): number => (code >= 128 ? NAME_START | NAME_PART : (CLASSES[code] ?? 0));

export const isSpace = (code: number): boolean => code < 128 && (CLASSES[code]! & SPACE) !== 0;
export const isDigit = (code: number): boolean => code >= 48 && code <= 57;
export const isNameStart = (code: number): boolean => (classOf(code) & NAME_START) !== 0;
export const isNamePart = (code: number): boolean => (classOf(code) & NAME_PART) !== 0;

const isHex = (code: number): boolean => code < 128 && (CLASSES[code]! & HEX) !== 0;
const QUOTE = 39;
const DOT = 46;
const PLUS = 43;
const MINUS = 45;

export function endOfName(text: string, start: number): number {
  let at = start + 1;
  while (isNamePart(text.charCodeAt(at))) at++;
  return at;
}

/** A string or quoted name, in which the closing quote stands for itself when doubled. */
export function endOfQuoted(text: string, start: number, quote: number): number {
  const closing = String.fromCharCode(quote);
  let at = start + 1;
  for (;;) {
    at = text.indexOf(closing, at);
    if (at < 0) return -1;
    if (text.charCodeAt(at + 1) !== quote) return at + 1;
    at += 2;
  }
}

/** `x'...'` from its `x`; -1 also where the digits are not hexadecimal or odd in number. */
export function endOfBlob(text: string, start: number): number {
  let at = start + 2;
  while (isHex(text.charCodeAt(at))) at++;
  if (text.charCodeAt(at) !== QUOTE || (at - start) % 2 !== 0) return -1;
  return at + 1;
}

/**
 * End of a number; -1 where it is cut off (`0x`, `1e`) or runs into a name, which SQLite refuses. The reference
 * lets a name follow on the digits of an integer, as in `1and`, and so it does here. A real is one with a point
 * or an exponent: see {@link isReal}.
 */
export function endOfNumber(text: string, start: number): number {
  let at = start;
  let plain = false;
  if (isHexNumber(text, at)) {
    at += 3;
    while (isHex(text.charCodeAt(at))) at++;
  } else {
    while (isDigit(text.charCodeAt(at))) at++;
    plain = startsWord(text.charCodeAt(at)) && !isCutHex(text, start, at);
    if (text.charCodeAt(at) === DOT) {
      at++;
      while (isDigit(text.charCodeAt(at))) at++;
    }
    if ((text.charCodeAt(at) | 32) === 101) {
      const sign = text.charCodeAt(at + 1);
      const digits = at + (sign === PLUS || sign === MINUS ? 2 : 1);
      if (isDigit(text.charCodeAt(digits))) {
        at = digits + 1;
        while (isDigit(text.charCodeAt(at))) at++;
      }
    }
  }
  return !plain && isNamePart(text.charCodeAt(at)) ? -1 : at;
}

/** An `e` would begin an exponent. */
const startsWord = (code: number): boolean => code < 128 && isNameStart(code) && (code | 32) !== 101;

const isCutHex = (text: string, start: number, at: number): boolean =>
  at === start + 1 && text.charCodeAt(start) === 48 && (text.charCodeAt(at) | 32) === 120;

/** Of integers: 2^63 itself is one as half of -2^63, whatever is larger is a real (lang_expr.html section 3). */
const LARGEST = 2n ** 63n;
const LARGEST_DIGITS = 19;

/** Whether the number from `start` to `end` is a real. */
export function isReal(text: string, start: number, end: number): boolean {
  if (isHexNumber(text, start)) return false;
  for (let at = start; at < end; at++) if (!isDigit(text.charCodeAt(at))) return true;
  return end - start >= LARGEST_DIGITS && BigInt(text.slice(start, end)) > LARGEST;
}

const isHexNumber = (text: string, at: number): boolean =>
  text.charCodeAt(at) === 48 && (text.charCodeAt(at + 1) | 32) === 120 && isHex(text.charCodeAt(at + 2));

const SINGLE = new Uint8Array(128);
for (const character of '(),.+*/%&~-|=<>') SINGLE[character.charCodeAt(0)] = 1;

const LESS = 60;
const EQUALS = 61;
const GREATER = 62;
const PIPE = 124;
const BANG = 33;

/** Length of the operator or punctuation at `at`; 0 where no SQL token starts with that character. */
export function operatorLength(text: string, at: number, code: number): number {
  const next = text.charCodeAt(at + 1);
  if (code === BANG) return next === EQUALS ? 2 : 0;
  if (code >= 128 || SINGLE[code] === 0) return 0;
  if (code === MINUS && next === GREATER) return text.charCodeAt(at + 2) === GREATER ? 3 : 2;
  if (code === PIPE && next === PIPE) return 2;
  if (code === LESS && (next === EQUALS || next === GREATER || next === LESS)) return 2;
  if (code === GREATER && (next === EQUALS || next === GREATER)) return 2;
  if (code === EQUALS && next === EQUALS) return 2;
  return 1;
}
