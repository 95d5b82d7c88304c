// A gateway's puller and publisher: commands of this program beside it. What is wrong with their settings is said before
// they are started.
import { OperatorError } from '../base/errors.ts';
import type { Observe } from '../base/observe.ts';
import { LAKE_PASSWORD } from '../base/passwords.ts';
import type { Config, SettingName } from '../cli/config.ts';
import { currentSnapshot } from '../snapshot/folder.ts';
import { checkStoreAddress } from '../store/address.ts';
import { readPublishKey, readPullKey } from '../store/signature.ts';
import { checkTrinoPassword } from '../trino/address.ts';
import { type Background, startBackground } from './background.ts';
import { untilServable } from './first-snapshot.ts';

const SHARED: readonly SettingName[] = ['data', 'keepSnapshots', 'storeAuthorization', 'watchEvery'];

/** What is wrong with the settings of both, before anything is started. @throws OperatorError */
export function checkStores({ follow, pull, pullKey, publish, publishKey, lake, trino }: Config): void {
  if (pull !== '' && follow !== '')
    throw new OperatorError('--pull and --follow both bring snapshots into the data folder: choose one');
  if (pull !== '' && publish !== '')
    throw new OperatorError('--publish and --pull: what is pulled is published already');
  if (lake !== '' && (publish === '' || trino === ''))
    throw new OperatorError(
      '--lake is where --publish puts tables for the cluster that --trino names: give both',
    );
  if (lake !== '') checkTrinoPassword(trino, LAKE_PASSWORD, process.env);
  for (const address of [pull, publish]) checkStoreAddress(address, process.env);
  readPullKey(pullKey);
  readPublishKey(publishKey);
}

/** Undefined where nothing is pulled. */
export function startPulling(config: Config, observe: Observe): Background | undefined {
  if (config.pull === '') return undefined;
  const settings: readonly SettingName[] = [...SHARED, 'pull', 'pullEvery', 'pullKey'];
  return startBackground({ what: 'the puller', args: ['pull'], config, settings, observe });
}

/** Undefined where nothing is published. */
export function startPublishing(config: Config, observe: Observe): Background | undefined {
  if (config.publish === '') return undefined;
  const own = ['publish', 'publishKeep', 'publishKey', 'publishStandby', 'activeIn'] as const;
  const lake = ['lake', 'lakeUser', 'lakeGrace', 'trino', 'importMemory', 'deadlineMs'] as const;
  const settings: readonly SettingName[] = [...SHARED, ...own, ...lake];
  return startBackground({
    ...{ what: 'the publisher', args: ['publish', '--watch'], config, settings, observe },
    password: LAKE_PASSWORD,
  });
}

/** A replica may be there before anything is published: it waits, and the log says what for. */
export async function untilPulled(data: string, observe: Observe): Promise<void> {
  const never = new AbortController().signal;
  await untilServable({ data, find: currentSnapshot, observe, signal: never });
}
