// Rows of a statement: from the cache, from an index of its shape, from a run that is under way, or from a run of
// their own. Knows neither SQL's grammar nor HTTP; what may be kept or shared is said by the reply itself.
import type { AskedRows } from './asked-rows.ts';
import { countedParts } from './counted-parts.ts';
import type { Ask, Asker, Timed } from './engine.ts';
import type { Indexes } from './indexes/indexes.ts';
import { createResultCache, type ResultCache } from './result-cache.ts';
import { createSingleFlight } from './single-flight.ts';

/**
 * Where rows came from: kept, found in an index, run now, or run by another request that asked the same at the same
 * time.
 */
export type CacheState = 'hit' | 'index' | 'miss' | 'shared';

export interface Rows {
  readonly reply: Timed;
  readonly cache: CacheState;
}

export interface RowsSource {
  /** Where nothing needs to be run: the kept answer, or what an index says. */
  kept(asked: AskedRows): Rows | undefined;
  /**
   * From a run: to be asked where nothing is {@link kept}.
   * @throws GatewayError where the statement fails
   */
  rows(asked: AskedRows, asker: Asker): Promise<Rows>;
  readonly cache: Pick<ResultCache<Timed>, 'bytes' | 'entries'>;
  readonly indexes: Pick<Indexes, 'bytes' | 'entries'>;
  /** After a swap of the snapshot. */
  clear(): void;
}

export interface RowsOptions {
  /** Bound of the cache; 0 is off. */
  readonly cacheBytes: number;
  readonly singleFlight: boolean;
  readonly indexes: Indexes;
}

export function createRowsSource(ask: Ask, { cacheBytes, singleFlight, indexes }: RowsOptions): RowsSource {
  const cache = createResultCache<Timed>(cacheBytes);
  const flight = createSingleFlight<Timed>();

  const run = async (asked: AskedRows, asker: Asker): Promise<Timed> => {
    const { key, snapshot } = asked;
    const reply = await ask(asked.job, asker);
    // While lanes swap, a reply may be of another snapshot than the key's; parts can be read only once.
    if (reply.deterministic && reply.rest === undefined && reply.snapshot === snapshot) cache.set(key, reply);
    indexes.ran(asked, reply);
    if (reply.rest === undefined || reply.indexable === undefined) return reply;
    return { ...reply, rest: countedParts(reply.rest, (bytes) => indexes.sent(asked, reply, bytes)) };
  };

  return {
    kept(asked) {
      const kept = cache.get(asked.key);
      if (kept !== undefined) return { reply: kept, cache: 'hit' };
      const found = indexes.find(asked);
      return found && { reply: found, cache: 'index' };
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
    indexes,
    clear() {
      cache.clear();
      indexes.clear();
    },
  };
}
