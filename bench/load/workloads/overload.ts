// Four times what the gateway can answer: what it still answers of it, and what the rest is told.
import { rateOfOwn } from '../goals.ts';
import type { Workload } from '../workload.ts';
import { joinLookup } from './join-lookup.ts';

export const overload: Workload = {
  name: 'overload',
  title: 'four times as much as can be answered',
  about: 'Join lookups of 256 clients in a closed loop, then of 2,000 at four times the rate that gave.',
  targets: ['tablegate'],
  variants: () => [
    { name: 'peak', load: { mode: 'closed', connections: 256 }, minSeconds: 5 },
    {
      name: 'open 4 x peak',
      load: { mode: 'open', connections: 2_000, rate: { share: 4, of: 'tablegate' }, mayRefuse: true },
      minSeconds: 5,
    },
  ],
  goals: [rateOfOwn(0.9, 'peak', 'open 4 x peak', 'answers a second >= 0.9 x the peak')],
  asks: (dataset, slice) => joinLookup.asks(dataset, { ...slice, index: slice.index + 800 }),
};
