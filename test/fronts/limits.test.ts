// What is one for all fronts: a client's bucket, the metrics, the log, and what the health says.
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createHistogram } from '../../src/metrics/histogram.ts';
import { countedOf, plainFamilies, sumFamilies } from '../../src/metrics/sum.ts';
import { type ReadFamily, readExposition } from '../support/exposition.ts';
import type { GatewayProcess } from '../support/gateway-process.ts';
import { TABLES } from '../support/tables.ts';
import { clientsOf, pidOf, startFronts, until } from './support.ts';

const test = suite<{ gateway: GatewayProcess }>('fronts/limits');
const FRONTS = 3;
const RATE = 20;
const BURST = 100;

test.before(async (context) => {
  context.gateway = await startFronts(FRONTS, {
    tables: TABLES,
    // The last of each counts.
    args: [
      ...['--rate-limit', String(RATE), '--rate-burst', String(BURST), '--trust-proxy', '1'],
      ...['--metrics-port', '0', '--log-requests', '1', '--log-format', 'json', '--api-keys', 'secret'],
    ],
  });
});
test.after(({ gateway }) => gateway.stop());

async function metricsOf({ log }: GatewayProcess): Promise<ReadonlyMap<string, ReadFamily>> {
  const address = await until(() => /metrics at (http[^"\s]+)/.exec(log)?.[1], 'metrics');
  return readExposition(await (await fetch(address)).text());
}

test('a client with a connection to each front gets what one bucket gives, and what is left is told', async ({
  gateway,
}) => {
  const clients = await clientsOf(gateway, FRONTS);
  const as = { 'x-forwarded-for': '198.51.100.1' };
  const began = performance.now();
  let allowed = 0;
  let refused = 0;
  // However slow the machine is, until it was asked for more.
  const goesOn = (): boolean =>
    performance.now() - began < 1_500 || (refused === 0 && performance.now() - began < 60_000);
  await Promise.all(
    clients.map(async (client) => {
      let remaining = BURST;
      while (goesOn()) {
        const answer = await client.get('/tables?limit=1', as);
        if (answer.status === 200) {
          allowed += 1;
          assert.ok(Number(answer.headers['ratelimit-remaining']) <= remaining, 'with no pause it falls');
          remaining = Number(answer.headers['ratelimit-remaining']) + RATE;
        } else {
          assert.is(answer.status, 429);
          assert.ok(Number(answer.headers['retry-after']) >= 1);
          refused += 1;
          await sleep(5);
        }
        assert.is(answer.headers['ratelimit-limit'], String(BURST));
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const most = BURST + RATE * seconds;
  assert.ok(refused > 0, 'it was asked for more');
  assert.ok(allowed <= most * 1.05, `${allowed} of ${most}`);
  // Not less, either: nobody waits for a token that lies with another front.
  assert.ok(allowed >= BURST, `${allowed} of ${most}`);
  for (const client of clients) {
    const other = await client.get('/tables?limit=1', { 'x-forwarded-for': '198.51.100.2' });
    assert.is(other.status, 200, 'others have buckets of their own');
    assert.is((await client.get('/tables?limit=1', { ...as, 'api-key': 'secret' })).status, 200);
    client.close();
  }
});

test('one endpoint has the numbers of all fronts, each request once, also of those that are gone', async ({
  gateway,
}) => {
  const requests = async (): Promise<number> => {
    const families = await metricsOf(gateway);
    const of = (name: string, route: string): number =>
      (families.get(name)?.samples ?? [])
        .filter(({ labels }) => labels['route'] === route && (labels['le'] ?? '+Inf') === '+Inf')
        .filter((sample) => !sample.name.endsWith('_sum') && !sample.name.endsWith('_bucket'))
        .reduce((sum, { value }) => sum + value, 0);
    const count = of('tablegate_http_requests_total', 'version');
    assert.is(of('tablegate_http_request_duration_seconds', 'version'), count, 'counter and histogram agree');
    return count;
  };
  const before = await requests();
  const clients = await clientsOf(gateway, FRONTS);
  const asked = (await requests()) - before;
  for (const client of clients) for (let i = 0; i < 5; i++) await client.get('/version');
  assert.is(await requests(), before + asked + 5 * FRONTS);

  const families = await metricsOf(gateway);
  const processes = (name: string): readonly string[] =>
    (families.get(name)?.samples ?? []).map(({ labels }) => labels['process'] ?? '').sort();
  const all = ['front-1', 'front-2', 'front-3', 'supervisor'];
  assert.equal(processes('process_resident_memory_bytes'), all);
  assert.equal(processes('nodejs_eventloop_utilization_ratio'), all);
  assert.equal(processes('tablegate_front_scraped'), all.slice(0, 3));
  assert.is(families.get('tablegate_fronts')?.samples[0]?.value, FRONTS);
  assert.is(families.get('tablegate_freshness_info')?.samples.length, 1);
  assert.is(families.get('tablegate_build_info')?.samples[0]?.value, 1);

  process.kill(pidOf(gateway, 'front-2'), 'SIGSTOP');
  const silent = await metricsOf(gateway);
  const scraped = Object.fromEntries(
    (silent.get('tablegate_front_scraped')?.samples ?? []).map(({ labels, value }) => [
      labels['process'],
      value,
    ]),
  );
  assert.equal(scraped, { 'front-1': 1, 'front-2': 0, 'front-3': 1 });
  assert.is(await requests(), before + asked + 5 * FRONTS, 'what it counted before stays');
  process.kill(pidOf(gateway, 'front-2'), 'SIGKILL');
  await until(() => gateway.log.match(/front-2 started/g)?.length === 2, 'it is started anew');
  assert.is(await requests(), before + asked + 5 * FRONTS, 'a counter never falls');
  for (const client of clients) client.close();
});

test('health says the same on every front', async ({ gateway }) => {
  const clients = await clientsOf(gateway, FRONTS);
  const bodies = await Promise.all(clients.map(async (client) => (await client.get('/health?verbose')).body));
  for (const body of bodies)
    assert.equal({ ...JSON.parse(body), age_s: 0 }, { ...JSON.parse(bodies[0] ?? ''), age_s: 0 });
  for (const client of clients) client.close();
});

test('no line of the log is torn', async ({ gateway }) => {
  const clients = await clientsOf(gateway, FRONTS);
  const path = `/query?statement=select+1&${'x'.repeat(3_000)}=1`;
  await Promise.all(
    clients.map(async (client) => {
      for (let i = 0; i < 100; i++) await client.get(path, { 'api-key': 'secret' });
      client.close();
    }),
  );
  await until(() => (gateway.log.match(/"route":"query"/g)?.length ?? 0) >= 100 * FRONTS, 'all lines');
  const lines = gateway.log.trimEnd().split('\n');
  for (const line of lines) assert.type(JSON.parse(line), 'object', line);
});

test('numbers of processes are added up by labels, histograms by their buckets, and what is of one is named', () => {
  const histogram = (...ms: readonly number[]) => {
    const made = createHistogram();
    for (const each of ms) made.add(each);
    return made;
  };
  const source = (process: string, count: number, ...ms: readonly number[]) => ({
    process,
    families: plainFamilies([
      { name: 'tablegate_errors_total', samples: [{ labels: { code: 'a' }, value: count }] },
      { name: 'tablegate_run_queue_seconds', samples: [{ value: histogram(...ms) }] },
      { name: 'process_open_fds', samples: [{ value: 7 }] },
      { name: 'tablegate_cache_bytes', samples: [{ value: 10 }] },
      { name: 'tablegate_build_info', samples: [{ labels: { version: '1' }, value: 1 }] },
    ]),
  });
  const own = { process: 'supervisor', families: source('', 0).families };
  const gone = countedOf(source('front-3', 5, 1));
  const sums = new Map(
    sumFamilies([own, source('front-1', 1, 0.2, 3), source('front-2', 2, 3), gone]).map((family) => [
      family.name,
      family.samples,
    ]),
  );
  assert.equal(sums.get('tablegate_errors_total'), [{ labels: { code: 'a' }, value: 8 }]);
  const { counts, sum, count } = histogram(0.2, 3, 3, 1);
  assert.equal(sums.get('tablegate_run_queue_seconds'), [
    { labels: {}, value: { counts: [...counts], sum, count } },
  ]);
  assert.equal(
    sums.get('process_open_fds')?.map(({ labels }) => labels?.['process']),
    ['supervisor', 'front-1', 'front-2'],
  );
  assert.is(sums.get('tablegate_cache_bytes')?.[0]?.value, 30, 'of one that is gone no gauge is left');
  assert.is(sums.get('tablegate_build_info')?.[0]?.value, 1);
});

test.run();
