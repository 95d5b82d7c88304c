// The edge alone, with routes of the test's own: a real server on a free port and raw sockets. No engine.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Abort } from '../../src/base/abort.ts';
import { GatewayError } from '../../src/base/errors.ts';
import type { Observation } from '../../src/base/observe.ts';
import { type Answer, jsonAnswer } from '../../src/http/answer.ts';
import { createCompress } from '../../src/http/compress.ts';
import { createPathHints } from '../../src/http/path-hints.ts';
import { createRouter, type Route } from '../../src/http/router.ts';
import { createHttpServer, type HttpServer } from '../../src/http/server.ts';
import { createClientAddress } from '../../src/limit/address.ts';
import { createLimiter } from '../../src/limit/limiter.ts';
import { open } from '../support/raw-http.ts';

interface Context {
  readonly server: HttpServer;
  readonly port: number;
  readonly url: string;
  readonly seen: Observation[];
}

/** What the streaming route did, for the tests to look at. */
const stream = { parts: 0, left: false, failAt: Number.POSITIVE_INFINITY };
/** Signals of the waiting route. */
const waiting: Abort[] = [];

async function* parts(count: number): AsyncGenerator<Uint8Array> {
  stream.left = false;
  stream.parts = 0;
  try {
    for (let i = 0; i < count; i++) {
      if (i === stream.failAt) throw new GatewayError('limit-bytes', 'too many bytes');
      stream.parts++;
      yield Buffer.alloc(64 * 1024, 'x');
    }
  } finally {
    stream.left = true;
  }
}

const route = (word: string, GET: () => Answer | Promise<Answer>, limited = false): Route => ({
  word,
  segments: 0,
  limited,
  handlers: { GET },
});

const routes: readonly Route[] = [
  route('plain', () => jsonAnswer('{"a":1}')),
  route('limited', () => jsonAnswer('[]'), true),
  route('bug', () => {
    throw new Error('secret inside of the machine');
  }),
  route('stream', () => ({ status: 200, headers: [], body: 'head', rest: parts(4) })),
  route('endless', () => ({ status: 200, headers: [], body: 'head', rest: parts(100_000) })),
  {
    word: 'wait',
    segments: 0,
    limited: false,
    handlers: {
      GET: (request) =>
        new Promise((_resolve, reject) => {
          const signal = request.signal();
          waiting.push(signal);
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    },
  },
  {
    word: 'echo',
    segments: 0,
    limited: false,
    handlers: { POST: async (request) => jsonAnswer(await request.body()) },
  },
];

const test = suite<Context>('http/server');

async function start(): Promise<Context> {
  const seen: Observation[] = [];
  const server = createHttpServer({
    find: createRouter('/v', routes),
    noSuchPath: createPathHints('/v', routes),
    limiter: createLimiter({ perSecond: 1, burst: 2, maxClients: 10, apiKeys: ['key'], now: () => 0 }),
    clientAddress: createClientAddress('1'),
    compress: createCompress({ minBytes: 1000, cacheBytes: 10_000 }),
    observe: (event) => seen.push(event),
    maxConnections: 1000,
    maxBodyBytes: 1000,
    maxHeaderBytes: 32 * 1024,
    idleMs: 60_000,
    stallMs: 60_000,
    maxUnreadBytes: 64 * 1024 * 1024,
  });
  const { port } = await server.listen(0, '127.0.0.1');
  return { server, port, url: `http://127.0.0.1:${port}/v`, seen };
}

test.before(async (context) => {
  Object.assign(context, await start());
});
test.after(({ server }) => server.close(0));

/** Sends raw bytes and reads until the server closes, or until `enough` says so. */
function raw(port: number, bytes: string, enough: (text: string) => boolean = () => false): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket: Socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      if (enough(text)) socket.destroy();
    });
    socket.on('close', () => resolve(text)).on('error', reject);
  });
}

test('every answer has CORS headers, a request id of its own and its length', async ({ url }) => {
  const ids = new Set<string | null>();
  for (const [path, status] of [
    ['/plain', 200],
    ['/nothing', 404],
    ['/bug', 500],
  ] as const) {
    const answer = await fetch(url + path);
    const body = await answer.text();
    assert.is(answer.status, status);
    assert.is(answer.headers.get('access-control-allow-origin'), '*');
    assert.match(answer.headers.get('access-control-allow-headers') ?? '', 'Api-Key');
    assert.match(answer.headers.get('access-control-expose-headers') ?? '', 'X-RateLimit-Limit');
    assert.is(Number(answer.headers.get('content-length')), Buffer.byteLength(body));
    ids.add(answer.headers.get('x-request-id'));
  }
  assert.is(ids.size, 3);
  assert.not(ids.has(null));
});

