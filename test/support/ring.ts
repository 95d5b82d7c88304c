// Which ring of tests this process is of: the quick one shows each promise once, the long one does the same more
// often. A file of test/long/ that imports one of the quick ring runs it once more, so.

import type { Test } from 'uvu';

export const isLong = process.env['TEST_RING'] === 'long';

/** How often, how many, how long: a test is the same in both rings but for this. */
export function times(quick: number, long: number): number {
  return isLong ? long : quick;
}

/** For tests that only the long ring has; the file shows their promise in another test, too. */
export function inLong<Context>(
  test: Test<Context>,
): (name: string, run: (context: Context) => unknown) => void {
  return (name, run) => {
    if (isLong)
      test(name, async (context) => {
        await run(context);
      });
  };
}
