// The nginx configuration for replicas that is shipped, in a real nginx before three real gateways: the same question goes
// to the same one, nobody notices when one is gone, and a client's rate is one for all of them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { readExposition, sampleValue } from '../support/exposition.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { nginxSuite, startReplicaProxy, type TestNginx } from '../support/nginx.ts';
import { makeSnapshot } from '../support/snapshot.ts';
import { CHAIN, TABLES } from '../support/tables.ts';

interface Context {
  data: string;
  gateways: GatewayProcess[];
  proxy: TestNginx;
}
const test = nginxSuite<Context>('deploy/replicas');

function startGateway(data: string): Promise<GatewayProcess> {
  const args = ['--trust-proxy', '1', '--row-lanes', '1', '--spare-lanes', '0', '--console', 'off'];
  return startGatewayProcess({ data, args: [...args, '--metrics-port', '0'] });
}
const addresses = (gateways: readonly GatewayProcess[]): string[] =>
  gateways.map(({ port }) => `127.0.0.1:${port}`);

test.before(async (context) => {
  context.data = mkdtempSync(join(tmpdir(), 'tablegate-replicas-'));
  await makeSnapshot(context.data, TABLES);
  context.gateways = await Promise.all([1, 2, 3].map(() => startGateway(context.data)));
  context.proxy = await startReplicaProxy({ gateways: addresses(context.gateways) });
});
test.after(async ({ data, gateways, proxy }) => {
  await proxy?.stop();
  await Promise.all((gateways ?? []).map((each) => each.stop()));
  if (data !== undefined) rmSync(data, { recursive: true, force: true });
});

const pathOf = (statement: string): string => `/api/v1/query?${new URLSearchParams({ statement })}`;
const statementOf = (i: number): string => `select name, ${i} as i from tokens_${CHAIN}_1`;
const get = (origin: string, i: number): Promise<Response> => fetch(origin + pathOf(statementOf(i)));
const post = (origin: string, i: number): Promise<Response> =>
  fetch(`${origin}/api/v1/query`, { method: 'POST', body: JSON.stringify({ statement: statementOf(i) }) });

async function runs({ metricsAddress = '' }: GatewayProcess): Promise<number> {
  const read = readExposition(await (await fetch(metricsAddress)).text());
  const counted = read.get('tablegate_runs_total')?.samples.some(({ labels }) => labels['job'] === 'query');
  return counted === true ? sampleValue(read, 'tablegate_runs_total', { job: 'query', outcome: 'ok' }) : 0;
}

test('the same question goes to the same gateway, in an address as in a body: each runs once', async ({
  gateways,
  proxy,
}) => {
  const before = await Promise.all(gateways.map(runs));
  for (let round = 0; round < 4; round++)
    for (let i = 0; i < 60; i++) {
      const answer = await (i % 3 === 0 ? post : get)(proxy.origin, i);
      assert.is(answer.status, 200, await answer.text());
    }
  const rose = (await Promise.all(gateways.map(runs))).map((all, i) => all - (before[i] ?? 0));
  assert.is(
    rose.reduce((sum, each) => sum + each, 0),
    60,
    `runs: ${rose.join(', ')}`,
  );
  assert.ok(
    rose.every((each) => each > 0),
    `all have their share: ${rose.join(', ')}`,
  );
});

test('all answer with the same bytes and the same ETag, and a 304 to whoever has it from another', async ({
  gateways,
}) => {
  const path = pathOf(statementOf(1000));
  const [one, ...others] = await Promise.all(
    gateways.map(async ({ port }) => {
      // Which tables a statement reads is known once it has run: its tag is the same from then on.
      await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      return { etag: answer.headers.get('etag') ?? '', body: await answer.text(), port };
    }),
  );
  assert.match(one?.etag ?? '', /^W\/"/);
  for (const other of others) {
    assert.is(other.body, one?.body);
    assert.is(other.etag, one?.etag);
    const headers = { 'if-none-match': one?.etag ?? '' };
    assert.is((await fetch(`http://127.0.0.1:${other.port}${path}`, { headers })).status, 304);
  }
});

test('while one is killed and started anew, no request fails, of those with a body neither', async (context) => {
  const { gateways, proxy, data } = context;
  const failures: string[] = [];
  let answers = 0;
  let busy = true;
  const reader = async (salt: number): Promise<void> => {
    for (let i = salt; busy; i += 8) {
      const answer = await (i % 2 === 0 ? post : get)(proxy.origin, i % 500);
      const text = await answer.text();
      if (answer.status !== 200) failures.push(`${answer.status} ${text}`);
      answers += 1;
    }
  };
  const readers = Array.from({ length: 8 }, (_, salt) => reader(salt));
  const ended = Promise.allSettled(readers);
  const rises = async (by: number): Promise<void> => {
    const from = answers;
    while (answers < from + by && failures.length === 0) await new Promise((go) => setTimeout(go, 10));
  };
  try {
    await rises(200);
    await gateways[1]?.kill();
    await rises(400);
    gateways[1] = await startGateway(data);
    await rises(100);
  } finally {
    busy = false;
    await ended;
  }
  await Promise.all(readers);
  assert.equal(failures, []);
  process.stdout.write(`  ${answers} answers\n`);
});

test("a client's rate is one for all gateways, as shipped; health and the question of a browser cost nothing", async ({
  gateways,
}) => {
  const strict = await startReplicaProxy({ gateways: addresses(gateways), rate: '1r/s', burst: 5 });
  try {
    const statuses: number[] = [];
    let refused: Response | undefined;
    for (let i = 0; i < 12; i++) {
      const answer = await get(strict.origin, i);
      statuses.push(answer.status);
      if (answer.status === 429) refused ??= answer;
      else await answer.text();
    }
    const allowed = statuses.filter((status) => status === 200).length;
    assert.ok(allowed >= 4 && allowed < 12, statuses.join(' '));
    assert.equal(await refused?.json(), { message: 'Too Many Requests', code: 'too-many-requests' });
    assert.is(refused?.headers.get('retry-after'), '1');
    assert.is(refused?.headers.get('access-control-allow-origin'), '*');
    for (let i = 0; i < 10; i++) {
      assert.is((await fetch(`${strict.origin}/api/v1/health`)).status, 200);
      const asked = await fetch(`${strict.origin}/api/v1/query`, { method: 'OPTIONS' });
      assert.is(asked.status, 204);
    }
  } finally {
    await strict.stop();
  }
});

test('where no gateway is left, the answer is a 503 as the gateways would give it', async () => {
  const alone = await startReplicaProxy({ gateways: ['127.0.0.1:9'] });
  try {
    const answer = await get(alone.origin, 1);
    assert.is(answer.status, 503);
    assert.is(((await answer.json()) as Record<string, string>)['code'], 'not-ready');
    assert.is(answer.headers.get('retry-after'), '1');
  } finally {
    await alone.stop();
  }
});

test.run();
