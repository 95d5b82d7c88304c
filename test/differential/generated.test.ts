// Generated statements against the real reference: the same ones in every run, others by DIFF_SEED (a number,
// or `new`) and more of them by DIFF_RUNS. The seed is printed, and a failure is shrunk before it is shown.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { referenceBinary } from '../support/reference.ts';
import { times } from '../support/ring.ts';
import type { CaseRequest } from './case.ts';
import { isFault } from './fault.ts';
import { request } from './generate/request.ts';
import { describe, reportTable } from './report.ts';
import { type Judged, runCase } from './run-cases.ts';
import { type SideBySide, startSideBySide } from './side-by-side.ts';

const GIVEN = process.env['DIFF_SEED'] ?? '319645';
const SEED = GIVEN === 'new' ? Date.now() % 1_000_000 : Number(GIVEN);
const RUNS = Number(process.env['DIFF_RUNS'] ?? times(600, 6_000));
/** Properties that run side by side, each with a seed of its own: both gateways stay busy. */
const LANES = 4;

let sides: SideBySide;

if (referenceBinary() === undefined) {
  test.skip('the reference has no program for this machine', () => {});
} else {
  test.before(async () => {
    sides = await startSideBySide();
  });
  test.after(async () => {
    await sides.stop();
  });

  test(`${RUNS} generated statements are answered as the reference answers (seed ${SEED})`, async () => {
    const judged: Judged[] = [];
    const faulty = async (generated: CaseRequest): Promise<Judged | undefined> => {
      const one = await runCase(generated, sides.reference, sides.ours);
      judged.push(one);
      return isFault(one, sides.oracle) ? one : undefined;
    };
    const details = await Promise.all(
      Array.from({ length: LANES }, (_, lane) => {
        const property = fc.asyncProperty(
          request,
          async (generated) => (await faulty(generated)) === undefined,
        );
        return fc.check(property, { seed: SEED + lane, numRuns: Math.ceil(RUNS / LANES) });
      }),
    );
    process.stdout.write(`seed ${SEED}\n${reportTable([{ category: 'generated', judged }])}\n`);
    const failures = details.filter((detail) => detail.failed);
    const texts = failures.map((detail) => {
      const generated = detail.counterexample?.[0];
      const one = judged.find((candidate) => candidate.test === generated);
      return `seed ${detail.seed} path ${detail.counterexamplePath}\n${one === undefined ? String(detail.errorInstance) : describe(one)}`;
    });
    assert.is(failures.length, 0, texts.join('\n'));
  });
}

test.run();
