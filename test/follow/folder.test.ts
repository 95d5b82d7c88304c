// A gateway that only watches a data folder: it serves what appears there, keeps what it has where that is bad, goes
// back where the newest is taken away, and holds nothing of what it served before.
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { columnsPath } from '../../src/snapshot/layout.ts';
import { until } from '../lane/support.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { times } from '../support/ring.ts';
import { makeSnapshot } from '../support/snapshot.ts';

const test = suite<{ dir: string; gateway: TestGateway }>('follow/folder');

const TABLE = { name: 'n_1_1', columns: [{ name: 'n', type: 'integer' }] } as const;
const STATEMENT = 'select n from n_1_1';

async function snapshot(dir: string, n: number): Promise<{ readonly id: string; readonly path: string }> {
  return makeSnapshot(dir, [{ ...TABLE, select: `select ${n}` }], new Map([[1, 100 + n]]));
}

test.before.each(async (context) => {
  context.dir = mkdtempSync(join(tmpdir(), 'tablegate-folder-'));
  await snapshot(context.dir, 1);
  context.gateway = await startTestGateway({
    data: context.dir,
    args: ['--watch-every', '200ms', '--scan-workers', '1', '--console', 'off'],
  });
});
test.after.each(async ({ dir, gateway }) => {
  await gateway.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function served(gateway: TestGateway): Promise<number> {
  const answer = await gateway.query(STATEMENT);
  const text = await answer.text();
  assert.is(answer.status, 200, text);
  return (JSON.parse(text) as { n: number }[])[0]?.n ?? -1;
}

test('what appears in the folder is served, with another ETag, its blocks and no trace of the old answers', async ({
  dir,
  gateway,
}) => {
  const before = await gateway.query(STATEMENT);
  assert.equal(await before.json(), [{ n: 1 }]);
  const tag = before.headers.get('etag') ?? '';
  assert.match(before.headers.get('tablegate-snapshot') ?? '', /; blocks="1:101"$/);
  const again = await fetch(`${gateway.url}/query?statement=${encodeURIComponent(STATEMENT)}`, {
    headers: { 'if-none-match': tag },
  });
  assert.is(again.status, 304);

  // As rsync does it: another name first.
  const aside = mkdtempSync(join(tmpdir(), 'tablegate-aside-'));
  const made = await snapshot(aside, 2);
  cpSync(made.path, join(dir, 'snapshots', '.copying'), { recursive: true });
  renameSync(join(dir, 'snapshots', '.copying'), join(dir, 'snapshots', basename(made.path)));
  rmSync(aside, { recursive: true });
  await until(async () => (await served(gateway)) === 2, 30_000);

  const after = await fetch(`${gateway.url}/query?statement=${encodeURIComponent(STATEMENT)}`, {
    headers: { 'if-none-match': tag },
  });
  assert.is(after.status, 200, 'the old tag is worth nothing');
  assert.equal(await after.json(), [{ n: 2 }]);
  assert.ok((after.headers.get('tablegate-snapshot') ?? '').startsWith(`${made.id}; age=`));
  assert.match(after.headers.get('tablegate-snapshot') ?? '', /; blocks="1:102"$/);
  assert.ok(after.headers.get('access-control-expose-headers')?.includes('Tablegate-Snapshot'));
  const table = await fetch(`${gateway.url}/tables/1/1`);
  assert.is(table.status, 200);
  assert.ok((table.headers.get('tablegate-snapshot') ?? '').startsWith(made.id));
  const health = await fetch(`${gateway.url}/health`);
  assert.is(await health.text(), '');
  assert.ok((health.headers.get('tablegate-snapshot') ?? '').startsWith(made.id));
  const verbose = (await (await fetch(`${gateway.url}/health?verbose`)).json()) as Record<string, unknown>;
  assert.is(verbose['snapshot'], made.id);
  assert.equal(verbose['blocks'], { 1: 102 });
  assert.equal(verbose['follow'], { state: 'none' });
});

test('a bad snapshot is refused in so many words, the old one is served on, and a good one after it again', async ({
  dir,
  gateway,
}) => {
  const good = readdirSync(join(dir, 'snapshots')).find((name) => /^0/.test(name)) ?? '';
  /** A copy of the good one that is damaged before it gets its name. */
  const bad = (id: string, damage: (folder: string) => void): void => {
    const building = join(dir, 'snapshots', `.${id}`);
    cpSync(join(dir, 'snapshots', good), building, { recursive: true });
    damage(building);
    renameSync(building, join(dir, 'snapshots', id));
  };
  bad('900000-aaaaaa', (folder) =>
    writeFileSync(
      columnsPath(folder),
      'this is no database '.repeat(1e6).slice(0, statSync(columnsPath(folder)).size),
    ),
  );
  const refusals = (): readonly string[] =>
    gateway.seen.flatMap((event) => (event.type === 'snapshot-refused' ? [event.why] : []));
  await until(() => refusals().length > 0, 30_000);
  assert.match(refusals()[0] ?? '', /900000-aaaaaa is damaged: its columns\.duckdb is not a DuckDB file/);
  assert.is(await served(gateway), 1);

  // Whole to the eye, but not one of ours: the lanes refuse it.
  bad('900001-bbbbbb', (folder) => {
    const bytes = readFileSync(columnsPath(folder));
    bytes.fill(0x5a, 3 * 4096 + 100, bytes.length);
    writeFileSync(columnsPath(folder), bytes);
  });
  await until(() => refusals().length > 1, 30_000);
  assert.is(await served(gateway), 1);
  assert.is((await fetch(`${gateway.url}/health`)).status, 200);

  // Whoever starts now serves the good one, too, and says so.
  const another = await startTestGateway({ data: dir, args: ['--scan-workers', '1', '--console', 'off'] });
  try {
    assert.is(await served(another), 1);
    await until(() => another.seen.some((event) => event.type === 'snapshot-refused'), 30_000);
  } finally {
    await another.stop();
  }
  for (const name of ['900000-aaaaaa', '900001-bbbbbb'])
    rmSync(join(dir, 'snapshots', name), { recursive: true });

  const made = await snapshot(dir, 3);
  await until(async () => (await served(gateway)) === 3, 30_000);
  // An operator goes back.
  rmSync(made.path, { recursive: true });
  await until(async () => (await served(gateway)) === 1, 30_000);
  assert.equal(
    gateway.seen.filter(({ type }) => type === 'bug'),
    [],
  );
});

function lanePids(gateway: TestGateway): readonly number[] {
  const ended = new Set(gateway.seen.flatMap((event) => (event.type === 'lane-ended' ? [event.pid] : [])));
  return gateway.seen.flatMap((event) =>
    event.type === 'lane-started' && !ended.has(event.pid) ? [event.pid] : [],
  );
}

/** The process and all that it started: a lane may stand behind a program that confines it. */
function family(pid: number): readonly number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  const children = existsSync(path)
    ? readFileSync(path, 'utf8').trim().split(' ').filter(Boolean).map(Number)
    : [];
  return [pid, ...children.flatMap(family)];
}

function openSnapshots(pids: readonly number[]): readonly string[] {
  return pids.flatMap((pid) =>
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        const target = readlinkSync(`/proc/${pid}/fd/${fd}`);
        return /\/snapshots\/.*\.(duckdb|sqlite)$/.test(target) ? [target] : [];
      } catch {
        return [];
      }
    }),
  );
}

