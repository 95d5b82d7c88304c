// The process that imports for a follower: it stays while a source changes, and whatever ends it, the next import has another.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readArguments } from '../../src/cli/arguments.ts';
import { type Builder, createBuilder } from '../../src/follow/build.ts';
import { listSnapshots } from '../../src/snapshot/folder.ts';
import { makeDatabase, register } from '../ingest/support.ts';
import { until } from '../lane/support.ts';

interface Context {
  builder: Builder;
  stop: AbortController;
}

const test = suite<Context>('follow/build');
const folder = mkdtempSync(join(tmpdir(), 'tablegate-build-'));
const source = join(folder, 'source.db');
const data = join(folder, 'data');
test.before(() => {
  makeDatabase(source, (database) => {
    database.exec('create table t_1_1 (n int) strict; insert into t_1_1 values (1)');
    register(database, 't_1_1');
  });
});
test.before.each((context) => {
  const { config } = readArguments(['--data', data], {});
  context.stop = new AbortController();
  context.builder = createBuilder({ ...config, source, signal: context.stop.signal });
});
test.after.each(({ builder }) => builder.close());
test.after(() => rmSync(folder, { recursive: true, force: true }));

function write(): void {
  const database = new DatabaseSync(source, { timeout: 5_000 });
  database.exec('update t_1_1 set n = n + 1');
  database.close();
}

/** Ids of the processes that import. */
const importers = (): readonly number[] =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number)
    .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('import-process'));

test('one process imports change after change, and goes when it is let go', async ({ builder }) => {
  const pids = new Set<number>();
  // The first may need DuckDB, and end with it.
  assert.is((await builder.build()).ok, true);
  for (let i = 0; i < 3; i++) {
    write();
    const built = await builder.build();
    assert.ok(built.ok && built.snapshot !== undefined, built.line);
    for (const pid of importers()) pids.add(pid);
  }
  assert.is((await builder.build()).snapshot, undefined, 'nothing changed');
  assert.is(pids.size, 1, `${[...pids]}`);
  await builder.close();
  assert.equal(importers(), []);
  assert.is((await listSnapshots(data)).length > 0, true);
});

test('an import whose process was killed fails by its words, and the next one has another', async ({
  builder,
}) => {
  await builder.build();
  const [idle] = importers();
  if (idle !== undefined) {
    process.kill(idle, 'SIGKILL');
    await until(() => importers().length === 0);
  }
  write();
  const killed = builder.build();
  await until(() => importers().length === 1);
  for (const pid of importers()) process.kill(pid, 'SIGKILL');
  const { ok, line } = await killed;
  assert.is(ok, false);
  assert.match(line, /ended with SIGKILL/);
  const next = await builder.build();
  assert.ok(next.ok && next.snapshot !== undefined, next.line);
});

test('a source that cannot be imported fails each time, in the same process, and is well again', async ({
  builder,
}) => {
  await builder.build();
  const database = new DatabaseSync(source);
  database.exec('alter table registry rename to elsewhere');
  for (let i = 0; i < 2; i++) {
    const { ok, line } = await builder.build();
    assert.is(ok, false);
    assert.match(line, /registry/);
  }
  database.exec('alter table elsewhere rename to registry; update t_1_1 set n = n + 1');
  database.close();
  const next = await builder.build();
  assert.ok(next.ok && next.snapshot !== undefined, next.line);
});

test('is stopped by its signal, before and after it has begun', async ({ builder, stop }) => {
  write();
  const building = builder.build();
  await until(() => importers().length === 1);
  stop.abort();
  assert.is((await building).ok, false);
  await builder.close();
  assert.equal(importers(), []);
});

test.run();
