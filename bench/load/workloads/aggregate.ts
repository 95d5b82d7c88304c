// A grouped aggregate over the whole large table: what a row store cannot do quickly.
import { fasterAtLeast, latencyAtMost } from '../goals.ts';
import { ask, FIRST_CONTACT, firstBound, type Workload } from '../workload.ts';

export const aggregate: Workload = {
  name: 'aggregate',
  title: 'grouped aggregate over 3 M rows, never seen before',
  about: 'Number of flights and mean delay by origin; a condition differs in every statement.',
  targets: ['tablegate', 'reference', 'naive', 'engine'],
  variants: () => [
    { name: 'closed 1', load: { mode: 'closed', connections: 1 } },
    {
      name: 'closed 4',
      load: { mode: 'closed', connections: 4 },
      targets: ['tablegate', 'reference', 'naive'],
      extra: true,
    },
    {
      name: 'open',
      load: { mode: 'open', connections: 16, rate: { share: 0.5, of: 'reference' } },
      targets: ['tablegate', 'reference'],
      extra: true,
      minSeconds: 10,
    },
  ],
  goals: [
    fasterAtLeast(40, 'reference', FIRST_CONTACT),
    latencyAtMost(
      1.3,
      { target: 'engine', variant: 'closed 1' },
      50,
      'closed 1',
      'p50 <= 1.3 x DuckDB alone (closed 1)',
    ),
  ],
  large: true,
  checks: 1,
  engine: 'rows',
  asks: ({ flights }, slice) => {
    let bound = firstBound(slice);
    return () =>
      ask(
        `select origin, count(*) as flights, avg(delay) as delay from ${flights.name} ` +
          `where delay > -${bound++} group by origin order by origin`,
        '"origin":"ABE"',
      );
  },
};
