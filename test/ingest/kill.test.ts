// An import that is killed or interrupted anywhere leaves the snapshot before it, and the next import cleans up.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { currentSnapshot } from '../../src/snapshot/folder.ts';
import { ask, makeDatabase, register, runImport, scratch } from './support.ts';

const test = suite('kill');
const files = scratch();
const source = files.path('source.db');
const data = files.path('data');
const ROWS = 300_000;
const MAIN = join(import.meta.dirname, '../../src/main.ts');
const children = new Set<ChildProcess>();

test.before(async () => {
  makeDatabase(source, (database) => {
    database.exec(`create table t_1_1 (id integer primary key, a text unique, b int) strict; begin;
      with recursive s(i) as (select 1 union all select i + 1 from s where i < ${ROWS})
      insert into t_1_1 select i, 'a text of some length ' || i, i % 97 from s; commit`);
    register(database, 't_1_1');
  });
  const ran = await runImport(source, '--data', data);
  assert.is(ran.code, 0, ran.err);
});
test.after(() => {
  for (const child of children) child.kill('SIGKILL');
  files.remove();
});

function start(...args: readonly string[]): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN, 'import', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  let output = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  child.stderr?.on('data', (chunk) => (output += chunk));
  return { child, output: () => output };
}

async function building(): Promise<void> {
  const folder = join(data, 'snapshots');
  while (!(existsSync(folder) && readdirSync(folder).some((name) => name.startsWith('.building-'))))
    await sleep(5);
}

async function checkCurrent(): Promise<string> {
  const { id } = await currentSnapshot(data);
  assert.equal(await ask(data, 'select count(*), sum(id)::varchar, count(distinct a) from t_1_1'), [
    [String(ROWS), String((ROWS * (ROWS + 1)) / 2), String(ROWS)],
  ]);
  return id;
}

test('SIGKILL at random moments leaves a good snapshot, and the next import goes through', async () => {
  let killed = 0;
  for (let round = 0; round < 8; round++) {
    const { child } = start(source, '--data', data);
    const exited = once(child, 'exit');
    await Promise.race([building(), exited]);
    await sleep(Math.random() * 900);
    child.kill('SIGKILL');
    const [code] = await exited;
    if (code === null) killed++;
    await checkCurrent();
  }
  assert.ok(killed > 0, 'every import was done before it was killed');
  const ran = await runImport(source, '--data', data);
  assert.is(ran.code, 0, ran.err);
  await checkCurrent();
  const left = readdirSync(join(data, 'snapshots')).filter(
    (name) => !/^\d{6}-[0-9a-f]{6}\.duckdb$/.test(name),
  );
  assert.equal(left, []);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  test(`${signal} ends the import with a line and leaves nothing behind`, async () => {
    const before = await checkCurrent();
    const { child, output } = start(source, '--data', data);
    const exited = once(child, 'exit');
    await building();
    await sleep(100);
    child.kill(signal);
    const [code] = await exited;
    assert.is(code, 1, output());
    assert.match(output(), new RegExp(`tablegate: interrupted by ${signal}`));
    assert.is(await checkCurrent(), before);
    assert.equal(
      readdirSync(join(data, 'snapshots')).filter((name) => name.startsWith('.')),
      [],
    );
  });

test('of two imports at once one publishes and the other says so at once', async () => {
  const first = start(source, '--data', data);
  const firstExit = once(first.child, 'exit');
  await building();
  const second = await runImport(source, '--data', data);
  assert.is(second.code, 1);
  assert.match(second.err, new RegExp(`another import is writing to .*process ${first.child.pid} `));
  const [code] = await firstExit;
  assert.is(code, 0, first.output());
  await checkCurrent();
});

test.run();
