// Pages of 1,000 rows, as tables in a browser and crawlers ask for them.
import { permutation } from '../../random.ts';
import { rateAtLeast } from '../goals.ts';
import { ask, type Workload } from '../workload.ts';

const PAGE_ROWS = 1_000;

export const page: Workload = {
  name: 'page',
  title: 'pages of 1,000 rows never seen before',
  about: 'The 1,000 flights after a random one, five columns; no page repeats.',
  targets: ['tablegate', 'reference', 'naive'],
  variants: () => [
    { name: 'closed 16', load: { mode: 'closed', connections: 16 } },
    { name: 'closed 1', load: { mode: 'closed', connections: 1 }, extra: true },
    { name: 'closed 64', load: { mode: 'closed', connections: 64 }, extra: true },
    {
      name: 'open',
      load: { mode: 'open', connections: 64, rate: { share: 0.5, of: 'reference' } },
      extra: true,
    },
  ],
  goals: [rateAtLeast(6, 'reference', 'closed 16')],
  checks: 4,
  asks: ({ flights }, slice) => {
    const places = flights.rows - PAGE_ROWS;
    const place = permutation(places, slice.seed);
    let index = Math.floor((places / slice.of) * slice.index);
    return () => {
      const after = place(index++);
      return ask(
        `select id, date, delay, distance, origin from ${flights.name} ` +
          `where id > ${after} order by id limit ${PAGE_ROWS}`,
        `"id":${after + 1},`,
        `"id":${after + PAGE_ROWS},`,
      );
    };
  },
};
