// A statement's literals as typed values, and the engine's text for a literal that fills a slot.
import { GatewayError } from '../../base/errors.ts';
import type { Literal } from '../../wire/protocol.ts';
import type { Context } from '../context.ts';
import { NotNative } from '../not-native.ts';
import { sql, textLiteral, type Value } from '../value.ts';
import { NULL_VALUE, realLiteral } from './computed.ts';

const MAX_INTEGER = 2n ** 63n - 1n;

const isHex = (text: string): boolean => /^0x/i.test(text);

/** lang_expr.html "Literal Values": hexadecimal integers are 64-bit two's complement. */
export function integerOf(text: string): bigint {
  if (!isHex(text)) return BigInt(text);
  const digits = text.slice(2).replace(/^0+(?=.)/, '');
  if (digits.length > 16) throw new GatewayError('statement-syntax', `hex literal too big: ${text}`);
  return BigInt.asIntN(64, BigInt(`0x${digits}`));
}

/**
 * A literal, or a number literal with a minus before it. Integers past 64 bits are reals (lang_expr.html
 * "Literal Values"); the plan is then for this value only.
 */
export function literalValue(index: number, ctx: Context, negative = false): Value {
  const literal = ctx.literals[index]!;
  const base = {
    affinity: 'none',
    collation: undefined,
    simple: true,
    notNull: true,
    literal: { index, negative },
  } as const;
  const slot = { index, as: 'value' } as const;
  switch (literal.kind) {
    case 'null':
      return { ...NULL_VALUE, literal: { index, negative } };
    case 'integer': {
      const magnitude = integerOf(literal.text);
      if (isHex(literal.text) && negative && magnitude === -MAX_INTEGER - 1n)
        throw new GatewayError('statement-syntax', `hex literal too big: -${literal.text}`);
      const value = negative ? -magnitude : magnitude;
      if (value > MAX_INTEGER || value < -MAX_INTEGER - 1n) {
        throw new NotNative('integer past 64 bits');
      }
      return {
        ...base,
        // The sign goes inside: 9223372036854775808 alone does not fit.
        sql: negative ? sql`CAST(- ${slot} AS BIGINT)` : sql`CAST(${slot} AS BIGINT)`,
        kind: 'integer',
      };
    }
    case 'real':
      return { ...base, sql: negative ? sql`(- ${slot})` : [slot], kind: 'real' };
    case 'text':
      return { ...base, sql: [slot], kind: 'text' };
    case 'blob':
      return { ...base, sql: [slot], kind: 'blob' };
  }
}

/** lang_expr.html "Boolean Expressions": TRUE and FALSE are 1 and 0. */
export function booleanLiteral(value: boolean): Value {
  return { ...NULL_VALUE, kind: 'boolean', sql: [value ? 'TRUE' : 'FALSE'], notNull: true };
}

/** The engine's text for a literal in a slot `as: 'value'`. Its kind is the one the plan was made for. */
export function renderLiteral(literal: Literal): string {
  switch (literal.kind) {
    case 'null':
      return 'NULL';
    case 'integer': {
      const value = integerOf(literal.text);
      return value < 0n ? `(${value})` : String(value);
    }
    case 'real':
      return realLiteral(literal.text);
    case 'text':
      // The engine reads its own text up to the first NUL only.
      return literal.text.includes('\0')
        ? `(${literal.text.split('\0').map(textLiteral).join(' || chr(0) || ')})`
        : textLiteral(literal.text);
    case 'blob':
      return literal.text === '' ? "CAST('' AS BLOB)" : `from_hex('${literal.text}')`;
  }
}

/** What the engine is given for a LIMIT or OFFSET below 0. */
export const NEGATIVE_COUNT = { limit: 'NULL', offset: '0' } as const;

/** A text that a rule knows while the plan is made, such as a printf format: pins the plan to it. */
export function pinnedText(x: Value, ctx: Context): string | undefined {
  if (x.literal === undefined || x.kind !== 'text') return undefined;
  return ctx.pin(x.literal.index).text;
}

/** An integer as the real of the same value. */
export function renderReal(literal: Literal): string {
  const value = integerOf(literal.text);
  if (value > 2n ** 53n || value < -(2n ** 53n)) throw new NotNative('integer that no real is');
  return value < 0n ? `(${value}e0)` : `${value}e0`;
}
