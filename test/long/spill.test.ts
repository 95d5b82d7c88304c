// A scan lane that may use the disk, over many snapshots: an engine with such files stays with its process, so that the
// process is replaced now and then. Real processes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { job, SCAN_ALONE, startTestLanes, textOf, until } from '../lane/support.ts';

const MIB = 1024 * 1024;
const PATIENCE_MS = 60_000;
const data = mkdtempSync(join(tmpdir(), 'tablegate-data-'));
test.after(() => rmSync(data, { recursive: true, force: true }));

test('snapshots come and go; a process that has seen many is replaced when it has nothing to do', async () => {
  const given = await startTestLanes({ locks: SCAN_ALONE, config: { spillBytes: 128 * MIB, data } });
  try {
    const first = given.pid('scan');
    const asked = job('SELECT count(*) AS "n:integer" FROM items_1_1', { deadlineMs: 600_000 });
    for (let n = 0; n < 40 && given.pid('scan') === first; n++) {
      const snapshot = { ...given.snapshot, id: `snapshot-${n}` };
      await given.lanes.openSnapshot(snapshot);
      assert.is(await textOf(await given.lanes.run(asked)), '[{"n":200000}]');
    }
    await until(() => given.pid('scan') !== first, PATIENCE_MS);
    assert.is(await textOf(await given.lanes.run(asked)), '[{"n":200000}]');
    assert.is(given.deaths('scan'), 0);
  } finally {
    await given.close();
  }
});

test.run();
