// Scans leave the processor to lookups and the front: the scan lane's threads are nicer than the front's. So does what
// runs for long in a long lane, but not what is short there.
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRank } from '../../src/lane/rank.ts';
import { ENDLESS_RECURSION, startTestLanes, statement, textOf, until } from '../lane/support.ts';

const NICE = 4;
const PATIENCE_MS = 60_000;
const own = getPriority();
const nicer = Math.min(19, own + NICE);

if (process.platform === 'linux') {
  test('every thread of the scan lane has its nice value, and none of the front has', async () => {
    const { lanes, pid, close } = await startTestLanes({ config: { scanNice: NICE } });
    try {
      assert.is(lanes.healthy(), true);
      const values = (process: number): readonly number[] => [
        ...new Set(readdirSync(`/proc/${process}/task`).map((thread) => getPriority(Number(thread)))),
      ];
      assert.equal(values(pid('scan')), [nicer]);
      assert.equal(values(process.pid), [own]);
    } finally {
      await close();
    }
  });

  test('a long lane gives way while it runs what is long, and is as before for the next', async () => {
    const { lanes, pid, close } = await startTestLanes({
      config: { scanNice: NICE, longLanes: 1, spareLanes: 1 },
      locks: {},
    });
    const priorities = (): readonly number[] =>
      lanes
        .stats()
        .flatMap(({ lane, pid, serving }) =>
          lane.startsWith('long') && serving && pid !== undefined ? [getPriority(pid)] : [],
        );
    try {
      await until(() => priorities().length === 1, PATIENCE_MS);
      assert.equal(priorities(), [own]);
      const controller = new AbortController();
      const endless = lanes
        .run(statement(ENDLESS_RECURSION, { deadlineMs: 600_000 }), { signal: controller.signal })
        .catch(() => 'left');
      await until(() => priorities().includes(nicer), PATIENCE_MS);
      assert.is(getPriority(pid('rows')), own);
      controller.abort();
      assert.is(await endless, 'left');
      await until(() => priorities().length > 0 && !priorities().includes(nicer), PATIENCE_MS);

      // One that ends by itself, in a process that goes on or makes room for another.
      let low = false;
      for (let steps = 1_000_000; !low; steps *= 2) {
        const text = `with recursive c(x) as (select 1 union all select x + 1 from c where x < ${steps}) select max(x) as x from c`;
        const reply = lanes.run(statement(text, { deadlineMs: 600_000 }));
        let ended = false;
        reply.finally(() => {
          ended = true;
        });
        await until(() => {
          low ||= priorities().includes(nicer);
          return ended;
        }, 10 * PATIENCE_MS);
        assert.is(await textOf(await reply), `[{"x":${steps}}]`);
      }
      await until(() => priorities().length > 0 && !priorities().includes(nicer), PATIENCE_MS);
    } finally {
      await close();
    }
  });
} else process.stdout.write('SKIPPED nice values: they are tried on Linux only\n');

test('a process whose rank cannot be given back makes room for another, once it ran something long', async () => {
  const tried: number[] = [];
  const rank = createRank(NICE, (_, priority) => {
    tried.push(priority);
    if (priority === own && own < nicer) throw new Error('not allowed');
  });
  const lane = { pid: 12 };
  assert.is(rank.ended(lane), false, 'nothing ran');
  rank.began(lane);
  assert.is(rank.ended(lane), false, 'it was short');
  assert.is(rank.isLow(lane), false);
  rank.began(lane);
  await until(() => rank.isLow(lane), PATIENCE_MS);
  await wait(600);
  assert.is(rank.ended(lane), true);
  assert.equal(tried, [nicer, own]);
  assert.is(rank.isLow(lane), true);
  // Another process is not low.
  lane.pid = 13;
  assert.is(rank.isLow(lane), false);
  rank.close();
});

test('a process that was started anew meanwhile is left as it is, and without a nice value all are', async () => {
  const tried: number[] = [];
  const set = (pid: number): number => tried.push(pid);
  const rank = createRank(NICE, set);
  const off = createRank(0, set);
  const lane = { pid: 12 };
  const other = { pid: 20 };
  off.began(lane);
  rank.began(lane);
  lane.pid = 13;
  rank.began(other);
  await until(() => rank.isLow(other), PATIENCE_MS);
  assert.equal(tried, [20]);
  rank.close();
  off.close();
});

test.run();
