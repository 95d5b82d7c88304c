// Lookups while two clients scan the large table without pause.
import { latencyAtMost } from '../goals.ts';
import type { Workload } from '../workload.ts';
import { lookup } from './lookup.ts';

export const besideScans: Workload = {
  name: 'beside-scans',
  title: "lookups' p99 while two clients scan without pause",
  about: 'Lookups at a constant rate, alone and beside two clients that aggregate over 3 M rows in turn.',
  targets: ['tablegate', 'reference', 'naive'],
  variants: () => [
    { name: 'alone', load: { mode: 'open', connections: 64, rate: 500 }, minSeconds: 4 },
    {
      name: 'beside',
      load: { mode: 'open', connections: 64, rate: 500 },
      beside: { workload: 'aggregate', load: { mode: 'closed', connections: 2 } },
      minSeconds: 4,
    },
  ],
  goals: [
    latencyAtMost(3, { target: 'tablegate', variant: 'alone' }, 99, 'beside', 'p99 beside them <= 3 x alone'),
  ],
  asks: (dataset, slice) => lookup.asks(dataset, { ...slice, index: slice.index + 400 }),
};
