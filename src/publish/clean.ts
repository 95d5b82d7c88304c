// Takes out of a store what no snapshot that stays there is made of any more. Only after a publishing that was not
// disputed, and never what another publisher may just be sending.

import { fetchPart } from '../store/part.ts';
import type { PartList, Pointer } from '../store/pointer.ts';
import type { Store } from '../store/store.ts';
import type { KnownParts } from './upload.ts';

export interface Cleaner {
  /**
   * @param gone lists of snapshots that were there before
   * @param everything look at all parts, for those of publishers that died
   * @throws StoreError
   */
  clean(now: Pointer, gone: readonly PartList[], known: KnownParts, everything: boolean): Promise<void>;
}

/** A part that nothing names may belong to what somebody is publishing at this moment. */
const UNNAMED_MS = 3_600_000;

export function createCleaner(store: Store, signal: AbortSignal): Cleaner {
  /** List -> the parts in it. */
  let lists = new Map<string, ReadonlySet<string>>();

  const partsOf = async ({ sha256, bytes }: PartList): Promise<ReadonlySet<string>> => {
    let found = lists.get(sha256);
    if (found === undefined) {
      const list = bytes === 0 ? Buffer.alloc(0) : (await fetchPart(store, sha256, bytes, signal)).bytes;
      found = new Set([sha256, ...namesIn(list)]);
      lists.set(sha256, found);
    }
    return found;
  };

  return {
    async clean(now, gone, known, everything) {
      const staying = [now.parts, ...now.before.map(({ parts }) => parts)];
      const leaving = gone.filter(({ sha256 }) => !staying.some((each) => each.sha256 === sha256));
      if (leaving.length === 0 && !(everything && store.listParts !== undefined)) return;
      const needed = new Set<string>();
      for (const list of staying) for (const name of await partsOf(list)) needed.add(name);
      const unneeded = new Set<string>();
      for (const list of leaving)
        for (const name of await partsOf(list)) if (!needed.has(name)) unneeded.add(name);
      if (everything)
        for (const { name, changedMs } of (await store.listParts?.(signal)) ?? [])
          if (!needed.has(name) && Date.now() - changedMs > UNNAMED_MS) unneeded.add(name);
      for (const name of unneeded) {
        known.removed(name);
        await store.removePart(name, signal);
      }
      lists = new Map([...lists].filter(([sha256]) => staying.some((each) => each.sha256 === sha256)));
    },
  };
}

/** The SHA-256 in a list of parts, in order. */
export function namesIn(list: Buffer): readonly string[] {
  return Array.from({ length: list.length / 32 }, (_, i) => list.toString('hex', i * 32, i * 32 + 32));
}
