// One lane with the limits of its process, out of the gateway's settings.
import type { Observe } from '../base/observe.ts';
import type { LaneSettings } from '../wire/protocol.ts';
import { createLane, type Lane } from './lane.ts';
import type { LaneConfig } from './lane-settings.ts';
import { removeLeftSpill } from './spill-folders.ts';

/** Stacks of a worker's threads, and its own heap: they count as memory of the process. */
const THREAD_BYTES = 64 * 1024 * 1024;

export function laneStarter(
  { laneSpareBytes, spillBytes, data }: LaneConfig,
  observe: Observe,
): (of: LaneSettings) => Lane {
  if (spillBytes > 0) removeLeftSpill(data);
  return (settings) => {
    const { memoryBytes, workers, spill } = settings;
    const rssLimitBytes =
      laneSpareBytes === 0 ? undefined : memoryBytes + laneSpareBytes + THREAD_BYTES * workers;
    const confinement = { dataBytes: rssLimitBytes, workers, spills: spill !== undefined };
    return createLane({ settings, confinement, rssLimitBytes, observe });
  };
}
