// Lookups at rising constant rates, until the target no longer keeps up: where it collapses, and how.
import type { Workload } from '../workload.ts';
import { lookup } from './lookup.ts';

const RATES = [1_000, 2_000, 4_000, 6_000, 8_000, 10_000, 12_000, 16_000, 20_000];

export const risingLoad: Workload = {
  name: 'rising-load',
  title: 'lookups at rising load',
  about: 'Lookups that start at a constant rate, from 1,000 to 20,000 a second: the collapse point.',
  targets: ['tablegate', 'reference', 'naive'],
  variants: () =>
    RATES.map((rate) => ({
      name: `open ${rate}/s`,
      load: { mode: 'open', connections: 256, rate, mayRefuse: true },
      extra: rate !== 1_000,
    })),
  goals: [],
  untilCollapse: true,
  asks: (dataset, slice) => lookup.asks(dataset, { ...slice, index: slice.index + 600 }),
};
