// ORDER BY, of selects, aggregates and windows alike.
import type { OrderTerm } from '../ast.ts';
import type { Cursor } from './cursor.ts';

/** The terms of an ORDER BY; none where it does not stand here. */
export function order(cursor: Cursor): readonly OrderTerm[] {
  if (!cursor.take('order', 'by')) return [];
  return cursor.list(() => {
    const expression = cursor.grammar.expression(cursor);
    const descending = cursor.take('desc');
    if (!descending) cursor.take('asc');
    let nulls: OrderTerm['nulls'];
    if (cursor.take('nulls')) {
      if (cursor.take('first')) nulls = 'first';
      else if (cursor.take('last')) nulls = 'last';
      else throw cursor.unexpected('expected FIRST or LAST');
    }
    return { expression, descending, nulls };
  });
}
