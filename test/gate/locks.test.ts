// The three locks of the sandbox in real lanes, each alone with the other two off, and the self-test that finds
// one that is missing. Statements are the engine's own SQL: the dialect stands in no stranger's way here.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LaneOverrides } from '../../src/lane/lane-settings.ts';
import { columnsPath } from '../../src/snapshot/layout.ts';
import { ESCAPES, stateOnly } from '../../src/worker/escapes.ts';
import {
  job,
  newLookup,
  SCAN_ALONE,
  startTestLanes,
  type TestLanes,
  textOf,
  until,
} from '../lane/support.ts';

const SMALL = {
  name: 'items_1_1',
  primaryKey: 'id',
  columns: [
    { name: 'id', type: 'integer' },
    { name: 'name', type: 'text' },
  ],
  select: "select i, 'item ' || i from range(1, 101) t(i)",
} as const;

const LINUX = existsSync('/proc/self/limits');
const SECRET = 'tablegate-test-of-the-environment';
process.env['TABLEGATE_API_KEYS'] = SECRET;

async function withLanes(locks: LaneOverrides, run: (given: TestLanes) => Promise<void>): Promise<void> {
  // In the scan lane: the statements are DuckDB's.
  const given = await startTestLanes({ locks: { ...SCAN_ALONE, ...locks }, tables: [SMALL] });
  try {
    await run(given);
  } finally {
    await given.close();
  }
}
const digest = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
const ask = async (given: TestLanes, sql: string): Promise<string> =>
  textOf(
    await given.lanes.run(
      job(sql.replaceAll('$DB', columnsPath(given.snapshot.path)), { deadlineMs: 60_000 }),
    ),
  );

test('takes statements only when every lock holds', async () => {
  await withLanes({ unlocked: [], selfTest: true }, async (given) => {
    const next = await textOf(await given.lanes.run(newLookup(7)));
    assert.match(next, 'item 7', next);
  });
});

test('is not ready where a lock is missing, and says what gets through', async () => {
  const missing = [
    ['gate', /self-test: the gate lets through: SELECT \* FROM read_text/],
    ['session', /self-test: the engine is not locked: a statement could (read|list)/],
    ['process', /self-test: the lane knows the environment of the front: |no limit of the operating system/],
  ] as const;
  for (const [lock, message] of missing) {
    let why = '';
    await startTestLanes({
      locks: { ...SCAN_ALONE, unlocked: [lock], selfTest: true },
      tables: [SMALL],
    }).then(
      (given) => given.close(),
      (error: unknown) => {
        why = error instanceof Error ? error.message : '';
      },
    );
    assert.match(why, message, `${lock}: ${why}`);
  }
});

test('the gate alone refuses every escape', async () => {
  await withLanes({ unlocked: ['session', 'process'] }, async (given) => {
    const before = digest(columnsPath(given.snapshot.path));
    for (const sql of ESCAPES) assert.match(await ask(given, sql), /^unsupported: /, sql);
    assert.is(digest(columnsPath(given.snapshot.path)), before);
    assert.is(
      given.lanes.stats().reduce((sum, { deaths }) => sum + deaths, 0),
      0,
    );
  });
});

test('the session alone lets no statement reach a file, a setting or a table', async () => {
  await withLanes({ unlocked: ['gate', 'process'] }, async (given) => {
    const before = digest(columnsPath(given.snapshot.path));
    const folder = readdirSync(dirname(columnsPath(given.snapshot.path)));
    for (const sql of ESCAPES) {
      if (stateOnly(sql)) continue;
      const answer = await ask(given, sql);
      assert.match(answer, /^[a-z-]+: /, `it worked: ${sql}`);
      assert.not.match(answer, columnsPath(given.snapshot.path));
    }
    assert.is(digest(columnsPath(given.snapshot.path)), before);
    assert.equal(readdirSync(dirname(columnsPath(given.snapshot.path))), folder);
    assert.match(await ask(given, 'SELECT count(*) AS "n:integer" FROM items_1_1'), '[{"n":100}]');
  });
});

test('the process alone knows no secret, fills no disk and takes no memory beyond its share', async () => {
  if (!LINUX) {
    process.stdout.write('skipped: this system does not show the limits of a process\n');
    return;
  }
  await withLanes({ unlocked: ['gate', 'session'] }, async (given) => {
    const environment = readFileSync(`/proc/${given.pid('scan')}/environ`, 'latin1');
    assert.match(environment, 'TABLEGATE_LANE');
    assert.not.match(environment, SECRET);

    const file = join(tmpdir(), `tablegate-escape-${process.pid}.csv`);
    await ask(given, `COPY (SELECT repeat('x', 1000) FROM range(50000)) TO '${file}' (FORMAT csv)`);
    const written = existsSync(file) ? statSync(file).size : 0;
    rmSync(file, { force: true });
    // From source, the compiler's cache may be written: 4 MiB. A build may write nothing at all.
    assert.ok(written <= 4 * 1024 * 1024, `${written} bytes`);

    const limits = readFileSync(`/proc/${given.pid('scan')}/limits`, 'utf8');
    const held = Number(/^Max data size\s+(\d+)/m.exec(limits)?.[1]);
    const bomb = await ask(
      given,
      `SELECT count(*) AS "n:integer" FROM (SELECT DISTINCT i, repeat(i::VARCHAR, 30) FROM range(100000000) t(i))`,
    );
    assert.match(bomb, /^(limit-memory|statement-refused): /, bomb);
    assert.ok(held > 0 && given.lanes.stats().every(({ rssBytes }) => rssBytes < held * 1.2));
    await until(() => given.lanes.healthy());
    const next = await textOf(await given.lanes.run(newLookup(7)));
    assert.match(next, 'item 7', next);
  });
});

test.run();
