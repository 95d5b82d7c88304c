// Followers that fail, stand by, die and take over; sources that go bad. Whatever happens, what was served is served.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Observation } from '../../src/base/observe.ts';
import { readArguments } from '../../src/cli/arguments.ts';
import { type Follower, startFollower } from '../../src/follow/follower.ts';
import { listSnapshots } from '../../src/snapshot/folder.ts';
import { freshnessOf, readFollowStatus } from '../../src/snapshot/follow-status.ts';
import { pinSnapshot } from '../../src/snapshot/hold.ts';
import { manifestPath, rowsPath } from '../../src/snapshot/layout.ts';
import { makeDatabase, register } from '../ingest/support.ts';
import { until } from '../lane/support.ts';
import { startTestGateway } from '../support/gateway.ts';
import { runImport } from '../support/import.ts';
import { MAIN } from '../support/main.ts';

const test = suite('follow/failure');
const folder = mkdtempSync(join(tmpdir(), 'tablegate-follow-'));
const children = new Set<ChildProcess>();
const LONG = 60_000;
test.after(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function sourceOf(name: string): string {
  return makeDatabase(join(folder, name), (database) => {
    database.exec('create table t_1_1 (n int) strict; insert into t_1_1 values (1)');
    register(database, 't_1_1');
  });
}

function write(source: string, sql: string): void {
  const database = new DatabaseSync(source, { timeout: 5_000 });
  database.exec(sql);
  database.close();
}

const few = ['--scan-workers', '1', '--console', 'off', '--watch-every', '100ms'] as const;

test('a table that the source lost is gone, and the log says so', async () => {
  const source = sourceOf('lost.db');
  write(source, 'create table u_1_2 (n int); insert into u_1_2 values (1), (2)');
  write(
    source,
    "insert into registry (id, structure, controller, prefix, chain_id) values (2, 's', '0x1', 'u', 1)",
  );
  const seen: Observation[] = [];
  const config = readArguments(
    ['--data', join(folder, 'lost'), '--follow', source, '--every', '50ms'],
    {},
  ).config;
  const follower = startFollower(config, (event) => seen.push(event));
  try {
    await follower.untilServable();
    write(source, 'drop table u_1_2; delete from registry where id = 2');
    await until(() => seen.filter(({ type }) => type === 'snapshot-built').length > 1, LONG);
    const notes = seen.flatMap((event) =>
      event.type === 'note' && event.level === 'warn' ? [event.text] : [],
    );
    assert.equal(notes, [`removed u_1_2: 2 rows; ${source} does not have it`]);
  } finally {
    await follower.close();
  }
});

test('a source that goes bad is told by health, header and log while the old data is served; and so is its return', async () => {
  const source = sourceOf('bad.db');
  const data = join(folder, 'bad');
  const gateway = await startTestGateway({ data, args: ['--follow', source, '--every', '100ms', ...few] });
  const n = async (): Promise<number> => {
    const answer = await gateway.query('select max(n) as n from t_1_1');
    return ((await answer.json()) as { n: number }[])[0]?.n ?? -1;
  };
  const state = async (): Promise<string | null> =>
    (await fetch(`${gateway.url}/health`)).headers.get('tablegate-follow');
  try {
    assert.is(await n(), 1);
    await until(async () => (await state()) === 'current', LONG);
    write(source, 'insert into t_1_1 values (2)');
    await until(async () => (await n()) === 2, LONG);

    renameSync(source, `${source}.aside`);
    await until(async () => (await state()) === 'failed', LONG);
    const health = await fetch(`${gateway.url}/health?verbose`);
    assert.is(health.status, 200, 'old data is no reason to leave');
    const { follow } = (await health.json()) as { follow: Record<string, string> };
    assert.equal(follow, {
      state: 'failed',
      source: 'bad.db',
      problem: 'the last import failed: the log says why',
      stands_by: false,
    });
    const whys = gateway.seen.flatMap((event) => (event.type === 'follow-failed' ? [event.why] : []));
    assert.match(whys[0] ?? '', /there is no file .*bad\.db/);
    assert.is(await n(), 2);

    writeFileSync(source, 'SQLite format 3\0 but nothing more');
    await until(
      () =>
        gateway.seen.some(
          (event) => event.type === 'follow-failed' && /is not a SQLite database/.test(event.why),
        ),
      LONG,
    );
    assert.is(await n(), 2);

    rmSync(source);
    renameSync(`${source}.aside`, source);
    write(source, 'insert into t_1_1 values (3)');
    await until(async () => (await n()) === 3, LONG);
    await until(async () => (await state()) === 'current', LONG);
    assert.ok(gateway.seen.some((event) => event.type === 'freshness' && event.problem === null));
    assert.equal(
      readdirSync(join(data, 'snapshots')).filter((name) => name.startsWith('.building')),
      [],
    );
  } finally {
    await gateway.stop();
  }
  assert.equal(
    readdirSync(join(data, 'snapshots')).filter((name) => name.startsWith('.')),
    [],
    'nothing is left but snapshots',
  );
});

function begin(source: string, data: string, seen: Observation[]): Follower {
  const args = ['--data', data, '--follow', source, '--every', '100ms'];
  return startFollower(readArguments(args, {}).config, (event) => seen.push(event));
}

test('of two followers one works and the other says that it stands by, and takes over when the first is gone', async () => {
  const source = sourceOf('two.db');
  const data = join(folder, 'two');
  const first = spawn(process.execPath, [MAIN, 'follow', source, '--data', data, '--every', '100ms'], {
    stdio: 'ignore',
  });
  children.add(first);
  const exited = once(first, 'exit');
  await until(async () => (await listSnapshots(data)).length === 1, LONG);
  const seen: Observation[] = [];
  const second = begin(source, data, seen);
  try {
    await until(
      () =>
        seen.some(
          (event) => event.type === 'note' && /another process follows .*; standing by/.test(event.text),
        ),
      LONG,
    );
    assert.is(second.standsBy, true);
    write(source, 'insert into t_1_1 values (2)');
    await until(async () => (await listSnapshots(data)).length === 2, LONG);
    assert.not(seen.some(({ type }) => type === 'snapshot-built'));
    assert.is((await readFollowStatus(data))?.pid, first.pid);

    first.kill('SIGKILL');
    await exited;
    write(source, 'insert into t_1_1 values (3)');
    await until(() => seen.some(({ type }) => type === 'snapshot-built'), LONG);
    assert.is((await readFollowStatus(data))?.pid, process.pid);
    assert.is(second.standsBy, false);
  } finally {
    await second.close();
  }
  assert.is(await readFollowStatus(data), undefined, 'nobody follows any more');
});

test('a lock whose process id another program has by now holds nobody up; one that is held is told by health', async () => {
  const source = sourceOf('stale.db');
  const data = join(folder, 'stale');
  const snapshots = join(data, 'snapshots');
  mkdirSync(snapshots, { recursive: true });
  const stale = { pid: process.pid, host: hostname(), token: 'abcdef', sign: true };
  writeFileSync(join(snapshots, '.follow-lock'), JSON.stringify(stale));
  const args = ['--follow', source, '--every', '100ms', ...few];
  const first = await startTestGateway({ data, args });
  const second = await startTestGateway({ data, args });
  const standsBy = async (gateway: typeof first): Promise<unknown> => {
    const health = await fetch(`${gateway.url}/health?verbose`);
    return ((await health.json()) as { follow: { stands_by: unknown } }).follow.stands_by;
  };
  try {
    await until(async () => (await standsBy(second)) === true, LONG);
    assert.is(await standsBy(first), false);
    await first.stop();
    await until(async () => (await standsBy(second)) === false, LONG);
  } finally {
    await Promise.all([first.stop(), second.stop()]);
  }
});

test('SIGTERM ends a follower with code 0 and its import with it', async () => {
  const source = sourceOf('term.db');
  write(
    source,
    'with recursive s(i) as (select 1 union all select i + 1 from s where i < 300000) insert into t_1_1 select i from s',
  );
  const data = join(folder, 'term');
  const child = spawn(process.execPath, [MAIN, 'follow', source, '--data', data], { stdio: 'ignore' });
  children.add(child);
  const exited = once(child, 'exit');
  const snapshots = join(data, 'snapshots');
  await until(
    () => existsSync(snapshots) && readdirSync(snapshots).some((name) => name.startsWith('.building')),
    LONG,
  );
  child.kill('SIGTERM');
  assert.equal(await exited, [0, null]);
  assert.equal(readdirSync(snapshots), []);
});

test('a gateway says when there is nothing to serve yet and the source cannot be imported', async () => {
  const data = join(folder, 'none');
  await startTestGateway({
    data,
    args: ['--follow', join(folder, 'no.db'), '--every', '100ms', ...few],
  }).then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, /nothing to serve yet: there is no file .*no\.db/),
  );
});

