// A workload from a statement of the user's own, for gateways that serve other tables than the bench's.
import { createRandom, wholeBetween } from '../random.ts';
import { ask, firstBound, type Variant, type Workload } from './workload.ts';

/**
 * @param template a statement; `{int:1:3000}` becomes a whole number between the two, `{new}` a number that
 *   was never used before.
 */
export function customWorkload(template: string, connections: readonly number[] = [1, 16, 64]): Workload {
  return {
    name: 'custom',
    title: 'a statement of your own',
    about: template,
    targets: ['url'],
    variants: () => [
      ...connections.map(
        (count): Variant => ({ name: `closed ${count}`, load: { mode: 'closed', connections: count } }),
      ),
      { name: 'open', load: { mode: 'open', connections: 64, rate: { share: 0.5, of: 'url' } } },
    ],
    goals: [],
    checks: 0,
    asks: (_, slice) => {
      const random = createRandom(slice.seed + slice.index);
      let bound = firstBound(slice);
      return () =>
        ask(
          template
            .replaceAll(/\{int:(\d+):(\d+)\}/g, (_match, min, max) =>
              String(wholeBetween(random, Number(min), Number(max))),
            )
            .replaceAll('{new}', () => String(bound++)),
        );
    },
  };
}
