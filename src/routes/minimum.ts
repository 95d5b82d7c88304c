// Read what you wrote: `Tablegate-Min-Block: CHAIN_ID:BLOCK` and `Tablegate-Min-Snapshot: N` say what a client knows to
// be there. A gateway that is behind waits for it as long as `Prefer: wait=SECONDS` allows (RFC 7240), then says so.
import { GatewayError } from '../base/errors.ts';
import type { Observe } from '../base/observe.ts';
import { UNSUPPORTED_CHAIN } from '../base/reference-words.ts';
import type { Answer } from '../http/answer.ts';
import { errorAnswer } from '../http/failure.ts';
import type { Handler, Method, Request, Route } from '../http/router.ts';
import type { WaitEnd, Waiting } from '../limit/waiting.ts';
import { snapshotNumber } from '../snapshot/layout.ts';
import { shown } from './chain.ts';
import type { Serving } from './serving.ts';

const MIN_BLOCK = 'Tablegate-Min-Block';
const MIN_SNAPSHOT = 'Tablegate-Min-Snapshot';
/** A cache between here and the client must not answer such a request with what it has of others. */
export const VARY_BY_MINIMUM = `${MIN_BLOCK}, ${MIN_SNAPSHOT}`;
const NAMES = [MIN_BLOCK, MIN_SNAPSHOT].map((name) => name.toLowerCase()) as [string, string];

/** Of one request; whoever reads several chains names them all. */
const MAX_CHAINS = 16;

export interface MinimumContext {
  readonly serving: () => Serving;
  readonly waiting: Waiting;
  /** However long the client would wait. */
  readonly maxWaitMs: number;
  readonly observe: Observe;
}

interface Minimum {
  readonly blocks: readonly (readonly [chainId: number, block: number])[];
  /** -1 where none is asked for. */
  readonly snapshot: number;
}

/** The route, for data that is at least as new as the request says: all else of it runs after that is known. */
export function withMinimum(route: Route, context: MinimumContext): Route {
  const { serving } = context;
  const wrap =
    (handler: Handler, method: Method): Handler =>
    (request) => {
      const blocks = request.header(NAMES[0]);
      const snapshot = request.header(NAMES[1]);
      if (blocks === undefined && snapshot === undefined) return handler(request);
      const data = serving();
      const minimum = {
        blocks: blocks === undefined ? [] : readBlocks(blocks, data),
        snapshot: snapshot === undefined ? -1 : readSnapshot(snapshot),
      };
      return lacking(minimum, data) === undefined
        ? handler(request)
        : answerLater(context, minimum, request, handler, method);
    };
  const entries = Object.entries(route.handlers) as [Method, Handler][];
  return {
    ...route,
    handlers: Object.fromEntries(entries.map(([method, handler]) => [method, wrap(handler, method)])),
  };
}

async function answerLater(
  { serving, waiting, maxWaitMs, observe }: MinimumContext,
  minimum: Minimum,
  request: Request,
  handler: Handler,
  method: Method,
): Promise<Answer> {
  const prefersS = preferredWait(request.header('prefer'));
  const waitMs = Math.min(maxWaitMs, (prefersS ?? 0) * 1000);
  // A body that nobody reads would be taken for one that does not arrive.
  if (method === 'POST') await request.body();
  const since = performance.now();
  const isThere = (): boolean => lacking(minimum, serving()) === undefined;
  let end: WaitEnd | 'left' = 'left';
  try {
    end = waitMs > 0 ? await waiting.wait(request.client, waitMs, isThere, request.signal()) : 'late';
  } finally {
    observe({ type: 'waited', end, ms: performance.now() - since });
  }
  const waited = waitMs > 0 && (end === 'came' || end === 'late');
  const applied = waited ? ['Preference-Applied', `wait=${Math.floor(waitMs / 1000)}`] : [];
  const data = serving();
  const lacks = lacking(minimum, data);
  if (lacks !== undefined)
    return {
      ...errorAnswer('not-ready', lacks, { headers: applied, hint: HINTS[end] }),
      snapshot: data.snapshotId,
    };
  const answer = await handler(request);
  return { ...answer, headers: [...answer.headers, ...applied] };
}

const HINTS: { readonly [E in WaitEnd | 'left']?: string } = {
  late: 'Ask again; "Prefer: wait=SECONDS" says how long to wait for it here.',
  full: 'Too many requests wait for newer data here: ask again.',
};

/** What is asked for and not there, in words for the client; undefined where all is. */
function lacking({ blocks, snapshot }: Minimum, data: Serving): string | undefined {
  for (const [chain, block] of blocks) {
    const last = data.blocks.find(([id]) => id === chain)?.[1];
    if (last === undefined)
      return `Block ${block} of chain ${chain} is not shown: the data here says no block of that chain (that of files never does).`;
    if (last < block)
      return `Block ${block} of chain ${chain} is not shown yet: the last one here is ${last}.`;
  }
  const number = snapshotNumber(data.snapshotId) ?? 0;
  return number < snapshot ? `Snapshot ${snapshot} is not shown yet: the one here is ${number}.` : undefined;
}

/** @throws GatewayError */
function readBlocks(value: string, { chains }: Serving): Minimum['blocks'] {
  const items = value.split(',');
  if (items.length > MAX_CHAINS)
    throw new GatewayError('bad-parameter', `${MIN_BLOCK} may name at most ${MAX_CHAINS} chains.`);
  return items.map((item) => {
    const [, chain, block] = /^(\d{1,15}):(\d{1,15})$/.exec(item.trim()) ?? [];
    if (chain === undefined)
      throw new GatewayError(
        'bad-parameter',
        `${MIN_BLOCK} must be CHAIN_ID:BLOCK, such as 31337:1234, several separated by commas; not ${shown(item.trim())}.`,
      );
    if (!chains.has(Number(chain)))
      throw new GatewayError('bad-chain', UNSUPPORTED_CHAIN, {
        hint: `${MIN_BLOCK} names chain ${chain}: ${[...chains].join(', ') || 'none'} can be asked for.`,
      });
    return [Number(chain), Number(block)] as const;
  });
}

/** As a number, or as the id that an answer named. @throws GatewayError */
function readSnapshot(value: string): number {
  const text = value.trim();
  const number = /^\d{1,15}$/.test(text) ? Number(text) : snapshotNumber(text);
  if (number === undefined)
    throw new GatewayError(
      'bad-parameter',
      `${MIN_SNAPSHOT} must be the number or the id of a snapshot, such as 12 or 000012-3f9a1c, not ${shown(text)}.`,
    );
  return number;
}

/** Seconds; undefined where none are preferred. What is malformed counts as not there (RFC 7240 section 2). */
function preferredWait(prefer: string | undefined): number | undefined {
  for (const preference of prefer?.split(',') ?? []) {
    const found = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(;|$)/i.exec(preference);
    if (found !== null) return Number(found[1]);
  }
  return undefined;
}
