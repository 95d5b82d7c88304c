// Row values: (a, b) = (c, d) and their kin (rowvalue.html).
import { GatewayError } from '../../base/errors.ts';
import type { BinaryOperator } from '../ast.ts';
import { NotNative } from '../not-native.ts';
import { type Comparison, compare } from '../operators/compare.ts';
import { computed } from '../operators/computed.ts';
import type { Template } from '../plan.ts';
import type { Expression } from '../resolve/tree.ts';
import { join, sql, type Value } from '../value.ts';
import type { Emitter } from './emitter.ts';
import type { Scope } from './scope.ts';

const COMPARISONS: ReadonlySet<BinaryOperator> = new Set<Comparison>([
  '<',
  '<=',
  '>',
  '>=',
  '=',
  '!=',
  'is',
  'is not',
]);

export function isRow(node: Expression): node is Extract<Expression, { readonly type: 'row' }> {
  return node.type === 'row';
}

export function compareRows(
  { operator, left, right }: Extract<Expression, { readonly type: 'binary' }>,
  scope: Scope,
  emitter: Emitter,
): Value {
  if (!COMPARISONS.has(operator)) throw misused();
  if (left.type === 'subquery' || right.type === 'subquery')
    throw new NotNative('row value compared with a SELECT');
  if (!isRow(left) || !isRow(right) || left.items.length !== right.items.length) throw misused();
  const pairs = left.items.map(
    (item, i) =>
      [emitter.expression(item, scope), emitter.expression(right.items[i] as Expression, scope)] as const,
  );
  return computed('boolean', COMBINE[operator as Comparison](pairs, emitter));
}

type Pairs = readonly (readonly [Value, Value])[];

const every =
  (operator: '=' | 'is') =>
  (pairs: Pairs, emitter: Emitter): Template =>
    sql`(${join(
      pairs.map(([a, b]) => compare(operator, a, b, emitter).sql),
      ' AND ',
    )})`;
const not =
  (rule: (pairs: Pairs, emitter: Emitter) => Template) =>
  (pairs: Pairs, emitter: Emitter): Template =>
    sql`(NOT ${rule(pairs, emitter)})`;

const COMBINE: Readonly<Record<Comparison, (pairs: Pairs, emitter: Emitter) => Template>> = {
  '=': every('='),
  '!=': not(every('=')),
  is: every('is'),
  'is not': not(every('is')),
  '<': (pairs, emitter) => ordered('<', '<', pairs, emitter),
  '<=': (pairs, emitter) => ordered('<', '<=', pairs, emitter),
  '>': (pairs, emitter) => ordered('>', '>', pairs, emitter),
  '>=': (pairs, emitter) => ordered('>', '>=', pairs, emitter),
};

/** From left to right; the first pair that is not equal decides, NULL where it is unknown (section 2.1). */
function ordered(strict: '<' | '>', last: Comparison, pairs: Pairs, emitter: Emitter): Template {
  const [head, ...tail] = pairs;
  if (head === undefined) throw misused();
  const [a, b] = head;
  if (tail.length === 0) return compare(last, a, b, emitter).sql;
  const rest = ordered(strict, last, tail, emitter);
  const before = compare(strict, a, b, emitter).sql;
  const equal = compare('=', a, b, emitter).sql;
  return sql`(${before} OR (${equal} AND ${rest}))`;
}

function misused(): GatewayError {
  return new GatewayError('statement-syntax', 'row value misused');
}
