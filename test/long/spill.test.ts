// A scan lane that may use the disk, over many snapshots: an engine with such files stays with its process, so that the
// process is replaced now and then. Real processes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { textRows } from '../../src/worker/engine.ts';
import { failureOf } from '../../src/worker/failure.ts';
import { MEMORY, openSession } from '../../src/worker/session.ts';
import { makeSpill } from '../../src/worker/spill.ts';
import { job, SCAN_ALONE, startTestLanes, textOf, until } from '../lane/support.ts';

const MIB = 1024 * 1024;
const PATIENCE_MS = 60_000;
const data = mkdtempSync(join(tmpdir(), 'tablegate-data-'));
// An engine with such files stays with its process, which ends at once as a lane does: not by closing it.
process.once('beforeExit', () => process.exit());
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

test('over the blocks that a file may have it is out of memory, and answers on', async () => {
  const session = await openSession({
    columns: undefined,
    threads: 2,
    memoryBytes: 64 * MIB,
    prelude: [],
    spill: makeSpill(data, 4_000 * MIB),
  });
  const make = (name: string, rows: number): Promise<unknown> =>
    session.connection.query(
      `CREATE TABLE ${MEMORY}.main.${name} AS SELECT hash(i) AS v FROM range(${rows}) t(i)`,
    );
  // Blocks of 32,768 values that nothing compresses: some of the first are freed, and 4,000 are in one file.
  let failed: unknown;
  try {
    await make('freed', 40 * MIB);
    await make('kept', 100 * MIB);
    await session.connection.query(`DROP TABLE ${MEMORY}.main.freed`);
    await make('more', 100 * MIB);
  } catch (error) {
    failed = error;
  }
  const { ok, code, poisoned } = failureOf(failed, undefined, undefined);
  assert.equal([ok, code, poisoned], [false, 'limit-memory', undefined], String(failed));
  await make('little', 10);
  assert.equal(await textRows(session.connection, "SELECT 'well'"), [['well']]);
  await session.close();
});

test.run();
