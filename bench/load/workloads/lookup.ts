// Lookups in a small table, each a statement that was never seen before.
import { createRandom, wholeBetween } from '../../random.ts';
import { rateAtLeast } from '../goals.ts';
import { ask, firstBound, type Workload } from '../workload.ts';

export const lookup: Workload = {
  name: 'lookup',
  title: 'lookups never seen before, small table',
  about:
    'One rig of 3,000 by its primary key; a second condition, which is true of all, differs in every statement.',
  targets: ['tablegate', 'reference', 'naive'],
  variants: () => [
    { name: 'closed 64', load: { mode: 'closed', connections: 64 } },
    { name: 'closed 16', load: { mode: 'closed', connections: 16 } },
    { name: 'closed 256', load: { mode: 'closed', connections: 256 } },
    { name: 'closed 1', load: { mode: 'closed', connections: 1 } },
    {
      name: 'open',
      load: { mode: 'open', connections: 64, rate: { share: 0.5, of: 'reference' } },
      extra: true,
    },
  ],
  goals: [1, 16, 64, 256].map((count) => rateAtLeast(count === 1 ? 2 : 3, 'reference', `closed ${count}`)),
  asks: ({ rigs }, slice) => {
    const random = createRandom(slice.seed + slice.index);
    let bound = firstBound(slice);
    return () => {
      const id = wholeBetween(random, 1, rigs.rows);
      return ask(
        `select id, name, image, owner from ${rigs.name} where id = ${id} and minted_at >= -${bound++}`,
        `"id":${id}`,
        `"Rig #${id}"`,
      );
    };
  },
};
