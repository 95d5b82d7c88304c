// Answers made once for a state of the data and kept: bounded in bytes, made once for all who ask at the same time, sent
// as 304 to those who have them. For what the gateway writes about tables; rows of statements are not its matter.
import { createReads } from '../answer/reads.ts';
import { createResultCache } from '../answer/result-cache.ts';
import { createSingleFlight } from '../answer/single-flight.ts';
import { type Answer, NOTHING_FOUND } from '../http/answer.ts';
import { entityTag, matchesTag } from '../http/etag.ts';
import type { Request } from '../http/router.ts';
import { VARY_BY_MINIMUM } from './minimum.ts';
import type { Serving } from './serving.ts';

const VARY: readonly string[] = ['Vary', VARY_BY_MINIMUM];

export interface Made {
  /** Undefined: there is no such thing, a 404. */
  readonly text: string | undefined;
  /** The snapshot that was read: another one than asked for while lanes swap. */
  readonly snapshot: string;
  /** The only table that it was made of, in lower case; undefined where it depends on more of the snapshot. */
  readonly table?: string | undefined;
}

export interface KeptContext {
  readonly serving: () => Serving;
  /** Of a snapshot that is or was served; undefined of another. */
  readonly known: (snapshotId: string) => Serving | undefined;
  /** Names this build: another one may write the same in other bytes. */
  readonly build: string;
}

export interface KeptAnswers {
  /**
   * @param name all that the answer depends on besides build and data
   * @param headers of the 200
   */
  answer(
    request: Request,
    name: string,
    headers: readonly string[],
    make: () => Promise<Made>,
  ): Answer | Promise<Answer>;
}

interface Kept {
  readonly body: Uint8Array;
  readonly found: boolean;
  /** Undefined where nobody may keep it. */
  readonly tag: string | undefined;
  readonly snapshot: string;
}

export function createKeptAnswers({ serving, known, build }: KeptContext, maxBytes: number): KeptAnswers {
  const cache = createResultCache<Kept>(maxBytes);
  const flight = createSingleFlight<Kept>();
  const reads = createReads();

  const keyOf = (name: string, data: Serving): string =>
    `${reads.state(name, data) ?? data.snapshotId} ${name}`;
  const tagOf = (key: string): string => entityTag([build, key]);
  const made = async (name: string, make: () => Promise<Made>): Promise<Kept> => {
    const { text, snapshot, table } = await make();
    if (table !== undefined) reads.learn(name, [table]);
    const data = known(snapshot);
    const key = data === undefined ? undefined : keyOf(name, data);
    const tag = key === undefined ? undefined : tagOf(key);
    const kept = { body: Buffer.from(text ?? ''), found: text !== undefined, tag, snapshot };
    if (key !== undefined) cache.set(key, kept);
    return kept;
  };
  const sent = ({ body, found, tag }: Kept, headers: readonly string[], snapshot: string): Answer => {
    if (!found) return { ...NOTHING_FOUND, headers: VARY, snapshot };
    const tagged = tag === undefined ? [...headers, ...VARY] : [...headers, ...VARY, 'ETag', tag];
    return { status: 200, headers: tagged, body, snapshot };
  };

  return {
    answer(request, name, headers, make) {
      const data = serving();
      const key = keyOf(name, data);
      const kept = cache.get(key);
      const wanted = request.header('if-none-match');
      if (wanted !== undefined) {
        const tag = kept?.tag ?? tagOf(key);
        if (matchesTag(wanted, tag))
          return { status: 304, headers: ['ETag', tag, ...VARY], body: '', snapshot: data.snapshotId };
      }
      if (kept !== undefined) return sent(kept, headers, data.snapshotId);
      return (
        flight
          .join(key, request.signal(), () => made(name, make))
          // Begun on the snapshot before, where the data was the same: it is an answer of this one, too.
          .then((one) => sent(one, headers, one.tag === tagOf(key) ? data.snapshotId : one.snapshot))
      );
    },
  };
}
