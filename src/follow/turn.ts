// Of several processes that bring snapshots into one data folder, from a source or from a store, one works and the
// others stand by.
import { randomBytes } from 'node:crypto';
import { OperatorError } from '../base/errors.ts';
import type { Observe } from '../base/observe.ts';
import { snapshotsFolder } from '../snapshot/folder.ts';
import { FOLLOW, type Lock, lockFolder } from '../snapshot/lock.ts';
import { makeSnapshotsFolder } from '../snapshot/publish.ts';

export interface Turn {
  /** The data folder. */
  readonly data: string;
  /** How often the folder is tried. */
  readonly everyMs: number;
  readonly observe: Observe;
  readonly signal: AbortSignal;
  readonly onStandBy: (is: boolean) => void;
}

/** Undefined where it is stopped before. */
export async function untilOwnTurn(turn: Turn): Promise<Lock | undefined> {
  const { data, everyMs, observe, signal, onStandBy } = turn;
  let said = '';
  while (!signal.aborted) {
    try {
      await makeSnapshotsFolder(data);
      const lock = await lockFolder(snapshotsFolder(data), randomBytes(4).toString('hex'), FOLLOW);
      onStandBy(false);
      return lock;
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      onStandBy(true);
      if (said !== error.message)
        observe({ type: 'note', level: 'warn', text: `${error.message}; standing by` });
      said = error.message;
    }
    await pause(everyMs, signal);
  }
  onStandBy(false);
  return undefined;
}

/** Ends early, and does not fail, when the signal does. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) return done();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      done();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