const residentMb = (pids: readonly number[]): number =>
  pids.reduce(
    (sum, pid) =>
      sum + Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
    0,
  );

const WARM = times(10, 20);
const SWAPS = times(25, 100);

test('over many swaps under load no request fails, no file stays open and memory stays flat', async ({
  dir,
  gateway,
}) => {
  if (process.platform !== 'linux') {
    process.stdout.write('  skipped: open files and memory are read from /proc\n');
    return;
  }
  const aside = mkdtempSync(join(tmpdir(), 'tablegate-aside-'));
  const made = [await snapshot(aside, 1), await snapshot(aside, 2)] as const;
  let busy = true;
  let answers = 0;
  const failures: string[] = [];
  const reader = async (salt: number): Promise<void> => {
    for (let i = 0; busy; i++) {
      const answer = await gateway.query(`select n, ${i} + ${salt} as x from n_1_1`);
      const text = await answer.text();
      if (answer.status !== 200) failures.push(`${answer.status} ${text}`);
      answers++;
    }
  };
  const readers = [reader(0), reader(1e6)];
  const opened = (): number => gateway.seen.filter(({ type }) => type === 'snapshot-opened').length;
  const swap = async (number: number): Promise<void> => {
    const before = opened();
    // The id inside is of no matter: its name is what counts.
    const name = `${String(100_000 + number)}-cccccc`;
    cpSync(made[number % 2]?.path ?? '', join(dir, 'snapshots', `.${name}`), { recursive: true });
    renameSync(join(dir, 'snapshots', `.${name}`), join(dir, 'snapshots', name));
    await until(() => opened() > before, 60_000).catch((error: Error) => {
      const tail = gateway.seen.filter(({ type }) => type !== 'request' && type !== 'run').slice(-5);
      throw new Error(`swap ${number}: ${error.message}: ${JSON.stringify(tail)}`);
    });
    rmSync(join(dir, 'snapshots', `${String(100_000 + number - 1)}-cccccc`), {
      recursive: true,
      force: true,
    });
  };
  try {
    const front = process.pid;
    const pids = lanePids(gateway).flatMap(family);
    assert.ok(pids.length >= 1);
    for (let i = 1; i <= WARM; i++) await swap(i);
    const warm = residentMb(pids);
    const frontWarm = residentMb([front]);
    for (let i = WARM + 1; i <= SWAPS; i++) await swap(i);
    busy = false;
    await Promise.all(readers);
    assert.equal(
      failures,
      [],
      JSON.stringify(gateway.seen.filter(({ type }) => /bug|error/.test(type)).slice(0, 3)),
    );
    const after = residentMb(pids);
    process.stdout.write(
      `  ${answers} answers; lanes ${warm.toFixed(0)} MB after ${WARM} swaps, ${after.toFixed(0)} after ${SWAPS}; front ${frontWarm.toFixed(0)}, ${residentMb([front]).toFixed(0)}\n`,
    );
    assert.ok(after < warm * 1.25 + 40, `${warm} MB after ${WARM} swaps, ${after} MB after ${SWAPS}`);
    assert.equal(
      pids.filter((pid) => !existsSync(`/proc/${pid}`)),
      [],
      'the lanes are the same processes',
    );
    // A process may keep the files of the first snapshot that it opened; of all those since then, only the newest.
    const isKept = (path: string): boolean =>
      path.includes(`${String(100_000 + SWAPS)}-cccccc/`) || path.includes('/000');
    await until(() => openSnapshots(pids).every(isKept)).catch((error: Error) => {
      throw new Error(`${error.message}: ${openSnapshots(pids).join(' ')}`);
    });
    assert.ok(openSnapshots(pids).length > 0);
    const leases = (): string[] =>
      readdirSync(join(dir, 'snapshots')).filter((name) => name.startsWith('.reading-'));
    await until(() => leases().length === 1).catch((error: Error) => {
      throw new Error(`one lease: ${error.message}: ${leases().join(' ')}`);
    });
  } finally {
    busy = false;
    await Promise.allSettled(readers);
    rmSync(aside, { recursive: true, force: true });
  }
});

test.run();
