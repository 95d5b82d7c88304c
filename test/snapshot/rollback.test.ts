// `tablegate snapshots` and `tablegate rollback` as commands, beside a running gateway that follows a source.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listSnapshots } from '../../src/snapshot/folder.ts';
import { writePulled } from '../../src/snapshot/hold.ts';
import type { ListedSnapshot } from '../../src/snapshot/list-command.ts';
import { makeDatabase, register } from '../ingest/support.ts';
import { until } from '../lane/support.ts';
import { startTestGateway } from '../support/gateway.ts';
import { runImport } from '../support/import.ts';
import { MAIN } from '../support/main.ts';
import { makeSnapshot } from '../support/snapshot.ts';

const test = suite('rollback');
const root = mkdtempSync(join(tmpdir(), 'tablegate-rollback-'));
const LONG = 60_000;
test.after(() => rmSync(root, { recursive: true, force: true }));

function tablegate(...args: readonly string[]): { code: number | null; out: string; err: string } {
  const done = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', timeout: 60_000 });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

function listed(data: string): readonly ListedSnapshot[] {
  return JSON.parse(tablegate('snapshots', '--data', data, '--json').out) as ListedSnapshot[];
}

function sourceOf(name: string): string {
  return makeDatabase(join(root, name), (database) => {
    database.exec('create table t_1_1 (n int) strict; insert into t_1_1 values (1)');
    register(database, 't_1_1');
  });
}

function rowsOf(source: string): number {
  const database = new DatabaseSync(source, { timeout: 5_000 });
  const names = database.prepare("select name from sqlite_schema where type = 'table'").all() as {
    name: string;
  }[];
  const rows = names
    .filter(({ name }) => /^(system_|registry$|t_1_1$)/.test(name))
    .map(({ name }) => (database.prepare(`select count(*) as n from ${name}`).get() as { n: number }).n);
  database.close();
  return rows.reduce((all, each) => all + each, 0);
}

function add(source: string, n: number): void {
  const database = new DatabaseSync(source, { timeout: 5_000 });
  database.exec(`insert into t_1_1 values (${n})`);
  database.close();
}

test('a gateway that follows goes back to a snapshot, stays there while new ones come, and goes on when it is told', async () => {
  const source = sourceOf('held.db');
  const data = join(root, 'held');
  const args = ['--follow', source, '--every', '100ms', '--keep-snapshots', '2', '--watch-every', '100ms'];
  const gateway = await startTestGateway({ data, args: [...args, '--console', 'off'] });
  const highest = async (): Promise<unknown> =>
    ((await (await gateway.query('select max(n) as n from t_1_1')).json()) as { n: number }[])[0]?.n;
  try {
    const first = (await listSnapshots(data))[0]?.id ?? '';
    add(source, 2);
    await until(async () => (await highest()) === 2, LONG);

    const back = tablegate('rollback', first.slice(0, 6), '--data', data);
    assert.is(back.out, `current: ${first}, and it stays until: tablegate rollback latest\n`, back.err);
    assert.is(back.code, 0);
    await until(async () => (await highest()) === 1, LONG);

    for (const n of [3, 4, 5]) {
      const before = (await listSnapshots(data))[0]?.id;
      add(source, n);
      await until(async () => (await listSnapshots(data))[0]?.id !== before, LONG);
    }
    const all = listed(data);
    assert.equal(
      all.map(({ id, current, pinned, served }) => [id === first, current, pinned, served]),
      [
        [false, false, false, false],
        [false, false, false, false],
        [true, true, true, true],
      ],
      'the last two stay, and the one that is held',
    );
    assert.is(await highest(), 1, 'three imports have changed nothing');

    const on = tablegate('rollback', 'latest', '--data', data);
    assert.is(on.out, `current: ${all[0]?.id}, and from now on the latest\n`);
    await until(async () => (await highest()) === 5, LONG);
    assert.not(listed(data).some(({ pinned }) => pinned));
  } finally {
    await gateway.stop();
  }
});

test('the list has age, size, tables and rows, and says what cannot be read', async () => {
  const data = join(root, 'listed');
  const empty = tablegate('snapshots', '--data', data);
  assert.equal([empty.out, empty.code], [`no snapshots in ${data}\n`, 0]);
  const source = sourceOf('listed.db');
  runImport(source, data);
  mkdirSync(join(data, 'snapshots', '000009-abcdef'));
  const { out } = tablegate('snapshots', '--data', data);
  const lines = out.split('\n');
  assert.match(lines[0] ?? '', /^ +id +age +bytes +tables +rows +state$/);
  assert.match(
    lines[1] ?? '',
    /^\* +000009-abcdef +\? +\? +\? +\? +current, cannot be read: it has no manifest\.json$/,
  );
  assert.match(lines[2] ?? '', /^ +000001-[0-9a-f]{6} +\d+ seconds +[\d,]+ +\d+ +\d+$/);
  const [broken, whole] = listed(data);
  assert.is(broken?.fault, 'has no manifest.json');
  assert.is(whole?.rows, rowsOf(source), 'those of all tables that are served');
  assert.ok((whole?.bytes ?? 0) > 4096);
});

test('an id that is not there is refused with those that are; a damaged snapshot is not gone back to', async () => {
  const data = join(root, 'unknown');
  const table = { name: 't_1_1', columns: [{ name: 'a', type: 'integer' }], rows: [[1]] } as const;
  const one = await makeSnapshot(data, [table]);
  const two = await makeSnapshot(data, [table]);
  for (const [wanted, why] of [
    ['000777-aaaaaa', `there is no snapshot "000777-aaaaaa" in ${data}: there are ${two.id}, ${one.id}`],
    ['0', `several snapshots begin with "0" in ${data}: there are ${two.id}, ${one.id}`],
    ['../x', `there is no snapshot "../x" in ${data}: there are ${two.id}, ${one.id}`],
  ] as const)
    assert.equal(tablegate('rollback', wanted, '--data', data), {
      ...{ code: 2, out: '', err: `tablegate: ${why}\n` },
    });
  assert.match(tablegate('rollback').err, /an ID is missing, or latest/);
  rmSync(join(one.path, 'rows.sqlite'));
  const broken = tablegate('rollback', one.id, '--data', data);
  assert.is(broken.code, 2);
  assert.match(broken.err, /lacks its file rows\.sqlite/);
  assert.equal(
    listed(data).map(({ current, pinned }) => [current, pinned]),
    [
      [true, false],
      [false, false],
    ],
  );
});

test('an import says that an earlier snapshot is held, and takes the place of one that was pulled', async () => {
  const data = join(root, 'import');
  const source = sourceOf('import.db');
  runImport(source, data);
  runImport(source, data);
  const [two, one] = await listSnapshots(data);
  await writePulled(join(data, 'snapshots'), { id: one?.id, sequence: 7 });
  assert.equal(
    listed(data).map(({ id, current, pulled }) => [id, current, pulled]),
    [
      [two?.id, false, false],
      [one?.id, true, true],
    ],
  );
  tablegate('rollback', two?.id ?? '', '--data', data);
  const done = tablegate('import', source, '--data', data);
  assert.is(
    done.err.split('\n').find((line) => line.startsWith('snapshot ')),
    `snapshot ${two?.id} is served on, as somebody went back to it: tablegate rollback latest`,
  );
  tablegate('rollback', 'latest', '--data', data);
  const now = listed(data);
  assert.is(now[0]?.current, true, 'what was imported last');
  assert.not(now.some(({ pulled }) => pulled));
});

test.run();
