// Where in a statement's text a token of its shape stands, and how the reference tells of a place: by bytes, and
// by the token itself. Runs where a statement is wrong, never where it is right.
import { syntaxError } from '../base/reference-words.ts';
import {
  endOfBlob,
  endOfName,
  endOfNumber,
  endOfQuoted,
  isDigit,
  isNameStart,
  isSpace,
  operatorLength,
} from './scan.ts';

/**
 * The reference's message for a token that does not fit.
 * @param token its index in the shape; as many as there are, or more: the end, or what is not closed there
 * @param semicolons how many to pass over before it: they are no tokens of the shape
 */
export function syntaxErrorAt(text: string, token: number, semicolons = 0): string {
  let passed = 0;
  let last = '';
  let count = 0;
  let at = startOf(text);
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (isSpace(code)) {
      at++;
      continue;
    }
    const comment = endOfComment(text, at);
    if (comment > at) {
      at = comment;
      continue;
    }
    const end = endOfToken(text, at);
    last = nearOf(text.slice(at, end));
    // A semicolon stands where the next token would.
    if (count === token && (code !== SEMICOLON || passed++ === semicolons))
      return syntaxError(bytesUpTo(text, end), last);
    if (code !== SEMICOLON) count++;
    at = end;
  }
  return syntaxError(bytesUpTo(text, text.length), last);
}

/** The same for what is no token at all. */
export function syntaxErrorIn(text: string, from: number, to: number, position: number): string {
  return syntaxError(bytesUpTo(text, position), text.slice(from, to).toWellFormed());
}

/** First index after a byte order mark. */
export function startOf(text: string): number {
  return text.charCodeAt(0) === 0xfeff ? 1 : 0;
}

const SEMICOLON = 59;
const MINUS = 45;
const SLASH = 47;
const STAR = 42;
const QUOTE = 39;

function bytesUpTo(text: string, end: number): number {
  return Buffer.byteLength(text.slice(0, end));
}

/** A blob's digits stand alone, and so does a quoted name that is not closed; everything else as it is written. */
function nearOf(token: string): string {
  if (/^x'/i.test(token)) return token.slice(2).replace("'", '');
  const quote = token.charAt(0);
  if (quote !== '"' && quote !== '`' && quote !== '[') return token;
  return token.length > 1 && token.endsWith(quote === '[' ? ']' : quote) ? token : token.slice(1);
}

/** The index after a comment that begins here; the same index where none does. */
function endOfComment(text: string, at: number): number {
  const [code, next] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
  if (code === MINUS && next === MINUS) return text.indexOf('\n', at) + 1 || text.length;
  if (code === SLASH && next === STAR) return text.indexOf('*/', at + 2) + 2 || text.length;
  return at;
}

function endOfToken(text: string, at: number): number {
  const code = text.charCodeAt(at);
  const next = text.charCodeAt(at + 1);
  let end: number;
  if ((code | 32) === 120 && next === QUOTE) end = endOfBlob(text, at);
  else if (isNameStart(code)) end = endOfName(text, at);
  else if (code === QUOTE || code === 34 || code === 96) end = endOfQuoted(text, at, code);
  else if (code === 91) end = text.indexOf(']', at) + 1;
  else if (isDigit(code) || (code === 46 && isDigit(next))) end = endOfNumber(text, at);
  else end = at + operatorLength(text, at, code);
  if (end > at) return end;
  return code === QUOTE || code === 34 || code === 96 || code === 91 || next === QUOTE ? text.length : at + 1;
}
