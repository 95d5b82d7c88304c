// Metrics as numbers and as text: histograms, labels, what cannot be known, and that counting costs next to
// nothing.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Observation, observeAll } from '../../src/base/observe.ts';
import { serverTiming } from '../../src/http/timing.ts';
import { createTraces } from '../../src/http/trace.ts';
import { createWriter } from '../../src/log/lines.ts';
import { createLog } from '../../src/log/log.ts';
import { METRICS } from '../../src/metrics/catalogue.ts';
import { createCounters } from '../../src/metrics/counters.ts';
import { single, writeExposition } from '../../src/metrics/exposition.ts';
import { BOUNDS_S, createHistogram } from '../../src/metrics/histogram.ts';
import { createProcessMetrics, residentBytes } from '../../src/metrics/process.ts';
import { readExposition, sampleValue } from '../support/exposition.ts';

const REQUEST: Observation = {
  type: 'request',
  requestId: 'r',
  traceparent: '',
  client: '',
  method: 'GET',
  path: '/',
  route: 'query',
  status: 200,
  bytes: 10,
  ms: 0.3,
  writeMs: 0.02,
  rate: 'allowed',
  cache: 'hit',
  times: undefined,
};

test('a histogram counts each value once, at the first bound that holds it', () => {
  const histogram = createHistogram();
  for (const bound of BOUNDS_S) histogram.add(bound * 1000);
  histogram.add(-1);
  histogram.add(1e9);
  assert.is(histogram.count, BOUNDS_S.length + 2);
  assert.equal([...histogram.counts], [2, ...Array.from({ length: BOUNDS_S.length }, () => 1)]);
});

test('buckets are cumulative, end in +Inf, and agree with the count', () => {
  const histogram = createHistogram();
  for (const ms of [0.05, 0.3, 3, 40_000]) histogram.add(ms);
  const read = readExposition(writeExposition([single('tablegate_run_queue_seconds', histogram)]));
  const { samples = [] } = read.get('tablegate_run_queue_seconds') ?? {};
  const buckets = samples.filter(({ name }) => name.endsWith('_bucket')).map(({ value }) => value);
  assert.equal(
    buckets,
    [...buckets].sort((a, b) => a - b),
  );
  assert.is(sampleValue(read, 'tablegate_run_queue_seconds_bucket', { le: '0.0001' }), 1);
  assert.is(sampleValue(read, 'tablegate_run_queue_seconds_bucket', { le: '30' }), 3);
  assert.is(sampleValue(read, 'tablegate_run_queue_seconds_bucket', { le: '+Inf' }), 4);
  assert.is(sampleValue(read, 'tablegate_run_queue_seconds_count'), 4);
  assert.ok(Math.abs(sampleValue(read, 'tablegate_run_queue_seconds_sum') - 40.00335) < 1e-9);
});

test('labels may hold anything', () => {
  const id = 'a"b\\c\nd{},=';
  const read = readExposition(writeExposition([single('tablegate_snapshot_info', 1, { id })]));
  assert.is(sampleValue(read, 'tablegate_snapshot_info', { id }), 1);
});

test('what cannot be known has no sample, rather than a 0', () => {
  const read = readExposition(writeExposition([single('process_open_fds', undefined)]));
  assert.equal(read.get('process_open_fds')?.samples, []);
  assert.is(residentBytes(2 ** 22 + 1), undefined);
});

test('requests are counted by route and status, with their cache state, limiter decision and code', () => {
  const counters = createCounters(() => 5_000);
  counters.observe(REQUEST);
  counters.observe({ ...REQUEST, cache: 'miss', ms: 20 });
  counters.observe({ ...REQUEST, status: 429, rate: 'refused', code: 'too-many-requests', cache: undefined });
  counters.observe({ ...REQUEST, route: 'table', status: 404, code: 'nothing-found', cache: undefined });
  const read = readExposition(writeExposition(counters.families()));
  const is = (value: number, name: string, labels = {}): void =>
    assert.is(sampleValue(read, name, labels), value, `${name} ${JSON.stringify(labels)}`);
  is(2, 'tablegate_http_requests_total', { route: 'query', status: '200' });
  is(1, 'tablegate_http_requests_total', { route: 'query', status: '429' });
  is(1, 'tablegate_http_requests_total', { route: 'table', status: '404' });
  is(3, 'tablegate_http_request_duration_seconds_count', { route: 'query' });
  is(30, 'tablegate_http_response_bytes_total', { route: 'query' });
  is(1, 'tablegate_cache_requests_total', { state: 'hit' });
  is(1, 'tablegate_cache_requests_total', { state: 'miss' });
  is(0, 'tablegate_cache_requests_total', { state: 'shared' });
  is(3, 'tablegate_rate_limit_decisions_total', { decision: 'allowed' });
  is(1, 'tablegate_rate_limit_decisions_total', { decision: 'refused' });
  is(1, 'tablegate_errors_total', { code: 'too-many-requests' });
});

