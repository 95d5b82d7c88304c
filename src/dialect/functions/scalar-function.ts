// What a scalar function is to the tables that list them.
import { GatewayError } from '../../base/errors.ts';
import type { Context } from '../context.ts';
import type { EngineName } from '../engine.ts';
import type { Value } from '../value.ts';

export interface ScalarFunction {
  /** Least and greatest number of arguments. */
  readonly min: number;
  readonly max: number;
  /** Engines whose answers are other ones, in the last digit at least. */
  readonly notIn?: readonly EngineName[];
  readonly rule: (args: readonly Value[], ctx: Context) => Value;
}
export type ScalarFunctions = Readonly<Record<string, ScalarFunction>>;

export function wrongCount(name: string): GatewayError {
  return new GatewayError('unknown-function', `wrong number of arguments to function ${name}()`);
}
