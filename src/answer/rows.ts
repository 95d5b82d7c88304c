// Rows of a statement: from the cache, from a run that is under way, or from a run of their own. Knows neither SQL's
// grammar nor HTTP; what may be kept or shared, and what it was made of, is said by the reply itself.
import { digestOf } from '../base/digest.ts';
import type { AskedRows, NamedQuery } from './asked-rows.ts';
import type { Ask, Asker, Timed } from './engine.ts';
import { createReads, type DataState } from './reads.ts';
import { createResultCache, type ResultCache } from './result-cache.ts';
import { createSingleFlight } from './single-flight.ts';

/** Where rows came from: kept, run now, or run by another request that asked the same at the same time. */
export type CacheState = 'hit' | 'miss' | 'shared';

export interface Rows {
  readonly reply: Timed;
  readonly cache: CacheState;
  /** Names the answer by the data that it was made of; undefined where it may be another the next time. */
  readonly key: string | undefined;
}

/** All that is left of a reply once it was sent: the less is kept, the less the garbage collector moves. */
export interface KeptRows {
  readonly body: Uint8Array | string;
  readonly rows: number;
}

export interface RowsSource {
  /** The query in this state of the data. */
  asked(query: NamedQuery, data: DataState): AskedRows;
  /** Where nothing needs to be run. */
  kept(asked: AskedRows): KeptRows | undefined;
  /**
   * From a run: to be asked where nothing is {@link kept}.
   * @throws GatewayError where the statement fails
   */
  rows(asked: AskedRows, asker: Asker): Promise<Rows>;
  readonly cache: Pick<ResultCache<KeptRows>, 'bytes' | 'entries'>;
}

export interface RowsOptions {
  /** Bound of the cache; 0 is off. */
  readonly cacheBytes: number;
  readonly singleFlight: boolean;
  /** Of a snapshot that is or was served; undefined of another. */
  readonly known: (snapshotId: string) => DataState | undefined;
}

export function createRowsSource(ask: Ask, { cacheBytes, singleFlight, known }: RowsOptions): RowsSource {
  const cache = createResultCache<KeptRows>(cacheBytes);
  const flight = createSingleFlight<Rows>();
  const reads = createReads();

  const askedIn: RowsSource['asked'] = ({ job, name }, data) => {
    const state = reads.state(job.shape, data);
    const key = state === undefined ? undefined : digestOf([state, name]);
    return { job, name, snapshot: data.snapshotId, state, key };
  };
  const run = async (asked: AskedRows, asker: Asker): Promise<Rows> => {
    const reply = await ask(asked.job, asker);
    // While lanes swap, it may be of another snapshot than was asked for: it is named by what it was made of.
    const data = reply.deterministic ? known(reply.snapshot) : undefined;
    if (data === undefined || reply.tables === undefined) return { reply, cache: 'miss', key: undefined };
    reads.learn(asked.job.shape, reply.tables);
    const isNamed = asked.state !== undefined && asked.state === reads.state(asked.job.shape, data);
    const key = isNamed ? asked.key : askedIn(asked, data).key;
    // Parts can be read only once.
    if (key !== undefined && reply.rest === undefined) cache.set(key, { body: reply.body, rows: reply.rows });
    return { reply, cache: 'miss', key };
  };

  return {
    asked: askedIn,
    kept: ({ key }) => (key === undefined ? undefined : cache.get(key)),
    async rows(asked, asker) {
      if (!singleFlight) return run(asked, asker);
      let own = false;
      const rows = await flight.join(asked.key ?? asked.snapshot + asked.name, asker.signal, (signal) => {
        own = true;
        return run(asked, { ...asker, signal });
      });
      if (own) return rows;
      // random() differs for each who asks, and parts are gone once read: whoever joined runs it again.
      if (!rows.reply.deterministic || rows.reply.rest !== undefined) return run(asked, asker);
      // Begun on the snapshot before, where the data was the same: it is an answer of this one, too.
      if (rows.key !== undefined && rows.key === asked.key)
        return { ...rows, reply: { ...rows.reply, snapshot: asked.snapshot }, cache: 'shared' };
      return rows.reply.snapshot === asked.snapshot ? { ...rows, cache: 'shared' } : run(asked, asker);
    },
    cache,
  };
}
