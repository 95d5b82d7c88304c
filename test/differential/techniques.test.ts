// What makes the gateway fast must not be seen in its answers: parts of the written corpus with each technique
// switched off, with all of them off, and with every request sent by several clients at the same moment.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { referenceBinary } from '../support/reference.ts';
import { inLong, times } from '../support/ring.ts';
import { statementOf } from './case.ts';
import { CORPUS } from './corpus.ts';
import { describe, unexplained } from './report.ts';
import { type Answerer, runCases } from './run-cases.ts';
import { type SideBySide, startSideBySide } from './side-by-side.ts';

const OFF = {
  'the result cache': ['--result-cache-bytes', '0'],
  'single flight': ['--single-flight', 'off', '--result-cache-bytes', '0'],
  'the plan cache': ['--plan-shapes', '1', '--result-cache-bytes', '0'],
  'one piece for small answers': ['--stream-bytes', '1024'],
} as const;
const ALL_OFF = [...new Set(Object.values(OFF).map((args) => args.join(' ')))].flatMap((args) =>
  args.split(' '),
);
const CASES = Object.values(CORPUS).flat();
/** A few of all categories: all cases run with everything on, in corpus.test.ts. */
const SHARE = times(24, 6);
const part = (which: number): typeof CASES => CASES.filter((_, index) => index % SHARE === which % SHARE);

const longTest = inLong(test);

let sides: SideBySide;

async function check(which: number, ours: Answerer, cases = part(which)): Promise<void> {
  const bad = unexplained(await runCases(cases, sides.reference, ours));
  assert.is(bad.length, 0, `${bad.length} differ\n${bad.map(describe).join('\n')}`);
}

const IS_RANDOM = /random/i;

/** Each case several times at the same moment; all answers must be one, but for those that chance makes. */
function crowd(one: Answerer, size: number): Answerer {
  return {
    async ask(request) {
      const replies = await Promise.all(Array.from({ length: size }, () => one.ask(request)));
      const [first, ...others] = replies;
      if (first === undefined) throw new Error('an empty crowd');
      if (IS_RANDOM.test(statementOf(request))) return first;
      for (const other of others)
        if (other.status !== first.status || other.body !== first.body)
          return {
            ...other,
            status: 599,
            body: `answers at one moment differ: ${first.body} and ${other.body}`,
          };
      return first;
    },
  };
}

if (referenceBinary() === undefined) {
  test.skip('the reference has no program for this machine', () => {});
} else {
  test.before(async () => {
    sides = await startSideBySide();
  });
  test.after(() => sides.stop());

  Object.entries(OFF).forEach(([name, args], index) => {
    longTest(`without ${name} the answers are the same`, async () => {
      await check(index, await sides.oursWith(args));
    });
  });

  test('without any of them the answers are the same', async () => {
    await check(1, await sides.oursWith(ALL_OFF));
  });

  test('a crowd that asks the same at one moment gets one answer', async () => {
    await check(2, crowd(sides.ours, 8));
  });

  test('a crowd that shares no answers gets one answer all the same', async () => {
    const ours = await sides.oursWith(['--single-flight', 'off', '--result-cache-bytes', '0']);
    await check(3, crowd(ours, 8));
  });
}

test.run();
