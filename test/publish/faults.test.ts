// A replica whose store goes wrong in every way: what it served is served on, one line says why, and it heals by itself.
// The store is a real nginx; a proxy in front of it does the harm.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { createPublisher, type Publisher } from '../../src/publish/publish.ts';
import type { Pulled } from '../../src/pull/pull.ts';
import { listSnapshots } from '../../src/snapshot/folder.ts';
import { folderStore } from '../../src/store/folder-store.ts';
import type { Pointer } from '../../src/store/pointer.ts';
import { until } from '../lane/support.ts';
import { type Fault, type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { nginxSuite } from '../support/nginx.ts';
import { isLong } from '../support/ring.ts';
import { makeSnapshot } from '../support/snapshot.ts';
import { startWebDav, type WebDav } from '../support/web-dav.ts';
import { LONG, type Replica, startReplica } from './support.ts';

const test = nginxSuite('publish/faults');
const root = mkdtempSync(join(tmpdir(), 'tablegate-faults-'));
const data = join(root, 'data');
let server: WebDav;
let proxy: FaultProxy;
let publisher: Publisher;
let replica: Replica;
let generation = 0;
/** Of current.json, by generation. */
const pointers: string[] = [];

/** What the table shows after it. */
async function publishNext(): Promise<number> {
  const next = generation + 1;
  const columns = [
    { name: 'n', type: 'integer' },
    { name: 's', type: 'text' },
  ] as const;
  const select = `SELECT ${next}::BIGINT, repeat(md5((i * ${next})::VARCHAR), 20) FROM range(2000) t(i)`;
  const snapshot = await makeSnapshot(data, [{ name: 't_1_1', columns, select }]);
  const { outcome } = await publisher.publish(snapshot);
  assert.is(outcome, 'published');
  pointers[next] = readFileSync(join(server.folder, 'current.json'), 'utf8');
  generation = next;
  return next;
}

const shown = (): Promise<unknown> => replica.value('select max(n) from t_1_1');
const news = (): readonly string[] =>
  replica
    .of('pull-failed')
    .filter(({ isNews }) => isNews)
    .map(({ why }) => why);

test.before(async () => {
  server = await startWebDav();
  proxy = await startFaultProxy(server.origin);
  const { signal } = new AbortController();
  const store = folderStore(server.folder);
  publisher = createPublisher({
    store,
    data,
    keep: 3,
    activeInMs: 0,
    key: undefined,
    publisher: 'a test',
    signal,
  });
  await publishNext();
  replica = await startReplica(join(root, 'replica'), proxy.origin);
});
test.after(async () => {
  await replica?.stop();
  await proxy?.stop();
  await server?.stop();
  rmSync(root, { recursive: true, force: true });
});

const isPointer = (path: string): boolean => path === '/current.json';
const isPart = (path: string): boolean => path.startsWith('/parts/');
const changed = (change: Record<string, unknown>): Fault => ({
  kind: 'answer',
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ ...(JSON.parse(pointers[generation] ?? '') as Pointer), ...change }),
});

interface Trouble {
  readonly name: string;
  readonly of: (path: string) => boolean;
  readonly fault: () => Fault;
  /** Follows the name of the store or comes from it; `STORE` stands for its address. */
  readonly line: RegExp;
}

