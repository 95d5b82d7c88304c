// LIMIT and OFFSET (lang_select.html section 5): integers without loss, negative LIMIT is none, negative
// OFFSET is 0, anything else is SQLite's "datatype mismatch".
import { GatewayError } from '../../errors.ts';
import type { Expression, Select } from '../ast.ts';
import { unboolean } from '../operators/convert.ts';
import type { Template } from '../plan.ts';
import { sql, type Value } from '../value.ts';
import type { Emitter } from './emitter.ts';
import type { Scope } from './scope.ts';

export type Limit = Pick<Select, 'limit' | 'offset'>;

/** ` LIMIT n OFFSET m`, or nothing. */
export function limitClause({ limit, offset }: Limit, scope: Scope, emitter: Emitter): Template {
  const rows = limit === undefined ? undefined : count(limit, 'NULL', scope, emitter);
  const skipped = offset === undefined ? undefined : count(offset, '0', scope, emitter);
  if (rows === undefined && skipped === undefined) return [];
  return sql`${rows === undefined ? [] : sql` LIMIT ${rows}`}${skipped === undefined ? [] : sql` OFFSET ${skipped}`}`;
}

/** @param negative what stands for a negative number; undefined is no limit at all */
function count(
  expression: Expression,
  negative: 'NULL' | '0',
  scope: Scope,
  emitter: Emitter,
): Template | undefined {
  const value = unboolean(emitter.expression(expression, scope));
  if (value.kind === 'null') throw mismatch();
  if (value.literal !== undefined) return literalCount(value, value.literal, emitter);
  if (value.kind !== 'integer')
    throw new GatewayError('unsupported', 'LIMIT and OFFSET take integers here: write a number or a CAST.');
  return sql`(CASE WHEN ${value.sql} IS NULL THEN error('datatype mismatch') WHEN ${value.sql} < 0 THEN ${negative} ELSE ${value.sql} END)`;
}

function literalCount(
  value: Value,
  { index, negative }: { readonly index: number; readonly negative: boolean },
  emitter: Emitter,
): Template | undefined {
  if (value.kind === 'integer' && !negative) return [{ index, as: 'value' }];
  const { text } = emitter.pin(index);
  if (value.kind !== 'integer' && value.kind !== 'real' && value.kind !== 'text') throw mismatch();
  const number = text.trim() === '' ? Number.NaN : Number(text.trim());
  const signed = negative ? -number : number;
  if (!Number.isInteger(signed) || Math.abs(signed) >= 2 ** 63) throw mismatch();
  return signed < 0 ? undefined : [BigInt(signed).toString()];
}

function mismatch(): GatewayError {
  return new GatewayError('run-failed', 'datatype mismatch: LIMIT and OFFSET take integers');
}
