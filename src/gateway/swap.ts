// Serves the current snapshot of the data folder, whoever puts it there: opens it beside the one in use, turns to it
// in one moment, which may be said by its activation.json, and lets go of the old one. One that cannot be served is said
// and left; the old one stays.
import type { Ask } from '../answer/engine.ts';
import type { Observe } from '../base/observe.ts';
import type { Config } from '../cli/config.ts';
import { readRecord } from '../routes/record.ts';
import type { FollowReport, Serving } from '../routes/serving.ts';
import { checkSnapshot } from '../snapshot/folder.ts';
import { freshnessOf, readFollowStatus } from '../snapshot/follow-status.ts';
import { type Lease, leaseSnapshot } from '../snapshot/lease.ts';
import { lastStep, type Step, stepsTo } from '../snapshot/next.ts';
import { type TableVersions, tableVersions, versionsOf } from '../snapshot/versions.ts';
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
  readonly lanes: Opens;
  readonly ask: Ask;
  readonly observe: Observe;
  /** Is open and in use already. */
  readonly first: SnapshotRef;
  readonly beside?: Beside;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Engines that open snapshots. */
export interface Opens {
  /** @param versions of its tables */
  prepareSnapshot(snapshot: SnapshotRef, versions: TableVersions): Promise<void>;
  useSnapshot(snapshot: SnapshotRef): void;
}

/** Others who answer from what is served, and turn in the same moment. */
export interface Beside {
  /**
   * Makes them ready.
   * @param atMs when they will be turned, since 1970; what they begin after that reads what is new
   * @throws Error why one cannot be
   */
  prepare(next: Serving, snapshot: SnapshotRef, atMs: number): Promise<void>;
  /** Calls `commit` once none of them begins anything more that reads what was served before. Never rejects. */
  turn(id: string, commit: () => void): Promise<void>;
  /** What was prepared is not turned to. */
  drop(id: string): void;
}

/** Open in all lanes beside the one in use. */
interface Ready {
  readonly snapshot: SnapshotRef;
  readonly serving: Serving;
  readonly lease: Lease;
  /** When it is to be turned to. */
  readonly atMs: number;
  readonly openedInMs: number;
}

/** A snapshot that was refused is tried again after so long, in case the reason was the moment's. */
const RETRY_MS = 10_000;
/** A clock that is set is noticed after so long. */
const CLOCK_MS = 1_000;

