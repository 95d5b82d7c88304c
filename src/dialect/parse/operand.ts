// What stands between operators: literals, names, calls, CASE, CAST, EXISTS and parentheses.
import { asciiLower } from '../../base/ascii-lower.ts';
import { GatewayError } from '../../base/errors.ts';
import { noSuchFunctions } from '../../base/reference-words.ts';
import type { Expression, Name } from '../ast.ts';
import type { Cursor } from './cursor.ts';
import { order } from './order.ts';
import { literalKind, tokenName } from './tokens.ts';
import { filter, over } from './window.ts';
import { RESERVED } from './words.ts';

const NOW = new Set(['current_date', 'current_time', 'current_timestamp'] as const);
type Now = 'current_date' | 'current_time' | 'current_timestamp';

export function startsSelect(cursor: Cursor): boolean {
  return cursor.at('select') || cursor.at('values') || cursor.at('with');
}

export function operand(cursor: Cursor): Expression {
  const { token } = cursor;
  if (token.kind === 'literal') {
    // A text before a dot is a table's name: `'t'.a`.
    if (cursor.isText() && cursor.peek(1).key === '.') return column(cursor);
    cursor.next();
    const kind = literalKind(token);
    return kind === 'null' ? { type: 'null' } : { type: 'literal', index: token.literal, kind };
  }
  if (token.key === '(') return parenthesised(cursor);
  if (token.kind === 'quoted') return cursor.peek(1).key === '(' ? call(cursor) : column(cursor);
  if (token.kind !== 'word') throw cursor.unexpected();
  const called = cursor.peek(1).key === '(';
  switch (token.key) {
    case 'null':
      cursor.next();
      return { type: 'null' };
    case 'true':
    case 'false':
      if (cursor.peek(1).key === '.') return column(cursor);
      cursor.next();
      return { type: 'boolean', value: token.key === 'true' };
    case 'case':
      return cursor.nested(() => cases(cursor));
    case 'exists':
      return exists(cursor);
    case 'cast':
      // Keywords that could be names elsewhere, but begin something else here.
      if (called) return cast(cursor);
      throw cursor.unexpected('expected "("', 'statement-syntax', 1);
    case 'raise':
      if (called)
        throw new GatewayError('unknown-function', noSuchFunctions([token.text]), {
          hint: 'RAISE() belongs in triggers.',
        });
      throw cursor.unexpected();
  }
  if (RESERVED.has(token.key)) throw cursor.unexpected();
  if (called) return call(cursor);
  if (NOW.has(token.key as Now) && cursor.peek(1).key !== '.') {
    cursor.next();
    return { type: 'now', part: token.key as Now };
  }
  return column(cursor);
}

/** `a`, `t.a` or `main.t.a`. */
function column(cursor: Cursor): Expression {
  const first = cursor.name('a column');
  if (!cursor.take('.')) return { type: 'column', table: undefined, name: first };
  const second = cursor.name('a column');
  if (cursor.at('.') && asciiLower(first.text) !== 'main')
    throw cursor.unexpected('the only schema is main', 'unknown-column');
  if (!cursor.take('.')) return { type: 'column', table: first, name: second };
  const third = cursor.name('a column');
  return { type: 'column', table: second, name: third };
}

/** A subquery, a row value, or an expression whose parentheses are only counted. */
function parenthesised(cursor: Cursor): Expression {
  cursor.expect('(');
  if (startsSelect(cursor)) {
    const select = cursor.nestedValue(() => cursor.grammar.select(cursor));
    cursor.expect(')');
    return { type: 'subquery', select };
  }
  const items = cursor.nested(() => cursor.list(() => cursor.grammar.expression(cursor)));
  cursor.expect(')');
  const [only, ...others] = items;
  if (only === undefined || others.length > 0) return { type: 'row', items };
  return { ...only, parens: (only.parens ?? 0) + 1 };
}

function call(cursor: Cursor): Expression {
  const name: Name = tokenName(cursor.next());
  cursor.expect('(');
  const star = cursor.take('*');
  const distinct = !star && cursor.take('distinct');
  if (!star && !distinct) cursor.take('all');
  const args =
    star || cursor.at(')') ? [] : cursor.nested(() => cursor.list(() => cursor.grammar.expression(cursor)));
  if (args.length > MAX_ARGUMENTS)
    throw cursor.error('statement-too-complex', `A call has more than ${MAX_ARGUMENTS} arguments.`);
  const orderBy = args.length > 0 ? order(cursor) : [];
  cursor.expect(')');
  const where = filter(cursor);
  return { type: 'call', name, star, distinct, args, orderBy, filter: where, over: over(cursor) };
}

/** SQLITE_MAX_FUNCTION_ARG is 127, or 1,000 from 3.48 on (limits.html section 6). */
const MAX_ARGUMENTS = 1000;

function cases(cursor: Cursor): Expression {
  cursor.expect('case');
  const value = cursor.at('when') ? undefined : cursor.grammar.expression(cursor);
  const whens: { when: Expression; result: Expression }[] = [];
  while (cursor.take('when')) {
    const when = cursor.grammar.expression(cursor);
    cursor.expect('then');
    whens.push({ when, result: cursor.grammar.expression(cursor) });
  }
  if (whens.length === 0) throw cursor.unexpected('expected WHEN');
  const otherwise = cursor.take('else') ? cursor.grammar.expression(cursor) : undefined;
  cursor.expect('end');
  return { type: 'case', operand: value, whens, otherwise };
}

function exists(cursor: Cursor): Expression {
  cursor.expect('exists');
  cursor.expect('(');
  if (!startsSelect(cursor)) throw cursor.unexpected('expected SELECT');
  const select = cursor.nestedValue(() => cursor.grammar.select(cursor));
  cursor.expect(')');
  return { type: 'exists', not: false, select };
}

function cast(cursor: Cursor): Expression {
  cursor.next();
  cursor.expect('(');
  const value = cursor.nested(() => cursor.grammar.expression(cursor));
  cursor.expect('as');
  const to = typeName(cursor);
  cursor.expect(')');
  return { type: 'cast', operand: value, to };
}

/** Any words, with one or two numbers after them: `VARCHAR(20)`, `UNSIGNED BIG INT` (datatype3.html 3.1). */
function typeName(cursor: Cursor): string {
  const words: string[] = [];
  while (cursor.isAlias()) words.push(cursor.name('a type').text);
  if (words.length > 0 && cursor.take('(')) {
    // The numbers mean nothing to SQLite, which only looks at the words.
    cursor.list(() => {
      if (!cursor.take('-')) cursor.take('+');
      if (cursor.token.kind !== 'literal') throw cursor.unexpected('expected a number');
      cursor.next();
    });
    cursor.expect(')');
  }
  return words.join(' ');
}
