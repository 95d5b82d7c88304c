// + - * / % || & | << >> and unary operators (lang_expr.html "Operators", "Integer division", datatype3.html
// section 4.3). What is typed stays native; texts, blobs and mixed values go to the exact rules in JavaScript.
import { GatewayError } from '../../errors.ts';
import type { BinaryOperator, UnaryOperator } from '../ast.ts';
import type { Context } from '../context.ts';
import { arrow } from '../functions/json-value.ts';
import { join, sql, type Value } from '../value.ts';
import { carried } from './collation.ts';
import { type Comparison, compare } from './compare.ts';
import { computed, nullOf } from './computed.ts';
import { toAny, toInteger, toText, truth, unboolean } from './convert.ts';
import { literalValue } from './literal.ts';
import { logic } from './logic.ts';

type Arithmetic = '+' | '-' | '*' | '/' | '%';
type Bits = '&' | '|' | '<<' | '>>';

const EXACT: Readonly<Record<Arithmetic, string>> = {
  '+': 'tg_add',
  '-': 'tg_subtract',
  '*': 'tg_multiply',
  '/': 'tg_divide',
  '%': 'tg_modulo',
};
const SHIFTS: Readonly<Record<'<<' | '>>', string>> = { '<<': 'tg_shift_left', '>>': 'tg_shift_right' };

export function binary(op: BinaryOperator, l: Value, r: Value, ctx: Context): Value {
  return carried(operate(op, l, r, ctx), [l, r]);
}

function operate(op: BinaryOperator, l: Value, r: Value, ctx: Context): Value {
  switch (op) {
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return arithmetic(op, l, r, ctx);
    case '&':
    case '|':
    case '<<':
    case '>>':
      return bits(op, l, r);
    case '||':
      return concatenate([l, r]);
    case '->':
    case '->>':
      return arrow(op, l, r);
    case 'and':
    case 'or':
      return logic(op, l, r);
    case '=':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
    case 'is':
    case 'is not':
      return compare(op satisfies Comparison, l, r, ctx);
  }
}

function arithmetic(op: Arithmetic, left: Value, right: Value, ctx: Context): Value {
  if (left.kind === 'null' || right.kind === 'null') return nullOf('null');
  const l = unboolean(left);
  const r = unboolean(right);
  const notNull = l.notNull && r.notNull;
  const integers = l.kind === 'integer' && r.kind === 'integer';
  if (integers && op === '%') {
    // x % -1 is 0, but the engine refuses it for the smallest integer.
    return ctx.once([r], ([d]) =>
      computed('integer', sql`(${l.sql} % CASE WHEN ${d!.sql} = -1 THEN 1 ELSE ${d!.sql} END)`),
    );
  }
  if (integers && !ctx.exact)
    return computed('integer', sql`(${l.sql} ${op === '/' ? '//' : op} ${r.sql})`, notNull && op !== '/');
  const numbers = (l.kind === 'integer' || l.kind === 'real') && (r.kind === 'integer' || r.kind === 'real');
  if (numbers && !integers && op !== '%') {
    const [a, b] = [l, r].map((x) => (x.kind === 'real' ? x.sql : sql`CAST(${x.sql} AS DOUBLE)`));
    const divisor = op === '/' ? sql`NULLIF(${b!}, 0e0)` : b!;
    // SQLite has no NaN: inf - inf is NULL.
    return computed('real', sql`NULLIF(${a!} ${op} ${divisor}, CAST('nan' AS DOUBLE))`);
  }
  return computed('any', sql`${EXACT[op]}(${toAny(l, ctx).sql}, ${toAny(r, ctx).sql})`);
}

function bits(op: Bits, left: Value, right: Value): Value {
  if (left.kind === 'null' || right.kind === 'null') return nullOf('null');
  const l = toInteger(left);
  const r = toInteger(right);
  const notNull = l.notNull && r.notNull;
  // Shifts by negative counts go the other way; by 64 and more give 0 or -1 (the engine refuses both).
  if (op === '<<' || op === '>>') return computed('integer', sql`${SHIFTS[op]}(${l.sql}, ${r.sql})`, notNull);
  return computed('integer', sql`(${l.sql} ${op} ${r.sql})`, notNull);
}

/** a || b: text, whatever the operands (lang_expr.html "Operators"). */
export function concatenate(values: readonly Value[]): Value {
  if (values.some((x) => x.kind === 'null')) return nullOf('null');
  return computed(
    'text',
    sql`(${join(
      values.map((x) => toText(x).sql),
      ' || ',
    )})`,
    values.every((x) => x.notNull),
  );
}

export function unary(op: UnaryOperator, x: Value, ctx: Context): Value {
  switch (op) {
    case 'not':
      return x.kind === 'null' ? x : computed('boolean', sql`(NOT ${truth(x)})`, x.notNull);
    case '+':
      // A no-op, except that the result has no affinity (datatype3.html section 3.2).
      return { ...unboolean(x), affinity: 'none' };
    case '~':
      if (x.kind === 'null') return x;
      return computed('integer', sql`(~ ${toInteger(x).sql})`, x.notNull);
    case '-':
      return negate(x, ctx);
  }
}

function negate(x: Value, ctx: Context): Value {
  if (x.literal !== undefined && !x.literal.negative && (x.kind === 'integer' || x.kind === 'real'))
    return literalValue(x.literal.index, ctx, true);
  switch (x.kind) {
    case 'null':
      return x;
    case 'real':
      // SQLite subtracts from the integer 0, so that -0.0 never comes of it.
      return computed('real', sql`(0e0 - ${x.sql})`, x.notNull);
    case 'integer':
    case 'boolean':
      if (!ctx.exact || x.kind === 'boolean')
        return computed('integer', sql`(- ${unboolean(x).sql})`, x.notNull);
      return computed('any', sql`tg_negate(${toAny(x, ctx).sql})`);
    case 'text':
    case 'blob':
    case 'any':
      return computed('any', sql`tg_negate(${toAny(x, ctx).sql})`);
  }
}

export function unsupportedOperator(op: string): GatewayError {
  return new GatewayError('unsupported', `unable to use function ${op} in the requested context`);
}
