// All metrics of a gateway: what was counted, and what its parts say of themselves at the moment of asking.
import type { Counters } from './counters.ts';
import { byLabel, type Family, type Sample, single } from './exposition.ts';
import { type ProcessMetrics, residentBytes } from './process.ts';

export interface LaneState {
  readonly lane: string;
  readonly serving: boolean;
  /** Not answered to their end; of those, the ones that a worker has begun. */
  readonly pending: number;
  readonly running: number;
  readonly pid: number | undefined;
  /** Of the remote lane: active nodes of the cluster; undefined where they are not known. */
  readonly nodes?: number | undefined;
}

/** The parts that know their own numbers. */
export interface Parts {
  readonly lanes: () => readonly LaneState[];
  readonly cache: { readonly bytes: number; readonly entries: number };
  readonly cacheLimitBytes: number;
  readonly limiter: { readonly clients: number };
  readonly http: { readonly running: number; readonly waiting: number };
  /** Processes that answer HTTP. */
  readonly fronts: () => number;
  readonly build: Readonly<Record<'version' | 'commit', string>>;
}

/** @returns a function that gives the families of this moment */
export function createGatewayMetrics(
  counters: Counters,
  own: ProcessMetrics,
  parts: Parts,
): () => readonly Family[] {
  return () => [...counters.families(), ...partFamilies(parts), ...own.families()];
}

function partFamilies(parts: Parts): readonly Family[] {
  const { lanes, cache, cacheLimitBytes, limiter, http, fronts, build } = parts;
  const states = lanes();
  const perLane = (pick: (lane: LaneState) => number): readonly (readonly [string, number])[] =>
    states.map((lane) => [lane.lane, pick(lane)] as const);
  return [
    single('tablegate_http_requests_running', http.running),
    single('tablegate_waiting_requests', http.waiting),
    single('tablegate_cache_bytes', cache.bytes),
    single('tablegate_cache_entries', cache.entries),
    single('tablegate_cache_limit_bytes', cacheLimitBytes),
    byLabel(
      'tablegate_lane_serving',
      'lane',
      perLane(({ serving }) => (serving ? 1 : 0)),
    ),
    byLabel(
      'tablegate_lane_running',
      'lane',
      perLane(({ running }) => running),
    ),
    byLabel(
      'tablegate_lane_queued',
      'lane',
      perLane(({ pending, running }) => pending - running),
    ),
    { name: 'tablegate_lane_resident_memory_bytes', samples: states.flatMap(memorySample) },
    single('tablegate_remote_nodes', states.find(({ nodes }) => nodes !== undefined)?.nodes),
    single('tablegate_rate_limit_clients', limiter.clients),
    single('tablegate_fronts', fronts()),
    // Where there are several, whoever asks them knows.
    { name: 'tablegate_front_scraped', samples: [] },
    single('tablegate_build_info', 1, build),
  ];
}

function memorySample({ lane, pid }: LaneState): readonly Sample[] {
  const value = pid === undefined ? undefined : residentBytes(pid);
  return value === undefined ? [] : [{ labels: { lane }, value }];
}
