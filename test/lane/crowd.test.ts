// Crowds over real HTTP: many connections of one client, clients that leave in the midst of their requests, more
// work than the engine can do. Counts, not times: the machine may be slow.
import autocannon, { type Options, type Result } from 'autocannon';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Observation } from '../../src/base/observe.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { ITEMS, until } from './support.ts';

const UNCACHED = ['--result-cache-bytes', '0', '--single-flight', 'off'];

function fire(options: Options, stopMs?: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const run = autocannon(options, (error, result) => (error === null ? resolve(result) : reject(error)));
    if (stopMs !== undefined) setTimeout(() => run.stop(), stopMs);
  });
}

/** Requests of a lookup each, no two the same; gives the answers by status. */
async function crowd(
  gateway: TestGateway,
  {
    connections,
    amount,
    statement,
  }: { connections: number; amount: number; statement: (n: number) => string },
): Promise<Record<string, number>> {
  let n = 0;
  const statuses: Record<string, number> = {};
  const result = await fire({
    url: gateway.origin,
    connections,
    amount,
    timeout: 60,
    requests: [
      {
        method: 'GET',
        setupRequest: (request) => {
          n += 1;
          return { ...request, path: `/api/v1/query?statement=${encodeURIComponent(statement(n))}` };
        },
        onResponse: (status) => {
          statuses[status] = (statuses[status] ?? 0) + 1;
        },
      },
    ],
  });
  assert.is(result.errors + result.timeouts, 0);
  return statuses;
}
const lookup = (n: number): string => `select name from items_1_1 where id = ${n % 200_000}`;
const bugs = (seen: readonly Observation[]): readonly Observation[] =>
  seen.filter((event) => event.type === 'bug' || (event.type === 'request' && event.status >= 500));

test('serves every request of one client, however many connections it has', async () => {
  const gateway = await startTestGateway({ tables: [ITEMS], args: UNCACHED });
  try {
    for (const connections of [64, 256]) {
      const amount = connections * 8;
      assert.equal(await crowd(gateway, { connections, amount, statement: lookup }), { 200: amount });
    }
    assert.equal(bugs(gateway.seen), []);
  } finally {
    await gateway.stop();
  }
});

test('calls it no error when clients leave in the midst of their requests', async () => {
  const gateway = await startTestGateway({ tables: [ITEMS], args: UNCACHED });
  try {
    const load: Options = {
      url: gateway.origin,
      connections: 64,
      duration: 60,
      requests: [
        { method: 'GET', path: `/api/v1/query?statement=${encodeURIComponent(lookup(7))}` },
        {
          method: 'GET',
          path: `/api/v1/query?statement=${encodeURIComponent('select count(*) from items_1_1 a, items_1_1 b where a.id + b.id > 7')}`,
        },
      ],
    };
    await fire(load, 1_500);
    await until(() => gateway.seen.some((event) => event.type === 'client-gone'));
    assert.is((await gateway.query(lookup(8))).status, 200);
    assert.equal(bugs(gateway.seen), []);
    assert.not.ok(gateway.seen.some((event) => event.type === 'lane-killed'));
    const left = gateway.seen.filter((event) => event.type === 'request' && event.status === 499);
    assert.ok(left.length > 0);
  } finally {
    await gateway.stop();
  }
});

test('turns away what there is no room for, says when to come back, and goes on answering the rest', async () => {
  const gateway = await startTestGateway({
    tables: [ITEMS],
    args: [...UNCACHED, '--max-queue', '8', '--scan-workers', '1'],
  });
  try {
    // Sixteen times as many as may wait; every one scans, and comes again when it is turned away.
    let refusals = 0;
    const stubborn = async (n: number): Promise<void> => {
      for (;;) {
        const answer = await gateway.query(`select count(*) from items_1_1 where id % ${n + 1} = 1`);
        await answer.arrayBuffer();
        if (answer.status === 200) return;
        assert.is(answer.status, 503);
        refusals += 1;
        await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 50));
      }
    };
    await Promise.all(Array.from({ length: 128 }, (_, n) => stubborn(n)));
    assert.ok(refusals > 0);
    // No collapse: after the storm the next is answered, and nothing is left behind.
    assert.is((await gateway.query(lookup(3))).status, 200);
    const busy = Array.from({ length: 40 }, (_, i) =>
      gateway.query(`select count(*) from items_1_1 a, items_1_1 b where a.id + b.id > ${i} and a.id < 300`),
    );
    const answers = await Promise.all(busy);
    for (const answer of answers) await answer.arrayBuffer();
    const refused = answers.filter(({ status }) => status === 503);
    assert.ok(refused.length > 0);
    for (const answer of refused) assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
  } finally {
    await gateway.stop();
  }
});

test.run();
