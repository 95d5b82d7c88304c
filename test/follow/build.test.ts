// The process that imports for a follower: it stays while a source changes, and whatever ends it, the next import has another.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
/** Processes are looked for in /proc. */
const onLinux = process.platform === 'linux' ? test : test.skip;
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
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('import-process');
      } catch {
        return false;
      }
    });

onLinux('one process imports change after change, and goes when it is let go', async ({ builder }) => {
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

onLinux('an import gives way to those who ask, in each of its threads', async ({ builder }) => {
  await builder.build();
  write();
  await builder.build();
  const [pid] = importers();
  const values = readdirSync(`/proc/${pid}/task`).map((thread) => getPriority(Number(thread)));
  assert.ok(
    values.length > 1 && values.every((nice) => nice > getPriority()),
    `${values} of ${getPriority()}`,
  );
});

onLinux(
  'an import whose process was killed fails by its words, and the next one has another',
  async ({ builder }) => {
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
  },
);

onLinux('a source that cannot be imported fails each time, and is well again', async ({ builder }) => {
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

onLinux('is stopped by its signal while it imports, and leaves nothing behind', async ({ builder, stop }) => {
  const database = new DatabaseSync(source);
  database.exec(
    'with recursive c(x) as (select 1 union all select x + 1 from c where x < 300000) insert into t_1_1 select x from c',
  );
  database.close();
  const building = builder.build();
  const snapshots = join(data, 'snapshots');
  const isBuilding = (): boolean => readdirSync(snapshots).some((name) => name.startsWith('.building-'));
  await until(isBuilding);
  stop.abort();
  const { ok, line } = await building;
  assert.is(ok, false);
  assert.match(line, /interrupted by SIGTERM/);
  await builder.close();
  assert.equal(importers(), []);
  assert.equal(
    readdirSync(snapshots).filter((name) => /^\.(building|lock|alive)/.test(name)),
    [],
  );
});

onLinux('is closed while it imports', async ({ builder }) => {
  const building = builder.build();
  await until(() => importers().length === 1);
  await builder.close();
  assert.is((await building).ok, false);
  assert.equal(importers(), []);
});

onLinux('the process goes when nothing came for a while, and holds nobody up who ends', async () => {
  const { config } = readArguments(['--data', data], {});
  const short = createBuilder({ ...config, source, signal: new AbortController().signal, idleMs: 50 });
  for (let i = 0; i < 2; i++) {
    write();
    assert.is((await short.build()).ok, true);
  }
  await until(() => importers().length === 0);
  write();
  assert.is((await short.build()).ok, true);
  await short.close();
  const file = fileURLToPath(new URL('../../src/follow/build.ts', import.meta.url));
  const text = `
    const { createBuilder } = await import(${JSON.stringify(file)});
    const options = ${JSON.stringify({ ...config, source })};
    const built = await createBuilder({ ...options, signal: new AbortController().signal }).build();
    console.log(built.ok);`;
  const { stdout, status } = spawnSync(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', text],
    { encoding: 'utf8', timeout: 30_000 },
  );
  assert.equal([stdout, status], ['true\n', 0]);
});

onLinux(
  'where no process can be started, it says why, and goes on when one can',
  async ({ builder, stop }) => {
    const { config } = readArguments(['--data', data], {});
    // More than a process may be given.
    const indexColumns = Array.from({ length: 300_000 }, (_, i) => `column_${i}`);
    const none = createBuilder({ ...config, source, signal: stop.signal, indexColumns });
    const { ok, line } = await none.build();
    assert.is(ok, false);
    assert.match(line, /cannot be started: .*E2BIG/);
    await none.close();
    assert.is((await builder.build()).ok, true);
  },
);

test.run();
