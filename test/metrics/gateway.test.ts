// Metrics, Server-Timing, request ids and traces of a whole gateway with real lanes.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readArguments } from '../../src/cli/arguments.ts';
import { METRICS } from '../../src/metrics/catalogue.ts';
import { type ReadFamily, readExposition, sampleValue } from '../support/exposition.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { CHAIN, TABLES } from '../support/tables.ts';

const test = suite<{ gateway: TestGateway }>('metrics/gateway');

test.before(async (context) => {
  context.gateway = await startTestGateway({
    tables: TABLES,
    args: [
      '--scan-warm',
      'on',
      '--metrics-port',
      '0',
      '--rate-limit',
      '1',
      '--rate-burst',
      '1000',
      '--api-keys',
      'secret',
    ],
  });
});
test.after(({ gateway }) => gateway.stop());

async function scrape({ metricsAddress = '' }: TestGateway): Promise<ReadonlyMap<string, ReadFamily>> {
  const answer = await fetch(metricsAddress);
  assert.is(answer.status, 200);
  assert.is(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  return readExposition(await answer.text());
}

const ROWS = `select name from tokens_${CHAIN}_1 order by id`;

test('every metric of the catalogue is exposed, with its type and help, and no other', async ({
  gateway,
}) => {
  await (await gateway.query(ROWS)).text();
  const read = await scrape(gateway);
  assert.equal([...read.keys()].sort(), Object.keys(METRICS).sort());
  for (const [name, { type, help }] of Object.entries(METRICS)) {
    assert.is(read.get(name)?.type, type);
    assert.is(read.get(name)?.help, help);
  }
});

test('what requests do shows in the numbers', async ({ gateway }) => {
  const before = await scrape(gateway);
  const statement = `select count(*) as n from tokens_${CHAIN}_1`;
  for (let i = 0; i < 3; i++) await (await gateway.query(statement)).text();
  const { code } = (await (await gateway.query('selekt')).json()) as { code: string };
  await (await fetch(`${gateway.url}/tables/${CHAIN}/1`)).text();
  await (await fetch(`${gateway.url}/tables/${CHAIN}/999`)).text();
  await (await fetch(`${gateway.url}/nowhere`)).text();
  await (await fetch(`${gateway.url}/version`, { headers: { 'api-key': 'secret' } })).text();
  const keyed = await fetch(`${gateway.url}/query?statement=select+1`, { headers: { 'api-key': 'secret' } });
  await keyed.text();
  const after = await scrape(gateway);
  const rose = (by: number, name: string, labels: Record<string, string> = {}): void => {
    const was = (() => {
      try {
        return sampleValue(before, name, labels);
      } catch {
        return 0;
      }
    })();
    assert.is(sampleValue(after, name, labels) - was, by, `${name} ${JSON.stringify(labels)}`);
  };
  rose(4, 'tablegate_http_requests_total', { route: 'query', status: '200' });
  rose(1, 'tablegate_http_requests_total', { route: 'query', status: '400' });
  rose(1, 'tablegate_http_requests_total', { route: 'table', status: '200' });
  rose(1, 'tablegate_http_requests_total', { route: 'table', status: '404' });
  rose(1, 'tablegate_http_requests_total', { route: 'none', status: '404' });
  rose(1, 'tablegate_http_requests_total', { route: 'version', status: '200' });
  rose(2, 'tablegate_cache_requests_total', { state: 'hit' });
  rose(2, 'tablegate_cache_requests_total', { state: 'miss' });
  rose(1, 'tablegate_errors_total', { code });
  rose(6, 'tablegate_rate_limit_decisions_total', { decision: 'allowed' });
  rose(1, 'tablegate_rate_limit_decisions_total', { decision: 'exempt' });
  rose(2, 'tablegate_runs_total', { job: 'query', outcome: 'ok' });
  rose(2, 'tablegate_statements_total', { engine: 'rows', reason: 'visits' });
  rose(2, 'tablegate_run_engine_seconds_count');
  assert.ok(sampleValue(after, 'tablegate_cache_bytes') > sampleValue(before, 'tablegate_cache_bytes'));
  assert.is(sampleValue(after, 'tablegate_rate_limit_clients'), 1);
  assert.is(sampleValue(after, 'tablegate_http_requests_running'), 0);
});

test('lanes, snapshot and build are told', async ({ gateway }) => {
  const read = await scrape(gateway);
  for (const lane of ['scan']) {
    assert.is(sampleValue(read, 'tablegate_lane_serving', { lane }), 1);
    assert.is(sampleValue(read, 'tablegate_lane_running', { lane }), 0);
    assert.is(sampleValue(read, 'tablegate_lane_queued', { lane }), 0);
    // With that of the second process, where memory allows one to stand by.
    const starts = sampleValue(read, 'tablegate_lane_starts_total', { lane });
    assert.ok(starts === 1 || starts === 2, `${starts} starts`);
    if (process.platform === 'linux')
      assert.ok(sampleValue(read, 'tablegate_lane_resident_memory_bytes', { lane }) > 1e7);
  }
  const opened = gateway.seen.find((event) => event.type === 'snapshot-opened');
  assert.is(sampleValue(read, 'tablegate_snapshot_info', { id: opened?.id ?? '' }), 1);
  assert.is(sampleValue(read, 'tablegate_snapshots_opened_total'), 1);
  assert.is(sampleValue(read, 'tablegate_build_info'), 1);
});

test('a statement that runs shows in its lane while it runs', async ({ gateway }) => {
  const slow =
    'with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000000) select max(i) from n';
  const controller = new AbortController();
  const running = fetch(`${gateway.url}/query?${new URLSearchParams({ statement: slow })}`, {
    signal: controller.signal,
  });
  running.catch(() => {});
  const seen = async (): Promise<number> => {
    const read = await scrape(gateway);
    return sampleValue(read, 'tablegate_lane_running', { lane: 'long' });
  };
  let most = 0;
  for (let i = 0; i < 200 && most === 0; i++) most = Math.max(most, await seen());
  assert.is(most, 1);
  assert.is(sampleValue(await scrape(gateway), 'tablegate_http_requests_running'), 1);
  controller.abort();
  await running.catch(() => {});
  for (let i = 0; i < 500 && sampleValue(await scrape(gateway), 'tablegate_http_requests_running') > 0; i++);
  assert.is(sampleValue(await scrape(gateway), 'tablegate_http_clients_gone_total'), 1);
});

test('the metrics are not served where the public is, nor anything else where they are', async ({
  gateway,
}) => {
  assert.is((await fetch(`${gateway.origin}/metrics`)).status, 404);
  const { origin } = new URL(gateway.metricsAddress ?? '');
  assert.is((await fetch(`${origin}/api/v1/version`)).status, 404);
  assert.is((await fetch(`${origin}/metrics`, { method: 'POST' })).status, 405);
  const head = await fetch(`${origin}/metrics`, { method: 'HEAD' });
  assert.is(head.status, 200);
  assert.is(await head.text(), '');
});

test('without a port there are none: strangers must not read them by chance', () => {
  assert.is(readArguments([], {}).config.metricsPort, 'off');
});

test('Server-Timing says where the time went, on hits too', async ({ gateway }) => {
  const statement = `select max(level) as most from tokens_${CHAIN}_1`;
  const miss = (await gateway.query(statement)).headers.get('server-timing') ?? '';
  const number = String.raw`\d+(\.\d+)?(e-\d+)?`;
  assert.match(
    miss,
    new RegExp(
      `^cache;desc=miss, queue;dur=${number}, plan;dur=${number}, engine;desc="rows: visits";dur=${number}, encode;dur=${number}, total;dur=${number}$`,
    ),
  );
  const hit = (await gateway.query(statement)).headers.get('server-timing') ?? '';
  assert.match(hit, new RegExp(`^cache;desc=hit, total;dur=${number}$`));
  const error = (await gateway.query('selekt')).headers.get('server-timing') ?? '';
  assert.match(error, new RegExp(`^total;dur=${number}$`));
});

test('a request id that is given comes back, one that could forge a line does not', async ({ gateway }) => {
  const ask = async (given?: string): Promise<string> => {
    const headers = given === undefined ? {} : { 'x-request-id': given };
    const answer = await fetch(`${gateway.url}/version`, { headers });
    assert.is(answer.headers.get('trace-id'), answer.headers.get('x-request-id'));
    return answer.headers.get('x-request-id') ?? '';
  };
  assert.is(await ask('proxy-4711.a_b'), 'proxy-4711.a_b');
  for (const bad of ['', 'a b', 'a,b', '"', 'x'.repeat(65), '<script>']) assert.is.not(await ask(bad), bad);
  const own = [await ask(), await ask()];
  assert.is.not(own[0], own[1]);
  assert.ok(gateway.seen.some((event) => event.type === 'request' && event.requestId === 'proxy-4711.a_b'));
});

test('a trace is passed on, and one that is missing or malformed is begun', async ({ gateway }) => {
  const ask = async (given?: string): Promise<readonly string[]> => {
    const headers = given === undefined ? {} : { traceparent: given };
    const answer = await fetch(`${gateway.url}/version`, { headers });
    const text = answer.headers.get('traceparent') ?? '';
    assert.match(text, /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/);
    return text.split('-');
  };
  const trace = 'ab'.repeat(16);
  const span = 'cd'.repeat(8);
  const passed = await ask(`00-${trace}-${span}-01`);
  assert.equal([passed[1], passed[3]], [trace, '01']);
  assert.is.not(passed[2], span);
  const later = await ask(`cc-${trace}-${span}-01-what-the-future-brings`);
  assert.is(later[1], trace);
  const bad = [
    `00-${trace}-${span}-01-more`,
    `ff-${trace}-${span}-01`,
    `00-${'0'.repeat(32)}-${span}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace.toUpperCase()}-${span}-01`,
    `00-${trace}-${span}`,
    'nonsense',
  ];
  for (const given of bad) assert.is.not((await ask(given))[1], trace, given);
  const begun = [await ask(), await ask()];
  assert.is.not(begun[0]?.[1], begun[1]?.[1]);
});

test.run();
