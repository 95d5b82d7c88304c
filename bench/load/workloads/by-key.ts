// Lookups by primary key in the large table, each key once.
import { permutation } from '../../random.ts';
import { rateAtLeast } from '../goals.ts';
import { ask, type Workload } from '../workload.ts';

export const byKey: Workload = {
  name: 'by-key',
  title: 'lookups never seen before, primary key in 3 M rows',
  about: 'One flight of 3 million by its primary key, in an order that repeats none.',
  targets: ['tablegate', 'reference', 'naive'],
  variants: () => [
    { name: 'closed 64', load: { mode: 'closed', connections: 64 } },
    { name: 'closed 256', load: { mode: 'closed', connections: 256 }, extra: true },
    { name: 'closed 1', load: { mode: 'closed', connections: 1 }, extra: true },
    { name: 'closed 16', load: { mode: 'closed', connections: 16 }, extra: true },
    {
      name: 'open',
      load: { mode: 'open', connections: 64, rate: { share: 0.5, of: 'reference' } },
      extra: true,
    },
  ],
  goals: [rateAtLeast(3, 'reference', 'closed 64')],
  asks: ({ flights }, slice) => {
    const key = permutation(flights.rows, slice.seed);
    let index = Math.floor((flights.rows / slice.of) * slice.index);
    return () => {
      const id = key(index++) + 1;
      return ask(
        `select id, date, delay, distance, origin, destination from ${flights.name} where id = ${id}`,
        `"id":${id}`,
      );
    };
  },
};
