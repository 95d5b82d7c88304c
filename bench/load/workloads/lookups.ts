// Lookups in a small table, each a statement that was never seen before.
import { createRandom, wholeBetween } from '../../random.ts';
import { latencyAtMost, rateAtLeast } from '../goals.ts';
import { ask, firstBound, type Workload } from '../workload.ts';

export const lookups: Workload = {
  name: 'lookups',
  title: 'lookups never seen before, small table',
  about:
    'One rig of 3,000 by its primary key; a second condition differs in every statement, so none repeats.',
  targets: ['tablegate', 'reference', 'naive'],
  variants: () => [
    { name: 'closed 64', load: { mode: 'closed', connections: 64 } },
    { name: 'closed 256', load: { mode: 'closed', connections: 256 } },
    { name: 'closed 1', load: { mode: 'closed', connections: 1 } },
    { name: 'closed 16', load: { mode: 'closed', connections: 16 }, extra: true },
    {
      name: 'open',
      load: { mode: 'open', connections: 64, rate: { share: 0.5, of: 'reference' } },
    },
  ],
  goals: [
    rateAtLeast(1.5, 'reference', 'closed 64'),
    rateAtLeast(2, 'reference', 'closed 256'),
    latencyAtMost(
      2,
      { target: 'reference', variant: 'closed 1' },
      50,
      'closed 1',
      'p50 <= 2 x reference (closed 1)',
    ),
  ],
  asks: ({ rigs }, slice) => {
    const random = createRandom(slice.seed + slice.index);
    let bound = firstBound(slice);
    return () => {
      const id = wholeBetween(random, 1, rigs.rows);
      return ask(
        `select id, name, image, owner from ${rigs.name} where id = ${id} and minted_at < ${bound++}`,
        `"id":${id}`,
        `"Rig #${id}"`,
      );
    };
  },
};
