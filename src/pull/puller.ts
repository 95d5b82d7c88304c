// Looks at a store every so often and pulls what is new, in a process of its own: the loop, its failures and what it
// says of itself. What one look does is pull.ts's business.
import type { KeyObject } from 'node:crypto';
import { OperatorError } from '../base/errors.ts';
import type { Observe } from '../base/observe.ts';
import { pause, untilOwnTurn } from '../follow/turn.ts';
import {
  type FollowStatus,
  removeFollowStatus,
  STATUS_MS,
  writeFollowStatus,
} from '../snapshot/follow-status.ts';
import type { Lock } from '../snapshot/lock.ts';
import { type Store, StoreError } from '../store/store.ts';
import { createPuller } from './pull.ts';

export interface PullerOptions {
  readonly store: Store;
  readonly data: string;
  readonly keep: number;
  readonly everyMs: number;
  readonly key: KeyObject | undefined;
  readonly observe: Observe;
  readonly onStandBy: (is: boolean) => void;
  readonly signal: AbortSignal;
}

/** After a failure the next look waits twice as long each time, up to this. */
const MAX_RETRY_MS = 10_000;

/** Until it is stopped. */
export async function runPuller(options: PullerOptions): Promise<void> {
  const { data, observe } = options;
  const lock = await untilOwnTurn(options);
  if (lock === undefined) return;
  try {
    observe({ type: 'note', level: 'info', text: `pulling from ${options.store.name}` });
    await look(options, lock);
  } finally {
    if (await lock.held()) await removeFollowStatus(data);
    await lock.release();
  }
}

async function look(options: PullerOptions, lock: Lock): Promise<void> {
  const { store, data, keep, everyMs, key, observe, signal } = options;
  let times = 0;
  let said: string | undefined;
  const told = createTeller(options);
  const puller = createPuller({
    ...{ store, data, keep, key, signal },
    onNew: (id) => {
      // Of what is tried again nothing is new but its end.
      if (times > 0) return;
      observe({ type: 'note', level: 'info', text: `${store.name} has ${id}: pulling it` });
      told.tell({ state: 'building', behindSince: Date.now() });
    },
  });
  const lookOn = async (): Promise<void> => {
    while (!signal.aborted) {
      const began = Date.now();
      try {
        if (!(await lock.held())) throw new Error(`another process took ${data} over`);
        const pulled = await puller.pull();
        const now = Date.now();
        if (times > 0)
          observe({ type: 'note', level: 'info', text: `pulling works again, after ${times} failures` });
        times = 0;
        said = undefined;
        observe({ type: 'store-looked', atMs: now });
        told.tell({ state: 'current', behindSince: null, error: null });
        if (pulled !== undefined) observe({ type: 'snapshot-pulled', ...pulled, ms: now - began });
      } catch (error) {
        if (signal.aborted) return;
        if (!isExpected(error)) throw error;
        times += 1;
        const why = (error as Error).message;
        const reason = reasonIn(why);
        observe({ type: 'pull-failed', why, times, isNews: reason !== said });
        said = reason;
        told.tell({ state: 'failed', error: why });
      }
      const waitMs = Math.min(everyMs * 2 ** Math.min(times, 20), Math.max(everyMs, MAX_RETRY_MS));
      await pause(Math.max(0, began + waitMs - Date.now()), signal);
    }
  };
  await lookOn().finally(told.stop);
}

/** The same trouble with another part, or after other bytes, is said once. */
function reasonIn(why: string): string {
  return why.replace(/\b[0-9a-f]{64}\b|\d+/g, '');
}

/** What a store, a disk or a damaged snapshot does is no mistake of this program. */
function isExpected(error: unknown): boolean {
  return (
    error instanceof StoreError ||
    error instanceof OperatorError ||
    (error instanceof Error && 'syscall' in error)
  );
}

/** Writes the status on every change, and every few seconds: a look may take minutes. */
function createTeller({ store, data, everyMs }: PullerOptions): {
  tell(change: Partial<FollowStatus>): void;
  stop(): Promise<void>;
} {
  let status: FollowStatus = {
    source: store.name,
    pid: process.pid,
    state: 'current',
    everyMs,
    checkedAt: Date.now(),
    behindSince: null,
    error: null,
  };
  let writing = Promise.resolve();
  const write = (): void => {
    status = { ...status, checkedAt: Date.now() };
    const now = status;
    writing = writing.then(() => writeFollowStatus(data, now));
  };
  write();
  const timer = setInterval(write, STATUS_MS);
  timer.unref();
  return {
    tell(change) {
      const before = status;
      status = { ...status, ...change };
      if (status.state !== before.state || status.error !== before.error) write();
    },
    async stop() {
      clearInterval(timer);
      await writing;
    },
  };
}
