// How the engine threads of a lane are shared out: by the rule, and as the engine itself says in a real lane.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createThreadShares } from '../../src/pool/thread-share.ts';
import type { Job } from '../../src/protocol.ts';
import { job, startTestLanes, textOf, until } from '../lane/support.ts';
import { rawJob } from '../support/passthrough.ts';

const scan = (shape = 'scan'): Job => rawJob(shape);

test('scans share the threads evenly, what has just begun is no scan, and nobody has none', () => {
  const shares = createThreadShares(4);
  assert.is(shares.begins(scan('a'), 0).threads, 4);
  assert.is(shares.begins(scan('b'), 9).threads, 4, 'the first has run for 9 ms');
  assert.is(shares.begins(scan('c'), 10).threads, 2);
  assert.is(shares.begins(scan('d'), 30).threads, 1);
  assert.is(shares.begins(scan('e'), 90).threads, 1);
});

test('a shape that was a scan counts as one from its begin, until it was quick again', () => {
  const shares = createThreadShares(4);
  shares.begins(scan(), 0).ended(10);
  const again = shares.begins(scan(), 20);
  assert.is(again.threads, 4);
  assert.is(shares.begins(scan('other'), 20).threads, 2);
  again.ended(21);
  shares.begins(scan(), 40);
  // The other has run for long by now; of the shape only what it did last counts.
  assert.is(shares.begins(scan('third'), 41).threads, 2);
});

test('who has ended, and has ended twice, takes nothing away', () => {
  const shares = createThreadShares(2);
  const { ended } = shares.begins(scan(), 0);
  ended(100);
  ended(200);
  assert.is(shares.begins(scan(), 300).threads, 2);
  assert.is(createThreadShares(1).begins(scan(), 0).threads, 1);
});

const SLOW =
  'SELECT count(*) AS "n:integer" FROM items_1_1 a, (SELECT * FROM items_1_1 LIMIT 2000) b WHERE a.id + b.id > 0';

test('a statement beside a scan runs on its share, and on all threads when it is alone again', async () => {
  const { lanes, close } = await startTestLanes({ config: { wideThreads: 2, wideWorkers: 2 } });
  let asked = 0;
  const threads = async (): Promise<number> => {
    // A shape of its own each time: one that is known to be quick would run in the fast lane.
    asked += 1;
    const text = await textOf(
      await lanes.run(job(`SELECT current_setting('threads')::BIGINT AS "n${asked}:integer"`)),
    );
    return Number(/:(\d+)\}\]$/.exec(text)?.[1]);
  };
  const wideRuns = (count: number): Promise<void> =>
    until(() => lanes.stats().some(({ lane, running }) => lane === 'wide' && running === count), 60_000);
  try {
    for (let round = 0; round < 2; round++) {
      const scan = lanes.run(job(SLOW, { deadlineMs: 60_000 }));
      await wideRuns(1);
      // Once it has run for long enough to be a scan.
      await until(async () => (await threads()) === 1);
      assert.is(await textOf(await scan), '[{"n":400000000}]');
      assert.is(await threads(), 2);
    }
  } finally {
    await close();
  }
});

test.run();
