// Scans leave the processor to lookups and the front: the scan lane's threads are nicer than the front's.
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestLanes } from '../lane/support.ts';

if (process.platform === 'linux')
  test('every thread of the scan lane has its nice value, and none of the front has', async () => {
    const { lanes, pid, close } = await startTestLanes({ config: { scanNice: 4 } });
    try {
      assert.is(lanes.healthy(), true);
      const own = getPriority();
      const values = (process: number): readonly number[] => [
        ...new Set(readdirSync(`/proc/${process}/task`).map((thread) => getPriority(Number(thread)))),
      ];
      assert.equal(values(pid('scan')), [Math.min(19, own + 4)]);
      assert.equal(values(process.pid), [own]);
    } finally {
      await close();
    }
  });
else process.stdout.write('SKIPPED nice values: they are tried on Linux only\n');

test.run();
