// Reads a statement once: its shape (canonical text with the literals lifted out), the literals in order,
// and whether it can be a read at all. Does not parse: the worker does that, once a shape. Runs in the front
// for every request, so it is one pass over the text without regular expressions.
import { GatewayError } from '../base/errors.ts';
import {
  EMPTY_STATEMENT,
  NOT_A_READ,
  runningReadStatement,
  statementTooLong,
  syntaxError,
  TOO_FEW_PARAMS,
} from '../base/reference-words.ts';
import type { Literal } from '../wire/protocol.ts';
import { blobLiteral, numberLiteral, textLiteral } from './literal.ts';
import { type ParamValue, paramLiteral } from './param.ts';
import { startOf, syntaxErrorAt, syntaxErrorIn } from './place.ts';
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
/** What the reference can parse besides; it knows no other statement. */
const WRITES = new Set(['insert', 'update', 'delete', 'create', 'alter', 'grant', 'revoke']);

/**
 * @param maxBytes of the statement in UTF-8
 * @param places is given where each literal begins and ends, by turns
 * @throws GatewayError with a statement-* or wrong-params code
 */
export function readStatement(
  text: string,
  params: readonly ParamValue[],
  maxBytes: number,
  places: number[] = [],
): Statement {
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
  let at = startOf(text);

  const flush = (): void => {
    if (copyFrom >= 0)
      shape += shape === '' ? text.slice(copyFrom, copyTo) : ` ${text.slice(copyFrom, copyTo)}`;
    copyFrom = -1;
  };
  const literal = (value: Literal, end: number): void => {
    if (tokens === 1) checkFirstWord(text, '');
    flush();
    shape += shape === '' ? MARKERS[value.kind] : ` ${MARKERS[value.kind]}`;
    literals.push(value);
    places.push(at, end);
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
    if (ended) throw notOne(text, tokens);
    if (++tokens > MAX_TOKENS)
      throw new GatewayError('statement-too-complex', `The statement has more than ${MAX_TOKENS} tokens.`);

    let end: number;
    if ((code | 32) === 120 && next === 39) {
      end = endOfBlob(text, at);
      if (end < 0) throw brokenBlob(text, at);
      literal(blobLiteral(text, at, end), end);
    } else if (isNameStart(code)) {
      end = endOfName(text, at);
      if (tokens === 1) checkFirstWord(text, text.slice(at, end));
      if (copyFrom < 0) copyFrom = at;
      else if (copyTo !== at - 1 || text.charCodeAt(copyTo) !== 32) {
        flush();
        copyFrom = at;
      }
      copyTo = end;
    } else if (code === 39) {
      end = endOfQuoted(text, at, code);
      if (end < 0) throw open(text, at, 'the text is not closed');
      literal(textLiteral(text, at, end), end);
    } else if (isDigit(code) || (code === 46 && isDigit(next))) {
      end = endOfNumber(text, at);
      if (end < 0) throw brokenNumber(text, at);
      literal(numberLiteral(text, at, end), end);
    } else if (code === 63) {
      end = at + 1;
      if (isDigit(next)) throw numbered(text, at + 1);
      const value = params[usedParams++];
      if (value === undefined) throw countMismatch(text, at, params.length);
      literal(paramLiteral(value, usedParams), end);
    } else {
      if (code === 34 || code === 96) end = endOfQuoted(text, at, code);
      else if (code === 91) end = text.indexOf(']', at) + 1 || -1;
      else end = at + operatorLength(text, at, code);
      if (end < 0) throw open(text, at, 'the name is not closed');
      if (end === at) throw illegal(text, at, code);
      if (tokens === 1 && code !== 40) checkFirstWord(text, text.slice(at, end));
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
  if (tokens === 0) throw missing(text);
  // More params than places for them: the reference ignores the rest, so clients may rely on it.
  return { shape, literals };
}

/** @throws GatewayError */
export function checkText(text: string, maxBytes: number): void {
  // One UTF-16 unit is 1 to 3 bytes of UTF-8: only what lies between needs to be measured.
  if (text.length > maxBytes || text.length * 3 > maxBytes) {
    const bytes = Buffer.byteLength(text);
    if (bytes > maxBytes) throw new GatewayError('statement-too-long', statementTooLong(bytes, maxBytes));
  }
  const nul = text.indexOf('\0');
  // The reference ends there.
  if (nul >= 0) throw open(text.slice(0, nul), nul, 'a NUL character is not allowed');
  if (!text.isWellFormed()) {
    const whole = text.toWellFormed();
    let at = 0;
    while (text[at] === whole[at]) at++;
    throw wrong(text, at, at + 1, at, 'half a surrogate pair is no character');
  }
}

/** Comments do not nest; one that is open at the end runs to the end in SQLite, which hides mistakes: refused. */
function skipComment(text: string, at: number, code: number): number {
  if (code === 45) {
    const end = text.indexOf('\n', at);
    return end < 0 ? text.length : end + 1;
  }
  const end = text.indexOf('*/', at + 2);
  if (end < 0) throw wrong(text, at, at + 1, at + 1, 'the comment is not closed');
  return end + 2;
}

function checkFirstWord(text: string, word: string): void {
  const lower = word.toLowerCase();
  if (READS.has(lower)) return;
  const message = WRITES.has(lower) ? NOT_A_READ : syntaxErrorAt(text, 0);
  throw new GatewayError('statement-not-a-read', message, { hint: 'Only SELECT statements are answered.' });
}

function notOne(text: string, tokens: number): GatewayError {
  return new GatewayError('statement-not-one', syntaxErrorAt(text, tokens, 1), {
    hint: 'Give exactly one statement: there is more after the ";".',
  });
}

/** No token at all: the reference knows no comments, and takes their first character for a token. */
function missing(text: string): GatewayError {
  const first = text.search(/\S/);
  const message =
    text === ''
      ? EMPTY_STATEMENT
      : first < 0
        ? syntaxError(Buffer.byteLength(text), '')
        : syntaxErrorIn(text, first, first + 1, first + 1);
  return new GatewayError('statement-missing', message, { hint: 'Give a statement.' });
}

function illegal(text: string, at: number, code: number): GatewayError {
  const isParam = code === 58 || code === 64 || code === 36 || code === 35;
  const why = isParam ? 'params are written as a plain "?"' : 'no SQL token starts with this character';
  return wrong(text, at, at + 1, at, why);
}

/** What is not closed runs to the end. */
function open(text: string, at: number, why: string): GatewayError {
  return new GatewayError('statement-syntax', syntaxErrorAt(text, Number.POSITIVE_INFINITY), {
    hint: `${capital(why)} (character ${at + 1}).`,
  });
}

function numbered(text: string, from: number): GatewayError {
  let to = from;
  while (isDigit(text.charCodeAt(to))) to++;
  return wrong(text, from, to, to, 'params are written as a plain "?"');
}

function brokenBlob(text: string, at: number): GatewayError {
  const why = 'a blob literal needs an even number of hexadecimal digits and a closing quote';
  const [whole = '', digits = ''] = /^x'([0-9a-f]*)'?/iy.exec(text.slice(at)) ?? [];
  const end = at + whole.length;
  if (whole.endsWith("'") && digits !== '') {
    const { code, message } = runningReadStatement(`unrecognized token: "X'${digits}'"`);
    return new GatewayError(code, message, { hint: capital(why) });
  }
  return wrong(text, at + 2, end, end, why);
}

function brokenNumber(text: string, at: number): GatewayError {
  if (/^0x(?![\w$])/i.test(text.slice(at, at + 3))) {
    const { code, message } = runningReadStatement(`unrecognized token: "${text.slice(at, at + 2)}"`);
    return new GatewayError(code, message, { hint: `The number is malformed (character ${at + 1}).` });
  }
  const [digits = ''] = /^(?:0x[0-9a-f]+|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d*)?)/i.exec(text.slice(at)) ?? [];
  const end = at + digits.length;
  if (text[end] === '$') return illegal(text, end, text.charCodeAt(end));
  return wrong(text, at, end, end, 'the number is malformed');
}

function wrong(text: string, from: number, to: number, position: number, why: string): GatewayError {
  return new GatewayError('statement-syntax', syntaxErrorIn(text, from, to, position), {
    hint: `${capital(why)} (character ${from + 1}).`,
  });
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function countMismatch(text: string, at: number, given: number): GatewayError {
  return new GatewayError('wrong-params', TOO_FEW_PARAMS, {
    hint: `The statement has more "?" than the ${given} params that were given (character ${at + 1} of ${text.length}).`,
  });
}
