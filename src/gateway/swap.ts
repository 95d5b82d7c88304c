// Serves the current snapshot of the data folder, whoever puts it there: opens it beside the one in use, turns to it
// in one moment, and lets go of the old one. One that cannot be served is said and left; the old one stays.
import type { Ask } from '../answer/engine.ts';
import type { Observe } from '../base/observe.ts';
import type { Config } from '../cli/config.ts';
import type { Lanes } from '../lane/lanes.ts';
import { readRecord } from '../routes/record.ts';
import type { FollowReport, Serving } from '../routes/serving.ts';
import { checkSnapshot, servedSnapshot } from '../snapshot/folder.ts';
import { freshnessOf, readFollowStatus } from '../snapshot/follow-status.ts';
import { type Lease, leaseSnapshot } from '../snapshot/lease.ts';
import { tableVersions } from '../snapshot/versions.ts';
import { watchFolder } from '../snapshot/watch.ts';
import type { SnapshotRecord, SnapshotRef } from '../wire/protocol.ts';

export interface Swap {
  readonly serving: () => Serving;
  /** The one in use and the one before it, which may still be answered from. */
  readonly known: (snapshotId: string) => Serving | undefined;
  readonly following: () => FollowReport;
  /** Calls in the turn of the event loop in which another snapshot is served from. */
  onTurn(listener: () => void): void;
  /** Looks at the data folder now. */
  look(): void;
  close(): Promise<void>;
}

export interface SwapOptions {
  readonly config: Pick<Config, 'data' | 'chains' | 'watchEvery'>;
  readonly lanes: Pick<Lanes, 'prepareSnapshot' | 'useSnapshot'>;
  readonly ask: Ask;
  readonly observe: Observe;
  /** Is open and in use already. */
  readonly first: SnapshotRef;
}

/** A snapshot that was refused is tried again after so long, in case the reason was the moment's. */
const RETRY_MS = 10_000;

/** @throws GatewayError where the engine cannot say what it serves */
export async function startSwap(options: SwapOptions): Promise<Swap> {
  const { config, lanes, ask, observe, first } = options;
  let serving = await readServing(first);
  let before = serving;
  const listeners: (() => void)[] = [];
  let lease: Lease = await leaseSnapshot(config.data, first.id);
  let refused: { readonly id: string; readonly why: string; readonly until: number } | undefined;
  let following: FollowReport = { state: 'none', problem: undefined, source: undefined };
  const tellOpened = (ms?: number): void =>
    observe({
      type: 'snapshot-opened',
      id: serving.snapshotId,
      chains: [...serving.chains],
      createdMs: serving.createdMs,
      ...(ms === undefined ? {} : { ms }),
    });
  tellOpened();

  async function readServing(snapshot: SnapshotRef): Promise<Serving> {
    const reply = await ask({ kind: 'snapshot' }, { requestId: 'swap', snapshot: snapshot.id });
    const record = readRecord<SnapshotRecord>(reply.body);
    return {
      snapshotId: snapshot.id,
      versions: await tableVersions(snapshot),
      chains: new Set([...(record?.chains ?? []), ...config.chains.map(Number)]),
      blocks: record?.blocks ?? [],
      createdMs: (record?.createdAt ?? 0) * 1000,
    };
  }

  const turnTo = async (snapshot: SnapshotRef): Promise<void> => {
    const began = performance.now();
    const nextLease = await leaseSnapshot(config.data, snapshot.id);
    try {
      await checkSnapshot(snapshot);
      await lanes.prepareSnapshot(snapshot);
      const next = await readServing(snapshot);
      // In one turn of the event loop: whoever asks from now on names and reads the new one.
      lanes.useSnapshot(snapshot);
      before = serving;
      serving = next;
      for (const tell of listeners) tell();
    } catch (error) {
      await nextLease.release();
      throw error;
    }
    await lease.release();
    lease = nextLease;
    tellOpened(performance.now() - began);
  };

  const lookForSnapshot = async (): Promise<void> => {
    const newest = await servedSnapshot(config.data);
    if (newest === undefined || newest.id === serving.snapshotId) return;
    if (refused?.id === newest.id && performance.now() < refused.until) return;
    try {
      await turnTo({ id: newest.id, path: newest.path });
      refused = undefined;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (refused?.id !== newest.id || refused.why !== why)
        observe({ type: 'snapshot-refused', id: newest.id, why });
      refused = { id: newest.id, why, until: performance.now() + RETRY_MS };
    }
  };

  const lookAtFollower = async (): Promise<void> => {
    const status = await readFollowStatus(config.data);
    const now: FollowReport = { ...freshnessOf(status, Date.now()), source: status?.source };
    const isNews =
      now.problem === undefined ? following.problem !== undefined : now.state !== following.state;
    following = now;
    if (isNews) observe({ type: 'freshness', state: now.state, problem: now.problem ?? null });
  };

  const watch = watchFolder(config.data, config.watchEvery, async () => {
    try {
      await lookForSnapshot();
      await lookAtFollower();
    } catch (error) {
      // The folder cannot be read at this moment: what is served is open already.
      observe({ type: 'note', level: 'warn', text: `the data folder: ${String(error)}` });
    }
  });
  watch.look();

  return {
    serving: () => serving,
    known: (id) => [serving, before].find(({ snapshotId }) => snapshotId === id),
    following: () => following,
    onTurn: (listener) => listeners.push(listener),
    look: watch.look,
    async close() {
      await watch.close();
      await lease.release();
    },
  };
}
