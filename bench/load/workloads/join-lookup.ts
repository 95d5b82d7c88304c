// A rig with its attributes: the join that every page of an NFT makes.
import { createRandom, wholeBetween } from '../../random.ts';
import { rateAtLeast } from '../goals.ts';
import { ask, firstBound, type Workload } from '../workload.ts';

export const joinLookup: Workload = {
  name: 'join-lookup',
  title: 'join lookups never seen before',
  about: 'One rig of 3,000 and its ten attributes of 30,000; no statement repeats.',
  targets: ['tablegate', 'reference', 'naive'],
  variants: () => [
    { name: 'closed 64', load: { mode: 'closed', connections: 64 } },
    { name: 'closed 1', load: { mode: 'closed', connections: 1 }, extra: true },
    { name: 'closed 16', load: { mode: 'closed', connections: 16 }, extra: true },
    {
      name: 'open',
      load: { mode: 'open', connections: 64, rate: { share: 0.5, of: 'reference' } },
      extra: true,
    },
  ],
  goals: [rateAtLeast(8, 'reference', 'closed 64')],
  asks: ({ rigs, attributes }, slice) => {
    const random = createRandom(slice.seed + slice.index);
    let bound = firstBound(slice);
    return () => {
      const id = wholeBetween(random, 1, rigs.rows);
      return ask(
        `select rigs.id, rigs.name, rigs.image, parts.trait_type, parts.value from ${rigs.name} as rigs ` +
          `join ${attributes.name} as parts on parts.rig_id = rigs.id ` +
          `where rigs.id = ${id} and rigs.minted_at < ${bound++} order by parts.trait_type`,
        `"id":${id},`,
        '"Top Speed"',
      );
    };
  },
};
