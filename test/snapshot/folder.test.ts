// The data folder: which snapshot is current, what is refused and in which words, and publishing by one at a time.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OperatorError } from '../../src/base/errors.ts';
import { currentSnapshot, listSnapshots, servableSnapshot } from '../../src/snapshot/folder.ts';
import { pinSnapshot } from '../../src/snapshot/hold.ts';
import { columnsPath, manifestPath, ROWS, rowsPath } from '../../src/snapshot/layout.ts';
import { readManifest } from '../../src/snapshot/manifest.ts';
import { openDraft } from '../../src/snapshot/publish.ts';
import { makeFormat3 } from '../support/format-3.ts';
import { makeSnapshot } from '../support/snapshot.ts';

const test = suite('data folder');
const root = mkdtempSync(join(tmpdir(), 'tablegate-folder-'));
let built = '';
let folders = 0;

/** A data folder of its own for each test. */
function newData(): { data: string; snapshots: string } {
  const data = join(root, `data-${++folders}`);
  const snapshots = join(data, 'snapshots');
  mkdirSync(snapshots, { recursive: true });
  return { data, snapshots };
}

test.before(async () => {
  const table = { name: 't_1_1', columns: [{ name: 'a', type: 'integer' }], rows: [[1]] } as const;
  built = (await makeSnapshot(join(root, 'built'), [table])).path;
});

function copyBuilt(path: string): void {
  cpSync(built, path, { recursive: true });
}
test.after(() => rmSync(root, { recursive: true, force: true }));

async function publish(data: string): Promise<string> {
  const draft = await openDraft(data, 3);
  try {
    copyBuilt(draft.building);
    return (await draft.publish()).id;
  } finally {
    await draft.close();
  }
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    assert.instance(error, OperatorError);
    return (error as Error).message;
  }
  return assert.unreachable('nothing was refused') as never;
}

test('a missing or empty data folder says how to make a snapshot', async () => {
  const none = join(root, 'none');
  assert.match(
    await refusal(currentSnapshot(none)),
    /there is no data folder .*none; make it with: tablegate import/,
  );
  const { data } = newData();
  assert.match(
    await refusal(currentSnapshot(data)),
    /there is no snapshot in .*; make one with: tablegate import/,
  );
  writeFileSync(join(root, 'file'), '');
  assert.match(await refusal(currentSnapshot(join(root, 'file'))), /cannot be read: .*ENOTDIR/);
});

test('the highest number is current, whatever else lies there', async () => {
  const { data, snapshots } = newData();
  for (const name of ['000002-aaaaaa', '000010-bbbbbb', '000009-ffffff']) copyBuilt(join(snapshots, name));
  for (const name of [
    '.building-1-aaaaaa',
    '000099-zzzzzz',
    '99-aaaaaa',
    '000098-aaaaaa.tmp',
    '000097-aaaaaa.duckdb',
    'notes.txt',
  ])
    writeFileSync(join(snapshots, name), 'x');
  assert.equal(await currentSnapshot(data), {
    id: '000010-bbbbbb',
    path: join(snapshots, '000010-bbbbbb'),
  });
  copyBuilt(join(snapshots, '1000000-cccccc'));
  assert.is((await currentSnapshot(data)).id, '1000000-cccccc');
});

