// LIKE and GLOB (lang_expr.html "The LIKE, GLOB, REGEXP, MATCH, and extract operators"). A pattern is a literal,
// looked at once while the plan is made: most are a search for one text, or two. Both work on the text of any operand.
import { GatewayError } from '../../base/errors.ts';
import type { MatchOperator } from '../ast.ts';
import type { Context } from '../context.ts';
import type { Part } from '../engine.ts';
import { NotNative } from '../not-native.ts';
import type { Template } from '../plan.ts';
import { sql, textLiteral, type Value } from '../value.ts';
import { asciiLower } from './collation.ts';
import { computed, nullOf } from './computed.ts';
import { withoutNul } from './convert.ts';
import { known } from './known.ts';
import { pinnedText } from './literal.ts';

export function match(
  op: MatchOperator,
  x: Value,
  pattern: Value,
  mark: Value | undefined,
  ctx: Context,
): Value {
  if (op === 'match')
    throw new GatewayError('run-failed', 'unable to use function MATCH in the requested context');
  if (op === 'regexp') throw new GatewayError('unknown-function', 'no such function: REGEXP');
  if (op === 'glob' && mark !== undefined)
    throw new GatewayError('statement-syntax', 'wrong number of arguments to function GLOB()');
  if (x.kind === 'null' || pattern.kind === 'null' || mark?.kind === 'null') return nullOf('boolean');
  const wanted = pinnedText(pattern, ctx);
  if (wanted === undefined || wanted.includes('\0') || wanted.length > MAX_PATTERN)
    throw new NotNative(`${op.toUpperCase()} with such a pattern`);
  const parts = op === 'glob' ? globParts(wanted) : likeParts(wanted, escapeOf(mark, ctx));
  const text = withoutNul(x, op.toUpperCase(), ctx);
  const folds = op === 'like' && /[a-z]/i.test(wanted);
  return computed('boolean', folds ? foldedSearch(text, parts, ctx) : search(text, parts, ctx), x.notNull);
}

/** Of ASCII letters in any case. In a text that is in upper case it looks for these. */
function foldedSearch(text: Value, parts: readonly Part[], ctx: Context): Template {
  return known(text, ctx).upper === true
    ? search(text, parts.map(uppered), ctx)
    : search(asciiLower(text, ctx), parts.map(lowered), ctx);
}

const MAX_PATTERN = 1000;

const withText =
  (change: (text: string) => string) =>
  (part: Part): Part =>
    typeof part === 'object' && 'text' in part ? { text: change(part.text) } : part;
const lowered = withText((text) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()));
const uppered = withText((text) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase()));

function escapeOf(mark: Value | undefined, ctx: Context): string | undefined {
  if (mark === undefined) return undefined;
  const text = pinnedText(mark, ctx);
  if (text === undefined || [...text].length !== 1) throw new NotNative('LIKE with such an ESCAPE');
  return text;
}

function push(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (typeof part === 'object' && 'text' in part && typeof last === 'object' && 'text' in last)
    parts[parts.length - 1] = { text: last.text + part.text };
  else if (part !== 'any' || last !== 'any') parts.push(part);
}

function likeParts(pattern: string, mark: string | undefined): readonly Part[] {
  const parts: Part[] = [];
  const characters = [...pattern];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string;
    if (character === mark) {
      const next = characters[++at];
      // Nothing is matched by a pattern that ends in its escape.
      if (next === undefined) throw new NotNative('LIKE with such a pattern');
      push(parts, { text: next });
    } else push(parts, character === '%' ? 'any' : character === '_' ? 'one' : { text: character });
  }
  return parts;
}

function globParts(pattern: string): readonly Part[] {
  const parts: Part[] = [];
  const characters = [...pattern];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string;
    if (character === '[') {
      const end = characters.indexOf(']', at + (characters[at + 1] === '^' ? 3 : 2));
      if (end < 0) throw new NotNative('GLOB with such a pattern');
      push(parts, { of: classOf(characters.slice(at + 1, end)) });
      at = end;
    } else push(parts, character === '*' ? 'any' : character === '?' ? 'one' : { text: character });
  }
  return parts;
}

/** Letters, digits and ranges of them; others mean too much to RE2. */
function classOf(characters: readonly string[]): string {
  const text = characters.join('');
  if (!/^\^?(?:[A-Za-z0-9 _.](?:-[A-Za-z0-9])?)+$/.test(text)) throw new NotNative('GLOB with such a class');
  for (const [, from = '', to = ''] of text.matchAll(/(.)-(.)/g))
    if (from > to) throw new NotNative('GLOB with such a class');
  return `[${text}]`;
}

function search({ sql: x }: Value, parts: readonly Part[], { engine }: Context): Template {
  const shape = parts.map((part) => (typeof part === 'string' ? part : 'text' in part ? 'text' : 'class'));
  const at = (i: number): string => (parts[i] as { readonly text: string }).text;
  switch (shape.join(' ')) {
    case '':
      return sql`(${x} = '')`;
    case 'any':
      return sql`(${x} IS NOT NULL OR CAST(NULL AS BOOLEAN))`;
    case 'text':
      return sql`(${x} = ${textLiteral(at(0))})`;
    case 'text any':
      return engine.startsWith(x, at(0));
    case 'any text':
      return engine.endsWith(x, at(1));
    case 'any text any':
      return engine.contains(x, [textLiteral(at(1))]);
  }
  return engine.isLike(x, parts);
}
