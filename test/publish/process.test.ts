// The processes beside a gateway: killed, started anew, and ended with it.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { knownParts, uploadSnapshot } from '../../src/publish/upload.ts';
import { currentSnapshot } from '../../src/snapshot/folder.ts';
import type { FollowStatus } from '../../src/snapshot/follow-status.ts';
import { FORMAT_VERSION, rowsPath } from '../../src/snapshot/layout.ts';
import { readManifest } from '../../src/snapshot/manifest.ts';
import { folderStore } from '../../src/store/folder-store.ts';
import { until } from '../lane/support.ts';
import { makeFormat3 } from '../support/format-3.ts';
import { runImport } from '../support/import.ts';
import { LONG, makeSource, startProcess, startReplica, storeIn, tablegate, write } from './support.ts';

const test = suite('publish/process');
const root = mkdtempSync(join(tmpdir(), 'tablegate-process-'));
test.after(() => rmSync(root, { recursive: true, force: true }));

const pullerOf = (data: string): number =>
  (JSON.parse(readFileSync(join(data, 'snapshots', '.following'), 'utf8')) as FollowStatus).pid;
const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('a puller that is killed is started anew and pulls on; it ends with its gateway', async () => {
  const source = makeSource(join(root, 'killed.db'), 1_000);
  const { data, store } = storeIn(root, 'killed');
  runImport(source, data);
  assert.is((await tablegate(['publish', data, store])).code, 0);
  const replica = await startReplica(join(root, 'replica'), store);
  let second = 0;
  try {
    const first = pullerOf(replica.data);
    process.kill(first, 'SIGKILL');
    write(source, 'insert into u_1_2 values (2)');
    runImport(source, data);
    assert.is((await tablegate(['publish', data, store])).code, 0);
    await until(async () => (await replica.value('select max(n) from u_1_2')) === 2, LONG);
    const notes = replica.of('note').map(({ text }) => text);
    assert.equal(
      notes.filter((text) => text.startsWith('the puller ended')),
      ['the puller ended, SIGKILL; it is started again in 0.5 s'],
    );
    second = pullerOf(replica.data);
    assert.is.not(second, first);
    assert.ok(lives(second));
  } finally {
    await replica.stop();
  }
  assert.not(lives(second));
});

test('a snapshot of format 3 is published and pulled as it is, and the next one after it', async () => {
  const source = makeSource(join(root, 'format-3.db'), 1_000);
  const { data, store } = storeIn(root, 'format-3');
  runImport(source, data);
  makeFormat3((await currentSnapshot(data)).path);
  assert.is((await tablegate(['publish', data, store])).code, 0);
  const replica = await startReplica(join(root, 'replica-3'), store);
  try {
    assert.is(await replica.value('select max(n) from u_1_2'), 1);
    assert.is((await readManifest((await currentSnapshot(replica.data)).path)).formatVersion, 3);
    write(source, 'insert into u_1_2 values (2)');
    runImport(source, data, '--update');
    const published = await tablegate(['publish', data, store]);
    assert.is(published.code, 0, published.err);
    await until(async () => (await replica.value('select max(n) from u_1_2')) === 2, LONG);
    assert.is((await readManifest((await currentSnapshot(replica.data)).path)).formatVersion, FORMAT_VERSION);
    // Damage that no one looked for is told in words.
    const { path } = await currentSnapshot(data);
    const rows = readFileSync(rowsPath(path));
    const manifest = await readManifest(path);
    rows[rows.length - 1] = (rows.at(-1) as number) ^ 1;
    writeFileSync(rowsPath(path), rows);
    const folder = folderStore(store);
    const never = new AbortController().signal;
    await uploadSnapshot(folder, knownParts(folder, [], false), path, manifest, never).then(
      () => assert.unreachable(),
      (error: Error) =>
        assert.match(error.message, /is damaged: rows\.sqlite is not what was written; import again/),
    );
  } finally {
    await replica.stop();
  }
});

test('a publisher that watches on its own goes on, publishes what comes, and ends when it is told to', async () => {
  const source = makeSource(join(root, 'watched.db'), 100);
  const { data, store } = storeIn(root, 'watched');
  runImport(source, data);
  const publisher = startProcess(['publish', data, store, '--watch', '--watch-every', '100ms']);
  const published = async (): Promise<string> => {
    const { id } = await currentSnapshot(data);
    await until(() => publisher.log.includes(`published snapshot ${id} `), LONG);
    return id;
  };
  const first = await published();
  write(source, 'insert into u_1_2 values (2)');
  runImport(source, data);
  assert.is.not(await published(), first);
  assert.equal(await publisher.end('SIGTERM'), [0, null]);
});

test('a replica waits for the first snapshot, says for what, and can be ended meanwhile', async () => {
  const { data, store } = storeIn(root, 'waits');
  const args = ['serve', '--data', data, '--pull', store, '--pull-every', '100ms', '--port', '0'];
  const waiting = startProcess(args);
  let ended: readonly [number | null, NodeJS.Signals | null] | undefined;
  try {
    await until(
      () => waiting.log.includes(`nothing can be pulled: nothing is published in ${store} yet`),
      LONG,
    );
    await until(() => existsSync(join(data, 'snapshots', '.following')), LONG);
    const puller = pullerOf(data);
    assert.ok(lives(puller));
    ended = await waiting.end('SIGTERM');
    await until(() => !lives(puller), LONG);
  } finally {
    ended ??= await waiting.end('SIGKILL');
  }
  assert.equal(ended, [0, null]);
  const lines = waiting.log.split('\n').filter((line) => /nothing can be pulled/.test(line));
  assert.is(lines.length, 1, waiting.log);
});

test('settings that cannot be together, and keys that are none, end the program before anything is started', async () => {
  const refused = async (args: readonly string[], why: RegExp): Promise<void> => {
    const { code, err } = await tablegate(['serve', '--data', join(root, 'none'), '--port', '0', ...args]);
    assert.is(code, 2, err);
    assert.match(err, why);
  };
  await refused(
    ['--pull', 'a', '--follow', 'b'],
    /^tablegate: --pull and --follow both bring snapshots .*: choose one\n$/,
  );
  await refused(
    ['--pull', 'a', '--publish', 'b'],
    /^tablegate: --publish and --pull: what is pulled is published already\n$/,
  );
  await refused(
    ['--pull', 'a', '--pull-key', 'none.pem'],
    /--pull-key must be an Ed25519 public key .*ENOENT\n$/,
  );
  await refused(
    ['--pull', 's3://bucket/x'],
    /s3:\/\/ needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment\n$/,
  );
});

test.run();
