// quote() (lang_corefunc.html#quote): the value as SQL writes it.
import type { Context } from '../context.ts';
import { NotNative } from '../not-native.ts';
import { computed } from '../operators/computed.ts';
import { toText, withoutNul } from '../operators/convert.ts';
import type { Template } from '../plan.ts';
import { sql, type Value } from '../value.ts';

export function quote(x: Value, ctx: Context): Value {
  const text = x.kind === 'null' ? ["'NULL'"] : sql`COALESCE(${written(x, ctx)}, 'NULL')`;
  return { ...computed('text', text, true), known: () => ({ noNul: true }) };
}

function written(x: Value, ctx: Context): Template {
  switch (x.kind) {
    case 'text':
      return sql`'''' || replace(${withoutNul(x, 'quote', ctx).sql}, '''', '''''') || ''''`;
    case 'blob':
      return sql`'X''' || ${ctx.engine.hex(x.sql, 'blob')} || ''''`;
    case 'integer':
    case 'boolean':
    case 'null':
      return toText(x).sql;
    case 'real':
    case 'number':
      throw new NotNative('real as text');
  }
}
