// What each kind of lane is started with, out of the gateway's settings.
import { resolve } from 'node:path';
import type { Config } from '../cli/config.ts';
import { isRehearsed } from '../statement/rehearsal.ts';
import type { LaneSettings } from '../wire/protocol.ts';

export type LaneConfig = Pick<
  Config,
  | 'scanWorkers'
  | 'scanThreads'
  | 'scanMemoryBytes'
  | 'scanSmallBytes'
  | 'scanNice'
  | 'maxQueue'
  | 'laneSpareBytes'
  | 'spareLanes'
  | 'streamBytes'
  | 'stallMs'
  | 'planShapes'
  | 'rowLanes'
  | 'rowVisits'
  | 'rowMemoryBytes'
  | 'longLanes'
  | 'longMemoryBytes'
  | 'scanWarm'
  | 'scanApart'
  | 'spillBytes'
  | 'data'
  | 'engine'
  | 'trino'
  | 'trinoUser'
  | 'trinoStatements'
  | 'trinoOverflow'
>;

/** For tests of the engine alone; see {@link LaneSettings}. */
export interface LaneOverrides {
  readonly compiler?: string;
  readonly unlocked?: LaneSettings['unlocked'];
  readonly selfTest?: boolean;
  /** Everything goes to that lane, and no other is started. */
  readonly only?: 'scan';
}

/** Of pages on their way, beyond what each statement has. */
const REMOTE_BYTES = 256 * 1024 * 1024;

export function laneSettings(
  config: LaneConfig,
  overrides: LaneOverrides,
): { readonly [K in LaneSettings['lane'] | 'apart']: LaneSettings } {
  const scan: LaneSettings = {
    lane: 'scan',
    workers: config.scanWorkers,
    threads: config.scanThreads,
    memoryBytes: config.scanMemoryBytes,
    smallBytes: Math.min(config.scanSmallBytes, Math.floor(config.scanMemoryBytes / 2)),
    ...spillOf(config),
    nice: config.scanNice,
    maxQueue: config.maxQueue,
    streamBytes: config.streamBytes,
    stallMs: config.stallMs,
    plans: config.planShapes,
    maxVisits: 0,
    unlocked: overrides.unlocked ?? [],
    selfTest: overrides.selfTest ?? true,
    rehearses: isRehearsed(config) && overrides.compiler === undefined,
    ...(overrides.compiler === undefined ? {} : { compiler: overrides.compiler }),
  };
  const rows: LaneSettings = {
    ...scan,
    spill: undefined,
    lane: 'rows',
    workers: 1,
    threads: 1,
    nice: 0,
    memoryBytes: config.rowMemoryBytes,
    maxVisits: config.rowVisits,
  };
  return {
    scan,
    apart: {
      ...scan,
      workers: 1,
      memoryBytes: Math.floor(scan.memoryBytes / scan.workers),
      smallBytes: Math.floor(scan.smallBytes / scan.workers),
      spill: undefined,
    },
    rows,
    remote: {
      ...rows,
      lane: 'remote',
      workers: config.trinoStatements,
      memoryBytes: REMOTE_BYTES,
      trino: { url: config.trino, user: config.trinoUser },
    },
    long: { ...rows, lane: 'long', memoryBytes: config.longMemoryBytes, nice: config.scanNice },
  };
}

/** Lanes stand in another folder. */
function spillOf({ spillBytes, data }: LaneConfig): Pick<LaneSettings, 'spill'> {
  return spillBytes === 0 ? {} : { spill: { folder: resolve(data), bytes: spillBytes } };
}
