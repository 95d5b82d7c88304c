// The written corpus against the real reference, category by category, and what goes beyond it against
// SQLite itself. Prints the table; fails on a difference that is not listed, and on a listed one that is none.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { referenceBinary } from '../support/reference.ts';
import { type CaseRequest, wireOf } from './case.ts';
import { BEYOND, CORPUS } from './corpus.ts';
import { DIFFERENCES, differenceOf } from './differences.ts';
import { describe, reportTable, type Tally, unexplained } from './report.ts';
import { type Judged, runCases } from './run-cases.ts';
import { type SideBySide, startSideBySide } from './side-by-side.ts';

/** Of these it is found out only as rows are read. */
const OF_ROWS = /"code":"(run-failed|extract-columns|mixed-column|limit-\w+)"|chain id does not exist/;

let sides: SideBySide;
const tallies: Tally[] = [];

function report(category: string, judged: readonly Judged[]): void {
  tallies.push({ category, judged });
  const bad = unexplained(judged);
  assert.is(bad.length, 0, `${bad.length} of ${judged.length} differ\n${bad.map(describe).join('\n')}`);
}

if (referenceBinary() === undefined) {
  test.skip('the reference has no program for this machine', () => {});
} else {
  test.before(async () => {
    sides = await startSideBySide();
  });
  test.after(async () => {
    await sides.stop();
    process.stdout.write(`\n${reportTable(tallies)}\n`);
  });

  for (const [category, cases] of Object.entries(CORPUS)) {
    test(`${category}: answered as the reference answers`, async () => {
      report(category, await runCases(cases, sides.reference, sides.ours));
    });
  }

  test('beyond the reference: answered as SQLite answers', async () => {
    const oracle = {
      ask: async (test: CaseRequest | string) =>
        sides.oracle.answer(typeof test === 'string' ? { statement: test } : test),
    };
    report('beyond', await runCases(BEYOND, oracle, sides.ours));
  });

  test('what was answered is explained, and what was refused is refused in the same words', async () => {
    const asked = tallies.flatMap(({ judged }) =>
      judged.flatMap(({ test, ours }) => {
        const { method, path } = wireOf(test);
        return method === 'GET' && path.startsWith('/query?') ? [{ path, ours }] : [];
      }),
    );
    for (const { path, ours } of asked) {
      const { status, body } = await sides.ours.ask({ path: path.replace('query', 'explain') });
      if (ours.status === 400 && status === 200) assert.match(ours.body, OF_ROWS, path);
      else if (ours.status === 400) assert.is(body, ours.body, path);
      else assert.is(status, 200, `${path}: ${body}`);
    }
    assert.ok(asked.length > 1_000, `${asked.length}`);
  });

  test('every listed difference is still one', () => {
    const all = tallies.flatMap((tally) => tally.judged);
    for (const difference of DIFFERENCES)
      for (const name of [difference.example, ...(difference.cases ?? [])]) {
        const judged = all.find((one) => one.name === name);
        assert.ok(judged !== undefined, `${difference.id} lists a case that is not in the corpus: ${name}`);
        const differs = judged.verdict === 'different' || judged.verdict === 'refused';
        assert.ok(differs, `${difference.id} is no difference any more (${judged.verdict}): ${name}`);
        assert.is(differenceOf(judged)?.id, difference.id, name);
      }
  });
}

test.run();
