// Scalar functions by name: who there is, how many arguments they take, and which rule makes their SQL.
import { asciiLower } from '../../base/ascii-lower.ts';
import type { Context } from '../context.ts';
import { NotNative } from '../not-native.ts';
import { carried } from '../operators/collation.ts';
import type { Value } from '../value.ts';
import { CORE } from './core.ts';
import { DATE } from './date.ts';
import { JSON_SCALARS } from './json.ts';
import { MATH } from './math.ts';
import { type ScalarFunction, wrongCount } from './scalar-function.ts';
import { TEXT } from './text.ts';

const SCALARS: ReadonlyMap<string, ScalarFunction> = new Map(
  Object.entries({ ...CORE, ...TEXT, ...JSON_SCALARS, ...DATE, ...MATH }),
);

export function isScalar(name: string): boolean {
  return SCALARS.has(asciiLower(name));
}

/** @throws NotNative where it is none of these, or its rule has no exact words for it */
export function callScalar(name: string, args: readonly Value[], ctx: Context): Value {
  const found = SCALARS.get(asciiLower(name));
  // Whether there is one, SQLite says.
  if (found === undefined || (found.ofC === true && !ctx.engine.computesAsC))
    throw new NotNative(`function ${name}`);
  if (args.length < found.min || args.length > found.max) throw wrongCount(name);
  return carried({ ...found.rule(args, ctx), affinity: 'none', collation: undefined }, args);
}
