// The one table of metrics: name, type and what it tells. The exposition takes its texts from here, and a test
// holds the dashboard and docs/OPERATIONS.md to it. Counts nothing.

export interface MetricKind {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
}

const counter = (help: string): MetricKind => ({ type: 'counter', help });
const gauge = (help: string): MetricKind => ({ type: 'gauge', help });
const histogram = (help: string): MetricKind => ({ type: 'histogram', help });

export const METRICS = {
  tablegate_http_requests_total: counter('Requests that were answered, by route and status.'),
  tablegate_http_request_duration_seconds: histogram(
    'From the head of a request read to its answer handed to the socket, by route.',
  ),
  tablegate_http_write_duration_seconds: histogram(
    'Handing an answer to the socket; for bodies in parts, the waiting for a slow reader is part of it.',
  ),
  tablegate_http_response_bytes_total: counter('Bytes of bodies that were handed to sockets, by route.'),
  tablegate_http_requests_running: gauge('Requests that are not answered to their end.'),
  tablegate_http_clients_gone_total: counter('Clients that left before their answer was sent whole.'),
  tablegate_waiting_requests: gauge('Requests that wait for newer data: Tablegate-Min-Block, -Snapshot.'),
  tablegate_waits_total: counter(
    'Requests that asked for newer data than was served, by end: came, late (503), full (503 at once), closed (503 as the gateway stopped), left (the client did).',
  ),
  tablegate_errors_total: counter('Answers that are errors, by code of docs/ERRORS.md.'),
  tablegate_bugs_total: counter('Errors that must not happen; each has a line in the log.'),
  tablegate_runs_total: counter(
    'Jobs given to the engine, by kind of job and outcome: ok or the code of the error.',
  ),
  tablegate_statements_total: counter(
    'Statements that were run and answered, by engine (rows, scan, long, remote) and why it was that one.',
  ),
  tablegate_run_queue_seconds: histogram('Waiting for a worker, the way to it and back included.'),
  tablegate_run_plan_seconds: histogram('Compiling a statement; next to nothing where its shape is known.'),
  tablegate_run_engine_seconds: histogram('Running a statement in the engine.'),
  tablegate_run_encode_seconds: histogram('Writing rows as the bytes of the answer, or of its first part.'),
  tablegate_remote_pages_total: counter('Pages that Trino was asked for, of statements that were answered.'),
  tablegate_remote_bytes_total: counter('Bytes of those pages; of a body in parts, up to its first one.'),
  tablegate_remote_errors_total: counter(
    'Statements over tables that live in Trino which failed before the first byte, by kind of failure.',
  ),
  tablegate_remote_nodes: gauge(
    "Active nodes of Trino's cluster, the coordinator included; 0: it does not answer, or cannot run anything.",
  ),
  tablegate_cache_requests_total: counter(
    'Queries by where their rows came from: hit (kept), miss (run), shared (run by another who asked the same).',
  ),
  tablegate_cache_bytes: gauge('Bytes of the answers that are kept, overhead included.'),
  tablegate_cache_entries: gauge('Answers that are kept.'),
  tablegate_cache_limit_bytes: gauge('The most that may be kept: --result-cache-bytes.'),
  tablegate_lane_serving: gauge('1 where the lane has a process that serves, else 0.'),
  tablegate_lane_running: gauge('Statements that a worker of the lane has begun and not ended.'),
  tablegate_lane_queued: gauge('Statements that wait for a worker of the lane.'),
  tablegate_lane_starts_total: counter('Processes of the lane that came to serve.'),
  tablegate_lane_deaths_total: counter('Processes of the lane that ended, by themselves or killed.'),
  tablegate_lane_kills_total: counter('Processes of the lane that had to be killed.'),
  tablegate_lane_resident_memory_bytes: gauge(
    "Resident memory of the lane's process, on Linux without the pages of files that it maps.",
  ),
  tablegate_shapes_refused_total: counter(
    'Statements or shapes that were barred because they took a lane down.',
  ),
  tablegate_snapshot_info: gauge('Always 1; the label is the id of the snapshot that is served.'),
  tablegate_snapshot_created_timestamp_seconds: gauge('When the served snapshot was made, since 1970.'),
  tablegate_snapshot_opened_timestamp_seconds: gauge('Since when the served snapshot is served, since 1970.'),
  tablegate_snapshots_opened_total: counter('Snapshots that came to be served, the first included.'),
  tablegate_snapshots_refused_total: counter(
    'Newer snapshots that could not be served; the one before them stayed.',
  ),
  tablegate_snapshots_built_total: counter('Snapshots that this gateway made of the source that it follows.'),
  tablegate_follow_failures_total: counter('Imports of the source that is followed which failed.'),
  tablegate_pull_snapshots_total: counter('Snapshots that were pulled from the store.'),
  tablegate_pull_received_bytes_total: counter('Bytes of them that came over the wire.'),
  tablegate_pull_failures_total: counter('Looks at the store that failed.'),
  tablegate_pull_looked_timestamp_seconds: gauge(
    'When the store was last asked and what it has was here, since 1970; 0: never.',
  ),
  tablegate_publish_snapshots_total: counter('Snapshots that this gateway published.'),
  tablegate_publish_sent_bytes_total: counter('Bytes of them that were sent.'),
  tablegate_publish_failures_total: counter('Publishings that failed.'),
  tablegate_freshness_info: gauge(
    'Always 1; the label is the state of following: none, or that of docs/IMPORT.md.',
  ),
  tablegate_rate_limit_decisions_total: counter(
    'What the limiter said: allowed, refused (429), or exempt by an Api-Key or as it is off.',
  ),
  tablegate_rate_limit_clients: gauge('Clients whose bucket is remembered.'),
  tablegate_fronts: gauge('Processes that answer HTTP at this moment.'),
  tablegate_front_deaths_total: counter('Processes that answered HTTP and ended, by themselves or killed.'),
  tablegate_front_scraped: gauge(
    'With several fronts: 1 where the front is in these numbers as it is now, 0 where it did not say in time.',
  ),
  tablegate_build_info: gauge('Always 1; the labels say what build this is.'),
  process_cpu_seconds_total: counter("The front's time on the processor, user and system."),
  process_resident_memory_bytes: gauge("The front's resident memory."),
  process_start_time_seconds: gauge('When the front started, since 1970.'),
  process_open_fds: gauge("The front's open files and sockets, where the system tells it."),
  nodejs_heap_size_used_bytes: gauge("The front's JavaScript heap in use."),
  nodejs_external_memory_bytes: gauge("The front's memory outside of the heap: kept answers are here."),
  nodejs_eventloop_lag_p50_seconds: gauge('Median delay of the event loop since the last scrape.'),
  nodejs_eventloop_lag_p99_seconds: gauge(
    '99th percentile of the delay of the event loop since the last scrape.',
  ),
  nodejs_eventloop_lag_max_seconds: gauge('Longest delay of the event loop since the last scrape.'),
  nodejs_eventloop_utilization_ratio: gauge(
    'Share of the time since the last scrape in which the event loop was busy, 0 to 1.',
  ),
} as const satisfies Record<string, MetricKind>;

export type MetricName = keyof typeof METRICS;
