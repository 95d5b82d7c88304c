// What every request pays for the rate limit.
import { createLimiter } from '../../src/limit/limiter.ts';
import type { Part } from './part.ts';

export const limiter: Part = {
  group: 'limiter',
  open: async () => {
    const options = {
      perSecond: 1e9,
      burst: 1e9,
      apiKeys: ['a key of some length'],
      now: () => performance.now(),
    };
    const one = createLimiter({ ...options, maxClients: 1_000 });
    const many = createLimiter({ ...options, maxClients: 10_000 });
    let client = 0;
    return {
      tasks: [
        { name: 'a client that is known', repeat: 200, run: () => one.admit('203.0.113.7', undefined) },
        {
          name: 'twice as many clients as buckets',
          repeat: 200,
          run: () => {
            client = (client + 1) % 20_000;
            return many.admit(`10.${client >> 8}.${client & 255}.9`, undefined);
          },
        },
        { name: 'a valid key', repeat: 50, run: () => one.admit('203.0.113.7', 'a key of some length') },
      ],
    };
  },
};