test('a snapshot whose files are damaged, half-written, missing or not its own is refused with what to do', async () => {
  const { data, snapshots } = newData();
  const path = join(snapshots, '000001-aaaaaa');
  const rows = rowsPath(path);
  const columns = columnsPath(path);
  const manifest = manifestPath(path);
  const cases: readonly [change: () => void, expected: RegExp][] = [
    [() => undefined, /^$/],
    [
      () => writeFileSync(`${columns}.wal`, ''),
      /must have no write-ahead log or journal, but there is one: .*\.wal/,
    ],
    [
      () => writeFileSync(`${rows}-wal`, ''),
      /must have no write-ahead log or journal, but there is one: .*-wal/,
    ],
    [() => writeFileSync(`${rows}-journal`, ''), /but there is one: .*-journal/],
    [
      () => truncateSync(columns, 20_000),
      /half-written: columns\.duckdb has 20000 of \d+ bytes; import again, or/,
    ],
    [() => truncateSync(columns, 0), /half-written: columns\.duckdb has 0 of/],
    [() => truncateSync(rows, 4096), /half-written: rows\.sqlite has 4096 of \d+ bytes; import again, or/],
    [() => rmSync(rows), /lacks its file rows\.sqlite/],
    [() => rmSync(columns), /lacks its file columns\.duckdb/],
    [() => overwrite(columns), /columns\.duckdb is not a DuckDB file/],
    [() => overwrite(rows), /rows\.sqlite is not a SQLite database/],
    [() => rmSync(manifest), /has no manifest\.json; import again/],
    [() => writeFileSync(manifest, '{"formatVersion":4,'), /manifest\.json is no JSON/],
    [() => writeFileSync(manifest, '{"formatVersion":4}'), /manifest\.json lacks what a manifest has/],
    [
      () => writeFileSync(manifest, '{"formatVersion":5}'),
      /has format 5, this program reads formats 3 and 4/,
    ],
  ];
  for (const [change, expected] of cases) {
    rmSync(path, { recursive: true, force: true });
    copyBuilt(path);
    change();
    const message = await currentSnapshot(data).then(
      () => '',
      (error: Error) => error.message,
    );
    assert.match(message, expected);
  }
});

test('who begins to serve takes the newest good one, never one that is newer than what was gone back to', async () => {
  const { data, snapshots } = newData();
  const paths = ['000001-aaaaaa', '000002-bbbbbb', '000003-cccccc'].map((id) => join(snapshots, id));
  const [one = '', two = '', three = ''] = paths;
  for (const path of paths) copyBuilt(path);
  assert.is((await servableSnapshot(data)).path, three);
  overwrite(rowsPath(three));
  assert.match(await refusal(currentSnapshot(data)), /000003-cccccc is damaged/);
  assert.is((await servableSnapshot(data)).path, two);
  rmSync(three, { recursive: true });
  copyBuilt(three);
  await pinSnapshot(snapshots, '000002-bbbbbb');
  assert.is((await servableSnapshot(data)).path, two);
  truncateSync(rowsPath(two), 4096);
  assert.is((await servableSnapshot(data)).path, one);
  rmSync(manifestPath(one));
  // The one that is wanted, since that is to be mended.
  assert.match(await refusal(servableSnapshot(data)), /000002-bbbbbb is half-written/);
});

test('a file that is at rest is digested once, under whatever name, until it is written to', async () => {
  const { data, snapshots } = newData();
  const [one, two] = ['000001-aaaaaa', '000002-bbbbbb'].map((id) => join(snapshots, id)) as [string, string];
  copyBuilt(one);
  const change = (path: string, ...at: number[]): void => {
    const bytes = readFileSync(path);
    for (const each of at) bytes[each] = (bytes[each] as number) ^ 0xff;
    writeFileSync(path, bytes);
  };
  const before = new Date(Date.now() - 3_600_000);
  utimesSync(rowsPath(one), before, before);
  assert.is((await currentSnapshot(data)).path, one);
  // The same bytes of the disk, which nobody reads again: what the system says of them did not change.
  copyBuilt(two);
  rmSync(rowsPath(two));
  linkSync(rowsPath(one), rowsPath(two));
  change(rowsPath(one), 5_000);
  utimesSync(rowsPath(one), before, before);
  assert.is((await currentSnapshot(data)).path, two);
  const now = new Date();
  utimesSync(rowsPath(one), now, now);
  assert.match(
    await refusal(currentSnapshot(data)),
    /000002-bbbbbb is damaged: rows\.sqlite is not what was/,
  );
  change(rowsPath(one), 5_000);
  assert.is((await currentSnapshot(data)).path, two, 'and it is well again');
  change(rowsPath(one), 5_000);
  assert.match(await refusal(currentSnapshot(data)), /000002-bbbbbb is damaged/, 'however soon after');
});

function overwrite(path: string): void {
  writeFileSync(path, Buffer.alloc(statSync(path).size, 'x'));
}

