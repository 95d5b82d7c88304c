// Lookups while another client reads the whole large table at 2 MB/s: it must cost nobody else.
import { latencyAtMost, measureAtMost } from '../goals.ts';
import type { Workload } from '../workload.ts';
import { lookup } from './lookup.ts';

export const slowReader: Workload = {
  name: 'slow-reader',
  title: 'lookups beside a slow reader of 3 M rows',
  about: 'Lookups at a constant rate, alone and while one client takes a huge answer at 2 MB/s.',
  targets: ['tablegate'],
  variants: () => [
    { name: 'alone', load: { mode: 'open', connections: 64, rate: 500 }, minSeconds: 4 },
    {
      name: 'beside',
      load: { mode: 'open', connections: 64, rate: 500 },
      beside: { workload: 'whole-table', load: { mode: 'read', bytesPerSecond: 2_000_000 } },
      minSeconds: 4,
    },
  ],
  goals: [
    latencyAtMost(2, { target: 'tablegate', variant: 'alone' }, 99, 'beside', 'p99 beside it <= 2 x alone'),
    measureAtMost('grownMB', 150, 'beside', 'memory grows < 150 MB', 'MB'),
  ],
  asks: (dataset, slice) => lookup.asks(dataset, { ...slice, index: slice.index + 200 }),
};
