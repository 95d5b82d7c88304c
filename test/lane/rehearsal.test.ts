// What runs before a gateway serves: scans of a large table on their whole way, which must not fail there, or nothing would
// be made ready by them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rehearse } from '../../src/gateway/rehearsal.ts';
import { type Lanes, startLanes } from '../../src/lane/lanes.ts';
import { rehearse as rehearseRows } from '../../src/rowstore/rehearsal.ts';
import { runBounded } from '../../src/rowstore/run.ts';
import { createShapeMemory } from '../../src/rowstore/shape-memory.ts';
import { openStore } from '../../src/rowstore/store.ts';
import { COLUMNS, rowsPath } from '../../src/snapshot/layout.ts';
import type { Manifest } from '../../src/snapshot/manifest.ts';
import { rehearsal } from '../../src/statement/rehearsal.ts';
import type { Job, Reply, SnapshotRef } from '../../src/wire/protocol.ts';
import { makeSnapshot } from '../support/snapshot.ts';
import { LANE_CONFIG } from './support.ts';

const ROWS = 250_000;
const LARGE = 'large_1_1';
const test = suite<{ lanes: Lanes; snapshot: SnapshotRef; dir: string }>('lane/rehearsal');

test.before(async (context) => {
  context.dir = mkdtempSync(join(tmpdir(), 'tablegate-rehearsal-'));
  context.snapshot = await makeSnapshot(context.dir, [
    {
      name: LARGE,
      primaryKey: 'id',
      columns: [
        { name: 'id', type: 'integer' },
        { name: 'na"me', type: 'text' },
        { name: 'data', type: 'blob' },
      ],
      select: `select i, 'row ' || i % 100, null::blob from range(1, ${ROWS + 1}) t(i)`,
    },
    { name: 'small_1_2', columns: [{ name: 'a', type: 'text' }], rows: [['x']] },
  ]);
  // As an import leaves it.
  const rows = new DatabaseSync(rowsPath(context.snapshot.path));
  rows.exec("update tablegate_tables set columnar = 0 where name = 'small_1_2'");
  rows.close();
  context.lanes = startLanes(LANE_CONFIG, () => {});
  await context.lanes.openSnapshot(context.snapshot);
});
test.after(async ({ lanes, dir }) => {
  await lanes?.close();
  rmSync(dir, { recursive: true, force: true });
});

/** What is said of a snapshot with that many rows in its tables, as far as it is looked at. */
function manifest(rows: Manifest['rows'], files: readonly string[] = [COLUMNS]): Manifest {
  const entries = files.map((name) => [name, { bytes: 1, sha256: '', free: 0 }]);
  return { rows, files: Object.fromEntries(entries) } as unknown as Manifest;
}

/** @returns what was asked, and answered */
async function asked(lanes: Lanes, of: Manifest, times = 1): Promise<readonly (readonly [Job, Reply])[]> {
  const seen: [Job, Reply][] = [];
  const run: Lanes['run'] = async (job, options) => {
    const reply = await lanes.run(job, options);
    seen.push([job, reply]);
    return reply;
  };
  await rehearse({ run }, of, times);
  return seen;
}

test('scans the largest table, as often as there are lanes that look first, and plans a join of it', async ({
  lanes,
}) => {
  const seen = await asked(lanes, manifest({ [LARGE]: ROWS, small_1_2: 1 }), 2);
  for (const [job, reply] of seen) assert.ok(reply.ok, `${JSON.stringify(job)} ${JSON.stringify(reply)}`);
  assert.equal(
    seen.map(([{ kind }]) => kind),
    ['table', 'query', 'query', 'query', 'query', 'explain', 'explain'],
  );
  const engines = seen.slice(1).map(([, reply]) => (reply.ok ? reply.engine : undefined));
  assert.equal(new Set(engines), new Set(['scan']), 'each is what DuckDB has exact words for');
});

test('asks nothing where no table is large, or none can be read in a moment', async ({ lanes }) => {
  for (const of of [
    manifest({ [LARGE]: ROWS }, []),
    manifest({}),
    manifest({ [LARGE]: 100_000_000 }),
    manifest({ registry: 5 }),
  ])
    assert.equal(await asked(lanes, of), []);
  const remote = { ...manifest({ [LARGE]: ROWS }), remote: { [LARGE]: {} } } as unknown as Manifest;
  assert.equal(await asked(lanes, remote), []);
});

test('is no matter where it fails', async () => {
  const fails: Lanes['run'] = async () => ({ ok: false, code: 'internal', message: 'no' });
  await rehearse({ run: fails }, manifest({ [LARGE]: ROWS }), 3);
});

test('weighs a large table and runs a small one where rows are', ({ snapshot }) => {
  const store = openStore(snapshot, {
    ...{ memory: createShapeMemory(10), heapBytes: 64 * 1024 * 1024, valueBytes: 1024 * 1024 },
    ...{ maxVisits: 10_000, plainVisits: 10_000, shapes: 10, pageBytes: 1024 * 1024, readRows: 200_000 },
    ...{ seekBytes: 1024 * 1024, countsPairs: true, seeks: true, proven: false },
  });
  try {
    const answers: string[] = [];
    rehearseRows(store, (job) => {
      const answer = runBounded(store, job);
      answers.push('outcome' in answer ? 'run' : (answer.elsewhere ?? ''));
    });
    assert.equal(answers, ['scan', 'scan', 'scan', 'run', 'run', 'run']);
  } finally {
    store.close();
  }
});

test('leaves out what no statement can be written of', () => {
  assert.is(rehearsal({ name: 'a_1_1', text: 'x"y', number: 'é' }).length, 3);
  assert.equal(rehearsal({ name: 'a_1_1', text: 'x\0y', number: 'n' }), []);
  assert.equal(rehearsal({ name: 'a_1_1', text: 'x'.repeat(40_000), number: 'n' }), []);
});

test.run();
