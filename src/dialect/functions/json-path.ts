import { GatewayError } from '../../errors.ts';
import type { Context } from '../context.ts';
import type { Value } from '../value.ts';

export function arrow(op: '->' | '->>', _l: Value, _r: Value, _ctx: Context): Value {
  throw new GatewayError('unsupported', `${op} is not answered yet`);
}
