// Reads a statement once: its shape (canonical text with the literals lifted out), the literals in order,
// and whether it can be a read at all. Does not parse: the worker does that, once a shape. Runs in the front
// for every request, so it is one pass over the text without regular expressions.
import { GatewayError } from '../errors.ts';
import type { Literal } from '../protocol.ts';
import { type ParamValue, paramLiteral } from './param.ts';
import {
  endOfBlob,
  endOfName,
  endOfNumber,
  endOfQuoted,
  isDigit,
  isNameStart,
  isReal,
  isSpace,
  operatorLength,
} from './scan.ts';

export type { ParamValue };

export interface Statement {
  /**
   * Tokens joined by single spaces, comments gone, each literal a marker: `?i` integer, `?r` real, `?t` text,
   * `?b` blob, `?n` NULL given as a param. Names and keywords stay as written: they name columns. A client
   * cannot write a marker, since a `?` followed by a letter is refused.
   */
  readonly shape: string;
  readonly literals: readonly Literal[];
}

/** Deeper than any sane statement; the parser, which recurses, has a lower bound of its own. */
const MAX_PARENTHESES = 250;
/** A statement of 35,000 bytes has at most 35,000 tokens: this holds where the limit in bytes is raised. */
const MAX_TOKENS = 100_000;

const MARKERS: Record<Literal['kind'], string> = {
  integer: '?i',
  real: '?r',
  text: '?t',
  blob: '?b',
  null: '?n',
};

const READS = new Set(['select', 'with', 'values']);

/**
 * @param maxBytes of the statement in UTF-8
 * @throws GatewayError with a statement-* or wrong-params code
 */
export function readStatement(text: string, params: readonly ParamValue[], maxBytes: number): Statement {
  checkText(text, maxBytes);
  const literals: Literal[] = [];
  let shape = '';
  /** The text from `copyFrom` to `copyTo` is canonical already and not yet in the shape: most of a statement. */
  let copyFrom = -1;
  let copyTo = -1;
  let tokens = 0;
  let parentheses = 0;
  let usedParams = 0;
  let ended = false;
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;

  const flush = (): void => {
    if (copyFrom >= 0)
      shape += shape === '' ? text.slice(copyFrom, copyTo) : ` ${text.slice(copyFrom, copyTo)}`;
    copyFrom = -1;
  };
  const literal = (value: Literal): void => {
    if (tokens === 1) checkFirstWord(text.slice(at, at + 20));
    flush();
    shape += shape === '' ? MARKERS[value.kind] : ` ${MARKERS[value.kind]}`;
    literals.push(value);
  };

  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (isSpace(code)) {
      at++;
      continue;
    }
    const next = text.charCodeAt(at + 1);
    if ((code === 45 && next === 45) || (code === 47 && next === 42)) {
      at = skipComment(text, at, code);
      continue;
    }
    if (code === 59) {
      if (tokens > 0) ended = true;
      at++;
      continue;
    }
    if (ended)
      throw new GatewayError('statement-not-one', 'Give exactly one statement: there is more after the ";".');
    if (++tokens > MAX_TOKENS)
      throw new GatewayError('statement-too-complex', `The statement has more than ${MAX_TOKENS} tokens.`);

    let end: number;
    if ((code | 32) === 120 && next === 39) {
      end = endOfBlob(text, at);
      if (end < 0)
        throw broken(
          text,
          at,
          'a blob literal needs an even number of hexadecimal digits and a closing quote',
        );
      literal({ kind: 'blob', text: text.slice(at + 2, end - 1) });
    } else if (isNameStart(code)) {
      end = endOfName(text, at);
      if (tokens === 1) checkFirstWord(text.slice(at, end));
      if (copyFrom < 0) copyFrom = at;
      else if (copyTo !== at - 1 || text.charCodeAt(copyTo) !== 32) {
        flush();
        copyFrom = at;
      }
      copyTo = end;
    } else if (code === 39) {
      end = endOfQuoted(text, at, code);
      if (end < 0) throw broken(text, at, 'the text is not closed');
      const inner = text.slice(at + 1, end - 1);
      literal({ kind: 'text', text: inner.includes("'") ? inner.replaceAll("''", "'") : inner });
    } else if (isDigit(code) || (code === 46 && isDigit(next))) {
      end = endOfNumber(text, at);
      if (end < 0) throw broken(text, at, 'the number is malformed');
      literal({ kind: isReal(text, at, end) ? 'real' : 'integer', text: text.slice(at, end) });
    } else if (code === 63) {
      end = at + 1;
      if (isDigit(next)) throw broken(text, at, 'params are written as a plain "?"');
      const value = params[usedParams++];
      if (value === undefined) throw countMismatch(text, at, params.length);
      literal(paramLiteral(value, usedParams));
    } else {
      if (code === 34 || code === 96) end = endOfQuoted(text, at, code);
      else if (code === 91) end = text.indexOf(']', at) + 1 || -1;
      else end = at + operatorLength(text, at, code);
      if (end < 0) throw broken(text, at, 'the name is not closed');
      if (end === at) throw broken(text, at, illegal(code));
      if (tokens === 1 && code !== 40) checkFirstWord(text.slice(at, end));
      if (code === 40 && ++parentheses > MAX_PARENTHESES)
        throw new GatewayError(
          'statement-too-complex',
          `Parentheses are nested deeper than ${MAX_PARENTHESES}.`,
        );
      if (code === 41) parentheses--;
      if (copyFrom < 0) copyFrom = at;
      else if (copyTo !== at - 1 || text.charCodeAt(copyTo) !== 32) {
        flush();
        copyFrom = at;
      }
      copyTo = end;
    }
    at = end;
  }
  flush();
  if (tokens === 0) throw new GatewayError('statement-missing', 'Give a statement.');
  // More params than places for them: the reference ignores the rest, so clients may rely on it.
  return { shape, literals };
}

