// + - * / % || & | << >> and unary operators (lang_expr.html "Operators", "Integer division", datatype3.html
// section 4.3). What leaves 64 bits ends the statement in the engine, and SQLite runs it.
import type { BinaryOperator, UnaryOperator } from '../ast.ts';
import type { Context } from '../context.ts';
import { arithmeticBounds, asReals, both, type Known, realArithmetic, realQuotient } from '../facts.ts';
import { arrow } from '../functions/json.ts';
import { NotNative } from '../not-native.ts';
import type { Template } from '../plan.ts';
import { join, type Pin, partsOf, sql, type Value } from '../value.ts';
import { carried } from './collation.ts';
import { type Comparison, compare } from './compare.ts';
import { bareOf, computed, computedReal, nullOf } from './computed.ts';
import { knownOfEach, toInteger, toNumber, toReal, toText, truth, unboolean } from './convert.ts';
import { known } from './known.ts';
import { literalValue } from './literal.ts';
import { logic } from './logic.ts';
import { scaledArithmetic } from './scaled.ts';

type Arithmetic = '+' | '-' | '*' | '/' | '%';
type Bits = '&' | '|' | '<<' | '>>';

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
      return bits(op, l, r, ctx);
    case '||':
      return concatenate([l, r]);
    case '->':
    case '->>':
      return arrow(op, l, r, ctx);
    case 'and':
    case 'or':
      return logic(op, l, r, ctx);
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
  const l = toNumber(left, ctx);
  const r = toNumber(right, ctx);
  if (l.kind === 'integer' && r.kind === 'integer') {
    // Past 64 bits the engine ends with an error.
    if (op === '/') return computed('integer', ctx.engine.quotient(l.sql, r.sql));
    if (op === '%') return computed('integer', ctx.engine.remainder(l.sql, r.sql));
    const text = sql`(${l.sql} ${op} ${r.sql})`;
    const facts = (pin: Pin): Known => arithmeticBounds(op, known(l, pin), known(r, pin));
    return { ...computed('integer', text, l.notNull && r.notNull), known: facts };
  }
  if (l.kind !== 'real' && r.kind !== 'real') throw new NotNative('arithmetic of integers and reals in one');
  if (op === '%')
    return computed(
      'real',
      sql`CAST(${ctx.engine.remainder(toInteger(l, ctx).sql, toInteger(r, ctx).sql)} AS DOUBLE)`,
    );
  const [a, b] = [l, r].map((x) => bareOf(toReal(x, ctx))) as [Template, Template];
  // SQLite has no NaN: inf - inf is NULL.
  const real = computedReal(op === '/' ? sql`(${a} / NULLIF(${b}, 0e0))` : sql`(${a} ${op} ${b})`, ctx);
  const facts = (pin: Pin): Known =>
    op === '/' ? quotient(known(l, pin), r, pin) : realArithmetic(op, known(l, pin), known(r, pin));
  return { ...real, known: facts, ...(op === '/' ? {} : { scaled: scaledArithmetic(op, real.sql, l, r) }) };
}

/** By a literal: of other divisors nobody knows how small they are. */
function quotient(dividend: Known, divisor: Value, pin: Pin): Known {
  const size = divisor.literal === undefined ? undefined : asReals(known(divisor, pin))?.size;
  return size === undefined ? {} : realQuotient(dividend, size);
}

/** The engine refuses what would leave 64 bits, where SQLite drops bits. */
function bits(op: Bits, left: Value, right: Value, ctx: Context): Value {
  if (left.kind === 'null' || right.kind === 'null') return nullOf('null');
  const l = toInteger(left, ctx);
  const r = toInteger(right, ctx);
  const notNull = l.notNull && r.notNull;
  if (op === '&' || op === '|') return computed('integer', ctx.engine.bits(op, l.sql, r.sql), notNull);
  const { min, max } = known(r, ctx);
  const within = min !== undefined && max !== undefined && min >= 0n && max <= 62n;
  // Shifts by negative counts go the other way, and by 64 and more give 0 or -1.
  const count = within
    ? r.sql
    : sql`CASE WHEN ${r.sql} BETWEEN 0 AND 62 THEN ${r.sql} WHEN ${r.sql} IS NOT NULL THEN ${ctx.engine.failing('BIGINT')} END`;
  if (op === '>>') return computed('integer', ctx.engine.bits('>>', l.sql, count), notNull);
  if (within && min === max) return computed('integer', sql`(${l.sql} * ${String(1n << min)})`, notNull);
  return computed(
    'integer',
    sql`(${l.sql} * ${ctx.engine.bits('<<', ['CAST(1 AS BIGINT)'], count)})`,
    notNull,
  );
}

/** a || b: text, whatever the operands (lang_expr.html "Operators"). */
export function concatenate(operands: readonly Value[]): Value {
  if (operands.some((x) => x.kind === 'null')) return nullOf('null');
  const texts = operands.map(toText);
  const text = sql`(${join(
    texts.map((x) => x.sql),
    ' || ',
  )})`;
  const facts = (ctx: Pin): Known => {
    const all = knownOfEach(texts)(ctx);
    return { ...both('ascii', all, all), ...both('noNul', all, all) };
  };
  const notNull = texts.every((x) => x.notNull);
  const values = operands.flatMap(partsOf);
  const parts = values.length <= MOST_PARTS ? { parts: { of: text, values } } : {};
  return { ...computed('text', text, notNull), known: facts, ...parts };
}

/** A chain of hundreds would be gone through at each of its links. */
const MOST_PARTS = 32;

export function unary(op: UnaryOperator, x: Value, ctx: Context): Value {
  switch (op) {
    case 'not':
      return x.kind === 'null' ? x : computed('boolean', sql`(NOT ${truth(x, ctx)})`, x.notNull);
    case '+':
      // A no-op, except that the result has no affinity (datatype3.html section 3.2).
      return { ...unboolean(x), affinity: 'none' };
    case '~':
      if (x.kind === 'null') return x;
      return computed('integer', ctx.engine.complement(toInteger(x, ctx).sql), x.notNull);
    case '-':
      return negate(x, ctx);
  }
}

function negate(given: Value, ctx: Context): Value {
  if (given.kind === 'null') return given;
  if (
    given.literal !== undefined &&
    !given.literal.negative &&
    (given.kind === 'integer' || given.kind === 'real')
  )
    return literalValue(given.literal.index, ctx, true);
  const x = toNumber(given, ctx);
  // SQLite subtracts from the integer 0, so that -0.0 never comes of it.
  if (x.kind === 'real') return computedReal(sql`(0e0 - ${bareOf(x)})`, ctx);
  if (x.kind === 'number')
    return { ...computed('number', sql`(0e0 - ${x.sql})`), ...(x.whole && { whole: x.whole }) };
  const facts = (pin: Pin): Known => arithmeticBounds('-', { min: 0n, max: 0n }, known(x, pin));
  return { ...computed('integer', sql`(- ${x.sql})`, x.notNull), known: facts };
}
