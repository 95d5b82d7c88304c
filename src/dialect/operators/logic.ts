// AND and OR, three-valued as the engine's own. The engine computes all sides, in its own order, where SQLite stops
// at the first that decides: a side that fails there ends the statement, and SQLite runs it.
import type { Context } from '../context.ts';
import type { Template } from '../plan.ts';
import { join, sql, type Value } from '../value.ts';
import { computed } from './computed.ts';
import { truth } from './convert.ts';

export function logic(operator: 'and' | 'or', l: Value, r: Value, ctx: Context): Value {
  const operands = [...operandsOf(operator, l, ctx), ...operandsOf(operator, r, ctx)];
  const text = sql`(${join(operands, operator === 'and' ? ' AND ' : ' OR ')})`;
  return {
    ...computed('boolean', text, l.notNull && r.notNull),
    chain: { of: text, operator, operands },
  };
}

function operandsOf(operator: 'and' | 'or', x: Value, ctx: Context): readonly Template[] {
  const { chain } = x;
  return chain?.of === x.sql && chain.operator === operator ? chain.operands : [truth(x, ctx)];
}
