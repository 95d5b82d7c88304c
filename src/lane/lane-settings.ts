// What each kind of lane is started with, out of the gateway's settings.
import type { Config } from '../config.ts';
import type { LaneSettings } from '../protocol.ts';

export type LaneConfig = Pick<
  Config,
  | 'fastWorkers'
  | 'wideWorkers'
  | 'wideThreads'
  | 'fastMemoryBytes'
  | 'wideMemoryBytes'
  | 'maxQueue'
  | 'laneSpareBytes'
  | 'spareLanes'
  | 'streamBytes'
  | 'stallMs'
  | 'planShapes'
  | 'gather'
  | 'indexBytes'
  | 'wideNice'
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
  const common = {
    threads: 1,
    maxQueue: config.maxQueue,
    streamBytes: config.streamBytes,
    stallMs: config.stallMs,
    plans: config.planShapes,
    gather: config.gather,
    indexes: config.indexBytes > 0,
    nice: 0,
    unlocked: overrides.unlocked ?? [],
    selfTest: overrides.selfTest ?? true,
    ...(overrides.compiler === undefined ? {} : { compiler: overrides.compiler }),
  } as const;
  const wide: LaneSettings = {
    ...common,
    lane: 'wide',
    workers: config.wideWorkers,
    threads: config.wideThreads,
    memoryBytes: config.wideMemoryBytes,
    nice: config.wideNice,
  };
  return {
    fast: { ...common, lane: 'fast', workers: config.fastWorkers, memoryBytes: config.fastMemoryBytes },
    wide,
    // The share of one statement in the wide lane.
    trial: {
      ...wide,
      lane: 'trial',
      workers: 1,
      memoryBytes: Math.floor(config.wideMemoryBytes / config.wideWorkers),
    },
  };
}
