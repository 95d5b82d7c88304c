// Expressions by precedence climbing, with the precedences of SQLite's grammar (lang_expr.html section 2).
// Operands (literals, names, calls, CASE ...) are in operand.ts.
import type { BinaryOperator, Expression, MatchOperator, Select, Source } from '../ast.ts';
import type { Cursor } from './cursor.ts';
import { operand, startsSelect } from './operand.ts';
import { selectAll, tableName } from './table.ts';

/** Binding powers, weakest first; all binary operators lean left. */
const OR = 1;
const AND = 2;
const NOT = 3;
const EQUALITY = 4;
const COMPARISON = 5;
const BITS = 7;
const SUM = 8;
const PRODUCT = 9;
const CONCAT = 10;
const COLLATE = 11;

const BINARY: ReadonlyMap<string, { readonly power: number; readonly operator: BinaryOperator }> = new Map(
  (
    [
      [OR, 'or'],
      [AND, 'and'],
      [EQUALITY, '=', '==', '!=', '<>'],
      [COMPARISON, '<', '<=', '>', '>='],
      [BITS, '&', '|', '<<', '>>'],
      [SUM, '+', '-'],
      [PRODUCT, '*', '/', '%'],
      [CONCAT, '||', '->', '->>'],
    ] as const
  ).flatMap(([power, ...operators]) =>
    operators.map((written) => {
      const operator = written === '==' ? '=' : written === '<>' ? '!=' : written;
      return [written, { power, operator }] as const;
    }),
  ),
);
const MATCHES: ReadonlySet<string> = new Set<MatchOperator>(['like', 'glob', 'regexp', 'match']);

export function expression(cursor: Cursor): Expression {
  return climb(cursor, OR);
}

/** An expression whose operators all bind at least as strongly as `min`. */
function climb(cursor: Cursor, min: number): Expression {
  let left = prefix(cursor);
  for (;;) {
    const binary = BINARY.get(cursor.token.key);
    if (binary !== undefined) {
      if (binary.power < min) return left;
      left = binary.power <= AND ? chain(cursor, left, binary) : pair(cursor, left, binary);
    } else if (cursor.at('collate')) {
      if (COLLATE < min) return left;
      cursor.next();
      if (!cursor.isAlias()) throw cursor.unexpected('expected a collation');
      left = { type: 'collate', operand: left, collation: cursor.name('a collation') };
    } else {
      if (EQUALITY < min) return left;
      const longer = predicate(cursor, left);
      if (longer === undefined) return left;
      left = longer;
    }
  }
}

type Binary = { readonly power: number; readonly operator: BinaryOperator };

function pair(cursor: Cursor, left: Expression, { power, operator }: Binary): Expression {
  cursor.next();
  return { type: 'binary', operator, left, right: climb(cursor, power + 1) };
}

/** All operands of `a or b or c ...`: long chains are common in generated statements. */
function chain(cursor: Cursor, first: Expression, { power, operator }: Binary): Expression {
  const operands = [first];
  while (cursor.take(operator)) operands.push(climb(cursor, power + 1));
  return join(operands, operator);
}

/** Chains up to this length lean left as in SQLite; longer ones are balanced, to keep the tree low. */
const LEANING = 16;

function join(operands: readonly Expression[], operator: BinaryOperator): Expression {
  if (operands.length <= LEANING)
    return operands.reduce((left, right) => ({ type: 'binary', operator, left, right }));
  const middle = operands.length >> 1;
  return {
    type: 'binary',
    operator,
    left: join(operands.slice(0, middle), operator),
    right: join(operands.slice(middle), operator),
  };
}

/**
 * NOT is weaker than what follows it (`not a = b`), the signs are stronger (`-a * b`); either may stand in
 * front of the other, wherever an operand can (`- not a = b` is `-(not (a = b))`).
 */
function prefix(cursor: Cursor): Expression {
  const { key } = cursor.token;
  if (key === 'not') {
    cursor.next();
    const inner = cursor.nested(() => climb(cursor, NOT));
    if (inner.type === 'exists' && !inner.not && inner.parens === undefined) return { ...inner, not: true };
    return { type: 'unary', operator: 'not', operand: inner };
  }
  if (key === '-' || key === '+' || key === '~') {
    cursor.next();
    return { type: 'unary', operator: key, operand: cursor.nested(() => prefix(cursor)) };
  }
  return operand(cursor);
}

/** IS, LIKE, BETWEEN, IN and their kin after `left`; undefined where none stands here. */
function predicate(cursor: Cursor, left: Expression): Expression | undefined {
  if (cursor.take('isnull')) return { type: 'isnull', not: false, operand: left };
  if (cursor.take('notnull') || cursor.take('not', 'null'))
    return { type: 'isnull', not: true, operand: left };
  if (cursor.take('is')) return is(cursor, left);
  const not = cursor.at('not') && NEGATABLE.has(cursor.peek(1).key);
  if (not) cursor.next();
  if (cursor.take('between')) {
    // AND belongs to BETWEEN: its lower bound holds nothing weaker than NOT.
    const low = climb(cursor, NOT);
    cursor.expect('and');
    return { type: 'between', not, operand: left, low, high: climb(cursor, EQUALITY + 1) };
  }
  if (cursor.take('in')) return membership(cursor, left, not);
  const { key } = cursor.token;
  if (!MATCHES.has(key)) return undefined;
  cursor.next();
  const pattern = climb(cursor, EQUALITY + 1);
  const escaped = cursor.take('escape') ? climb(cursor, EQUALITY + 1) : undefined;
  return { type: 'match', operator: key as MatchOperator, not, operand: left, pattern, escape: escaped };
}

const NEGATABLE: ReadonlySet<string> = new Set([...MATCHES, 'between', 'in']);

function is(cursor: Cursor, left: Expression): Expression {
  const not = cursor.take('not');
  // IS NOT DISTINCT FROM is IS, and IS DISTINCT FROM is IS NOT (lang_expr.html section 4).
  const distinct = cursor.take('distinct', 'from');
  const operator = not !== distinct ? 'is not' : 'is';
  return { type: 'binary', operator, left, right: climb(cursor, EQUALITY + 1) };
}

function membership(cursor: Cursor, operand: Expression, not: boolean): Expression {
  if (!cursor.at('(')) return { type: 'in-select', not, operand, select: wholeTable(cursor) };
  cursor.next();
  if (startsSelect(cursor)) {
    const select = cursor.nestedValue(() => cursor.grammar.select(cursor));
    cursor.expect(')');
    return { type: 'in-select', not, operand, select };
  }
  const list = cursor.at(')') ? [] : cursor.nested(() => cursor.list(() => expression(cursor)));
  cursor.expect(')');
  return { type: 'in', not, operand, list };
}

/** `a IN t` stands for `a IN (SELECT * FROM t)` (lang_expr.html section 8). */
function wholeTable(cursor: Cursor): Select {
  const name = tableName(cursor);
  let from: Source = { type: 'table', name, alias: undefined };
  if (cursor.take('(')) {
    const args = cursor.at(')') ? [] : cursor.nested(() => cursor.list(() => expression(cursor)));
    cursor.expect(')');
    from = { type: 'function', name, args, alias: undefined };
  }
  return selectAll(from);
}