test('what this process published is not read again, until it is written to', async () => {
  const { data } = newData();
  const draft = await openDraft(data, 3);
  const before = new Date(Date.now() - 3_600_000);
  copyBuilt(draft.building);
  utimesSync(rowsPath(draft.building), before, before);
  const { path } = await draft.publish();
  await draft.close();
  const bytes = readFileSync(rowsPath(path));
  bytes[5_000] = (bytes[5_000] as number) ^ 0xff;
  writeFileSync(rowsPath(path), bytes);
  assert.match(await refusal(currentSnapshot(data)), /is damaged: rows\.sqlite is not what was written/);
  utimesSync(rowsPath(path), before, before);
  assert.is((await currentSnapshot(data)).path, path, 'the digest of then is remembered');
});

test('a snapshot of format 3 is served, and its digests are those of whole files', async () => {
  const { data, snapshots } = newData();
  const path = join(snapshots, '000001-aaaaaa');
  copyBuilt(path);
  const now = (await readManifest(path)).files[ROWS]?.sha256;
  makeFormat3(path);
  assert.is((await currentSnapshot(data)).path, path);
  const manifest = await readManifest(path);
  assert.is(manifest.formatVersion, 3);
  assert.is.not(manifest.files[ROWS]?.sha256, now);
  // Neither digest stands for the other.
  for (const change of [
    { formatVersion: 4 },
    { files: { ...manifest.files, [ROWS]: { ...manifest.files[ROWS], sha256: now } } },
  ]) {
    writeFileSync(manifestPath(path), JSON.stringify({ ...manifest, ...change }));
    assert.match(await refusal(currentSnapshot(data)), /is damaged: .* is not what was written/);
  }
});

test('a snapshot of an older format is not served, and gone when newer ones fill its place', async () => {
  const { data, snapshots } = newData();
  writeFileSync(join(snapshots, '000007-abcdef.duckdb'), 'of format 1');
  assert.match(
    await refusal(currentSnapshot(data)),
    /000007-abcdef\.duckdb is of an older format, which is not served any more; import again: tablegate import/,
  );
  assert.is((await publish(data)).slice(0, 6), '000008');
  assert.ok(existsSync(join(snapshots, '000007-abcdef.duckdb')));
  await publish(data);
  await publish(data);
  assert.not(existsSync(join(snapshots, '000007-abcdef.duckdb')));
});

test('snapshots are numbered, published by rename, and the last three are kept', async () => {
  const { data, snapshots } = newData();
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.push(await publish(data));
  assert.equal(
    ids.map((id) => id.slice(0, 6)),
    ['000001', '000002', '000003', '000004', '000005'],
  );
  assert.is((await currentSnapshot(data)).id, ids[4]);
  assert.equal(
    (await listSnapshots(data)).map(({ id }) => id),
    [ids[4], ids[3], ids[2]],
  );
  assert.equal(readdirSync(snapshots).length, 3, readdirSync(snapshots).join(' '));
});

test('a draft that is closed without publishing leaves nothing', async () => {
  const { data, snapshots } = newData();
  const draft = await openDraft(data, 3);
  copyBuilt(draft.building);
  writeFileSync(`${draft.building}.wal`, 'x');
  mkdirSync(`${draft.building}.tmp`);
  writeFileSync(`${draft.building}.source-wal`, 'x');
  await draft.close();
  assert.equal(readdirSync(snapshots), []);
});

test('a half-built file is not published', async () => {
  const { data } = newData();
  await publish(data);
  const before = await currentSnapshot(data);
  const draft = await openDraft(data, 3);
  copyBuilt(draft.building);
  truncateSync(columnsPath(draft.building), 30_000);
  assert.match(await refusal(draft.publish()), /half-written/);
  await draft.close();
  assert.equal(await currentSnapshot(data), before);
});

