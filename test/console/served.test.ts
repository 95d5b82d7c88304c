// How the console's files are served: small, compressed ahead, found by their tags, under a strict policy. The
// files are those that `make build` made.

import { get as httpGet } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { TABLES } from '../support/tables.ts';

/** All that a reader of the page may ever load of it. */
const MOST_BYTES = 180_000;

const test = suite<{ gateway: TestGateway }>('console/served');

test.before(async (context) => {
  context.gateway = await startTestGateway({ tables: TABLES, args: ['--base-path', '/gate/v2'] });
});
test.after(({ gateway }) => gateway.stop());

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** `fetch` hides how an answer was compressed. */
function get(url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Got> {
  return new Promise((resolve, reject) => {
    httpGet(url, { headers, method, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers as Got['headers'],
          body: Buffer.concat(parts),
        }),
      );
    }).on('error', reject);
  });
}

/** Addresses of the page's files, and of what its modules load later. */
async function filesOf(origin: string): Promise<string[]> {
  const page = (await get(`${origin}/`)).body.toString();
  const files = [...page.matchAll(/(?:src|href)="(console\/[^"]+)"/g)].map(([, path]) => path ?? '');
  const later: string[] = [];
  for (const file of files.filter((path) => path.endsWith('.js'))) {
    const text = (await get(`${origin}/${file}`)).body.toString();
    for (const [, name] of text.matchAll(/["']\.\/([\w-]+\.js)["']/g)) later.push(`console/${name}`);
  }
  return [...new Set([...files, ...later])];
}

test('the whole page is below 180 KB on the wire, by brotli and by gzip', async ({ gateway: { origin } }) => {
  const files = await filesOf(origin);
  assert.ok(files.length >= 6, files.join());
  for (const encoding of ['br', 'gzip']) {
    let bytes = 0;
    for (const path of ['', ...files]) {
      const { status, headers, body } = await get(`${origin}/${path}`, { 'Accept-Encoding': encoding });
      assert.is(status, 200, path);
      assert.is(headers['content-encoding'], encoding, path);
      assert.is(Number(headers['content-length']), body.length);
      bytes += body.length;
    }
    assert.ok(bytes > 20_000 && bytes < MOST_BYTES, `${encoding}: ${bytes} bytes`);
  }
});

test('each encoding holds the same bytes, and what is refused is not sent', async ({
  gateway: { origin },
}) => {
  for (const path of ['', ...(await filesOf(origin))]) {
    const url = `${origin}/${path}`;
    const plain = await get(url);
    assert.is(plain.headers['content-encoding'], undefined);
    assert.is(plain.headers['vary'], 'Accept-Encoding');
    const { body: br } = await get(url, { 'Accept-Encoding': 'gzip;q=0.5, br' });
    assert.equal(brotliDecompressSync(br), plain.body);
    const { body: gzip } = await get(url, { 'Accept-Encoding': 'gzip, br;q=0' });
    assert.equal(gunzipSync(gzip), plain.body);
    const refused = await get(url, { 'Accept-Encoding': 'gzip;q=0, br;q=0.0, zstd' });
    assert.equal(refused.body, plain.body);
  }
});

test('files are kept for good under names that change with them, the page is asked for anew', async ({
  gateway: { origin },
}) => {
  for (const path of ['', ...(await filesOf(origin))]) {
    const { headers } = await get(`${origin}/${path}`);
    const named = /-\w{8}\.\w+$/.test(path);
    const expected = !named ? 'no-cache' : 'public, max-age=31536000, immutable';
    assert.is(headers['cache-control'], expected, path);
    assert.is(headers['x-content-type-options'], 'nosniff');
    const tag = headers['etag'] ?? '';
    assert.match(tag, /^W\/"[\w-]+"$/);
    const again = await get(`${origin}/${path}`, { 'If-None-Match': tag });
    assert.is(again.status, 304);
    assert.is(again.body.length, 0);
    assert.is(again.headers['etag'], tag);
    assert.is((await get(`${origin}/${path}`, { 'If-None-Match': '"other"' })).status, 200);
    const head = await get(`${origin}/${path}`, {}, 'HEAD');
    assert.is(head.status, 200);
    assert.is(head.body.length, 0);
    assert.is((await get(`${origin}/${path}`, {}, 'POST')).status, 405);
  }
});

test('the policy allows nothing inline, nothing from elsewhere and no frame', async ({
  gateway: { origin },
}) => {
  const { headers, body } = await get(`${origin}/`);
  const policy = new Map(
    (headers['content-security-policy'] ?? '')
      .split('; ')
      .map((part) => [part.split(' ')[0], part.split(' ').slice(1).join(' ')]),
  );
  assert.is(policy.get('default-src'), "'none'");
  for (const name of ['script-src', 'style-src', 'connect-src']) assert.is(policy.get(name), "'self'", name);
  for (const name of ['frame-ancestors', 'base-uri', 'form-action'])
    assert.is(policy.get(name), "'none'", name);
  assert.is(policy.get('require-trusted-types-for'), "'script'");
  const page = body.toString();
  assert.not.match(page, /<style|style=|\son\w+=|javascript:|https?:/i);
  for (const [tag] of page.matchAll(/<script[^>]*>/g)) assert.match(tag, /\ssrc="console\//);
});

test('the page knows the base path, and every file is beside it', async ({ gateway: { origin } }) => {
  const page = (await get(`${origin}/`)).body.toString();
  assert.match(page, /data-base-path="\/gate\/v2"/);
  assert.not.match(page, /\{\{/);
  assert.not.match(page, /(?:src|href)="\//);
});

test('the licences of what the page is made of are with it', async ({ gateway: { origin } }) => {
  const { status, headers, body } = await get(`${origin}/console/licenses.txt`);
  assert.is(status, 200);
  assert.match(headers['content-type'] ?? '', /^text\/plain/);
  for (const name of ['@codemirror/view', '@codemirror/autocomplete', 'uplot'])
    assert.match(body.toString(), name);
  assert.not.match(body.toString(), /\(undefined\)/);
});

test('only the page and its files are there', async ({ gateway: { origin } }) => {
  for (const path of [
    'index.html',
    'console',
    'console/',
    'console/index.html',
    'console/../app.js',
    'console/none.js',
  ])
    assert.is((await get(`${origin}/${path}`)).status, 404, path);
});

test('an operator may do without the console', async () => {
  const gateway = await startTestGateway({ tables: TABLES, args: ['--console', 'off'] });
  try {
    assert.is((await get(`${gateway.origin}/`)).status, 404);
    assert.is((await get(`${gateway.origin}/console/licenses.txt`)).status, 404);
    assert.is((await get(`${gateway.url}/version`)).status, 200);
  } finally {
    await gateway.stop();
  }
});

test.run();
