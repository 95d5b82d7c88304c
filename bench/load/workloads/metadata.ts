// Table metadata, as wallets and market places ask for it.
import { rateAtLeast } from '../goals.ts';
import type { Workload } from '../workload.ts';

export const metadata: Workload = {
  name: 'metadata',
  title: 'table metadata',
  about: 'Name, schema and links of three tables in turn.',
  targets: ['tablegate', 'reference', 'bare'],
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
  goals: [rateAtLeast(5, 'reference', 'closed 16')],
  repeats: true,
  asks: ({ chainId, rigs, attributes, flights }) => {
    const asks = [rigs, attributes, flights].map(({ name }) => ({
      path: `/tables/${chainId}/${name.slice(name.lastIndexOf('_') + 1)}`,
      statement: '',
      proof: [`"name":"${name}"`],
    }));
    let index = 0;
    return () => asks[index++ % asks.length] as (typeof asks)[number];
  },
};