function checkText(text: string, maxBytes: number): void {
  // One UTF-16 unit is 1 to 3 bytes of UTF-8: only what lies between needs to be measured.
  if (text.length > maxBytes || (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes))
    throw new GatewayError('statement-too-long', `The statement is longer than ${maxBytes} bytes.`);
  const nul = text.indexOf('\0');
  if (nul >= 0) throw broken(text, nul, 'a NUL character is not allowed');
  if (!text.isWellFormed())
    throw new GatewayError(
      'statement-syntax',
      'The statement has half a surrogate pair, which is no character.',
    );
}

/** Comments do not nest; one that is open at the end runs to the end in SQLite, which hides mistakes: refused. */
function skipComment(text: string, at: number, code: number): number {
  if (code === 45) {
    const end = text.indexOf('\n', at);
    return end < 0 ? text.length : end + 1;
  }
  const end = text.indexOf('*/', at + 2);
  if (end < 0) throw broken(text, at, 'the comment is not closed');
  return end + 2;
}

function checkFirstWord(word: string): void {
  if (READS.has(word.toLowerCase())) return;
  const shown = word.length > 40 ? `${word.slice(0, 40)}...` : word;
  throw new GatewayError(
    'statement-not-a-read',
    `Only SELECT statements are answered; this one starts with ${JSON.stringify(shown)}.`,
  );
}

function illegal(code: number): string {
  if (code === 58 || code === 64 || code === 36 || code === 35) return 'params are written as a plain "?"';
  return 'no SQL token starts with this character';
}

function broken(text: string, at: number, why: string): GatewayError {
  const near = text.slice(at, at + 20);
  return new GatewayError(
    'statement-syntax',
    `Syntax error at character ${at + 1}, near ${JSON.stringify(near.toWellFormed())}: ${why}.`,
  );
}

function countMismatch(text: string, at: number, given: number): GatewayError {
  return new GatewayError(
    'wrong-params',
    `The statement has more "?" than the ${given} params that were given (character ${at + 1} of ${text.length}).`,
  );
}
