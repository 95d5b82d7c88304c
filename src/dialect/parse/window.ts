// FILTER, OVER and window definitions (lang_aggfunc.html, windowfunctions.html).
import type { Expression, Frame, FrameBound, Name, Window } from '../ast.ts';
import type { Cursor } from './cursor.ts';
import { order } from './order.ts';

export function filter(cursor: Cursor): Expression | undefined {
  if (!cursor.take('filter', '(')) return undefined;
  cursor.expect('where');
  const condition = cursor.nested(() => cursor.grammar.expression(cursor));
  cursor.expect(')');
  return condition;
}

export function over(cursor: Cursor): Window | Name | undefined {
  // OVER is an alias of the call unless a name or a parenthesis follows, as in SQLite's tokenizer.
  if (!cursor.at('over') || !(cursor.peek(1).key === '(' || isWindowName(cursor))) return undefined;
  cursor.next();
  return cursor.at('(') ? window(cursor) : cursor.name('a window');
}

/** After OVER and WINDOW, SQLite's tokenizer takes fewer keywords for names than its grammar does. */
export function isWindowName(cursor: Cursor): boolean {
  const { key } = cursor.peek(1);
  return cursor.isName(1) && key !== 'indexed' && key !== 'filter';
}

const CLAUSES: ReadonlySet<string> = new Set(['partition', 'order', 'rows', 'range', 'groups']);

/** `(base PARTITION BY ... ORDER BY ... frame)` */
export function window(cursor: Cursor): Window {
  cursor.expect('(');
  const base =
    cursor.at(')') || CLAUSES.has(cursor.token.key) ? undefined : cursor.name('a window or PARTITION BY');
  const partitionBy = cursor.take('partition', 'by')
    ? cursor.nested(() => cursor.list(() => cursor.grammar.expression(cursor)))
    : [];
  const orderBy = cursor.nested(() => order(cursor));
  const definition = { base, partitionBy, orderBy, frame: frame(cursor) };
  cursor.expect(')');
  return definition;
}

function frame(cursor: Cursor): Frame | undefined {
  const { key } = cursor.token;
  if (key !== 'rows' && key !== 'range' && key !== 'groups') return undefined;
  cursor.next();
  const between = cursor.take('between');
  const start = bound(cursor);
  if (between) cursor.expect('and');
  const end = between ? bound(cursor) : undefined;
  // A frame neither starts after it ends nor ends before it starts (windowfunctions.html section 2.2).
  if (start.type === 'unbounded following' || (!between && start.type === 'following'))
    throw cursor.unexpected('a frame cannot start there');
  if (end?.type === 'unbounded preceding') throw cursor.unexpected('a frame cannot end there');
  if (
    end !== undefined &&
    ((start.type === 'current row' && end.type === 'preceding') ||
      (start.type === 'following' && (end.type === 'preceding' || end.type === 'current row')))
  )
    throw cursor.unexpected('a frame cannot end before it starts');
  return { unit: key, start, end, exclude: exclude(cursor) };
}

function bound(cursor: Cursor): FrameBound {
  if (cursor.take('unbounded', 'preceding')) return { type: 'unbounded preceding' };
  if (cursor.take('unbounded', 'following')) return { type: 'unbounded following' };
  if (cursor.take('current', 'row')) return { type: 'current row' };
  const offset = cursor.nested(() => cursor.grammar.expression(cursor));
  if (cursor.take('preceding')) return { type: 'preceding', offset };
  cursor.expect('following');
  return { type: 'following', offset };
}

function exclude(cursor: Cursor): Frame['exclude'] {
  if (!cursor.take('exclude')) return undefined;
  if (cursor.take('no', 'others')) return 'no others';
  if (cursor.take('current', 'row')) return 'current row';
  if (cursor.take('group')) return 'group';
  if (cursor.take('ties')) return 'ties';
  throw cursor.unexpected('expected NO OTHERS, CURRENT ROW, GROUP or TIES');
}
