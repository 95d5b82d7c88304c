// What a scalar function is to the tables that list them.
import { GatewayError } from '../../base/errors.ts';
import type { Context } from '../context.ts';
import type { Value } from '../value.ts';

export interface ScalarFunction {
  /** Least and greatest number of arguments. */
  readonly min: number;
  readonly max: number;
  /** SQLite has it of the C library: only engines that compute as that does give all of its digits. */
  readonly ofC?: true;
  readonly rule: (args: readonly Value[], ctx: Context) => Value;
}
export type ScalarFunctions = Readonly<Record<string, ScalarFunction>>;

export function wrongCount(name: string): GatewayError {
  return new GatewayError('unknown-function', `wrong number of arguments to function ${name}()`);
}
