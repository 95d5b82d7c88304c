// When the scan lane is started, and what it does in a snapshot whose tables are all small: with the gateway's own
// compiler, gate and locks, since it is the tables that are brought over which are to be read.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Lanes, startLanes } from '../../src/lane/lanes.ts';
import { columnsPath, rowsPath } from '../../src/snapshot/layout.ts';
import { readStatement } from '../../src/statement/statement.ts';
import type { QueryJob, SnapshotRef } from '../../src/wire/protocol.ts';
import { makeSnapshot } from '../support/snapshot.ts';
import { LANE_CONFIG, textOf, until } from './support.ts';

/** So many pairs of them that even of tables without columns they are the scan lane's. */
const ROWS = 3_500;
const TABLES = ['left_1_1', 'right_1_2'].map((name) => ({
  name,
  primaryKey: 'id',
  columns: [
    { name: 'id', type: 'integer' },
    { name: 'name', type: 'text' },
  ] as const,
  select: `select i, 'row ' || i from range(1, ${ROWS + 1}) t(i)`,
}));

/** As an import leaves it where no table is large enough for columns. */
async function snapshotOfRows(dir: string): Promise<SnapshotRef> {
  const snapshot = await makeSnapshot(dir, TABLES);
  rmSync(columnsPath(snapshot.path), { force: true });
  const rows = new DatabaseSync(rowsPath(snapshot.path));
  rows.exec('update tablegate_tables set columnar = 0');
  rows.close();
  return snapshot;
}

function query(statement: string): QueryJob {
  const { shape, literals } = readStatement(statement, [], 35_000);
  const limits = { deadlineMs: 20_000, maxRows: 1000, maxBytes: 1_000_000 };
  return {
    kind: 'query',
    shape,
    literals,
    output: { format: 'objects', extract: false, unwrap: false },
    limits,
  };
}

const PAIRS = query('select count(*) as n, max(b.name) as m from left_1_1 a, right_1_2 b where a.id > b.id');
const PAIRED = `[{"m":"row 999","n":${(ROWS * (ROWS - 1)) / 2}}]`;

async function withLanes(
  scanWarm: 'on' | 'off',
  makeOne: (dir: string) => Promise<SnapshotRef>,
  run: (lanes: Lanes, dir: string) => Promise<void>,
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'tablegate-warm-'));
  const lanes = startLanes({ ...LANE_CONFIG, scanWarm }, () => {});
  try {
    await lanes.openSnapshot(await makeOne(dir));
    await run(lanes, dir);
  } finally {
    await lanes.close();
    rmSync(dir, { recursive: true, force: true });
  }
}
const scan = (lanes: Lanes): boolean =>
  lanes.stats().some(({ lane, pid }) => lane === 'scan' && pid !== undefined);

test('starts the scan lane for the first scan, where all tables are small, and brings over what it names', async () => {
  await withLanes('on', snapshotOfRows, async (lanes) => {
    assert.is(
      await textOf(await lanes.run(query('select name from left_1_1 where id = 7'))),
      '[{"name":"row 7"}]',
    );
    assert.not.ok(scan(lanes));
    // Its first scans do not wait for it.
    const first = await lanes.run(PAIRS);
    assert.is(await textOf(first), PAIRED);
    assert.ok(first.ok && first.engine === 'long' && first.reason === 'small', JSON.stringify(first));
    assert.ok(scan(lanes));
    await until(() => lanes.stats().some(({ lane, serving }) => lane === 'scan' && serving));
    const reply = await lanes.run(PAIRS);
    assert.is(await textOf(reply), PAIRED);
    assert.ok(reply.ok && reply.engine === 'scan', JSON.stringify(reply));
  });
});

test('has it warm where a snapshot has columns, if it is to be', async () => {
  await withLanes(
    'on',
    (dir) => makeSnapshot(dir, TABLES),
    async (lanes) => assert.ok(scan(lanes)),
  );
  await withLanes(
    'off',
    (dir) => makeSnapshot(dir, TABLES),
    async (lanes, dir) => {
      assert.not.ok(scan(lanes));
      await lanes.openSnapshot(await makeSnapshot(dir, TABLES));
      assert.not.ok(scan(lanes));
      assert.is(await textOf(await lanes.run(PAIRS)), PAIRED);
      assert.ok(scan(lanes));
    },
  );
});

test('opens the columns of a swap when a scan comes, and has SQLite answer where they are damaged', async () => {
  await withLanes(
    'on',
    (dir) => makeSnapshot(dir, TABLES),
    async (lanes, dir) => {
      const damaged = await makeSnapshot(dir, TABLES);
      writeFileSync(columnsPath(damaged.path), 'no columns'.repeat(2000));
      await lanes.openSnapshot(damaged);
      const reply = await lanes.run(PAIRS);
      assert.is(await textOf(reply), PAIRED);
      assert.is(reply.ok && reply.engine, 'long');

      // Now that there are scans, the next one is opened at once.
      const refused = await lanes.openSnapshot({ ...damaged, id: `${damaged.id}0` }).then(
        () => '',
        (error: unknown) => String(error),
      );
      assert.match(refused, 'columns.duckdb');
      await lanes.openSnapshot(await makeSnapshot(dir, TABLES));
      const next = await lanes.run(PAIRS);
      assert.is(await textOf(next), PAIRED);
      assert.is(next.ok && next.engine, 'scan');
    },
  );
});

test('leaves nothing behind that keeps the process, where the scan lane was never started', async () => {
  const before = process.getActiveResourcesInfo().length;
  await withLanes('off', snapshotOfRows, async (lanes) => assert.not.ok(scan(lanes)));
  await until(() => process.getActiveResourcesInfo().length <= before + 1);
});

test.run();
