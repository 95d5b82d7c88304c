// Statements that are under way while the snapshot is swapped: what they give is kept as what it was made of.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AskedRows } from '../../src/answer/asked-rows.ts';
import type { Ask, Timed } from '../../src/answer/engine.ts';
import type { DataState } from '../../src/answer/reads.ts';
import { createRowsSource, type RowsSource } from '../../src/answer/rows.ts';
import type { QueryJob } from '../../src/wire/protocol.ts';

const OLD: DataState = {
  snapshotId: '1',
  versions: new Map([
    ['calm', '1'],
    ['busy', '1'],
  ]),
};
const NEW: DataState = {
  snapshotId: '2',
  versions: new Map([
    ['calm', '1'],
    ['busy', '2'],
  ]),
};

const job = (shape: string): QueryJob => ({
  kind: 'query',
  shape,
  literals: [],
  output: { format: 'objects', extract: false, unwrap: false },
  limits: { deadlineMs: 1000, maxRows: 10, maxBytes: 1000 },
});

interface Running {
  readonly shape: string;
  answer(snapshot: string, body: string): void;
}

/** A source of rows whose statements are answered when the test says so; a shape is the name of the table that it reads. */
function rowsOf(): { readonly rows: RowsSource; readonly running: Running[] } {
  const running: Running[] = [];
  const ask: Ask = (asked) =>
    new Promise((resolve) => {
      const { shape } = asked as QueryJob;
      const answer = (snapshot: string, body: string): void => {
        const times = { planMs: 0, engineMs: 0, encodeMs: 0, queueMs: 0 };
        const outcome = { rows: 1, columns: 1, deterministic: true, tables: [shape], ...times };
        resolve({ ok: true, snapshot, body, ...outcome } satisfies Timed);
      };
      running.push({ shape, answer });
    });
  const known = (id: string): DataState | undefined => [OLD, NEW].find(({ snapshotId }) => snapshotId === id);
  return { rows: createRowsSource(ask, { cacheBytes: 1e6, singleFlight: true, known }), running };
}

const askedIn = (rows: RowsSource, table: string, data: DataState, name = `rows of ${table}`): AskedRows =>
  rows.asked({ job: job(table), name }, data);

/** Runs it once on the old snapshot: what its shape reads is known from then on. */
async function warm(rows: RowsSource, running: Running[], table: string): Promise<void> {
  const first = rows.rows(askedIn(rows, table, OLD), { requestId: 'warm' });
  running.pop()?.answer('1', 'warm');
  await first;
}

test('what ran on the old snapshot is kept for it: a later request for new data does not find it', async () => {
  for (const warmed of [true, false]) {
    const { rows, running } = rowsOf();
    if (warmed) await warm(rows, running, 'busy');
    const late = rows.rows(askedIn(rows, 'busy', OLD, 'other literals'), { requestId: 'late' });
    // The swap is now; then the old lane answers.
    running.pop()?.answer('1', 'old rows');
    const { key } = await late;
    assert.type(key, 'string');
    const asked = askedIn(rows, 'busy', NEW, 'other literals');
    assert.type(asked.key, 'string');
    assert.is.not(asked.key, key);
    assert.is(rows.kept(asked), undefined);
  }
});

test('of a table that did not change it is found at once', async () => {
  const { rows, running } = rowsOf();
  const late = rows.rows(askedIn(rows, 'calm', OLD), { requestId: 'late' });
  running.pop()?.answer('1', 'old rows');
  const { key } = await late;
  const asked = askedIn(rows, 'calm', NEW);
  assert.is(asked.key, key);
  assert.is(rows.kept(asked)?.body, 'old rows');
});

test('what was asked of the old snapshot and read from the new one is named by the new one', async () => {
  const { rows, running } = rowsOf();
  await warm(rows, running, 'busy');
  const sentAgain = rows.rows({ ...askedIn(rows, 'busy', OLD), key: undefined }, { requestId: 'again' });
  running.pop()?.answer('2', 'new rows');
  const asked = askedIn(rows, 'busy', NEW);
  assert.is((await sentAgain).key, asked.key);
  assert.is(rows.kept(asked)?.body, 'new rows');
  assert.is(rows.kept(askedIn(rows, 'busy', OLD))?.body, 'warm');
});

test('who asks for new data does not join a run on old data, unless it is the same', async () => {
  for (const table of ['busy', 'calm']) {
    const { rows, running } = rowsOf();
    await warm(rows, running, table);
    const other = (data: DataState): AskedRows => askedIn(rows, table, data, 'not kept yet');
    const before = rows.rows(other(OLD), { requestId: 'before' });
    const after = rows.rows(other(NEW), { requestId: 'after' });
    assert.is(running.length, table === 'busy' ? 2 : 1);
    running.forEach(({ answer }, i) => {
      answer(String(i + 1), `rows of ${i + 1}`);
    });
    assert.is((await before).reply.body, 'rows of 1');
    assert.is((await before).reply.snapshot, '1');
    assert.is((await after).reply.body, table === 'busy' ? 'rows of 2' : 'rows of 1');
    assert.is(
      (await after).reply.snapshot,
      '2',
      'nobody sees an older snapshot named than that of the moment',
    );
  }
});

test('values that read more than others of their shape count with all that was read, whoever found out', async () => {
  const running: ((tables: readonly string[]) => void)[] = [];
  const times = { planMs: 0, engineMs: 0, encodeMs: 0, queueMs: 0 };
  const ask: Ask = () =>
    new Promise((resolve) => {
      running.push((tables) =>
        resolve({
          ok: true,
          snapshot: '1',
          body: '[]',
          rows: 0,
          columns: 1,
          deterministic: true,
          tables,
          ...times,
        }),
      );
    });
  const known = (id: string): DataState | undefined => (id === '1' ? OLD : NEW);
  const rows = createRowsSource(ask, { cacheBytes: 1e6, singleFlight: true, known });
  const first = rows.rows(askedIn(rows, 'shape', OLD, 'first'), { requestId: '1' });
  running.pop()?.(['calm']);
  await first;
  // Both were asked while one table was known of; one of them tells of the other table before this one is answered.
  const own = rows.rows(askedIn(rows, 'shape', OLD, 'own'), { requestId: '2' });
  const other = rows.rows(askedIn(rows, 'shape', OLD, 'other'), { requestId: '3' });
  running.pop()?.(['calm', 'busy']);
  await other;
  running.pop()?.(['calm', 'busy']);
  const { key } = await own;
  assert.is(key, askedIn(rows, 'shape', OLD, 'own').key);
  assert.is.not(key, askedIn(rows, 'shape', NEW, 'own').key);
});

test('an answer of a snapshot that nobody knows any more has no name and is not kept', async () => {
  const { rows, running } = rowsOf();
  const late = rows.rows(askedIn(rows, 'busy', OLD), { requestId: 'late' });
  running.pop()?.answer('0', 'very old rows');
  assert.is((await late).key, undefined);
  assert.is(rows.cache.entries, 0);
});

test.run();