test('a bug is a fixed text to the client and a log entry with the same request id', async ({
  url,
  seen,
}) => {
  const answer = await fetch(`${url}/bug`);
  const { code, message } = (await answer.json()) as { code: string; message: string };
  assert.is(code, 'internal');
  assert.not.match(message, 'secret');
  const bug = seen.find(
    (event) => event.type === 'bug' && event.requestId === answer.headers.get('x-request-id'),
  );
  assert.ok(bug);
});

test('an unknown path is 404, a wrong method 405 with Allow, OPTIONS 204, HEAD a GET without body', async ({
  url,
}) => {
  assert.is((await fetch(`${url}/nothing`)).status, 404);
  for (const method of ['PUT', 'DELETE', 'PATCH', 'POST', 'PROPFIND']) {
    const answer = await fetch(`${url}/plain`, { method });
    assert.is(answer.status, 405, method);
    assert.is(answer.headers.get('allow'), 'GET, HEAD, OPTIONS');
    assert.is(((await answer.json()) as { code: string }).code, 'method-not-allowed');
  }
  assert.is((await fetch(`${url}/echo`)).headers.get('allow'), 'POST, OPTIONS');
  for (const path of ['/plain', '/nothing']) {
    const answer = await fetch(url + path, { method: 'OPTIONS' });
    assert.is(answer.status, 204);
    assert.is(answer.headers.get('access-control-max-age'), '86400');
    assert.is(await answer.text(), '');
  }
  const head = await fetch(`${url}/plain`, { method: 'HEAD' });
  assert.is(head.status, 200);
  assert.is(head.headers.get('content-length'), '7');
  assert.is(await head.text(), '');
});

