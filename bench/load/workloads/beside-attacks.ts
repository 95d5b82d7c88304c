// Lookups while strangers send the dearest statements they know.
import { latencyAtMost } from '../goals.ts';
import type { Workload } from '../workload.ts';
import { lookup } from './lookup.ts';

export const besideAttacks: Workload = {
  name: 'beside-attacks',
  title: "lookups' p99 while strangers attack",
  about: 'Lookups at a constant rate, alone and beside two clients that send heavy and forbidden statements.',
  // The others have no limit of time: they would never come back.
  targets: ['tablegate'],
  variants: () => [
    { name: 'alone', load: { mode: 'open', connections: 64, rate: 300 }, minSeconds: 10 },
    {
      name: 'beside',
      load: { mode: 'open', connections: 64, rate: 300 },
      beside: { workload: 'beside-attacks', load: { mode: 'attack', connections: 2 } },
      minSeconds: 20,
    },
  ],
  goals: [
    latencyAtMost(2, { target: 'tablegate', variant: 'alone' }, 99, 'beside', 'p99 beside them <= 2 x alone'),
  ],
  asks: (dataset, slice) => lookup.asks(dataset, { ...slice, index: slice.index + 700 }),
};