test('a gateway whose snapshot cannot be served waits for its follower to make another', async () => {
  const source = sourceOf('broken.db');
  for (const [name, spoil] of [
    ['format', (path: string) => writeFileSync(manifestPath(path), '{"formatVersion":2}')],
    ['damage', (path: string) => truncateSync(rowsPath(path), 4096)],
  ] as const) {
    const data = join(folder, `broken-${name}`);
    runImport(source, data);
    const [before] = await listSnapshots(data);
    spoil(before?.path ?? '');
    const gateway = await startTestGateway({
      data,
      args: ['--follow', source, '--every', '50ms', ...few],
    });
    try {
      assert.equal(await (await gateway.query('select n from t_1_1')).json(), [{ n: 1 }]);
      const waits = gateway.seen.flatMap((event) =>
        event.type === 'note' && event.text.startsWith('waiting for another snapshot: ') ? [event.text] : [],
      );
      assert.is(waits.length, 1);
      assert.match(
        waits[0] ?? '',
        name === 'format' ? /has format 2, this program reads/ : /is half-written/,
      );
    } finally {
      await gateway.stop();
    }
  }
});

test('a gateway does not wait for what nobody will make', async () => {
  const source = sourceOf('alone.db');
  const start = (data: string): Promise<string> =>
    startTestGateway({ data, args: ['--follow', source, '--every', '50ms', ...few] }).then(
      async (gateway) => {
        await gateway.stop();
        return 'it serves';
      },
      (error: Error) => error.message,
    );
  const spoilt = async (name: string): Promise<string> => {
    const data = join(folder, name);
    runImport(source, data);
    return data;
  };
  const pinned = await spoilt('pinned');
  const [first] = await listSnapshots(pinned);
  await pinSnapshot(join(pinned, 'snapshots'), first?.id ?? '');
  truncateSync(rowsPath(first?.path ?? ''), 4096);
  assert.match(await start(pinned), /is half-written.*: tablegate rollback latest/);
  assert.is((await listSnapshots(pinned)).length, 1, 'nothing is imported at each start');
  // Another follower has imported what there is, and waits for a change.
  const shared = await spoilt('shared');
  const config = readArguments(['--data', shared, '--follow', source, '--every', '50ms'], {}).config;
  const seen: Observation[] = [];
  const other = startFollower(config, (event) => seen.push(event));
  try {
    await other.untilServable();
    await until(async () => (await readFollowStatus(shared))?.state === 'current', LONG);
    for (const { path } of await listSnapshots(shared)) truncateSync(rowsPath(path), 4096);
    assert.match(await start(shared), /is half-written/);
  } finally {
    await other.close();
  }
});

