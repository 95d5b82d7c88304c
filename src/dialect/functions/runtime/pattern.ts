// LIKE and GLOB as SQLite matches them (func.c patternCompare; lang_expr.html "The LIKE, GLOB, REGEXP, MATCH,
// and extract operators"): ASCII letters without regard to case for LIKE only, one character is one code
// point. A wildcard run is retried from the last `%` only, so no pattern is exponential.
import { GatewayError } from '../../../errors.ts';

const MAX_STEPS = 20_000_000;

type Token =
  | { readonly type: 'all' | 'one' }
  | { readonly type: 'character'; readonly code: number }
  | {
      readonly type: 'set';
      readonly inverted: boolean;
      readonly ranges: readonly (readonly [number, number])[];
    };

const fold = (code: number): number => (code >= 65 && code <= 90 ? code + 32 : code);
const codes = (text: string): readonly number[] => {
  const end = text.indexOf('\0');
  return Array.from(end < 0 ? text : text.slice(0, end), (character) => character.codePointAt(0)!);
};

/** Undefined: a pattern that matches nothing, such as one that ends within a set. */
type Pattern = readonly Token[] | undefined;

function likePattern(text: string, mark: number | undefined): Pattern {
  const tokens: Token[] = [];
  const pattern = codes(text);
  for (let at = 0; at < pattern.length; at++) {
    const code = pattern[at]!;
    if (code === mark) {
      const next = pattern[++at];
      if (next === undefined) return undefined;
      tokens.push({ type: 'character', code: fold(next) });
    } else if (code === 37) tokens.push({ type: 'all' });
    else if (code === 95) tokens.push({ type: 'one' });
    else tokens.push({ type: 'character', code: fold(code) });
  }
  return tokens;
}

function globPattern(text: string): Pattern {
  const tokens: Token[] = [];
  const pattern = codes(text);
  for (let at = 0; at < pattern.length; at++) {
    const code = pattern[at]!;
    if (code === 42) tokens.push({ type: 'all' });
    else if (code === 63) tokens.push({ type: 'one' });
    else if (code !== 91) tokens.push({ type: 'character', code });
    else {
      const ranges: [number, number][] = [];
      let prior = 0;
      let c = pattern[++at];
      const inverted = c === 94;
      if (inverted) c = pattern[++at];
      if (c === 93) {
        ranges.push([93, 93]);
        c = pattern[++at];
      }
      for (; c !== undefined && c !== 93; c = pattern[++at]) {
        const next = pattern[at + 1];
        if (c === 45 && next !== 93 && next !== undefined && prior > 0) {
          ranges.push([prior, next]);
          at++;
          prior = 0;
        } else {
          ranges.push([c, c]);
          prior = c;
        }
      }
      if (c === undefined) return undefined;
      tokens.push({ type: 'set', inverted, ranges });
    }
  }
  return tokens;
}

function matches(pattern: Pattern, text: string, noCase: boolean): boolean {
  if (pattern === undefined) return false;
  const end = text.length;
  let at = 0;
  let token = 0;
  let retryToken = -1;
  let retryAt = 0;
  let steps = 0;
  while (at < end) {
    // A call cannot be interrupted: SQLite bounds the pattern's length for the same reason.
    if (++steps > MAX_STEPS) throw new GatewayError('run-failed', 'LIKE or GLOB pattern too complex');
    const code = text.codePointAt(at)!;
    const current = pattern[token];
    if (current?.type === 'all') {
      retryToken = ++token;
      retryAt = at;
      continue;
    }
    if (current !== undefined && accepts(current, noCase ? fold(code) : code)) {
      token++;
      at += code > 0xffff ? 2 : 1;
      continue;
    }
    if (retryToken < 0) return false;
    token = retryToken;
    retryAt += text.codePointAt(retryAt)! > 0xffff ? 2 : 1;
    at = retryAt;
  }
  while (pattern[token]?.type === 'all') token++;
  return token === pattern.length;
}

function accepts(token: Token, code: number): boolean {
  if (token.type === 'character') return token.code === code;
  if (token.type !== 'set') return true;
  return token.ranges.some(([low, high]) => code >= low && code <= high) !== token.inverted;
}

// A pattern is nearly always the same for all rows.
let lastKey = '';
let lastPattern: Pattern;

function compiled(key: string, make: () => Pattern): Pattern {
  if (key !== lastKey || lastKey === '') {
    lastPattern = make();
    lastKey = key;
  }
  return lastPattern;
}

/** @param mark the character of ESCAPE */
export function like(text: string, pattern: string, mark: string | undefined): boolean {
  const code = mark?.codePointAt(0);
  return matches(
    compiled(`l${mark ?? ''}\0${pattern}`, () => likePattern(pattern, code)),
    cut(text),
    true,
  );
}

export function glob(text: string, pattern: string): boolean {
  return matches(
    compiled(`g\0${pattern}`, () => globPattern(pattern)),
    cut(text),
    false,
  );
}

const cut = (text: string): string => {
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
};
