// A scan lane that may use the disk, as the gateway starts it: real processes.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LaneOverrides } from '../../src/lane/lane-settings.ts';
import { job, SCAN_ALONE, startTestLanes, statement, type TestLanes, textOf, until } from './support.ts';

const MIB = 1024 * 1024;
const PATIENCE_MS = 60_000;
const data = mkdtempSync(join(tmpdir(), 'tablegate-data-'));
test.after(() => rmSync(data, { recursive: true, force: true }));

const ROWS = 1_000_000;
/** All rows are kept at once: twice the memory of the worker, which refuses that where it may use no disk. */
const large = (n: number) =>
  job(
    `SELECT count(*) AS "n:integer" FROM (SELECT i, md5((i + ${n})::VARCHAR) AS m FROM range(${ROWS}) t(i) ORDER BY m LIMIT ${ROWS - 1})`,
    { deadlineMs: 600_000 },
  );
const ANSWER = `[{"n":${ROWS - 1}}]`;
const start = (spillBytes: number, locks: LaneOverrides = SCAN_ALONE): Promise<TestLanes> =>
  startTestLanes({
    locks,
    config: { spillBytes, data, scanWorkers: 1, scanMemoryBytes: 40 * MIB, scanSmallBytes: 0 },
  });

test('with it, it is answered; nothing is left of its files, whatever ends the lane', async () => {
  const [left, young] = ['.spill-left', '.spill-young'].map((name) => join(data, name));
  for (const folder of [left, young]) mkdirSync(folder as string);
  utimesSync(left as string, 0, 0);
  const given = await start(1024 * MIB);
  try {
    assert.equal(readdirSync(data), ['.spill-young']);
    assert.is(await textOf(await given.lanes.run(large(0))), ANSWER);
    const before = given.pid('scan');
    process.kill(before, 'SIGKILL');
    await until(
      () => given.pid('scan') !== before && given.lanes.stats().every(({ serving }) => serving),
      PATIENCE_MS,
    );
    assert.equal(readdirSync(data), ['.spill-young']);
    assert.is(await textOf(await given.lanes.run(large(1))), ANSWER);
  } finally {
    await given.close();
  }
});

test('the locks prove themselves as without it', async () => {
  const given = await start(64 * MIB, { only: 'scan' });
  try {
    const counted = await given.lanes.run(statement('select count(*) as n from items_1_1'));
    assert.is(await textOf(counted), '[{"n":200000}]');
  } finally {
    await given.close();
  }
});

test.run();
