// Every statement is of a shape that was never asked: nothing that is kept by shape can help.
import { createRandom, wholeBetween } from '../../random.ts';
import { rateAtLeast } from '../goals.ts';
import { firstBound, type Workload } from '../workload.ts';
import { formOf, someColumns } from './mixed.ts';

export const neverSeen: Workload = {
  name: 'never-seen',
  title: 'every statement of a shape never seen',
  about: 'Lookups and short lists whose columns have names that no statement had before.',
  targets: ['tablegate', 'reference'],
  variants: () => [{ name: 'closed 16', load: { mode: 'closed', connections: 16 } }],
  goals: [rateAtLeast(1.5, 'reference', 'closed 16')],
  checks: 20,
  asks: (data, slice) => {
    const random = createRandom(slice.seed + slice.index);
    let bound = firstBound(slice);
    return () => {
      const also = bound++;
      const { columns, form } = formOf(wholeBetween(random, 0, 999));
      const subset = wholeBetween(random, 1, 2 ** columns.length - 1);
      return form(data, someColumns(columns, subset, also.toString(36)), random, also);
    };
  },
};
