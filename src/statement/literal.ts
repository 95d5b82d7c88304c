// Literals of a statement's text, by where their token begins and ends.
import type { Literal } from '../wire/protocol.ts';
import { isReal } from './scan.ts';

export function textLiteral(text: string, start: number, end: number): Literal {
  const inner = text.slice(start + 1, end - 1);
  return { kind: 'text', text: inner.includes("'") ? inner.replaceAll("''", "'") : inner };
}

export function blobLiteral(text: string, start: number, end: number): Literal {
  return { kind: 'blob', text: text.slice(start + 2, end - 1) };
}

export function numberLiteral(text: string, start: number, end: number): Literal {
  return { kind: isReal(text, start, end) ? 'real' : 'integer', text: text.slice(start, end) };
}
