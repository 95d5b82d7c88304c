// Looks at a source every so often, and has it imported when it changed. Of several followers of one data folder
// one works and the others stand by. Says what it does in the folder's status file and as observations.
import { resolve } from 'node:path';
import { OperatorError } from '../base/errors.ts';
import type { Observe } from '../base/observe.ts';
import type { Config } from '../cli/config.ts';
import { servableSnapshot, servedSnapshot, snapshotsFolder } from '../snapshot/folder.ts';
import {
  type FollowStatus,
  removeFollowStatus,
  STATUS_MS,
  writeFollowStatus,
} from '../snapshot/follow-status.ts';
import { pinnedSnapshot } from '../snapshot/hold.ts';
import type { Lock } from '../snapshot/lock.ts';
import { sourceMark } from '../source/source.ts';
import { type Builder, createBuilder } from './build.ts';
import { untilServable } from './first-snapshot.ts';
import { pause, untilOwnTurn } from './turn.ts';

export type FollowConfig = Pick<
  Config,
  | 'data'
  | 'follow'
  | 'every'
  | 'keepSnapshots'
  | 'columnarRows'
  | 'indexRows'
  | 'indexColumns'
  | 'importMemory'
>;

export interface Follower {
  /**
   * Waits until there is a snapshot in the data folder that can be served, of whomever.
   * @throws OperatorError where there is none and the source cannot be imported
   */
  untilServable(): Promise<void>;
  /** Another process follows into the folder: this one takes over when that ends. */
  readonly standsBy: boolean;
  /** Interrupts an import that is under way; nothing is left behind. */
  close(): Promise<void>;
}

/** After a failure the next try waits twice as long each time, up to this; a change of the source ends the wait. */
const MAX_RETRY_MS = 60_000;
/**
 * While a source changes without end, its imports would take a core without end, and so would their turns in all processes of
 * a gateway: after each there is a pause as long as it took, up to this.
 */
const MAX_REST_MS = 2_000;

export function startFollower(config: FollowConfig, observe: Observe): Follower {
  const source = resolve(config.follow);
  const stop = new AbortController();
  let standsBy = false;
  let problem: string | undefined;
  let hasImported = false;
  const note: Observe = (event) => {
    if (event.type === 'follow-failed') problem = event.why;
    observe(event);
  };
  const told: Told = {
    onStandBy: (is) => {
      standsBy = is;
    },
    onImported: () => {
      hasImported = true;
    },
  };
  const running = follow({ ...config, follow: source }, note, stop.signal, told).catch((error: unknown) => {
    problem = String(error);
    if (!stop.signal.aborted) observe({ type: 'bug', requestId: 'follower', error });
  });
  return {
    get standsBy() {
      return standsBy;
    },
    async untilServable() {
      let hadImported = false;
      await untilServable({
        ...{ data: config.data, find: servableSnapshot, observe, signal: stop.signal },
        onNone() {
          if (problem !== undefined) throw new OperatorError(`there is nothing to serve yet: ${problem}`);
        },
        // Nobody makes another: not the other follower, whose source may not change for long, nor any import where somebody
        // went back to what is damaged.
        async onFault(fault) {
          const pinned = await pinnedSnapshot(snapshotsFolder(config.data));
          if (pinned !== undefined && pinned === (await servedSnapshot(config.data))?.id)
            throw new OperatorError(`${fault.message}; somebody went back to it: tablegate rollback latest`);
          if (hadImported || standsBy || problem !== undefined || stop.signal.aborted) throw fault;
          // What was imported by now may have come after this look.
          hadImported = hasImported;
        },
      });
    },
    async close() {
      stop.abort();
      await running;
    },
  };
}

/** What whoever started it is told. */
interface Told {
  onStandBy(is: boolean): void;
  /** The source was imported, whether anything had changed or not. */
  onImported(): void;
}

async function follow(
  config: FollowConfig,
  observe: Observe,
  signal: AbortSignal,
  { onStandBy, onImported }: Told,
): Promise<void> {
  const { data } = config;
  const lock = await untilOwnTurn({ data, everyMs: config.every, observe, signal, onStandBy });
  if (lock === undefined) return;
  const builder = createBuilder({ ...config, source: config.follow, signal });
  try {
    observe({ type: 'note', level: 'info', text: `following ${config.follow}` });
    await look(config, observe, signal, lock, builder, onImported);
  } finally {
    await builder.close();
    if (await lock.held()) await removeFollowStatus(data);
    await lock.release();
  }
}

async function look(
  config: FollowConfig,
  observe: Observe,
  signal: AbortSignal,
  lock: Lock,
  builder: Builder,
  onImported: () => void,
): Promise<void> {
  const { follow: source, data, every } = config;
  /** Of the source when what is published was read. */
  let published: string | undefined;
  let failed: { readonly mark: string; readonly times: number; readonly until: number } | undefined;
  let written = 0;
  let status: FollowStatus = {
    source,
    pid: process.pid,
    state: 'current',
    everyMs: every,
    checkedAt: 0,
    behindSince: null,
    error: null,
  };
  const tell = async (change: Partial<FollowStatus>, now: number): Promise<void> => {
    const before = status;
    status = { ...status, ...change };
    const isNews = status.state !== before.state || status.error !== before.error;
    if (!isNews && now - written < STATUS_MS) return;
    written = now;
    await writeFollowStatus(data, status);
  };
  while (!signal.aborted) {
    const began = Date.now();
    let next = began + every;
    const mark = await sourceMark(source).catch((error: unknown) => `unreadable: ${String(error)}`);
    const waits = failed?.mark === mark && began < failed.until;
    if (mark === published || waits) await tell({ checkedAt: began }, began);
    else {
      if (!(await lock.held())) throw new Error(`another follower took ${data} over`);
      await tell({ state: 'building', checkedAt: began, behindSince: status.behindSince ?? began }, began);
      const beat = setInterval(() => {
        const now = Date.now();
        tell({ checkedAt: now }, now).catch(() => undefined);
      }, STATUS_MS);
      const built = await builder.build();
      clearInterval(beat);
      if (signal.aborted) return;
      const now = Date.now();
      if (built.ok) {
        onImported();
        published = mark;
        failed = undefined;
        await tell({ state: 'current', checkedAt: now, behindSince: null, error: null }, now);
        for (const line of built.removed)
          observe({ type: 'note', level: 'warn', text: `${line}; ${source} does not have it` });
        if (built.snapshot !== undefined) {
          next = Math.max(next, now + Math.min(now - began, MAX_REST_MS));
          observe({ type: 'snapshot-built', id: built.snapshot, ms: now - began, line: built.line });
        }
      } else {
        const times = (failed?.times ?? 0) + 1;
        const waitMs = Math.min(every * 2 ** Math.min(times - 1, 20), MAX_RETRY_MS);
        failed = { mark, times, until: now + waitMs };
        observe({ type: 'follow-failed', why: built.line, times });
        await tell({ state: 'failed', checkedAt: now, error: built.line }, now);
      }
    }
    await pause(Math.max(0, next - Date.now()), signal);
  }
}
