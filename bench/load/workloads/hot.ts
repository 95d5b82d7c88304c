// One statement over and over: what a cache of answers is worth, and how near it comes to bare node:http.
import { rateAtLeast } from '../goals.ts';
import { ask, type Workload } from '../workload.ts';

export const hot: Workload = {
  name: 'hot',
  title: 'one statement over and over',
  about: 'The same lookup of one rig, asked again and again.',
  targets: ['tablegate', 'reference', 'naive', 'bare'],
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
  goals: [rateAtLeast(6, 'reference', 'closed 16'), rateAtLeast(0.8, 'bare', 'closed 16')],
  constant: true,
  asks: ({ rigs }) => {
    const only = ask(`select * from ${rigs.name} where id = 7`, '"id":7', 'Rig #7"');
    return () => only;
  },
};
