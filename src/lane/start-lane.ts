// One lane with the limits of its process, out of the gateway's settings.
import type { Observe } from '../base/observe.ts';
import type { LaneSettings } from '../wire/protocol.ts';
import { createLane, type Lane } from './lane.ts';
import type { LaneConfig } from './lane-settings.ts';

/** Stacks of a worker's threads, and its own heap: they count as memory of the process. */
const THREAD_BYTES = 64 * 1024 * 1024;

export function laneStarter({ laneSpareBytes }: LaneConfig, observe: Observe): (of: LaneSettings) => Lane {
  return (settings) => {
    const { memoryBytes, workers } = settings;
    const rssLimitBytes =
      laneSpareBytes === 0 ? undefined : memoryBytes + laneSpareBytes + THREAD_BYTES * workers;
    return createLane({
      settings,
      confinement: { dataBytes: rssLimitBytes, workers },
      rssLimitBytes,
      observe,
    });
  };
}
