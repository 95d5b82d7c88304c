// Finished answers: found, not found, kept while others are pushed out.
import { createResultCache } from '../../src/answer/result-cache.ts';
import type { Part } from './part.ts';

export const resultCache: Part = {
  group: 'result cache',
  open: async () => {
    const cache = createResultCache<{ body: Uint8Array }>(64 * 1024 * 1024);
    const body = new Uint8Array(400);
    const key = (index: number): string =>
      `000012-3f9a1c objects select id , name from rigs where id = ?i ${index}`;
    for (let index = 0; index < 10_000; index++) cache.set(key(index), { body });
    let at = 0;
    return {
      tasks: [
        {
          name: 'hit',
          repeat: 200,
          run: () => {
            at = (at + 7919) % 10_000;
            return cache.get(key(at));
          },
        },
        { name: 'miss', repeat: 200, run: () => cache.get(key(-1)) },
        {
          name: 'keep a new answer in a full cache',
          repeat: 100,
          run: () => cache.set(key(at++ + 1_000_000), { body }),
        },
      ],
    };
  },
};