test('of several publishers at once one builds and the others say so', async () => {
  const { data, snapshots } = newData();
  const drafts = await Promise.allSettled(Array.from({ length: 8 }, () => openDraft(data, 3)));
  const won = drafts.flatMap((draft) => (draft.status === 'fulfilled' ? [draft.value] : []));
  assert.is(won.length, 1);
  for (const draft of drafts)
    if (draft.status === 'rejected')
      assert.match(
        String(draft.reason.message),
        new RegExp(`another import is writing to .* \\(process ${process.pid} on`),
      );
  copyBuilt(won[0]?.building ?? '');
  await won[0]?.publish();
  await won[0]?.close();
  assert.is(readdirSync(snapshots).length, 1);
  await publish(data);
});

test('what dead processes left is taken over and removed', async () => {
  const { data, snapshots } = newData();
  // A process id that another program has by now: this one.
  const dead = { pid: process.pid, host: hostname(), token: 'abcdef', sign: true };
  writeFileSync(join(snapshots, '.lock'), JSON.stringify(dead));
  mkdirSync(join(snapshots, '.building-123-abcdef'));
  writeFileSync(join(snapshots, '.building-123-abcdef', 'rows.sqlite'), 'x');
  writeFileSync(join(snapshots, '.building-123-abcdef.wal'), 'x');
  mkdirSync(join(snapshots, '.building-123-abcdef.tmp'));
  const id = await publish(data);
  assert.equal(readdirSync(snapshots), [id]);
  // Its sign of life, as SIGKILL leaves it.
  const killed = spawnSync(process.execPath, [
    '-e',
    "require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))",
    join(snapshots, '.alive-abcdef'),
  ]);
  assert.is(killed.signal, 'SIGKILL');
  assert.ok(existsSync(join(snapshots, '.alive-abcdef')));
  writeFileSync(join(snapshots, '.lock'), JSON.stringify(dead));
  const next = await publish(data);
  assert.equal(readdirSync(snapshots), [id, next]);
  for (const content of ['', '{', 'null', '{"pid":"x"}']) {
    writeFileSync(join(snapshots, '.lock'), content);
    await publish(data);
  }
  assert.not(existsSync(join(snapshots, '.lock')));
});

test('what a writer left that died as it took the lock goes with the next one', async () => {
  const { data, snapshots } = newData();
  const other = { pid: 1, host: 'another-machine', token: 'bbbbbb', sign: true };
  for (const [name, holder] of [
    ['.lock-aaaaaa', { pid: process.pid, host: hostname(), token: 'aaaaaa', sign: true }],
    ['.lock-aaaaaa-dead', { pid: 1, host: hostname(), token: 'cccccc', sign: true }],
    ['.lock-bbbbbb', other],
  ] as const)
    writeFileSync(join(snapshots, name), JSON.stringify(holder));
  const draft = await openDraft(data, 3);
  await draft.close();
  assert.equal(readdirSync(snapshots), ['.lock-bbbbbb'], 'the one of another machine may live');
});

test('a lock is held as long as its process lives, however deep the folder is', async () => {
  const deep = join(newData().data, 'd'.repeat(120));
  for (const data of [newData().data, deep]) {
    const draft = await openDraft(data, 3);
    assert.match(await refusal(openDraft(data, 3)), /another import is writing/);
    await draft.close();
    assert.equal(readdirSync(join(data, 'snapshots')), []);
  }
});

test('a live lock of another machine is respected until it has been silent for a minute', async () => {
  const { data, snapshots } = newData();
  const lock = join(snapshots, '.lock');
  writeFileSync(lock, JSON.stringify({ pid: 1, host: 'another-machine', token: 'abcdef' }));
  assert.match(await refusal(openDraft(data, 3)), /another import .* \(process 1 on another-machine\)/);
  utimesSync(lock, new Date(Date.now() - 120_000), new Date(Date.now() - 120_000));
  await publish(data);
});

test('who lost its lock does not publish', async () => {
  const { data, snapshots } = newData();
  const draft = await openDraft(data, 3);
  copyBuilt(draft.building);
  writeFileSync(
    join(snapshots, '.lock'),
    JSON.stringify({ pid: 1, host: 'another-machine', token: 'abcdef' }),
  );
  assert.match(await refusal(draft.publish()), /another import took over/);
  await draft.close();
  assert.ok(existsSync(join(snapshots, '.lock')));
  assert.equal(await listSnapshots(data), []);
});

test.run();
