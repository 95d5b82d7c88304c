// `tablegate pull`: pulls what is published into the data folder, for gateways that watch it; `serve --pull` starts it
// beside itself.
import { OperatorError } from '../base/errors.ts';
import type { Observe } from '../base/observe.ts';
import type { Config } from '../cli/config.ts';
import { openStore } from '../store/open-store.ts';
import { readPullKey } from '../store/signature.ts';
import { runPuller } from './puller.ts';

export interface PullCommand {
  readonly config: Config;
  readonly observe: Observe;
  readonly onStandBy: (is: boolean) => void;
  readonly signal: AbortSignal;
}

/** @throws OperatorError */
export async function pullCommand({ config, ...options }: PullCommand): Promise<number> {
  if (config.pull === '') throw new OperatorError('pull: a SOURCE is missing; see: tablegate --help');
  await runPuller({
    ...options,
    store: await openStore(config.pull, config.storeAuthorization),
    data: config.data,
    keep: config.keepSnapshots,
    everyMs: config.pullEvery,
    key: readPullKey(config.pullKey),
  });
  return 0;
}
