// How the engine threads of a lane are shared out: by the rule, and as the engine itself says in a real lane.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { threadShare } from '../../src/pool/thread-share.ts';
import { job, startTestLanes, textOf, until } from '../lane/support.ts';

test('scans share the threads evenly, lookups take none away, and nobody has none', () => {
  assert.is(threadShare(8, [], 100), 8);
  assert.is(threadShare(8, [100, 95, 81], 100), 8, 'what has just begun is no scan yet');
  assert.is(threadShare(8, [80], 100), 4);
  assert.is(threadShare(8, [0, 50, 99], 100), 2);
  assert.is(threadShare(2, [0, 0, 0], 100), 1);
  assert.is(threadShare(1, [0], 100), 1);
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
