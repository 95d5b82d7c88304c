// A sink of observations that counts: plain numbers in maps, so that a request costs some look-ups and no text.
// Everything else is done when somebody asks for the metrics.
import type { Observation, Observe } from '../base/observe.ts';
import type { RemoteError } from '../wire/remote.ts';
import { byLabel, type Family, single } from './exposition.ts';
import { createHistogram, type Histogram } from './histogram.ts';

type Request = Extract<Observation, { type: 'request' }>;
type Run = Extract<Observation, { type: 'run' }>;

export interface Counters {
  readonly observe: Observe;
  families(): readonly Family[];
}

interface RouteCounts {
  readonly statuses: Map<number, number>;
  readonly duration: Histogram;
  bytes: number;
}

type Tally = Map<string, number>;

function count(tally: Tally, key: string): void {
  tally.set(key, (tally.get(key) ?? 0) + 1);
}

function tallyOf(...keys: readonly string[]): Tally {
  return new Map(keys.map((key) => [key, 0]));
}

/** So that the first of a kind is a rise. */
const REMOTE_ERRORS: readonly RemoteError[] = [
  ...(['refused', 'inexact', 'memory', 'time', 'size', 'line', 'full'] as const),
  ...(['unavailable', 'lost', 'gone', 'unlocked', 'internal'] as const),
];

