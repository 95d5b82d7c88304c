// The session's locks alone, with no gate in front: what must not work does not, what must work does.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openEngine, textRows } from '../../src/worker/engine.ts';
import { ESCAPES, stateOnly } from '../../src/worker/escapes.ts';
import { proveSession } from '../../src/worker/self-test.ts';
import { rawJob } from '../support/passthrough.ts';
import { openTestWorker, type TestWorker } from './support.ts';

const TABLES = [
  {
    name: 'items_1_1',
    primaryKey: 'id',
    columns: [{ name: 'id', type: 'integer' }],
    select: 'select i from range(1, 101) t(i)',
  },
] as const;

let worker: TestWorker;
test.before(async () => {
  worker = await openTestWorker({ tables: TABLES });
});
test.after(() => worker.close());

/** What the gate keeps from statements and the session cannot: none of it reaches a file or another table. */
const OPEN_TO_THE_WORKER: readonly string[] = [
  'SET schema',
  'RESET schema',
  'SET search_path',
  'RESET search_path',
];

const digest = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

test('reads tables, sorts, joins and groups', async () => {
  const rows = await textRows(
    worker.session.connection,
    'SELECT (a.id % 3)::VARCHAR, count(*)::VARCHAR FROM items_1_1 a JOIN items_1_1 b USING (id) GROUP BY 1 ORDER BY 1',
  );
  assert.equal(rows, [
    ['0', '33'],
    ['1', '34'],
    ['2', '33'],
  ]);
});

test('fails every escape to files, settings and writes, sent as a statement of its own', async () => {
  const before = digest(worker.path);
  const folder = readdirSync(dirname(worker.path));
  for (const sql of ESCAPES) {
    if (stateOnly(sql)) continue;
    const text = sql.replaceAll('$DB', worker.path);
    const failed = await worker.session.connection.read(text).then(
      () => false,
      () => true,
    );
    assert.ok(failed, `it worked: ${text}`);
  }
  assert.is(digest(worker.path), before);
  assert.equal(readdirSync(dirname(worker.path)), folder);
  assert.is(
    (await textRows(worker.session.connection, 'SELECT count(*)::VARCHAR FROM items_1_1'))[0]?.[0],
    '100',
  );
});

test('of all settings only the names of schemas still change', async () => {
  const { connection } = worker.session;
  const settings = await textRows(connection, 'SELECT name, value FROM duckdb_settings() ORDER BY name');
  assert.ok(settings.length > 100, String(settings.length));
  const open: string[] = [];
  for (const [name, value] of settings)
    for (const sql of [`SET ${name} = '${String(value).replaceAll("'", "''")}'`, `RESET ${name}`]) {
      const why = await connection.query(sql).then(
        () => undefined,
        (error: unknown) => String(error),
      );
      if (why === undefined) open.push(sql.replace(/ =.*/, ''));
      else
        assert.match(
          why,
          /configuration has been locked|cannot be|Cannot|disabled by configuration/,
          `${sql}: ${why}`,
        );
    }
  assert.equal(open, OPEN_TO_THE_WORKER);
});

test('takes nothing but a query from a worker with its gate off', async () => {
  const before = digest(worker.path);
  for (const sql of ESCAPES) {
    if (stateOnly(sql)) continue;
    const { outcome } = await worker.run(rawJob(sql.replaceAll('$DB', worker.path)), { gate: false });
    assert.ok(!outcome.ok, `it worked: ${sql}`);
    assert.not.match(outcome.message, worker.path);
  }
  assert.is(digest(worker.path), before);
  assert.not.ok(existsSync(`${worker.path}.wal`));
});

test('is not opened where a lock is missing, and says which', async () => {
  const open = await openEngine(':memory:', { threads: '1' });
  try {
    const connection = await open.connect();
    let message = '';
    await proveSession(connection, worker.path).catch((error: unknown) => {
      message = error instanceof Error ? error.message : '';
    });
    assert.match(message, /the engine is not locked: a statement could (read|write|list)/);
    connection.close();
  } finally {
    open.close();
  }
});

test.run();
