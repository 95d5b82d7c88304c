// Rows of a statement: from the cache, from a run that is under way, or from a run of their own. Knows neither
// SQL's grammar nor HTTP; what may be kept or shared is said by the reply itself.
import type { QueryJob } from '../protocol.ts';
import type { Ask, Asker, Timed } from './engine.ts';
import { createResultCache, type ResultCache } from './result-cache.ts';
import { createSingleFlight } from './single-flight.ts';

/** Where rows came from: kept, run now, or run by another request that asked the same at the same time. */
export type CacheState = 'hit' | 'miss' | 'shared';

export interface Rows {
  readonly reply: Timed;
  readonly cache: CacheState;
}

export interface RowsSource {
  /** The kept answer, where there is one: nothing is run. */
  kept(key: string): Timed | undefined;
  /**
   * From a run: to be asked where nothing is {@link kept}.
   * @param key all that the answer depends on, the snapshot's id included
   * @throws GatewayError where the statement fails
   */
  rows(key: string, snapshot: string, job: QueryJob, asker: Asker): Promise<Rows>;
  readonly cache: Pick<ResultCache<Timed>, 'bytes' | 'entries'>;
  /** After a swap of the snapshot. */
  clear(): void;
}

export interface RowsOptions {
  /** Bound of the cache; 0 is off. */
  readonly cacheBytes: number;
  readonly singleFlight: boolean;
}

export function createRowsSource(ask: Ask, { cacheBytes, singleFlight }: RowsOptions): RowsSource {
  const cache = createResultCache<Timed>(cacheBytes);
  const flight = createSingleFlight<Timed>();

  const run = async (key: string, snapshot: string, job: QueryJob, asker: Asker): Promise<Timed> => {
    const reply = await ask(job, asker);
    // While lanes swap, a reply may be of another snapshot than the key's; parts can be read only once.
    if (reply.deterministic && reply.rest === undefined && reply.snapshot === snapshot) cache.set(key, reply);
    return reply;
  };

  return {
    kept: (key) => cache.get(key),
    async rows(key, snapshot, job, asker) {
      if (!singleFlight) return { reply: await run(key, snapshot, job, asker), cache: 'miss' };
      let own = false;
      const reply = await flight.join(key, asker.signal, (signal) => {
        own = true;
        return run(key, snapshot, job, { ...asker, signal });
      });
      if (own) return { reply, cache: 'miss' };
      // random() differs for each who asks, and parts are gone once read: whoever joined runs it again.
      if (!reply.deterministic || reply.rest !== undefined)
        return { reply: await run(key, snapshot, job, asker), cache: 'miss' };
      return { reply, cache: 'shared' };
    },
    cache,
    clear: () => cache.clear(),
  };
}
