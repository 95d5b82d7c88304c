// AND and OR, three-valued as the engine's own. SQLite stops where the left side decides, and statements rely
// on it (`json_valid(x) AND x->>'a' = 1`): the engine computes all sides of an expression, in its own order, so
// a side that can fail is put behind a CASE.
import type { Template } from '../plan.ts';
import { join, sql, type Value } from '../value.ts';
import { computed } from './computed.ts';
import { truth } from './convert.ts';

/** Functions that fail on some values: all that read JSON, and what errors by itself. */
const FAILING = /\btg_json(?!_valid|_quote)|\berror\('tablegate/;

export function canFail(template: Template): boolean {
  return template.some((part) => typeof part === 'string' && FAILING.test(part));
}

export function logic(operator: 'and' | 'or', l: Value, r: Value): Value {
  const operands = [...operandsOf(operator, l), ...operandsOf(operator, r)];
  const text = operands.some(canFail) ? guarded(operator, operands) : plain(operator, operands);
  return {
    ...computed('boolean', text, l.notNull && r.notNull),
    chain: { of: text, operator, operands },
  };
}

function operandsOf(operator: 'and' | 'or', x: Value): readonly Template[] {
  const { chain } = x;
  return chain?.of === x.sql && chain.operator === operator ? chain.operands : [truth(x)];
}

const plain = (operator: 'and' | 'or', operands: readonly Template[]): Template =>
  operands.length === 1 ? operands[0]! : sql`(${join(operands, operator === 'and' ? ' AND ' : ' OR ')})`;

/**
 * What cannot fail first, in plain sight of the engine's filters; then each of the others only where those
 * before it do not decide. Every operand is written twice at most.
 */
function guarded(operator: 'and' | 'or', operands: readonly Template[]): Template {
  const safe = operands.filter((operand) => !canFail(operand));
  const failing = operands.filter(canFail);
  const word = operator.toUpperCase();
  const decided = operator === 'and' ? 'FALSE' : 'TRUE';
  const behind = (condition: Template, rest: Template): Template =>
    sql`(${condition} ${word} CASE WHEN (${condition}) IS NOT ${decided} THEN ${rest} ELSE ${decided} END)`;
  const chain = failing.reduceRight((rest, operand) => behind(operand, rest));
  return safe.length === 0 ? chain : behind(plain(operator, safe), chain);
}
