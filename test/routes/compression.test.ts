// Compression through a whole gateway: the same rows for all, whole or in parts, kept or not; and off by a setting.

import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import type { TestTable } from '../support/snapshot.ts';

const LARGE: TestTable = {
  name: 'large_31337_9',
  columns: [
    { name: 'n', type: 'integer' },
    { name: 't', type: 'text' },
  ],
  select: `SELECT i, 'row ' || i FROM range(200000) r(i)`,
};

let gateway: TestGateway;
test.before(async () => {
  gateway = await startTestGateway({ tables: [LARGE] });
});
test.after(() => gateway.stop());

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As it came, still coded. */
  readonly body: Buffer;
}

/** Not fetch, which decodes by itself. */
function ask(
  statement: string,
  headers: Readonly<Record<string, string>> = {},
  { method = 'GET', port = gateway.port } = {},
): Promise<Answer> {
  const path = `/api/v1/query?${new URLSearchParams({ statement })}`;
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path, headers, method, agent: false }, (res) => {
      const parts: Buffer[] = [];
      res.on('data', (part: Buffer) => parts.push(part));
      res.on('error', reject);
      res.on('end', () =>
        resolve({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(parts) }),
      );
    });
    sent.on('error', reject).end();
  });
}
const some = (rows: number): string => `select n, t from large_31337_9 order by n limit ${rows}`;

test('compresses a large whole answer, hit or miss, and tells its length', async () => {
  const plain = await ask(some(1000));
  assert.is(plain.headers['content-encoding'], undefined);
  assert.match(String(plain.headers['vary']), /^Accept, Accept-Encoding\b/);
  for (let round = 0; round < 2; round++)
    for (const [accepted, coding, decode] of [
      ['gzip', 'gzip', gunzipSync],
      ['br, gzip', 'br', brotliDecompressSync],
    ] as const) {
      const coded = await ask(some(1000), { 'accept-encoding': accepted });
      assert.is(coded.headers['content-encoding'], coding);
      assert.is(coded.headers['content-length'], String(coded.body.length));
      assert.ok(coded.body.length < plain.body.length / 3, `${coded.body.length}`);
      assert.equal(decode(coded.body), plain.body);
      assert.is(coded.headers['etag'], plain.headers['etag']);
      assert.is(coded.headers['cache-status'], 'tablegate; hit');
    }
  assert.equal((await ask(some(1000))).body, plain.body);
});

test('compresses what comes in parts', async () => {
  const all = some(200_000);
  const plain = await ask(all);
  const coded = await ask(all, { 'accept-encoding': 'gzip' });
  assert.is(coded.headers['content-encoding'], 'gzip');
  assert.is(coded.headers['content-length'], undefined);
  assert.ok(gunzipSync(coded.body).equals(plain.body));
  const csv = await ask(all, { 'accept-encoding': 'br', accept: 'text/csv' });
  assert.is(brotliDecompressSync(csv.body).toString().split('\r\n').length, 200_002);
});

test('answers 304 by the tag that any coding came with', async () => {
  const coded = await ask(some(1000), { 'accept-encoding': 'gzip' });
  const tag = String(coded.headers['etag']);
  for (const accepted of ['gzip', 'br', 'identity']) {
    const again = await ask(some(1000), { 'accept-encoding': accepted, 'if-none-match': tag });
    assert.equal([again.status, again.headers['content-encoding']], [304, undefined]);
  }
});

test('leaves small answers, errors and Parquet as they are', async () => {
  const headers = { 'accept-encoding': 'gzip, br' };
  for (const answer of [
    await ask(some(1), headers),
    await ask('select nope', headers),
    await ask(some(5000), { ...headers, accept: 'application/vnd.apache.parquet' }),
  ])
    assert.is(answer.headers['content-encoding'], undefined);
});

test('answers HEAD with the headers of GET and no body', async () => {
  for (const rows of [1000, 200_000]) {
    const head = await ask(some(rows), { 'accept-encoding': 'gzip' }, { method: 'HEAD' });
    assert.equal([head.status, head.body.length, head.headers['content-encoding']], [200, 0, 'gzip']);
  }
});

test('frees the worker of a client that leaves in the middle of a compressed answer', async () => {
  const cross = 'select a.n, b.t from large_31337_9 a, large_31337_9 b';
  await Promise.all(
    Array.from(
      { length: 12 },
      () =>
        new Promise<void>((resolve) => {
          const path = `/api/v1/query?${new URLSearchParams({ statement: cross })}`;
          const sent = request({
            ...{ port: gateway.port, host: '127.0.0.1', path, agent: false },
            headers: { 'accept-encoding': 'gzip' },
          });
          sent.on('response', (res) => res.once('data', () => sent.destroy()));
          sent.on('close', () => resolve());
          sent.on('error', () => {});
          sent.end();
        }),
    ),
  );
  assert.is((await ask(some(3))).status, 200);
});

test('compresses nothing where it is turned off', async () => {
  const off = await startTestGateway({ tables: [LARGE], args: ['--compress-bytes', '0'] });
  try {
    const answer = await ask(some(1000), { 'accept-encoding': 'gzip, br' }, { port: off.port });
    assert.is(answer.headers['content-encoding'], undefined);
    assert.is(JSON.parse(answer.body.toString()).length, 1000);
  } finally {
    await off.stop();
  }
});

test.run();
