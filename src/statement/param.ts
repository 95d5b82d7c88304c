// A request's param as the literal that it stands for. A param behaves as if its literal were written in
// the text, without ever being pasted into it.
import { GatewayError } from '../base/errors.ts';
import { UNKNOWN_PARAM } from '../base/reference-words.ts';
import type { Literal } from '../wire/protocol.ts';

export type ParamValue = string | number | bigint | boolean | null;

const NULL: Literal = { kind: 'null', text: 'NULL' };
// SQLite has no booleans: TRUE is the integer 1 (datatype3.html section 2.1).
const TRUE: Literal = { kind: 'integer', text: '1', source: 'true' };
const FALSE: Literal = { kind: 'integer', text: '0', source: 'false' };

/** @param position from 1, for the message. */
export function paramLiteral(value: ParamValue, position: number): Literal {
  if (value === null) return NULL;
  if (typeof value === 'boolean') return value ? TRUE : FALSE;
  if (typeof value === 'bigint') return { kind: 'integer', text: String(value) };
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw wrong(position, 'is not a finite number');
    if (Number.isInteger(value) && Math.abs(value) < 2 ** 63)
      return { kind: 'integer', text: String(BigInt(value)) };
    return { kind: 'real', text: realText(value) };
  }
  if (!value.isWellFormed()) throw wrong(position, 'has half a surrogate pair, which is no character');
  if (value.includes('\0')) throw wrong(position, 'has a NUL character');
  return { kind: 'text', text: value, param: true };
}

/** Always with a point or an exponent, so that it reads back as a real. */
function realText(value: number): string {
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function wrong(position: number, what: string): GatewayError {
  return new GatewayError('wrong-params', UNKNOWN_PARAM, { hint: `Param ${position} ${what}.` });
}
