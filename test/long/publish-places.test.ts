// From a followed source to replicas by way of a real S3 server: commands as an operator gives them.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { until } from '../lane/support.ts';
import {
  LONG,
  makeSource,
  type Replica,
  startProcess,
  startReplica,
  tablegate,
  write,
} from '../publish/support.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { runImport } from '../support/import.ts';
import { type ObjectStore, objectStoreSuite, startObjectStore } from '../support/object-store.ts';

const test = objectStoreSuite('publish/places');
const root = mkdtempSync(join(tmpdir(), 'tablegate-places-'));
const environment = { ...process.env };
let server: ObjectStore;
let proxy: FaultProxy;
test.before(async () => {
  server = await startObjectStore();
  proxy = await startFaultProxy(server.origin);
  // Of the replicas, whose pullers are processes of their own.
  Object.assign(process.env, server.env(proxy.origin));
});
test.after(async () => {
  process.env = environment;
  await proxy?.stop();
  await server?.stop();
  rmSync(root, { recursive: true, force: true });
});

test('a publisher that follows and a replica, both by S3: few bytes for a row, 304 for none, nothing without the key', async () => {
  const source = makeSource(join(root, 'source.db'), 40_000);
  const data = join(root, 'data');
  const store = `s3://${server.bucket}/gateways/one`;
  const follow = ['follow', source, '--data', data, '--every', '100ms', '--watch-every', '100ms'];
  const publisher = startProcess([...follow, '--publish', store], server.env());
  let replica: Replica | undefined;
  try {
    replica = await startReplica(join(root, 'replica'), store);
    const whole = replica.of('snapshot-pulled')[0]?.receivedBytes ?? 0;
    write(source, "update t_1_1 set s = 'changed' where n = 20000");
    await until(
      async () => (await replica?.value('select s from t_1_1 where n = 20000')) === 'changed',
      LONG,
    );
    const part = replica.of('snapshot-pulled').at(-1)?.receivedBytes ?? whole;
    assert.ok(part < whole, `${part} of ${whole}`);
    // Tags are relied on two seconds after the last change.
    await until(() => proxy.passed.at(-1)?.status === 304, LONG);
    assert.equal(
      replica.of('pull-failed').filter(({ why }) => !/nothing is published/.test(why)),
      [],
    );
    const denied = await tablegate(['publish', data, store], {
      ...server.env(),
      AWS_SECRET_ACCESS_KEY: 'wrong',
    });
    assert.is(denied.code, 1);
    assert.is(
      denied.err,
      `tablegate: ${store} answers 403 for current.json: the credentials do not allow it\n`,
    );
  } finally {
    await Promise.all([publisher.end('SIGTERM'), replica?.stop()]);
  }
});

test('a publisher that is killed between the parts and the pointer has published nothing, and the next one sends no part again', async () => {
  const data = join(root, 'killed-data');
  runImport(makeSource(join(root, 'killed.db'), 20_000), data);
  const store = `s3://${server.bucket}/killed`;
  const pulled = join(root, 'killed-pulled');
  proxy.passed.length = 0;
  let isPutting = false;
  proxy.fault = (method, path) => {
    if (method !== 'PUT' || !path.endsWith('/current.json')) return undefined;
    isPutting = true;
    return { kind: 'silent' };
  };
  const puller = startProcess(['pull', store, '--data', pulled, '--pull-every', '100ms'], server.env());
  try {
    const killed = startProcess(['publish', data, store], server.env(proxy.origin));
    await until(() => isPutting, LONG);
    await killed.end('SIGKILL');
    const puts = (): number =>
      proxy.passed.filter(({ method, path }) => method === 'PUT' && path.includes('/parts/')).length;
    const sent = puts();
    assert.ok(sent > 3, `${sent} parts were sent`);
    assert.match(puller.log, `nothing is published in ${store} yet`);
    proxy.fault = () => undefined;
    const next = await tablegate(['publish', data, store], server.env(proxy.origin));
    assert.match(next.out, /^published 000001-[0-9a-f]{6} to \S+: 0 parts, /, next.err);
    assert.is(puts(), sent);
    await until(() => /pulled snapshot 000001/.test(puller.log), LONG);
  } finally {
    proxy.fault = () => undefined;
    await puller.end('SIGTERM');
  }
});

test('a puller that is killed in the middle goes on from there, and nothing of it is seen before it is whole', async () => {
  const data = join(root, 'resumed-data');
  runImport(makeSource(join(root, 'resumed.db'), 100_000), data);
  const store = `s3://${server.bucket}/resumed`;
  assert.is((await tablegate(['publish', data, store], server.env())).code, 0);
  const pulled = join(root, 'resumed-pulled');
  const args = ['pull', store, '--data', pulled, '--pull-every', '100ms'];
  proxy.passed.length = 0;
  proxy.fault = (_, path) => (path.includes('/parts/') ? { kind: 'after', done: sleep(30) } : undefined);
  const parts = (): readonly number[] =>
    proxy.passed.filter(({ path }) => path.includes('/parts/')).map(({ bytes }) => bytes);
  const killed = startProcess(args, server.env(proxy.origin));
  await until(() => parts().length >= 10, LONG);
  await killed.end('SIGKILL');
  assert.equal(
    readdirSync(join(pulled, 'snapshots')).filter((name) => /^\d/.test(name)),
    [],
  );
  proxy.fault = () => undefined;
  const again = startProcess(args, server.env(proxy.origin));
  try {
    await until(() => /pulled snapshot 000001/.test(again.log), LONG);
  } finally {
    await again.end('SIGTERM');
  }
  const [, total = ''] = /of (\d+) bytes/.exec(again.log) ?? [];
  const sent = parts().reduce((sum, bytes) => sum + bytes, 0);
  // Those that were on their way when it was killed, four at most, and the list came twice.
  assert.ok(sent <= Number(total) + 5 * 262_144, `${sent} bytes for ${total}`);
  assert.ok(Number(total) > 4_000_000, total);
});

test('of two publishers at the same moment one gets a 412, and says so', async () => {
  const data = join(root, 'both-data');
  runImport(makeSource(join(root, 'both.db'), 1_000), data);
  const store = `s3://${server.bucket}/both`;
  let first: ReturnType<typeof startProcess> | undefined;
  const other = join(root, 'both-other');
  runImport(makeSource(join(root, 'both-other.db'), 1_000), other);
  // The other one publishes while the first one's pointer is on its way.
  proxy.fault = (method, path) => {
    if (method !== 'PUT' || !path.endsWith('/both/current.json')) return undefined;
    proxy.fault = () => undefined;
    return { kind: 'after', done: tablegate(['publish', other, store], server.env()) };
  };
  proxy.passed.length = 0;
  try {
    first = startProcess(['publish', data, store], server.env(proxy.origin));
    await until(() => proxy.passed.some(({ status }) => status === 412), LONG);
    await until(() => (first?.child.exitCode ?? undefined) !== undefined, LONG);
    assert.is(first.child.exitCode, 1);
    assert.match(
      first.log,
      /^tablegate: another publisher was quicker in s3:\/\/\S+: 000001-\w+ is not published\n$/,
    );
  } finally {
    await first?.end('SIGKILL');
  }
});

test.run();
