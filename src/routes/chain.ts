// The chain id of a path: a decimal number of a chain that is served.
import { GatewayError } from '../base/errors.ts';
import { NO_CHAIN_ID, UNSUPPORTED_CHAIN } from '../base/reference-words.ts';
import { decode } from '../http/request.ts';
import type { Serving } from './serving.ts';

/** @throws GatewayError bad-chain, as the reference's 400 */
export function readChain(segment: string, serving: Serving): number {
  const text = decode(segment, 'the chain id');
  const chainId = Number(text);
  if (!/^-?\d{1,18}$/.test(text))
    throw new GatewayError('bad-chain', NO_CHAIN_ID, {
      hint: `The chain id must be a decimal number, not ${shown(text)}.`,
    });
  if (!/^\d+$/.test(text) || !serving.chains.has(chainId))
    throw new GatewayError('bad-chain', UNSUPPORTED_CHAIN, {
      hint: `Chain ${shown(text)} is not served here: ${[...serving.chains].join(', ') || 'none'} can be asked for.`,
    });
  return chainId;
}

export function shown(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);
}
