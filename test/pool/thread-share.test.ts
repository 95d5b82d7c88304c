// How the engine threads of a lane are shared out: by the rule, and as the engine itself says in a real lane.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createThreadShares } from '../../src/pool/thread-share.ts';
import type { Job, Reply } from '../../src/protocol.ts';
import { job, startTestLanes, type TestLanes, textOf, until } from '../lane/support.ts';
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

test('a shape that was a scan counts as one from its begin, and what is quick keeps the threads there are', () => {
  const shares = createThreadShares(4);
  shares.begins(scan(), 0).ended(10);
  const again = shares.begins(scan(), 20);
  assert.is(again.threads, 4);
  assert.is(shares.begins(scan('other'), 20).threads, 2);
  again.ended(29);
  assert.is(shares.begins(scan(), 40).threads, undefined, 'it was quick the last time');
});

test('who has ended, and has ended twice, takes nothing away', () => {
  const shares = createThreadShares(2);
  const { ended } = shares.begins(scan(), 0);
  ended(100);
  ended(200);
  assert.is(shares.begins(scan(), 300).threads, 2);
  assert.is(createThreadShares(1).begins(scan(), 0).threads, undefined, 'there is nothing to share');
});

const SLOW =
  'SELECT count(*) AS "n:integer" FROM items_1_1 a, (SELECT * FROM items_1_1 LIMIT 2000) b WHERE a.id + b.id > 0';

/** A shape of its own each time: one that is known to be quick would run in the fast lane. */
let asked = 0;
async function threadsOf({ lanes }: TestLanes): Promise<number> {
  asked += 1;
  const text = await textOf(
    await lanes.run(job(`SELECT current_setting('threads')::BIGINT AS "n${asked}:integer"`)),
  );
  return Number(/:(\d+)\}\]$/.exec(text)?.[1]);
}
const wideRuns = ({ lanes }: TestLanes, count: number): Promise<void> =>
  until(() => lanes.stats().some(({ lane, running }) => lane === 'wide' && running === count), 60_000);

test('a statement beside a scan runs on its share, and on all threads when it is alone again', async () => {
  const given = await startTestLanes({ config: { wideThreads: 2, wideWorkers: 2 } });
  try {
    for (let round = 0; round < 2; round++) {
      const slow = given.lanes.run(job(SLOW, { deadlineMs: 60_000 }));
      await wideRuns(given, 1);
      // Once it has run for long enough to be a scan.
      await until(async () => (await threadsOf(given)) === 1);
      assert.is(await textOf(await slow), '[{"n":400000000}]');
      assert.is(await threadsOf(given), 2);
    }
  } finally {
    await given.close();
  }
});

test('answers that wait for their readers keep no threads from others, and lose nothing when threads come and go', async () => {
  const given = await startTestLanes({ config: { wideThreads: 2, wideWorkers: 2, stallMs: 60_000 } });
  const waiting: Reply[] = [];
  const open = async (): Promise<void> => {
    const name = `a${waiting.length}`;
    const sql = `SELECT id AS "${name}:integer" FROM items_1_1 ORDER BY id`;
    waiting.push(await given.lanes.run(job(sql, { deadlineMs: 60_000 })));
  };
  try {
    const slow = given.lanes.run(job(SLOW, { deadlineMs: 60_000 }));
    await wideRuns(given, 1);
    await until(async () => (await threadsOf(given)) === 1);
    for (let i = 0; i < 3; i++) await open();
    assert.is(await textOf(await slow), '[{"n":400000000}]');
    // Both workers have answers under way by the end, of which some began on one thread.
    for (let i = 0; i < 4; i++) {
      assert.is(await threadsOf(given), 2);
      await open();
    }
    for (const [i, reply] of waiting.entries()) {
      const rows = JSON.parse(await textOf(reply)) as Readonly<Record<string, number>>[];
      assert.is(rows.length, 200_000);
      assert.ok(
        rows.every((row, at) => row[`a${i}`] === at + 1),
        `stream ${i}`,
      );
    }
  } finally {
    await given.close();
  }
});

test.run();
