// Splits a shape (see statement/statement.ts) back into tokens. A shape is canonical, so this needs none of
// the lexer's care: tokens are separated by single spaces, and only quoted names hold spaces of their own.
import { GatewayError } from '../../base/errors.ts';
import type { Name } from '../ast.ts';

export type LiteralKind = 'integer' | 'real' | 'text' | 'blob' | 'null';

export interface Token {
  readonly kind: 'word' | 'quoted' | 'literal' | 'operator' | 'end';
  /** As in the shape. */
  readonly text: string;
  /** Words in ASCII lower case, operators as they are; '' for the others, so that it never fits a keyword. */
  readonly key: string;
  /** Index of a literal among the statement's literals; -1 for the others. */
  readonly literal: number;
}

const MARKERS: Readonly<Record<string, LiteralKind>> = {
  '?i': 'integer',
  '?r': 'real',
  '?t': 'text',
  '?b': 'blob',
  '?n': 'null',
};
const SPACE = 32;

export function splitShape(shape: string): readonly Token[] {
  const tokens: Token[] = [];
  let literals = 0;
  let at = 0;
  while (at < shape.length) {
    const end = endOfToken(shape, at);
    const text = shape.slice(at, end);
    const code = text.charCodeAt(0);
    if (code === 63) tokens.push({ kind: 'literal', text, key: '', literal: literals++ });
    else if (code === 34 || code === 96 || code === 91)
      tokens.push({ kind: 'quoted', text, key: '', literal: -1 });
    else if (code === 95 || code >= 128 || ((code | 32) >= 97 && (code | 32) <= 122))
      tokens.push({ kind: 'word', text, key: keyword(text), literal: -1 });
    else tokens.push({ kind: 'operator', text, key: text, literal: -1 });
    at = end + 1;
  }
  return tokens;
}

/** No keyword has a character past ASCII; some of those have an ASCII letter as their lower case. */
function keyword(word: string): string {
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) >= 128) return '';
  return word.toLowerCase();
}

function endOfToken(shape: string, start: number): number {
  const code = shape.charCodeAt(start);
  if (code === 34 || code === 96) {
    const quote = shape[start] as string;
    let at = shape.indexOf(quote, start + 1);
    while (at >= 0 && shape[at + 1] === quote) at = shape.indexOf(quote, at + 2);
    if (at < 0) throw new GatewayError('statement-syntax', 'A quoted name is not closed.');
    return at + 1;
  }
  if (code === 91) return shape.indexOf(']', start) + 1 || shape.length;
  const end = shape.indexOf(' ', start);
  if (end === start || shape.charCodeAt(end - 1) === SPACE)
    throw new GatewayError('statement-syntax', 'The shape is not canonical.');
  return end < 0 ? shape.length : end;
}

export function literalKind(token: Token): LiteralKind {
  const kind = MARKERS[token.text];
  if (kind === undefined) throw new GatewayError('statement-syntax', `No such literal: ${token.text}.`);
  return kind;
}

/** The name that a word or a quoted name stands for. */
export function tokenName(token: Token): Name {
  if (token.kind === 'word') return { text: token.text, quote: '' };
  const quote = token.text[0] as '"' | '`' | '[';
  const inner = token.text.slice(1, -1);
  return { text: quote === '[' ? inner : inner.replaceAll(quote + quote, quote), quote };
}
