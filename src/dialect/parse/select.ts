// SELECT, VALUES, compound selects and WITH (lang_select.html, lang_with.html).
import { GatewayError } from '../../base/errors.ts';
import { NOT_A_READ } from '../../base/reference-words.ts';
import type { CommonTable, Expression, ResultColumn, Select, SelectCore } from '../ast.ts';
import type { Cursor } from './cursor.ts';
import { order } from './order.ts';
import { alias, names, sources } from './source.ts';
import type { tokenName } from './tokens.ts';
import { isWindowName, window } from './window.ts';

/** SQLite's own bounds (limits.html sections 3 and 7). */
const MAX_COLUMNS = 2000;
const MAX_TERMS = 500;

export function select(cursor: Cursor): Select {
  const common = withClause(cursor);
  const first = core(cursor);
  const rest: Select['rest'][number][] = [];
  for (;;) {
    const operator = compoundOperator(cursor);
    if (operator === undefined) break;
    if (rest.length + 2 > MAX_TERMS)
      throw cursor.error('statement-too-complex', `At most ${MAX_TERMS} terms in a compound SELECT.`);
    rest.push({ operator, core: core(cursor) });
  }
  const orderBy = order(cursor);
  const [limit, offset] = limits(cursor);
  if (COMPOUND.has(cursor.token.key))
    throw cursor.unexpected('ORDER BY and LIMIT belong after the last SELECT of a compound');
  return { with: common, first, rest, orderBy, limit, offset };
}

/** What else may follow WITH. */
const WRITES: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'replace']);

const COMPOUND: ReadonlySet<string> = new Set(['union', 'except', 'intersect']);

type CompoundOperator = Select['rest'][number]['operator'];

function compoundOperator(cursor: Cursor): CompoundOperator | undefined {
  if (cursor.take('union', 'all')) return 'union all';
  if (cursor.take('union')) return 'union';
  if (cursor.take('except')) return 'except';
  if (cursor.take('intersect')) return 'intersect';
  return undefined;
}

function withClause(cursor: Cursor): Select['with'] {
  if (!cursor.take('with')) return undefined;
  const recursive = cursor.take('recursive');
  return { recursive, tables: cursor.list(() => commonTable(cursor)) };
}

function commonTable(cursor: Cursor): CommonTable {
  const name = cursor.name('a name for the common table');
  const columns = cursor.at('(') ? names(cursor) : [];
  cursor.expect('as');
  // The hint changes how SQLite works, never what it answers.
  if (!cursor.take('not', 'materialized')) cursor.take('materialized');
  cursor.expect('(');
  const inner = cursor.nestedSelect(() => select(cursor));
  cursor.expect(')');
  return { name, columns, select: inner };
}

function core(cursor: Cursor): SelectCore {
  if (cursor.take('values')) return { type: 'values', rows: rows(cursor) };
  if (WRITES.has(cursor.token.key))
    throw new GatewayError('statement-not-a-read', NOT_A_READ, {
      hint: `Only SELECT is answered, not ${cursor.token.text}.`,
    });
  if (!cursor.take('select')) throw cursor.unexpected('expected SELECT');
  const distinct = cursor.take('distinct');
  if (!distinct) cursor.take('all');
  const columns = cursor.list(() => resultColumn(cursor));
  if (columns.length > MAX_COLUMNS)
    throw cursor.error('statement-too-complex', `At most ${MAX_COLUMNS} columns in a SELECT.`);
  const from = cursor.take('from') ? sources(cursor) : undefined;
  const where = cursor.take('where') ? cursor.grammar.expression(cursor) : undefined;
  const groupBy = cursor.take('group', 'by') ? cursor.list(() => cursor.grammar.expression(cursor)) : [];
  const having = cursor.take('having') ? cursor.grammar.expression(cursor) : undefined;
  const windows =
    cursor.at('window') && isWindowName(cursor) && cursor.take('window')
      ? cursor.list(() => namedWindow(cursor))
      : [];
  return { type: 'select', distinct, columns, from, where, groupBy, having, windows };
}

function rows(cursor: Cursor): readonly (readonly Expression[])[] {
  const list = cursor.list(() => {
    cursor.expect('(');
    const items = cursor.nested(() => cursor.list(() => cursor.grammar.expression(cursor)));
    cursor.expect(')');
    return items;
  });
  const width = list[0]?.length;
  if (list.some((items) => items.length !== width))
    throw cursor.error('statement-syntax', 'all VALUES must have the same number of terms');
  return list;
}

function resultColumn(cursor: Cursor): ResultColumn {
  if (cursor.take('*')) return { type: 'star', table: undefined };
  const named = (cursor.isName() && !cursor.at('cast')) || cursor.isText();
  if (named && cursor.peek(1).key === '.' && cursor.peek(2).key === '*') {
    const table = cursor.name('a table');
    cursor.take('.', '*');
    return { type: 'star', table };
  }
  const expression = cursor.grammar.expression(cursor);
  return { type: 'expression', expression, alias: alias(cursor) };
}

function namedWindow(cursor: Cursor): {
  name: ReturnType<typeof tokenName>;
  window: ReturnType<typeof window>;
} {
  const name = cursor.name('a window');
  cursor.expect('as');
  return { name, window: window(cursor) };
}

/** `LIMIT a, b` is `LIMIT b OFFSET a`. */
function limits(cursor: Cursor): readonly [Expression | undefined, Expression | undefined] {
  if (!cursor.take('limit')) return [undefined, undefined];
  const first = cursor.grammar.expression(cursor);
  if (cursor.take('offset')) return [first, cursor.grammar.expression(cursor)];
  if (cursor.take(',')) return [cursor.grammar.expression(cursor), first];
  return [first, undefined];
}
