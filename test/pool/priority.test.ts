// Scans leave the processor to lookups: the wide lane's threads are nicer than the fast one's.
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestLanes } from '../lane/support.ts';

if (process.platform === 'linux')
  test('every thread of the wide lane has its nice value, and none of the fast lane has', async () => {
    const { lanes, pid, close } = await startTestLanes({ config: { wideNice: 4 } });
    try {
      assert.is(lanes.healthy(), true);
      const own = getPriority();
      const values = (lane: string): Set<number> =>
        new Set(readdirSync(`/proc/${pid(lane)}/task`).map((thread) => getPriority(Number(thread))));
      assert.equal([...values('wide')], [Math.min(19, own + 4)]);
      assert.equal([...values('fast')], [own]);
    } finally {
      await close();
    }
  });
else process.stdout.write('SKIPPED nice values: they are tried on Linux only\n');

test.run();
