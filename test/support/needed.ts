// Suites that need a program which the machine may lack: skipped in so many words, and a failure under CI.
import { suite, type Test } from 'uvu';

/**
 * @param why the program is not there and what to do; undefined where it is there
 * @param needed names the program, to follow "is there to test with"
 * @param isExcused whether it may be missing under CI, too
 */
export function neededSuite<Context>(
  name: string,
  needed: string,
  why: string | undefined,
  isExcused = false,
): Test<Context> {
  const told = suite<Context>(name);
  if (why === undefined) return told;
  told(`${needed} is there to test with`, () => {
    if (process.env['CI'] !== undefined && !isExcused) throw new Error(why);
    process.stdout.write(`\nSKIPPED ${name}: ${why}\n`);
  });
  const hook = Object.assign(() => {}, { each: () => {} });
  return Object.assign(() => told.skip(), {
    ...{ only: () => told.skip(), skip: () => told.skip(), run: () => told.run() },
    ...{ before: hook, after: hook },
  });
}
