// The nginx configuration that is shipped, in a real nginx before a real gateway: who the client is, what is kept
// and how it is asked for again, what is bounded, and what happens while the gateway is gone.
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { freePort, nginxSuite, startNginx, type TestNginx } from '../support/nginx.ts';
import { makeSnapshot } from '../support/snapshot.ts';
import { CHAIN, TABLES, TOKENS } from '../support/tables.ts';

interface Context {
  data: string;
  port: number;
  gateway: TestGateway;
  nginx: TestNginx;
}
const test = nginxSuite<Context>('deploy/nginx');
const CONNECTIONS = 8;
const JSON_BODY = { method: 'POST', headers: { 'content-type': 'application/json' } };
/** Answers are given without asking for a second, which nginx counts in whole ones: longer than two. */
const KEPT_MS = 2_300;

function startGateway({ data, port }: Pick<Context, 'data' | 'port'>): Promise<TestGateway> {
  const args = ['--port', String(port), '--trust-proxy', '1', '--rate-limit', '1000', '--rate-burst', '5000'];
  return startTestGateway({ data, args: [...args, '--deadline-ms', '2000'] });
}

test.before(async (context) => {
  context.data = mkdtempSync(join(tmpdir(), 'tablegate-behind-'));
  await makeSnapshot(context.data, TABLES);
  context.port = await freePort();
  context.gateway = await startGateway(context);
  context.nginx = await startNginx(context.port, CONNECTIONS);
});
test.after(async ({ data, gateway, nginx }) => {
  await nginx?.stop();
  await gateway?.stop();
  if (data !== undefined) rmSync(data, { recursive: true, force: true });
});

const queryUrl = (origin: string, statement: string, more = ''): string =>
  `${origin}/api/v1/query?${new URLSearchParams({ statement })}${more}`;
const requestsOf = (gateway: TestGateway) => gateway.seen.filter((event) => event.type === 'request');

test('answers are the same as without it', async ({ gateway, nginx }) => {
  const paths = [
    queryUrl('', `select * from tokens_${CHAIN}_1`),
    queryUrl('', `select name from tokens_${CHAIN}_1`, '&extract=true&unwrap=true'),
    queryUrl('', 'select * from nothing_1_1'),
    queryUrl('', `select name from tokens_${CHAIN}_1 where id = 99`, '&unwrap=true'),
    `/api/v1/tables/${CHAIN}/1`,
    `/api/v1/tables/${CHAIN}/99`,
    '/api/v1/version',
    '/api/v1/health',
    '/nowhere',
  ];
  for (const path of paths) {
    const [direct, behind] = [await fetch(gateway.origin + path), await fetch(nginx.origin + path)];
    assert.is(behind.status, direct.status, path);
    assert.is(await behind.text(), await direct.text(), path);
    for (const name of ['content-type', 'etag', 'access-control-allow-origin'])
      assert.is(behind.headers.get(name), direct.headers.get(name), `${path} ${name}`);
  }
  const post = {
    ...JSON_BODY,
    body: JSON.stringify({ statement: `select count(*) as n from tokens_${CHAIN}_1` }),
  };
  assert.equal(await (await fetch(`${nginx.origin}/api/v1/query`, post)).json(), [{ n: 3 }]);
});

test('the client is the one that nginx sees, whatever it says of itself', async ({ gateway, nginx }) => {
  const { port } = new URL(nginx.origin);
  const status = await new Promise((resolve, reject) => {
    const headers = { 'x-forwarded-for': '9.9.9.9', 'x-request-id': 'of-the-client' };
    request(
      { host: '127.0.0.1', port, localAddress: '127.0.0.2', path: '/api/v1/version?who', headers },
      (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode));
      },
    )
      .on('error', reject)
      .end();
  });
  assert.is(status, 200);
  assert.is(requestsOf(gateway).at(-1)?.client, '127.0.0.2');
});

test('one request id names a request in the answer and in the log', async ({ gateway, nginx }) => {
  const answer = await fetch(`${nginx.origin}/api/v1/version`);
  const id = answer.headers.get('x-request-id') ?? '';
  assert.match(id, /^[0-9a-f]{32}$/);
  assert.is(requestsOf(gateway).at(-1)?.requestId, id);
});

test('an answer is kept, asked for again by its ETag, and its headers of before are not shown', async ({
  gateway,
  nginx,
}) => {
  const url = queryUrl(nginx.origin, `select max(id) as most from tokens_${CHAIN}_1`);
  const before = requestsOf(gateway).length;
  const first = await fetch(url);
  const body = await first.text();
  assert.is(first.headers.get('x-cache-status'), 'MISS');
  assert.is(first.headers.get('ratelimit-limit'), '5000');
  assert.match(first.headers.get('server-timing') ?? '', 'total');
  const second = await fetch(url);
  assert.is(second.headers.get('x-cache-status'), 'HIT');
  assert.is(await second.text(), body);
  assert.is(second.headers.get('ratelimit-remaining'), null);
  assert.is(second.headers.get('server-timing'), null);
  assert.is.not(second.headers.get('x-request-id'), first.headers.get('x-request-id'));
  assert.is(requestsOf(gateway).length, before + 1, 'the gateway was asked once');
  await sleep(KEPT_MS);
  const third = await fetch(url);
  assert.is(third.headers.get('x-cache-status'), 'REVALIDATED');
  assert.is(await third.text(), body);
  assert.is(requestsOf(gateway).at(-1)?.status, 304);
});