const SILENT: readonly Trouble[] = [
  {
    name: 'it never answers',
    of: isPointer,
    fault: () => ({ kind: 'silent' }),
    line: /^STORE: no answer for 10 s$/,
  },
];
const TROUBLES: readonly Trouble[] = [
  {
    name: 'the pointer is 500',
    of: isPointer,
    fault: () => ({ kind: 'answer', status: 500, body: 'oh' }),
    line: /^STORE answers 500 for current\.json$/,
  },
  {
    name: 'parts are 500',
    of: isPart,
    fault: () => ({ kind: 'answer', status: 500, body: 'oh' }),
    line: /^STORE answers 500 for part [0-9a-f]{64}$/,
  },
  {
    name: 'it is gone',
    of: () => true,
    fault: () => ({ kind: 'gone' }),
    line: /^STORE: the connection was closed$/,
  },
  {
    name: 'parts are cut at once, every time',
    of: isPart,
    fault: () => ({ kind: 'cut', bytes: 0 }),
    line: /^part [0-9a-f]{64} was cut: the connection was closed$/,
  },
  {
    name: 'parts are truncated, with a header that fits',
    of: isPart,
    fault: () => ({ kind: 'truncate', bytes: 0 }),
    line: /^part [0-9a-f]{64} ended after 0 of \d+ bytes$/,
  },
  {
    name: 'a bit of a part is flipped',
    of: isPart,
    fault: () => ({ kind: 'flip', at: 31 }),
    line: /^part [0-9a-f]{64} is not what its name says$/,
  },
  {
    name: 'parts have no end',
    of: isPart,
    fault: () => ({ kind: 'endless' }),
    line: /^part [0-9a-f]{64} has more than its \d+ bytes$/,
  },
  {
    name: 'the pointer has no end',
    of: isPointer,
    fault: () => ({ kind: 'endless' }),
    line: /^current\.json is longer than 262144 bytes$/,
  },
  {
    name: 'the pointer leads elsewhere',
    of: isPointer,
    fault: () => ({ kind: 'answer', status: 302, headers: { location: '/elsewhere' }, body: '' }),
    line: /^STORE answers 302 for current\.json, and redirects are not followed$/,
  },
  {
    name: 'the pointer is a page',
    of: isPointer,
    fault: () => ({ kind: 'answer', status: 200, body: '<!doctype html><title>Welcome</title>' }),
    line: /^the pointer in STORE is no JSON$/,
  },
  {
    name: 'the pointer is gone',
    of: isPointer,
    fault: () => ({ kind: 'answer', status: 404, body: '' }),
    line: /^nothing is published in STORE yet$/,
  },
  {
    name: 'the pointer is an old one',
    of: isPointer,
    fault: () => ({ kind: 'answer', status: 200, body: pointers[2] ?? '' }),
    line: /^the pointer in STORE is older than what was pulled from there \(sequence \d+, \d{6}-[0-9a-f]{6}, after \d+\): it is not followed$/,
  },
  {
    name: 'the pointer names a file elsewhere',
    of: isPointer,
    fault: () => changed({ files: { '../../../etc/x': { bytes: 1, sha256: '0'.repeat(64) } } }),
    line: /^the pointer in STORE names a file that no snapshot has: "\.\.\/\.\.\/\.\.\/etc\/x"$/,
  },
  {
    name: 'the pointer names a folder elsewhere',
    of: isPointer,
    fault: () => changed({ id: '../../000001-abcdef' }),
    line: /^the pointer in STORE is damaged: id is not the name of a snapshot$/,
  },
  {
    name: 'the pointer promises more than any disk has',
    of: isPointer,
    fault: () => {
      const bytes = 2 ** 41;
      const { files } = JSON.parse(pointers[generation] ?? '') as Pointer;
      const parts = Object.entries(files).reduce(
        (sum, [name, file]) =>
          sum + Math.ceil((name === 'rows.sqlite' ? bytes : file.bytes) / (64 * 1024 * 1024)),
        0,
      );
      return changed({
        files: { ...files, 'rows.sqlite': { bytes, sha256: '0'.repeat(64) } },
        partBytes: 64 * 1024 * 1024,
        parts: { bytes: parts * 32, sha256: '0'.repeat(64) },
      });
    },
    line: /^\d{6}-[0-9a-f]{6} has no room on the disk: it needs \d+ bytes, and \d+ are free$/,
  },
];

/** Of the quick ring: an error, a wrong bit, a page, and an old pointer. */
const FEW = /500|flipped|page|old/;
const tried = isLong ? [...TROUBLES, ...SILENT] : TROUBLES.filter(({ name }) => FEW.test(name));
for (const { name, of, fault, line } of tried)
  test(`${name}: served on, one line, healed by itself`, async () => {
    const before = generation;
    const said = news().length;
    await until(async () => (await shown()) === before, LONG);
    proxy.fault = (_, path) => (of(path) ? fault() : undefined);
    try {
      await publishNext();
      const failures = replica.of('pull-failed').length;
      await until(() => replica.of('pull-failed').length >= failures + 2, LONG);
      assert.is(await shown(), before);
      assert.is((await fetch(`${replica.url}/health`)).status, 200);
      const lines = news().slice(said);
      assert.is(lines.length, 1, lines.join('\n'));
      assert.match((news().at(-1) ?? '').replace(proxy.origin, 'STORE'), line);
    } finally {
      proxy.fault = () => undefined;
    }
    await until(async () => (await shown()) === generation, LONG);
    assert.is(
      (await listSnapshots(replica.data))[0]?.id,
      (JSON.parse(pointers[generation] ?? '') as Pointer).id,
    );
  });

test('parts that are cut are fetched on from there: no byte comes twice, and nothing fails', async () => {
  await until(async () => (await shown()) === generation, LONG);
  const failures = replica.of('pull-failed').length;
  proxy.passed.length = 0;
  proxy.fault = (_, path) => (isPart(path) ? { kind: 'cut', bytes: 100_000 } : undefined);
  const next = await publishNext();
  await until(async () => (await shown()) === next, LONG);
  assert.is(replica.of('pull-failed').length, failures);
  const resumed = proxy.passed.filter(({ range }) => range !== undefined);
  assert.ok(resumed.length >= 4, `${resumed.length} requests for the rest`);
  assert.ok(resumed.every(({ range, status }) => /^bytes=[12]00000-$/.test(range ?? '') && status === 206));
  const { receivedBytes, receivedParts, bytes } = replica.of('snapshot-pulled').at(-1) as Pulled;
  const sent = proxy.passed.filter(({ path }) => isPart(path)).reduce((sum, each) => sum + each.bytes, 0);
  assert.is(receivedBytes, sent);
  assert.ok(receivedBytes <= bytes + receivedParts * 32, `${receivedBytes} of ${bytes}`);
});

test('as long as nothing changes, an answer is a 304', async () => {
  proxy.fault = () => undefined;
  await until(async () => (await shown()) === generation, LONG);
  // Tags of nginx are of seconds: they are relied on after two.
  await until(() => proxy.passed.at(-1)?.status === 304, LONG);
  proxy.passed.length = 0;
  await until(() => proxy.passed.length >= 5, LONG);
  assert.ok(
    proxy.passed.every(({ path, status, bytes }) => isPointer(path) && status === 304 && bytes === 0),
  );
});

test.run();
