// Runs a property of fast-check against the time that there is, several at once so that the gateway is busy,
// and tells the seed. FUZZ_SEED repeats a run, FUZZ_SECONDS makes it longer.
import fc from 'fast-check';
import { times } from '../support/ring.ts';
import type { Target } from './target.ts';

/** The tests try the same in every run; `make fuzz` sets it, to nothing where it should be a new one. */
const GIVEN = process.env['FUZZ_SEED'] ?? '464426';
export const SEED = GIVEN === '' ? Date.now() % 1_000_000 : Number(GIVEN);
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? times(4, 30));

/**
 * @param attempt gives what is wrong, or undefined
 * @returns a report of each failure, shrunk; none where all is well
 */
export async function campaign<T>(
  target: Pick<Target, 'counts'>,
  inputs: fc.Arbitrary<T>,
  attempt: (input: T) => Promise<string | undefined>,
  atOnce = 6,
): Promise<string[]> {
  let attempts = 0;
  /** One that the time ran out for goes on: its files are still in use. */
  const running = new Set<Promise<unknown>>();
  const details = await Promise.all(
    Array.from({ length: atOnce }, (_, lane) =>
      fc.check(
        fc.asyncProperty(inputs, async (input) => {
          attempts += 1;
          const tried = attempt(input);
          running.add(tried);
          const fault = await tried.finally(() => running.delete(tried));
          if (fault !== undefined) throw new Error(fault);
        }),
        {
          seed: SEED + lane,
          numRuns: Number.MAX_SAFE_INTEGER,
          interruptAfterTimeLimit: SECONDS * 1000,
          skipAllAfterTimeLimit: SECONDS * 2000,
        },
      ),
    ),
  );
  await Promise.allSettled(running);
  const counts = [...target.counts].sort((a, b) => b[1] - a[1]).map(([kind, count]) => `${count} x ${kind}`);
  process.stdout.write(`\nseed ${SEED}: ${attempts} attempts; ${counts.join(', ')}\n`);
  return details
    .filter(({ failed, counterexample }) => failed && counterexample !== null)
    .map(
      ({ seed, counterexamplePath, counterexample, errorInstance }) =>
        `seed ${seed} path ${counterexamplePath}\n${JSON.stringify(counterexample?.[0])}\n${String(
          errorInstance instanceof Error ? errorInstance.message : errorInstance,
        )}`,
    );
}
