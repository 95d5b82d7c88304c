// Answers made once for a snapshot and kept: found by their entity tag, bounded in bytes, made once for all
// who ask at the same time. For what the gateway writes about tables; rows of statements are not its matter.
import { createResultCache } from '../answer/result-cache.ts';
import { createSingleFlight } from '../answer/single-flight.ts';
import { type Answer, NOTHING_FOUND } from '../http/answer.ts';
import { entityTag, matchesTag } from '../http/etag.ts';
import type { Request } from '../http/router.ts';
import type { Serving } from './serving.ts';

export interface Made {
  /** Undefined: there is no such thing, a 404. */
  readonly text: string | undefined;
  /** The snapshot that was read: another one than asked for while lanes swap. */
  readonly snapshot: string;
}

export interface KeptContext {
  readonly serving: () => Serving;
  readonly build: string;
}

export interface KeptAnswers {
  /**
   * @param parts all that the answer depends on besides build and snapshot
   * @param headers of the 200
   */
  answer(
    request: Request,
    parts: readonly string[],
    headers: readonly string[],
    make: () => Promise<Made>,
  ): Promise<Answer>;
}

interface Kept {
  readonly body: Uint8Array;
  readonly found: boolean;
  /** The snapshot that it was made of. */
  readonly snapshot: string;
}

export function createKeptAnswers({ serving, build }: KeptContext, maxBytes: number): KeptAnswers {
  const cache = createResultCache<Kept>(maxBytes);
  const flight = createSingleFlight<Kept>();
  return {
    async answer(request, parts, headers, make) {
      const { snapshotId } = serving();
      const tag = entityTag([build, snapshotId, ...parts]);
      if (matchesTag(request.header('if-none-match'), tag))
        return { status: 304, headers: ['ETag', tag], body: '', snapshot: snapshotId };
      const { body, found, snapshot } =
        cache.get(tag) ??
        (await flight.join(tag, request.signal(), async () => {
          const { text, snapshot } = await make();
          const kept = { body: Buffer.from(text ?? ''), found: text !== undefined, snapshot };
          if (snapshot === snapshotId) cache.set(tag, kept);
          return kept;
        }));
      if (!found) return NOTHING_FOUND;
      // While lanes swap, the answer is tagged as what it was made of.
      const told = snapshot === snapshotId ? tag : entityTag([build, snapshot, ...parts]);
      return { status: 200, headers: [...headers, 'ETag', told], body, snapshot };
    },
  };
}
