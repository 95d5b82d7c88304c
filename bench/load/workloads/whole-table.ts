// The whole large table in one answer: it must stream, and the process must not grow with it.
import { measureAtMost } from '../goals.ts';
import { ask, firstBound, type Workload } from '../workload.ts';

export const wholeTable: Workload = {
  name: 'whole-table',
  title: '3 M rows in one answer',
  about: 'Every flight with three columns in one answer; the reader takes it as fast as it comes.',
  targets: ['tablegate'],
  variants: () => [{ name: 'read', load: { mode: 'read' }, minSeconds: 1 }],
  goals: [
    measureAtMost('firstByteMs', 200, 'read', 'first byte < 200 ms', 'ms'),
    measureAtMost('grownMB', 150, 'read', 'memory grows < 150 MB', 'MB'),
  ],
  large: true,
  checks: 0,
  rows: ({ flights }) => flights.rows,
  asks: ({ flights }, slice) => {
    let bound = firstBound(slice);
    return () =>
      ask(`select id, delay, origin from ${flights.name} where id > -${bound++}`, `"id":${flights.rows},`);
  },
};
