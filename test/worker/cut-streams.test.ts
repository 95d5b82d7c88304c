// A stream of rows that the engine stops early is never taken for a whole one: interrupted again and again
// at random moments, or failing in a late row, it ends in an error, or gives every row.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRandom } from '../../bench/random.ts';
import { CONTROL, type Limits } from '../../src/wire/protocol.ts';
import { rawJob } from '../support/passthrough.ts';
import { times } from '../support/ring.ts';
import { openTestWorker, type TestWorker } from './support.ts';

const ROWS = 60_000;
const SEED = Number(process.env['SEED'] ?? 20_261_122);
const LIMITS: Limits = { deadlineMs: 10_000, maxRows: 1_000_000, maxBytes: 100_000_000 };
const ALL = 'SELECT id AS "id:integer", name AS "name:text" FROM items_1_1';

let worker: TestWorker;
test.before(async () => {
  worker = await openTestWorker({
    threads: 2,
    tables: [
      {
        name: 'items_1_1',
        columns: [
          { name: 'id', type: 'integer' },
          { name: 'name', type: 'text' },
        ],
        select: `select i, 'item ' || i from range(1, ${ROWS + 1}) t(i)`,
      },
    ],
  });
});
test.after(() => worker.close());

/** Rows of a whole answer; undefined where it ended in an error. */
async function rowsOf(sql: string): Promise<number | undefined> {
  Atomics.store(worker.control, CONTROL.credit, 1024 * 1024 * 1024);
  const ran = await worker.run(rawJob(sql, [], { limits: LIMITS }));
  if (!ran.outcome.ok) return undefined;
  const last = ran.frames.at(-1);
  // Of a body in parts, the last frame says how it ended.
  if (ran.frames.length > 1 && !(JSON.parse(String(last?.payload)) as { ok: boolean }).ok) return undefined;
  return (JSON.parse(ran.text) as unknown[]).length;
}

const TRIES = times(120, 1_000);

test(`${TRIES} interrupts at random moments: all rows, or an error`, async () => {
  const random = createRandom(SEED);
  const forms = [
    { sql: ALL, rows: ROWS },
    { sql: `${ALL} WHERE id > 20000`, rows: ROWS - 20_000 },
    { sql: `${ALL} ORDER BY name`, rows: ROWS },
    { sql: `${ALL} LIMIT 31000`, rows: 31_000 },
    { sql: 'SELECT name AS "name:text", count(*) AS "n:integer" FROM items_1_1 GROUP BY name', rows: ROWS },
  ];
  let longestMs = 0;
  for (const { sql } of forms) {
    const started = performance.now();
    await rowsOf(sql);
    longestMs = Math.max(longestMs, performance.now() - started);
  }
  let whole = 0;
  let stopped = 0;
  for (let i = 0; i < TRIES; i++) {
    const { sql, rows } = forms[i % forms.length] as (typeof forms)[number];
    Atomics.store(worker.control, CONTROL.stop, 0);
    const timer = setTimeout(
      () => {
        Atomics.store(worker.control, CONTROL.stop, 1);
        worker.session.connection.interrupt();
      },
      random() * longestMs * 0.8,
    );
    const got = await rowsOf(sql);
    clearTimeout(timer);
    if (got === undefined) stopped += 1;
    else {
      assert.is(got, rows, `try ${i} of ${sql}, seed ${SEED}`);
      whole += 1;
    }
  }
  Atomics.store(worker.control, CONTROL.stop, 0);
  assert.ok(
    stopped > TRIES / 10,
    `${stopped} stopped, ${whole} whole: the interrupts came too late to show anything`,
  );
  assert.is(await rowsOf(ALL), ROWS);
});

test('an interrupt that nobody asked for is an error as well', async () => {
  let failed = 0;
  for (let i = 0; i < times(20, 50); i++) {
    const timer = setTimeout(() => worker.session.connection.interrupt(), i % 10);
    const got = await rowsOf(ALL);
    clearTimeout(timer);
    if (got === undefined) failed += 1;
    else assert.is(got, ROWS);
  }
  assert.ok(failed > 0, 'no interrupt came in time');
});

test('an error in a late row is an error, not the end', async () => {
  const late = (expression: string): string =>
    `SELECT CASE WHEN id = ${ROWS - 1} THEN ${expression} ELSE id END AS "a:integer" FROM items_1_1`;
  for (const expression of ['id + 9223372036854775807', 'CAST(name AS BIGINT)', "error('late')"])
    assert.is(await rowsOf(late(expression)), undefined, expression);
  assert.is(await rowsOf(late('0')), ROWS);
});

test.run();
