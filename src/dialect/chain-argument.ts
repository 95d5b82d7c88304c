// block_num(): which chain its argument names is read before the statement is run.
import { GatewayError } from '../base/errors.ts';
import { notResolved } from '../base/reference-words.ts';
import type { Expression } from './ast.ts';

/**
 * As the reference, which puts the block in before it runs the statement.
 * @throws GatewayError unknown-function, unsupported
 */
export function checkChain(args: readonly Expression[]): void {
  const [chain, ...more] = args;
  if (chain === undefined || more.length > 0)
    throw new GatewayError(
      'unknown-function',
      notResolved('block_num function should have exactly one argument'),
    );
  const given = chain.type === 'unary' ? chain.operand : chain;
  const isInteger = (given.type === 'literal' && given.kind === 'integer') || given.type === 'boolean';
  if (isInteger) return;
  const what = given.type === 'literal' ? 'an integer' : 'a literal value';
  throw new GatewayError('unsupported', notResolved(`argument of block_num is not ${what}`), {
    hint: 'block_num takes the number of a chain.',
  });
}
