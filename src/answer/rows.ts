// Rows of a statement: from the cache, from a run that is under way, or from a run of their own. Knows neither SQL's grammar nor HTTP; what may be kept or shared is said by the reply itself.
import type { AskedRows } from './asked-rows.ts';
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
  /** Where nothing needs to be run. */
  kept(asked: AskedRows): Rows | undefined;
  /**
   * From a run: to be asked where nothing is {@link kept}.
   * @throws GatewayError where the statement fails
   */
  rows(asked: AskedRows, asker: Asker): Promise<Rows>;
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

  const run = async (asked: AskedRows, asker: Asker): Promise<Timed> => {
    const { key, snapshot } = asked;
    const reply = await ask(asked.job, asker);
    // While lanes swap, a reply may be of another snapshot than the key's; parts can be read only once.
    if (reply.deterministic && reply.rest === undefined && reply.snapshot === snapshot) cache.set(key, reply);
    return reply;
  };

  return {
    kept(asked) {
      const kept = cache.get(asked.key);
      return kept && { reply: kept, cache: 'hit' };
    },
    async rows(asked, asker) {
      if (!singleFlight) return { reply: await run(asked, asker), cache: 'miss' };
      let own = false;
      const reply = await flight.join(asked.key, asker.signal, (signal) => {
        own = true;
        return run(asked, { ...asker, signal });
      });
      if (own) return { reply, cache: 'miss' };
      // random() differs for each who asks, and parts are gone once read: whoever joined runs it again.
      if (!reply.deterministic || reply.rest !== undefined)
        return { reply: await run(asked, asker), cache: 'miss' };
      return { reply, cache: 'shared' };
    },
    cache,
    clear: () => cache.clear(),
  };
}