test("a run that failed counts with its code, and its time as the queue's only", () => {
  const counters = createCounters();
  const times = { queueMs: 1, planMs: 2, engineMs: 3, encodeMs: 4 };
  counters.observe({ type: 'run', requestId: 'r', job: 'query', ...times });
  counters.observe({ type: 'run', requestId: 'r', job: 'query', code: 'limit-time', ...times });
  const read = readExposition(writeExposition(counters.families()));
  assert.is(sampleValue(read, 'tablegate_runs_total', { job: 'query', outcome: 'ok' }), 1);
  assert.is(sampleValue(read, 'tablegate_runs_total', { job: 'query', outcome: 'limit-time' }), 1);
  assert.is(sampleValue(read, 'tablegate_run_queue_seconds_count'), 2);
  assert.is(sampleValue(read, 'tablegate_run_engine_seconds_count'), 1);
});

test('what failed in the distributed engine is counted by kind, all kinds from the start', () => {
  const counters = createCounters();
  const times = { queueMs: 1, planMs: 0, engineMs: 3, encodeMs: 0 };
  const failed = { type: 'run', requestId: 'r', job: 'query', code: 'not-ready', ...times } as const;
  counters.observe({ ...failed, remoteError: 'lost' });
  counters.observe(failed);
  const read = readExposition(writeExposition(counters.families()));
  assert.is(sampleValue(read, 'tablegate_remote_errors_total', { kind: 'lost' }), 1);
  assert.is(sampleValue(read, 'tablegate_remote_errors_total', { kind: 'unavailable' }), 0);
});

test('lanes, shapes, bugs and snapshots are counted', () => {
  const counters = createCounters(() => 7_000);
  counters.observe({ type: 'lane-started', lane: 'scan', pid: 1, ms: 1 });
  counters.observe({ type: 'lane-killed', lane: 'trial', pid: 1, why: '' });
  counters.observe({ type: 'lane-ended', lane: 'trial', pid: 1, why: '' });
  counters.observe({ type: 'shape-barred', from: 'scan', shape: '', why: '' });
  counters.observe({ type: 'bug', requestId: '', error: 1 });
  counters.observe({ type: 'client-gone', requestId: '', path: '' });
  counters.observe({ type: 'snapshot-opened', id: 'one', chains: [], createdMs: 3_000 });
  const read = readExposition(writeExposition(counters.families()));
  assert.is(sampleValue(read, 'tablegate_lane_starts_total', { lane: 'scan' }), 1);
  assert.is(sampleValue(read, 'tablegate_lane_kills_total', { lane: 'trial' }), 1);
  assert.is(sampleValue(read, 'tablegate_lane_deaths_total', { lane: 'trial' }), 1);
  assert.is(sampleValue(read, 'tablegate_lane_deaths_total', { lane: 'scan' }), 0);
  assert.is(sampleValue(read, 'tablegate_shapes_refused_total'), 1);
  assert.is(sampleValue(read, 'tablegate_bugs_total'), 1);
  assert.is(sampleValue(read, 'tablegate_http_clients_gone_total'), 1);
  assert.is(sampleValue(read, 'tablegate_snapshot_created_timestamp_seconds'), 3);
  assert.is(sampleValue(read, 'tablegate_snapshot_opened_timestamp_seconds'), 7);
});

test("the front's own numbers are in ranges that are possible", () => {
  const own = createProcessMetrics();
  const read = readExposition(writeExposition(own.families()));
  own.close();
  assert.ok(sampleValue(read, 'process_resident_memory_bytes') > 1e7);
  assert.ok(sampleValue(read, 'process_cpu_seconds_total') > 0);
  const utilization = sampleValue(read, 'nodejs_eventloop_utilization_ratio');
  assert.ok(utilization >= 0 && utilization <= 1);
  for (const { samples } of read.values()) for (const { value } of samples) assert.ok(value >= 0);
});

test('names say their unit and kind as Prometheus wants it', () => {
  for (const [name, { type, help }] of Object.entries(METRICS)) {
    assert.match(name, /^[a-z][a-z0-9_]*$/);
    assert.is(name.endsWith('_total'), type === 'counter', name);
    assert.match(help, /\.$/);
    if (type === 'histogram') assert.match(name, /_seconds$/);
  }
});

test('all that is noted of a request costs less than two microseconds of processor time', () => {
  const counters = createCounters();
  const sink = { write: () => assert.unreachable(), flush: () => {} };
  const log = createLog({ level: 'info', requestShare: 0 }, createWriter('json', sink));
  const observe = observeAll(log, counters.observe);
  const traceparent = createTraces();
  const answer = { status: 200, headers: [], body: '', cache: 'hit' } as const;
  let bytes = 0;
  const note = (times: number): number => {
    const before = process.cpuUsage();
    for (let i = 0; i < times; i++) {
      const ms = (i % 50) / 7;
      bytes += serverTiming(answer, ms).length;
      observe({ ...REQUEST, traceparent: traceparent(undefined), ms });
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / times;
  };
  note(50_000);
  // The least of some rounds: what another process takes from a shared core is not a cost of noting.
  const least = Math.min(...Array.from({ length: 5 }, () => note(50_000)));
  process.stdout.write(`\nNOTE noting a request: ${least.toFixed(2)} us of CPU time\n`);
  assert.ok(bytes > 0);
  assert.ok(least < 2, `${least} us`);
});

test.run();