test("a client's own ETag is answered 304 by nginx alone", async ({ gateway, nginx }) => {
  const url = queryUrl(nginx.origin, `select min(id) as least from tokens_${CHAIN}_1`);
  const etag = (await fetch(url)).headers.get('etag') ?? '';
  const before = requestsOf(gateway).length;
  const again = await fetch(url, { headers: { 'if-none-match': etag } });
  assert.is(again.status, 304);
  assert.is(requestsOf(gateway).length, before);
});

test('who knows of a block gets nothing that was kept before it', async ({ nginx }) => {
  const url = queryUrl(nginx.origin, `select max(name) as last from tokens_${CHAIN}_1`);
  await (await fetch(url)).text();
  assert.is((await fetch(url)).headers.get('x-cache-status'), 'HIT');
  const headers = { 'tablegate-min-block': `${CHAIN}:5` };
  const behind = await fetch(url, { headers });
  assert.is(behind.status, 503, await behind.text());
  assert.is(behind.headers.get('x-cache-status'), 'BYPASS');
  assert.is((await fetch(url)).headers.get('x-cache-status'), 'HIT');
});

test('formats that are asked for by Accept are kept apart', async ({ nginx }) => {
  const url = queryUrl(nginx.origin, `select id from tokens_${CHAIN}_1 order by id`);
  const ask = async (accept: string): Promise<string> => (await fetch(url, { headers: { accept } })).text();
  const [json, csv] = [await ask('application/json'), await ask('text/csv')];
  assert.is.not(json, csv);
  assert.equal([await ask('application/json'), await ask('text/csv')], [json, csv]);
});

test('health and version are never of the past', async ({ nginx }) => {
  for (const path of ['/api/v1/health', '/api/v1/version'])
    for (let i = 0; i < 2; i++) {
      const answer = await fetch(nginx.origin + path);
      await answer.text();
      assert.is.not(answer.headers.get('x-cache-status'), 'HIT');
    }
});

test('the longest statement passes in an address, percent-encoded, and a body of the limit', async ({
  nginx,
}) => {
  const filler = '"'.repeat(34_000);
  const statement = `select length('${filler}') as n`;
  assert.equal(await (await fetch(queryUrl(nginx.origin, statement))).json(), [{ n: 34_000 }]);
  const body = JSON.stringify({ statement: 'select 1 as one', more: 'x'.repeat(200_000) });
  assert.equal(await (await fetch(`${nginx.origin}/api/v1/query`, { ...JSON_BODY, body })).json(), [
    { one: 1 },
  ]);
  const large = await fetch(`${nginx.origin}/api/v1/query`, { ...JSON_BODY, body: 'x'.repeat(300_000) });
  await large.text();
  assert.is(large.status, 413);
});

test('one address holds only so many requests at a time', async ({ nginx }) => {
  const slow = (i: number): string =>
    `with recursive n(i) as (select ${i} union all select i + 1 from n where i < 900000000) select max(i) from n`;
  const answers = await Promise.all(
    Array.from({ length: 2 * CONNECTIONS }, (_, i) => fetch(queryUrl(nginx.origin, slow(i)))),
  );
  const refused = answers.filter(({ status }) => status === 429).length;
  assert.is(refused, CONNECTIONS);
  await Promise.all(answers.map((answer) => answer.text()));
});

test('while the gateway is gone, what is known is still answered; a new snapshot is seen when it is back', async (context) => {
  const { nginx, data } = context;
  const url = queryUrl(nginx.origin, `select name from tokens_${CHAIN}_1 where id = 1`);
  assert.equal(await (await fetch(url)).json(), [{ name: 'ada' }]);
  await context.gateway.stop();
  await sleep(KEPT_MS);
  const stale = await fetch(url);
  assert.equal(await stale.json(), [{ name: 'ada' }]);
  assert.is(stale.headers.get('x-cache-status'), 'STALE');
  const unknown = await fetch(queryUrl(nginx.origin, 'select 4711'));
  await unknown.text();
  assert.is(unknown.status, 502);
  await makeSnapshot(data, [{ ...TOKENS, rows: [[1, 'eve', 1, null]] }]);
  context.gateway = await startGateway(context);
  let seen: unknown;
  // nginx tries a server that failed again after 10 s.
  for (let i = 0; i < 40 && !JSON.stringify(seen)?.includes('eve'); i++) {
    await sleep(500);
    seen = await (await fetch(url)).json().catch(() => undefined);
  }
  assert.equal(seen, [{ name: 'eve' }]);
});

test.run();
