// LIMIT and OFFSET (lang_select.html section 5): integers without loss, negative LIMIT is none, negative
// OFFSET is 0, anything else is SQLite's "datatype mismatch".
import { NotNative } from '../not-native.ts';
import { unboolean } from '../operators/convert.ts';
import { integerOf } from '../operators/literal.ts';
import type { Template } from '../plan.ts';
import type { Expression, Select } from '../resolve/tree.ts';
import type { Value } from '../value.ts';
import type { Emitter } from './emitter.ts';
import type { Scope } from './scope.ts';

export type Limit = Pick<Select, 'limit' | 'offset'>;

/** How many rows there are to be at most, after how many; each undefined where nothing is said. */
export interface Bounds {
  readonly rows: Template | undefined;
  readonly skipped: Template | undefined;
}

export function limitBounds({ limit, offset }: Limit, scope: Scope, emitter: Emitter): Bounds {
  return {
    rows: limit === undefined ? undefined : count(limit, 'limit', scope, emitter),
    skipped: offset === undefined ? undefined : count(offset, 'offset', scope, emitter),
  };
}

/** ` LIMIT n OFFSET m`, as the engine has them, or nothing. */
export function limitClause(limit: Limit, scope: Scope, emitter: Emitter): Template {
  return boundsClause(limitBounds(limit, scope, emitter), emitter);
}

export function boundsClause({ rows, skipped }: Bounds, { engine }: Emitter): Template {
  return rows === undefined && skipped === undefined ? [] : engine.limit(rows, skipped);
}

/** The same for the first row alone; makes the plan one for the value of the limit. */
export function firstClause({ limit, offset }: Limit, scope: Scope, emitter: Emitter): Template {
  const skipped = offset === undefined ? undefined : count(offset, 'offset', scope, emitter);
  const [rows] = (limit === undefined ? undefined : count(limit, 'limit', scope, emitter)) ?? ['1'];
  const none = typeof rows === 'string' ? rows === '0' : integerOf(emitter.pin(rows?.index ?? 0).text) === 0n;
  return emitter.engine.limit([none ? '0' : '1'], skipped);
}

/** Undefined is no limit at all. */
function count(
  expression: Expression,
  as: 'limit' | 'offset',
  scope: Scope,
  emitter: Emitter,
): Template | undefined {
  const value = unboolean(emitter.expression(expression, scope));
  if (value.kind === 'null') throw mismatch();
  if (value.literal === undefined) throw new NotNative('LIMIT that is no literal');
  return literalCount(value, value.literal, as, emitter);
}

function literalCount(
  value: Value,
  { index, negative }: { readonly index: number; readonly negative: boolean },
  as: 'limit' | 'offset',
  emitter: Emitter,
): Template | undefined {
  if (value.kind === 'integer' && !negative) return [{ index, as }];
  const { text } = emitter.pin(index);
  if (value.kind !== 'integer' && value.kind !== 'real' && value.kind !== 'text') throw mismatch();
  const number = text.trim() === '' ? Number.NaN : Number(text.trim());
  const signed = negative ? -number : number;
  if (!Number.isInteger(signed) || Math.abs(signed) >= 2 ** 63) throw mismatch();
  return signed < 0 ? undefined : [BigInt(signed).toString()];
}

/** SQLite refuses it, and says so. */
function mismatch(): NotNative {
  return new NotNative('LIMIT that is no integer');
}
