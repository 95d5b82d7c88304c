// An export of 100,000 rows in one answer of some 10 MB.

import { permutation } from '../../random.ts';
import type { Dataset } from '../dataset.ts';
import { fasterAtLeast, latencyAtMost } from '../goals.ts';
import { ask, FIRST_CONTACT, type Workload } from '../workload.ts';

const rowsOf = ({ flights }: Dataset): number => Math.min(100_000, Math.floor(flights.rows / 2));

export const large: Workload = {
  name: 'large',
  title: '100,000 rows in one answer',
  about: 'The 100,000 flights after a random one, six columns, some 10 MB; no answer repeats.',
  targets: ['tablegate', 'reference', 'naive', 'engine'],
  variants: () => [
    { name: 'closed 1', load: { mode: 'closed', connections: 1 } },
    {
      name: 'closed 4',
      load: { mode: 'closed', connections: 4 },
      targets: ['tablegate', 'reference', 'naive'],
      extra: true,
    },
  ],
  goals: [
    fasterAtLeast(12, 'reference', FIRST_CONTACT),
    latencyAtMost(
      2,
      { target: 'engine', variant: 'closed 1' },
      50,
      'closed 1',
      "p50 <= 2 x DuckDB's own JSON (closed 1)",
    ),
  ],
  large: true,
  checks: 1,
  rows: rowsOf,
  engine: 'json',
  asks: (dataset, slice) => {
    const { flights } = dataset;
    const rows = rowsOf(dataset);
    const places = flights.rows - rows;
    const place = permutation(places, slice.seed);
    let index = Math.floor((places / slice.of) * slice.index);
    return () => {
      const after = place(index++);
      return ask(
        `select id, date, delay, distance, origin, destination from ${flights.name} ` +
          `where id > ${after} order by id limit ${rows}`,
        `"id":${after + 1},`,
        `"id":${after + rows},`,
      );
    };
  },
};
