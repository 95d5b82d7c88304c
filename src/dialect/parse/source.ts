// What follows FROM: tables, table-valued functions, subqueries and joins (lang_select.html section 2).
import type { Expression, Name, Source } from '../ast.ts';
import type { Cursor } from './cursor.ts';
import { startsSelect } from './operand.ts';
import { selectAll, tableName } from './table.ts';
import { isWindowName } from './window.ts';
import { JOIN_WORDS } from './words.ts';

/** SQLite's own bound (limits.html section 9). */
const MAX_JOINED = 64;

export function sources(cursor: Cursor): Source {
  let left = source(cursor);
  for (let joined = 1; ; joined++) {
    const operator = joinOperator(cursor);
    if (operator === undefined) return left;
    if (joined >= MAX_JOINED)
      throw cursor.error('statement-too-complex', `At most ${MAX_JOINED} tables in a join.`);
    const right = source(cursor);
    const on = cursor.take('on') ? cursor.grammar.expression(cursor) : undefined;
    const using = on === undefined && cursor.take('using') ? names(cursor) : [];
    if (operator.natural && (on !== undefined || using.length > 0))
      throw cursor.error('statement-syntax', 'a NATURAL join may not have an ON or USING clause');
    left = { type: 'join', ...operator, left, right, on, using };
  }
}

type JoinOperator = Pick<Extract<Source, { type: 'join' }>, 'join' | 'natural' | 'written'>;

/** Up to three words in any order, some of them twice, as in SQLite (`LEFT NATURAL OUTER JOIN`). */
function joinOperator(cursor: Cursor): JoinOperator | undefined {
  if (cursor.take(',')) return { join: 'cross', natural: false, written: ',' };
  const words: string[] = [];
  while (words.length < 3 && JOIN_WORDS.has(cursor.token.key)) words.push(cursor.next().key);
  if (!cursor.at('join')) {
    if (words.length === 0) return undefined;
    throw cursor.unexpected('expected JOIN');
  }
  const has = (word: string): boolean => words.includes(word);
  // LEFT RIGHT is FULL to SQLite, whose join words are bits.
  const left = has('left') || has('full');
  const right = has('right') || has('full');
  const outer = left || right;
  if ((has('outer') && !outer) || (outer && (has('inner') || has('cross'))))
    throw cursor.unexpected(`no such join: ${words.join(' ')}`);
  cursor.next();
  const side = left && right ? 'full' : left ? 'left' : right ? 'right' : undefined;
  return {
    join: side ?? (has('cross') ? 'cross' : 'inner'),
    natural: has('natural'),
    written: [...words, 'join'].join(' '),
  };
}

function source(cursor: Cursor): Source {
  if (cursor.at('(')) return cursor.nested(() => parenthesised(cursor));
  const name = tableName(cursor);
  if (!cursor.take('(')) {
    const alias = tableAlias(cursor);
    indexHint(cursor);
    return { type: 'table', name, alias };
  }
  const args: readonly Expression[] = cursor.at(')')
    ? []
    : cursor.nested(() => cursor.list(() => cursor.grammar.expression(cursor)));
  cursor.expect(')');
  return { type: 'function', name, args, alias: tableAlias(cursor) };
}

function parenthesised(cursor: Cursor): Source {
  cursor.expect('(');
  if (startsSelect(cursor)) {
    const select = cursor.nestedSelect(() => cursor.grammar.select(cursor));
    cursor.expect(')');
    return { type: 'select', select, alias: tableAlias(cursor) };
  }
  const inner = sources(cursor);
  cursor.expect(')');
  const alias = tableAlias(cursor);
  if (alias === undefined) return inner.type === 'join' ? { type: 'group', source: inner } : inner;
  // SQLite gives the alias to a single table, and makes a join a subquery of that name.
  if (inner.type === 'join' || inner.type === 'group')
    return { type: 'select', select: selectAll(inner), alias };
  return { ...inner, alias };
}

export function alias(cursor: Cursor): Name | undefined {
  if (cursor.take('as')) return cursor.name('an alias');
  if (!cursor.isAlias()) return undefined;
  return cursor.name('an alias');
}

function tableAlias(cursor: Cursor): Name | undefined {
  // WINDOW is a keyword where `name AS` follows, as in SQLite's tokenizer.
  if (cursor.at('window') && isWindowName(cursor) && cursor.peek(2).key === 'as') return undefined;
  return alias(cursor);
}

/** Hints change no answer, but SQLite fails on an index that is not there, and these are not its indexes. */
function indexHint(cursor: Cursor): void {
  if (cursor.take('not', 'indexed')) return;
  if (cursor.at('indexed', 'by'))
    throw cursor.unexpected('INDEXED BY is not supported: leave it out', 'unsupported', 1);
}

export function names(cursor: Cursor): readonly Name[] {
  cursor.expect('(');
  const list = cursor.list(() => cursor.name('a column'));
  cursor.expect(')');
  return list;
}
