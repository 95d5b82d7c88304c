// An expression in its scope -> a typed value. Walks the tree; what operators and functions mean is in
// ../operators and ../functions, what needs a SELECT or several operands in the files beside this one.
import { GatewayError } from '../../base/errors.ts';
import { binary, unary } from '../operators/arithmetic.ts';
import { collate } from '../operators/collation.ts';
import { between, inList, isNull, isTruth } from '../operators/compare.ts';
import { computed, NULL_VALUE } from '../operators/computed.ts';
import { caseWhen } from '../operators/conditional.ts';
import { castTo, truth } from '../operators/convert.ts';
import { booleanLiteral, literalValue } from '../operators/literal.ts';
import { match } from '../operators/match.ts';
import type { Expression } from '../resolve/tree.ts';
import { scalarBlock, unknownBlock } from '../row-plan.ts';
import { join, sql, textLiteral, type Value } from '../value.ts';
import { call, now } from './call.ts';
import type { Emitter } from './emitter.ts';
import { inSelect } from './membership.ts';
import { columnValue } from './query-column.ts';
import { compareRows, isRow } from './row.ts';
import { readColumn, type Scope } from './scope.ts';

type Rule<T extends Expression['type']> = (
  node: Extract<Expression, { readonly type: T }>,
  scope: Scope,
  emitter: Emitter,
) => Value;

export function expression(node: Expression, scope: Scope, emitter: Emitter): Value {
  const term = scope.group?.term(node);
  if (term !== undefined) return term;
  return (RULES[node.type] as Rule<Expression['type']>)(node, scope, emitter);
}

const RULES: { readonly [T in Expression['type']]: Rule<T> } = {
  literal: ({ index }, _scope, emitter) => literalValue(index, emitter),
  null: () => NULL_VALUE,
  boolean: ({ value }) => booleanLiteral(value),
  now: ({ part }, _scope, emitter) => now(part, emitter),
  column: ({ column }, scope) => {
    const found = readColumn(scope, column);
    return found.scope.group === undefined ? found.column.value : found.scope.group.column(found.column);
  },
  text: ({ text }) => ({ ...computed('text', [textLiteral(text)], true), simple: true }),
  unary: ({ operator, operand }, scope, emitter) => {
    const isNumber = operand.type === 'literal' && (operand.kind === 'integer' || operand.kind === 'real');
    if (operator === '-' && isNumber) return literalValue(operand.index, emitter, true);
    return unary(operator, emitter.expression(operand, scope), emitter);
  },
  binary: (node, scope, emitter) => {
    const { operator, left, right } = node;
    if (isRow(left) || isRow(right)) return compareRows(node, scope, emitter);
    if ((operator === 'is' || operator === 'is not') && right.type === 'boolean')
      return isTruth(
        truth(emitter.expression(left, scope), emitter),
        right.value,
        operator === 'is not',
        emitter,
      );
    return binary(operator, emitter.expression(left, scope), emitter.expression(right, scope), emitter);
  },
  match: ({ operator, not, operand, pattern, escape: mark }, scope, emitter) => {
    const found = match(
      operator,
      emitter.expression(operand, scope),
      emitter.expression(pattern, scope),
      mark === undefined ? undefined : emitter.expression(mark, scope),
      emitter,
    );
    return not ? unary('not', found, emitter) : found;
  },
  isnull: ({ not, operand }, scope, emitter) => isNull(emitter.expression(operand, scope), not),
  between: ({ not, operand, low, high }, scope, emitter) => {
    if (!isRow(operand)) {
      const [x, from, to] = [operand, low, high].map((part) => emitter.expression(part, scope));
      return between(x as Value, from as Value, to as Value, not, emitter);
    }
    const from = compareRows({ type: 'binary', operator: '>=', left: operand, right: low }, scope, emitter);
    const to = compareRows({ type: 'binary', operator: '<=', left: operand, right: high }, scope, emitter);
    return computed('boolean', sql`(${not ? 'NOT ' : ''}(${from.sql} AND ${to.sql}))`);
  },
  in: ({ not, operand, list }, scope, emitter) => {
    if (isRow(operand) && list.length > 0) return rowInList(operand, list, not, scope, emitter);
    const x = isRow(operand) ? NULL_VALUE : emitter.expression(operand, scope);
    return inList(
      x,
      list.map((item) => emitter.expression(item, scope)),
      not,
      emitter,
    );
  },
  'in-select': inSelect,
  exists: ({ not, select }, scope, emitter) => {
    const query = emitter.query(select, scope, unknownBlock('a subquery in an expression'));
    return computed('boolean', sql`(${not ? 'NOT ' : ''}EXISTS (${query.render('any')}))`, true);
  },
  subquery: ({ select }, scope, emitter) => {
    const query = emitter.query(select, scope, scalarBlock(scope.block));
    const [first] = query.columns;
    if (first === undefined || query.columns.length > 1) throw columnCount(query.columns.length, 1);
    // The first row's value, NULL without rows (lang_expr.html section 11).
    return {
      ...computed(columnValue(first, '').kind, sql`(${query.render('first')})`),
      affinity: first.affinity,
      known: first.known,
      ...(first.json === undefined ? {} : { json: first.json }),
    };
  },
  case: ({ operand, whens, otherwise }, scope, emitter) =>
    caseWhen(
      operand === undefined ? undefined : emitter.expression(operand, scope),
      whens.map(({ when, result }) => ({
        when: emitter.expression(when, scope),
        result: emitter.expression(result, scope),
      })),
      otherwise === undefined ? undefined : emitter.expression(otherwise, scope),
      emitter,
    ),
  cast: ({ operand, to }, scope, emitter) => {
    // -CAST(9223372036854775808 AS NUMERIC) negates a real: only the literal itself is part of a number.
    const { literal: _, ...cast } = castTo(emitter.expression(operand, scope), to, emitter);
    return cast;
  },
  collate: ({ operand, collation }, scope, emitter) =>
    collate(emitter.expression(operand, scope), collation.text),
  row: () => {
    throw new GatewayError('statement-syntax', 'row value misused');
  },
  call,
};

/** `(a, b) IN ((1, 2), (3, 4))`: SQLite has it for SELECTs only. */
function rowInList(
  operand: Expression,
  list: readonly Expression[],
  not: boolean,
  scope: Scope,
  emitter: Emitter,
): Value {
  const tests = list.map(
    (item) => compareRows({ type: 'binary', operator: '=', left: operand, right: item }, scope, emitter).sql,
  );
  return computed('boolean', sql`(${not ? 'NOT ' : ''}(${join(tests, ' OR ')}))`);
}

export function columnCount(given: number, expected: number): GatewayError {
  return new GatewayError('statement-syntax', `sub-select returns ${given} columns - expected ${expected}`);
}