/** @param now milliseconds since 1970 */
export function createCounters(now: () => number = Date.now): Counters {
  const routes = new Map<string, RouteCounts>();
  const codes: Tally = new Map();
  const cache = tallyOf('hit', 'miss', 'shared');
  const decisions = tallyOf('allowed', 'refused', 'exempt');
  const write = createHistogram();
  const jobs = new Map<string, Tally>();
  /** By engine and reason. */
  const engines: Tally = new Map();
  const queue = createHistogram();
  const plan = createHistogram();
  const engine = createHistogram();
  const encode = createHistogram();
  const waits = tallyOf('came', 'late', 'full', 'closed', 'left');
  const lanes = {
    starts: tallyOf('rows', 'scan', 'long', 'remote'),
    deaths: tallyOf('rows', 'scan', 'long', 'remote'),
    kills: tallyOf('rows', 'scan', 'long', 'remote'),
  };
  const remote = { pages: 0, bytes: 0, errors: tallyOf(...REMOTE_ERRORS) };
  let gone = 0;
  let bugs = 0;
  let barredShapes = 0;
  let snapshot: { readonly id: string; readonly createdMs: number; readonly openedMs: number } | undefined;
  let opened = 0;
  let refused = 0;
  let built = 0;
  let followFailures = 0;
  const pulled = { snapshots: 0, bytes: 0, failures: 0, lookedMs: 0 };
  const published = { snapshots: 0, bytes: 0, failures: 0 };
  let freshness = 'none';
  let frontDeaths = 0;

  const onRequest = (event: Request): void => {
    let route = routes.get(event.route);
    if (route === undefined) {
      route = { statuses: new Map(), duration: createHistogram(), bytes: 0 };
      routes.set(event.route, route);
    }
    route.statuses.set(event.status, (route.statuses.get(event.status) ?? 0) + 1);
    route.duration.add(event.ms);
    route.bytes += event.bytes;
    write.add(event.writeMs);
    if (event.cache !== undefined) count(cache, event.cache);
    if (event.rate !== undefined) count(decisions, event.rate);
    if (event.code !== undefined) count(codes, event.code);
  };

  const onRun = (event: Run): void => {
    let outcomes = jobs.get(event.job);
    if (outcomes === undefined) {
      outcomes = new Map();
      jobs.set(event.job, outcomes);
    }
    count(outcomes, event.code ?? 'ok');
    if (event.job !== 'query') return;
    queue.add(event.queueMs);
    if (event.remoteError !== undefined) count(remote.errors, event.remoteError);
    if (event.code !== undefined) return;
    if (event.engine !== undefined) count(engines, `${event.engine} ${event.reason}`);
    remote.pages += event.remote?.pages ?? 0;
    remote.bytes += event.remote?.bytes ?? 0;
    plan.add(event.planMs);
    engine.add(event.engineMs);
    encode.add(event.encodeMs);
  };

  const observe: Observe = (event) => {
    if (event.type === 'request') onRequest(event);
    else if (event.type === 'run') onRun(event);
    else if (event.type === 'client-gone') gone += 1;
    else if (event.type === 'waited') count(waits, event.end);
    else if (event.type === 'bug') bugs += 1;
    else if (event.type === 'shape-barred') barredShapes += 1;
    else if (event.type === 'lane-started') count(lanes.starts, event.lane);
    else if (event.type === 'lane-ended') count(lanes.deaths, event.lane);
    else if (event.type === 'lane-killed') count(lanes.kills, event.lane);
    else if (event.type === 'snapshot-refused') refused += 1;
    else if (event.type === 'snapshot-built') built += 1;
    else if (event.type === 'follow-failed') followFailures += 1;
    else if (event.type === 'snapshot-pulled') {
      pulled.snapshots += 1;
      pulled.bytes += event.receivedBytes;
    } else if (event.type === 'pull-failed') pulled.failures += 1;
    else if (event.type === 'store-looked') pulled.lookedMs = event.atMs;
    else if (event.type === 'snapshot-published') {
      published.snapshots += 1;
      published.bytes += event.sentBytes;
    } else if (event.type === 'publish-failed') published.failures += 1;
    else if (event.type === 'freshness') freshness = event.state;
    else if (event.type === 'front-ended') frontDeaths += 1;
    else if (event.type === 'snapshot-opened') {
      opened += 1;
      snapshot = { id: event.id, createdMs: event.createdMs ?? now(), openedMs: now() };
    }
  };

  const perRoute = <T>(pick: (counts: RouteCounts) => T): readonly (readonly [string, T])[] =>
    [...routes].map(([route, counts]) => [route, pick(counts)] as const);

  return {
    observe,
    families: () => [
      {
        name: 'tablegate_http_requests_total',
        samples: [...routes].flatMap(([route, { statuses }]) =>
          [...statuses].map(([status, value]) => ({ labels: { route, status }, value })),
        ),
      },
      byLabel(
        'tablegate_http_request_duration_seconds',
        'route',
        perRoute(({ duration }) => duration),
      ),
      single('tablegate_http_write_duration_seconds', write),
      byLabel(
        'tablegate_http_response_bytes_total',
        'route',
        perRoute(({ bytes }) => bytes),
      ),
      single('tablegate_http_clients_gone_total', gone),
      byLabel('tablegate_waits_total', 'end', waits),
      byLabel('tablegate_errors_total', 'code', codes),
      single('tablegate_bugs_total', bugs),
      {
        name: 'tablegate_runs_total',
        samples: [...jobs].flatMap(([job, outcomes]) =>
          [...outcomes].map(([outcome, value]) => ({ labels: { job, outcome }, value })),
        ),
      },
      {
        name: 'tablegate_statements_total',
        samples: [...engines].map(([key, value]) => {
          const [name = '', reason = ''] = key.split(' ');
          return { labels: { engine: name, reason }, value };
        }),
      },
      single('tablegate_run_queue_seconds', queue),
      single('tablegate_run_plan_seconds', plan),
      single('tablegate_run_engine_seconds', engine),
      single('tablegate_run_encode_seconds', encode),
      single('tablegate_remote_pages_total', remote.pages),
      single('tablegate_remote_bytes_total', remote.bytes),
      byLabel('tablegate_remote_errors_total', 'kind', remote.errors),
      byLabel('tablegate_cache_requests_total', 'state', cache),
      byLabel('tablegate_lane_starts_total', 'lane', lanes.starts),
      byLabel('tablegate_lane_deaths_total', 'lane', lanes.deaths),
      byLabel('tablegate_lane_kills_total', 'lane', lanes.kills),
      single('tablegate_shapes_refused_total', barredShapes),
      single('tablegate_snapshot_info', snapshot && 1, snapshot && { id: snapshot.id }),
      single('tablegate_snapshot_created_timestamp_seconds', snapshot && snapshot.createdMs / 1000),
      single('tablegate_snapshot_opened_timestamp_seconds', snapshot && snapshot.openedMs / 1000),
      single('tablegate_snapshots_opened_total', opened),
      single('tablegate_snapshots_refused_total', refused),
      single('tablegate_snapshots_built_total', built),
      single('tablegate_follow_failures_total', followFailures),
      single('tablegate_pull_snapshots_total', pulled.snapshots),
      single('tablegate_pull_received_bytes_total', pulled.bytes),
      single('tablegate_pull_failures_total', pulled.failures),
      single('tablegate_pull_looked_timestamp_seconds', pulled.lookedMs / 1000),
      single('tablegate_publish_snapshots_total', published.snapshots),
      single('tablegate_publish_sent_bytes_total', published.bytes),
      single('tablegate_publish_failures_total', published.failures),
      single('tablegate_front_deaths_total', frontDeaths),
      single('tablegate_freshness_info', 1, { state: freshness }),
      byLabel('tablegate_rate_limit_decisions_total', 'decision', decisions),
    ],
  };
}