/** @throws GatewayError where the engine cannot say what it serves */
export async function startSwap(options: SwapOptions): Promise<Swap> {
  const { config, lanes, ask, observe, first, beside, now = Date.now } = options;
  let serving = await readServing(first);
  let before = serving;
  const listeners: (() => void)[] = [];
  let lease: Lease = await leaseSnapshot(config.data, first.id);
  let refused: { readonly id: string; readonly why: string; readonly until: number } | undefined;
  let steps: readonly Step[] = [];
  let pending: Ready | undefined;
  let timer: NodeJS.Timeout | undefined;
  let turning: Promise<void> | undefined;
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

  async function readServing(snapshot: SnapshotRef, versions?: TableVersions): Promise<Serving> {
    const reply = await ask({ kind: 'snapshot' }, { requestId: 'swap', snapshot: snapshot.id });
    const record = readRecord<SnapshotRecord>(reply.body);
    return {
      snapshotId: snapshot.id,
      versions: versions ?? (await tableVersions(snapshot)),
      chains: new Set([...(record?.chains ?? []), ...config.chains.map(Number)]),
      blocks: record?.blocks ?? [],
      createdMs: (record?.createdAt ?? 0) * 1000,
    };
  }

  const prepare = async ({ snapshot, atMs }: Step): Promise<Ready> => {
    const began = performance.now();
    const nextLease = await leaseSnapshot(config.data, snapshot.id);
    try {
      // Of tens of thousands of tables it takes its time to be read: once is enough.
      const versions = versionsOf(await checkSnapshot(snapshot));
      await lanes.prepareSnapshot(snapshot, versions);
      const next = await readServing(snapshot, versions);
      await beside?.prepare(next, snapshot, atMs);
      return { snapshot, serving: next, lease: nextLease, atMs, openedInMs: performance.now() - began };
    } catch (error) {
      await nextLease.release();
      throw error;
    }
  };

  const turnTo = (next: Ready): void => {
    if (pending === next) forgetPending();
    if (beside === undefined) commit(next);
    else
      turning = beside
        .turn(next.snapshot.id, () => commit(next))
        .finally(() => {
          turning = undefined;
        });
  };

  /** In one turn of the event loop: whoever asks from now on names and reads the new one. */
  const commit = (next: Ready): void => {
    lanes.useSnapshot(next.snapshot);
    before = serving;
    serving = next.serving;
    for (const tell of listeners) tell();
    lease.release();
    lease = next.lease;
    tellOpened(next.openedInMs);
    // There may be another one behind it.
    watch.look();
  };

  const forgetPending = (): void => {
    clearTimeout(timer);
    pending = undefined;
  };
  const turnInTime = (): void => {
    if (pending === undefined) return;
    const leftMs = pending.atMs - now();
    if (leftMs <= 0) turnTo(pending);
    else timer = setTimeout(turnInTime, Math.min(leftMs, CLOCK_MS));
  };
  /** Asked by every request: none that comes after the moment reads what was served before it, however late the timer is. */
  const servingNow = (): Serving => {
    if (pending !== undefined && now() >= pending.atMs) turnTo(pending);
    return serving;
  };

  const lookForSnapshot = async (): Promise<void> => {
    await turning;
    const last = await lastStep(config.data, now());
    // One that was waited for came meanwhile: its commit looks again.
    if (turning !== undefined) return;
    steps = stepsTo(last, steps, serving.snapshotId, now());
    const [next = undefined] = steps.filter(
      ({ snapshot }) => refused?.id !== snapshot.id || performance.now() >= refused.until,
    );
    if (pending !== undefined) {
      if (pending.snapshot.id === next?.snapshot.id && pending.atMs === next.atMs) return;
      const { lease: dropped, snapshot } = pending;
      forgetPending();
      beside?.drop(snapshot.id);
      await dropped.release();
    }
    if (next === undefined) return;
    const { id } = next.snapshot;
    if (next.fault !== undefined)
      observe({ type: 'note', level: 'warn', text: `snapshot ${id} is turned to at once: ${next.fault}` });
    try {
      const ready = await prepare(next);
      refused = undefined;
      const lateMs = now() - ready.atMs;
      const moment = new Date(ready.atMs).toISOString();
      if (lateMs >= 0) {
        turnTo(ready);
        if (ready.atMs > 0)
          observe({
            type: 'note',
            level: 'warn',
            text: `snapshot ${id} was ready ${lateMs} ms after ${moment}`,
          });
        return;
      }
      observe({ type: 'note', level: 'info', text: `snapshot ${id} is ready, and served from ${moment} on` });
      pending = ready;
      turnInTime();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (refused?.id !== id || refused.why !== why) observe({ type: 'snapshot-refused', id, why });
      refused = { id, why, until: performance.now() + RETRY_MS };
    }
  };

  const lookAtFollower = async (): Promise<void> => {
    const status = await readFollowStatus(config.data);
    const report: FollowReport = { ...freshnessOf(status, now()), source: status?.source };
    const isNews =
      report.problem === undefined ? following.problem !== undefined : report.state !== following.state;
    following = report;
    if (isNews) observe({ type: 'freshness', state: report.state, problem: report.problem ?? null });
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
    serving: servingNow,
    known: (id) => [serving, before].find(({ snapshotId }) => snapshotId === id),
    following: () => following,
    onTurn: (listener) => listeners.push(listener),
    look: watch.look,
    async close() {
      await watch.close();
      await turning;
      const held = pending?.lease;
      forgetPending();
      await Promise.all([lease.release(), held?.release()]);
    },
  };
}