test('TRACE and a target in absolute form are read as what they are', async ({ port }) => {
  assert.match(
    await raw(port, 'TRACE /v/plain HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1\.1 405 /,
  );
  assert.match(
    await raw(port, 'GET http://x/v/plain HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1\.1 200 /,
  );
  assert.match(
    await raw(port, 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1\.1 204 /,
  );
});

test('an empty bucket is 429 with both families of headers, and a key is exempt', async ({ url }) => {
  const headers = { 'x-forwarded-for': '1.2.3.4' };
  for (const remaining of ['1', '0']) {
    const answer = await fetch(`${url}/limited`, { headers });
    assert.is(answer.status, 200);
    assert.is(answer.headers.get('ratelimit-limit'), '2');
    assert.is(answer.headers.get('ratelimit-remaining'), remaining);
    assert.is(answer.headers.get('x-ratelimit-remaining'), remaining);
  }
  const refused = await fetch(`${url}/limited`, { headers });
  assert.is(refused.status, 429);
  assert.is(refused.headers.get('retry-after'), '1');
  assert.is(refused.headers.get('ratelimit-reset'), '2');
  assert.match(
    refused.headers.get('x-ratelimit-reset') ?? '',
    /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d UTC$/,
  );
  // The validator's word for it.
  assert.equal(await refused.json(), {
    message: 'Too Many Requests',
    code: 'too-many-requests',
    hint: 'Try again in 1 s.',
  });
  assert.is((await fetch(`${url}/limited`, { headers: { 'x-forwarded-for': '1.2.3.5' } })).status, 200);
  const exempt = await fetch(`${url}/limited`, { headers: { ...headers, 'api-key': 'key' } });
  assert.is(exempt.status, 200);
  assert.is(exempt.headers.get('ratelimit-limit'), null);
  assert.is((await fetch(`${url}/limited`, { headers: { ...headers, 'api-key': 'kez' } })).status, 429);
  assert.is((await fetch(`${url}/plain`, { headers })).status, 200, 'other routes are not limited');
});

test('a body is taken up to its bound, and the connection lives on after one that is larger', async ({
  url,
}) => {
  const post = (body: string, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
    fetch(`${url}/echo`, { method: 'POST', body, headers });
  assert.is(await (await post(`"${'x'.repeat(998)}"`)).text(), `"${'x'.repeat(998)}"`);
  const large = await post('x'.repeat(1001));
  assert.is(large.status, 413);
  assert.is(((await large.json()) as { code: string }).code, 'body-too-large');
  assert.is((await post('x'.repeat(2_000_000))).status, 413);
  // What it says of itself decides nothing.
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'x',
  ])
    assert.is((await post('{}', { 'content-type': type })).status, 200, type);
  assert.is((await post('{}', { 'content-encoding': 'gzip' })).status, 200);
  assert.is((await post('{}')).status, 200);
});

test('100 Continue is said only by whoever wants the body', async ({ port, seen }) => {
  const ask = (path: string, length: number, method = 'POST'): string =>
    `${method} /v${path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;
  const bugs = seen.filter(({ type }) => type === 'bug').length;
  const good = await open(port);
  good.write(ask('/echo', 4));
  assert.is(await good.until((text) => text.includes('\r\n\r\n')), 'HTTP/1.1 100 Continue\r\n\r\n');
  good.write('[12]');
  const answered = await good.until((text) => text.endsWith('[12]'));
  assert.match(answered, 'HTTP/1.1 200 OK');
  assert.not.match(answered, 'Connection: close');
  good.destroy();
  for (const [head, status] of [
    [ask('/echo', 999_999_999), '413'],
    [ask('/nothing', 10), '404'],
    [ask('/plain', 10), '405'],
    [ask('/plain', 10, 'GET'), '200'],
    [ask('/echo', 10).replace('Host: x', 'Host: x\r\nHost: y'), '400'],
  ] as const) {
    // The body may come or not: the connection ends, so that it is never taken for a request.
    const connection = await open(port);
    connection.write(head);
    const text = await connection.until(() => connection.closed);
    assert.ok(text.startsWith(`HTTP/1.1 ${status} `), text);
    assert.not.match(text, '100 Continue');
    assert.match(text, 'Connection: close');
  }
  assert.is(seen.filter(({ type }) => type === 'bug').length, bugs);
});

test('a target that is neither a path nor an address is refused, and no page is given for it', async ({
  port,
}) => {
  for (const target of [
    '*',
    'http://[',
    'http://',
    'x',
    'ftp://x/v/plain',
    '[',
    'http://a:b:c/v/plain',
    '?x',
  ]) {
    const text = await raw(port, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.ok(text.startsWith('HTTP/1.1 400 '), `${target}: ${text}`);
    assert.match(text, '"code":"bad-request"');
  }
  for (const target of ['http://x/v/plain', 'HTTPS://x:1/v/plain?a', '/v/plain'])
    assert.match(
      await raw(port, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
      '{"a":1}',
    );
});

test('every answer with a body says that its type is not to be guessed', async ({ url, port }) => {
  for (const path of ['/plain', '/nothing', '/bug', '/stream'])
    assert.is((await fetch(url + path)).headers.get('x-content-type-options'), 'nosniff', path);
  assert.is(
    (await fetch(`${url}/plain`, { method: 'HEAD' })).headers.get('x-content-type-options'),
    'nosniff',
  );
  assert.is((await fetch(url, { method: 'OPTIONS' })).headers.get('x-content-type-options'), null);
  const broken = await raw(port, 'nonsense\r\n\r\n');
  assert.match(broken, 'X-Content-Type-Options: nosniff');
});

test('a chunked body is bounded too', async ({ port }) => {
  const chunk = `190\r\n${'x'.repeat(400)}\r\n`;
  const head = 'POST /v/echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
  assert.match(await raw(port, `${head}${chunk}${chunk}0\r\n\r\n`), /^HTTP\/1\.1 200 /);
  assert.match(await raw(port, `${head}${chunk}${chunk}${chunk}0\r\n\r\n`), /^HTTP\/1\.1 413 /);
});

test('what is no HTTP request is answered as 400 in our form, and headers over the bound as 431', async ({
  port,
}) => {
  for (const bytes of [
    'nonsense\r\n\r\n',
    'GET /v/plain HTTP/1.1\nHost: x\n\n',
    'GET /v/plain HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    'POST /v/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    'GET /v/plain HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n',
  ]) {
    const text = await raw(port, bytes);
    assert.match(text, /^HTTP\/1\.1 400 Bad Request\r\n/, JSON.stringify(bytes));
    assert.match(text, /Access-Control-Allow-Origin: \*\r\n/);
    assert.match(text, /\{"message":"[^"]+","code":"bad-request"\}$/);
  }
  const large = await raw(port, `GET /v/plain?${'x'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
  assert.match(large, /^HTTP\/1\.1 431 /);
  assert.match(large, 'headers-too-large');
});

test('a broken second request does not write into the answer of the first', async ({ port }) => {
  const text = await raw(port, 'GET /v/stream HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n');
  assert.is(text.split('HTTP/1.1 400').length - 1 <= 1, true);
  assert.not.match(text.split('HTTP/1.1 400')[0] ?? '', 'bad-request');
});

test('a body in parts is sent whole, and to HEAD not at all', async ({ url }) => {
  const answer = await fetch(`${url}/stream`);
  assert.is((await answer.arrayBuffer()).byteLength, 4 + 4 * 64 * 1024);
  const head = await fetch(`${url}/stream`, { method: 'HEAD' });
  assert.is(head.status, 200);
  assert.ok(stream.left, 'the parts were left, so that their worker is free');
});

test('a body that fails half-way cuts the connection and never looks whole', async ({ url, port }) => {
  stream.failAt = 2;
  const error = await fetch(`${url}/stream`)
    .then((answer) => answer.text())
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  assert.instance(error, Error);
  assert.not.match(await raw(port, 'GET /v/stream HTTP/1.1\r\nHost: x\r\n\r\n'), /\r\n0\r\n\r\n$/);
  stream.failAt = Number.POSITIVE_INFINITY;
});

test('parts wait for a client that reads slowly, and are left when it goes', async ({ port }) => {
  const socket = connect(port, '127.0.0.1', () => socket.write('GET /v/endless HTTP/1.1\r\nHost: x\r\n\r\n'));
  socket.pause();
  await until(() => stream.parts > 0);
  let before = -1;
  // It stands still once the buffers of both ends are full.
  while (stream.parts !== before) {
    before = stream.parts;
    await sleep(100);
  }
  assert.ok(
    before < 1000,
    `${before} parts of 64 KiB were taken from the worker for a client that reads nothing`,
  );
  assert.not(stream.left);
  socket.destroy();
  await until(() => stream.left);
});

test("a client that leaves aborts its request, which is nobody's bug", async ({ port, seen }) => {
  waiting.length = 0;
  const socket = connect(port, '127.0.0.1', () => socket.write('GET /v/wait HTTP/1.1\r\nHost: x\r\n\r\n'));
  await until(() => waiting.length === 1);
  assert.not(waiting[0]?.aborted);
  const before = seen.filter((event) => event.type === 'bug').length;
  socket.destroy();
  await until(() => waiting[0]?.aborted === true);
  await until(() => seen.some((event) => event.type === 'client-gone' && event.path === '/v/wait'));
  assert.is(seen.filter((event) => event.type === 'bug').length, before);
});

test('slow heads and slow bodies are cut', async ({ port }) => {
  const started = Date.now();
  const [head, body] = await Promise.all([
    raw(port, 'GET /v/plain HTTP/1.1\r\nHost:'),
    raw(port, 'POST /v/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{'),
  ]);
  assert.match(head, /^HTTP\/1\.1 408 /);
  assert.match(body, /^HTTP\/1\.1 408 /);
  assert.match(body, 'request-timeout');
  assert.ok(Date.now() - started < 60_000);
});

test('closing lets running requests end and refuses new connections', async () => {
  const { server, port, url } = await start();
  const running = fetch(`${url}/stream`);
  const answer = await running;
  const closed = server.close(10_000);
  assert.is((await answer.arrayBuffer()).byteLength, 4 + 4 * 64 * 1024);
  await closed;
  const refused = await fetch(`http://127.0.0.1:${port}/v/plain`).then(
    () => false,
    () => true,
  );
  assert.ok(refused);
});

test('closing cuts what is still running after the drain time', async () => {
  const { server, url } = await start();
  waiting.length = 0;
  const running = fetch(`${url}/wait`).then(
    () => 'answered',
    () => 'cut',
  );
  await until(() => waiting.length === 1);
  await server.close(50);
  assert.is(await running, 'cut');
});

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; !condition(); i++) {
    if (i > 1000) throw new Error(`never: ${condition}`);
    await sleep(10);
  }
}

test.run();
