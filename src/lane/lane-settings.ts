// What each kind of lane is started with, out of the gateway's settings.
import type { Config } from '../config.ts';
import type { LaneSettings } from '../protocol.ts';

export type LaneConfig = Pick<
  Config,
  | 'scanWorkers'
  | 'scanThreads'
  | 'scanMemoryBytes'
  | 'scanNice'
  | 'maxQueue'
  | 'laneSpareBytes'
  | 'spareLanes'
  | 'streamBytes'
  | 'stallMs'
  | 'planShapes'
>;

/** For tests of the engine alone; see {@link LaneSettings}. */
export interface LaneOverrides {
  readonly compiler?: string;
  readonly unlocked?: LaneSettings['unlocked'];
  readonly selfTest?: boolean;
}

export function laneSettings(
  config: LaneConfig,
  overrides: LaneOverrides,
): { readonly [K in LaneSettings['lane']]: LaneSettings } {
  const scan: LaneSettings = {
    lane: 'scan',
    workers: config.scanWorkers,
    threads: config.scanThreads,
    memoryBytes: config.scanMemoryBytes,
    nice: config.scanNice,
    maxQueue: config.maxQueue,
    streamBytes: config.streamBytes,
    stallMs: config.stallMs,
    plans: config.planShapes,
    unlocked: overrides.unlocked ?? [],
    selfTest: overrides.selfTest ?? true,
    ...(overrides.compiler === undefined ? {} : { compiler: overrides.compiler }),
  };
  return {
    scan,
    // The share of one statement in the scan lane.
    trial: {
      ...scan,
      lane: 'trial',
      workers: 1,
      memoryBytes: Math.floor(config.scanMemoryBytes / config.scanWorkers),
    },
  };
}