test('a folder of files is followed: new, changed, gone and half-written ones', async () => {
  const source = join(folder, 'files');
  mkdirSync(source);
  writeFileSync(join(source, 'a_1_1.csv'), 'n\n1\n');
  const data = join(folder, 'files-data');
  const gateway = await startTestGateway({ data, args: ['--follow', source, '--every', '100ms', ...few] });
  const ask = async (statement: string): Promise<string> => (await gateway.query(statement)).text();
  try {
    assert.is(await ask('select n from a_1_1'), '[{"n":1}]');
    writeFileSync(join(source, 'b_1_2.ndjson'), '{"x":"one"}\n');
    await until(async () => (await ask('select x from b_1_2')) === '[{"x":"one"}]', LONG);
    writeFileSync(join(source, 'a_1_1.csv'), 'n\n1\n2\n');
    await until(async () => (await ask('select max(n) as n from a_1_1')) === '[{"n":2}]', LONG);
    writeFileSync(join(source, 'b_1_2.ndjson'), '{"x":"on');
    await until(
      () => gateway.seen.some((event) => event.type === 'follow-failed' && /b_1_2/.test(event.why)),
      LONG,
    );
    assert.is(await ask('select x from b_1_2'), '[{"x":"one"}]');
    rmSync(join(source, 'b_1_2.ndjson'));
    await until(async () => (await ask('select x from b_1_2')).includes('unknown-table'), LONG);
    assert.is(await ask('select max(n) as n from a_1_1'), '[{"n":2}]');
    writeFileSync(join(source, 'c_1_1.csv'), 'n\n1\n');
    await until(
      () =>
        gateway.seen.some(
          (event) =>
            event.type === 'follow-failed' && /are both table 1 of chain 1; remove one/.test(event.why),
        ),
      LONG,
    );
  } finally {
    await gateway.stop();
  }
});

test('a follower that says nothing, or does not keep up, is told from one that does', () => {
  const now = 1_000_000;
  const status = {
    source: '/s',
    pid: 1,
    state: 'current',
    everyMs: 2_000,
    checkedAt: now - 1_000,
    behindSince: null,
    error: null,
  } as const;
  assert.equal(freshnessOf(undefined, now), { state: 'none', problem: undefined });
  assert.equal(freshnessOf(status, now), { state: 'current', problem: undefined });
  assert.is(freshnessOf({ ...status, checkedAt: now - 60_000 }, now).state, 'silent');
  assert.is(freshnessOf({ ...status, checkedAt: now - 60_000, everyMs: 60_000 }, now).state, 'current');
  assert.is(freshnessOf({ ...status, state: 'building', behindSince: now - 5_000 }, now).state, 'building');
  assert.is(freshnessOf({ ...status, state: 'building', behindSince: now - 40_000 }, now).state, 'behind');
  assert.equal(freshnessOf({ ...status, state: 'failed', error: 'why' }, now), {
    state: 'failed',
    problem: 'why',
  });
});

test.run();
