// The engines on the newest snapshot of the data folder, and whoever brings the first one and newer ones.
import { OperatorError } from '../base/errors.ts';
import type { Observe } from '../base/observe.ts';
import { TRINO_PASSWORD } from '../base/passwords.ts';
import type { Config } from '../cli/config.ts';
import { startFollower } from '../follow/follower.ts';
import { checkStores, startPublishing, startPulling, untilPulled } from '../follow/stores.ts';
import { type Lanes, startLanes } from '../lane/lanes.ts';
import { servableSnapshot } from '../snapshot/folder.ts';
import { isRehearsed } from '../statement/rehearsal.ts';
import { checkTrinoPassword } from '../trino/address.ts';
import type { SnapshotRef } from '../wire/protocol.ts';
import { rehearse } from './rehearsal.ts';

export interface Engines {
  readonly lanes: Lanes;
  /** Is open and in use. */
  readonly snapshot: SnapshotRef;
  /** See follow/follower.ts; undefined where nothing is followed or pulled. */
  readonly standsBy: boolean | undefined;
  /** No newer snapshot is made from now on; an import that is under way is interrupted. */
  stopFollowing(): Promise<void>;
}

/** @throws OperatorError where the data folder or its snapshot cannot be used; nothing is left running then */
export async function startEngines(config: Config, observe: Observe): Promise<Engines> {
  checkStores(config);
  checkTrinoPassword(config.trino, TRINO_PASSWORD, process.env);
  const puller = startPulling(config, observe);
  const publisher = startPublishing(config, observe);
  const follower = config.follow === '' ? undefined : startFollower(config, observe);
  const stopFollowing = async (): Promise<void> => {
    await Promise.all([follower?.close(), puller?.close(), publisher?.close()]);
  };
  const lanes = startLanes(config, observe);
  try {
    await follower?.untilServable();
    if (puller !== undefined) await untilPulled(config.data, observe);
    const snapshot = await servableSnapshot(config.data);
    await openSnapshot(lanes, snapshot);
    const hasSecond = (): boolean => lanes.stats().some(({ lane, serving }) => lane === 'scan2' && serving);
    if (isRehearsed(config)) await rehearse(lanes, snapshot, config.rowLanes, hasSecond);
    return {
      lanes,
      snapshot,
      get standsBy() {
        return follower?.standsBy ?? puller?.standsBy;
      },
      stopFollowing,
    };
  } catch (error) {
    await Promise.all([stopFollowing(), lanes.close()]);
    throw error;
  }
}

async function openSnapshot(lanes: Lanes, snapshot: SnapshotRef): Promise<void> {
  try {
    await lanes.openSnapshot(snapshot);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new OperatorError(
      `the snapshot ${snapshot.path} cannot be served: ${why}; import it anew with: tablegate import SOURCE`,
      { cause: error },
    );
  }
}
