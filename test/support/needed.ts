// Suites that need a program which the machine may lack: skipped in so many words, and a failure under CI.
import { suite, type Test } from 'uvu';

/**
 * @param why the program is not there and what to do; undefined where it is there
 * @param needed names the program, to follow "is there to test with"
 */
export function neededSuite<Context>(name: string, needed: string, why: string | undefined): Test<Context> {
  const told = suite<Context>(name);
  if (why === undefined) return told;
  told(`${needed} is there to test with`, () => {
    if (process.env['CI'] !== undefined) throw new Error(why);
    process.stdout.write(`\nSKIPPED ${name}: ${why}\n`);
  });
  const hook = Object.assign(() => {}, { each: () => {} });
  return Object.assign(() => told.skip(), {
    ...{ only: () => told.skip(), skip: () => told.skip(), run: () => told.run() },
    ...{ before: hook, after: hook },
  });
}
