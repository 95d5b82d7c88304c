// The front's way to the engine: which lane a job goes to, what is sent again when a lane dies, which shapes
// are not run any more. Another engine can stand behind this interface.
import type { Abort } from '../abort.ts';
import type { Observe } from '../observe.ts';
import type { Failed, Job, LaneSettings, QueryJob, Reply, SnapshotRef } from '../protocol.ts';
import { createDrainRate } from './drain-rate.ts';
import type { Loss } from './entry.ts';
import { createGuilt } from './guilt.ts';
import { createLane, type Lane } from './lane.ts';
import { type LaneConfig, type LaneOverrides, laneSettings } from './lane-settings.ts';
import { createSuspects } from './suspects.ts';
import {
  LOST_TOO_OFTEN,
  memoryLimit,
  NO_SNAPSHOT,
  REFUSED,
  STOPPING,
  type Ticket,
  timeLimit,
  WAITED,
} from './ticket.ts';

export interface RunOptions {
  /** Aborts when nobody waits any more: the statement is stopped, and the promise rejects with its reason. */
  readonly signal?: Abort;
  /** Whose turn it is in the line: clients are served round robin. */
  readonly client?: string;
  /** Id of a snapshot that was prepared; the one in use where it is not given. */
  readonly snapshot?: string;
}

export interface LaneStats {
  readonly lane: string;
  readonly serving: boolean;
  readonly pending: number;
  /** Of those: begun by a worker, and waiting for one. */
  readonly running: number;
  readonly queued: number;
  readonly deaths: number;
  readonly pid: number | undefined;
  /** Memory of its process as last heard. */
  readonly rssBytes: number;
}

export interface Lanes {
  /** Never rejects but for the signal: what went wrong is in the reply. */
  run(job: Job, options?: RunOptions): Promise<Reply>;
  /** Opens it beside the one in use, in every lane. @throws Error where a lane cannot; the one in use stays so */
  prepareSnapshot(snapshot: SnapshotRef): Promise<void>;
  /** What is asked from this moment on reads it, whatever the lane; what runs ends on the old one. */
  useSnapshot(snapshot: SnapshotRef): void;
  /** Both at once. */
  openSnapshot(snapshot: SnapshotRef): Promise<void>;
  /** Whether a statement can be answered now. */
  healthy(): boolean;
  stats(): readonly LaneStats[];
  /** Ends the processes at once; what runs is lost. */
  close(): Promise<void>;
}

const STORED_DEADLINE_MS = 5_000;
/** A statement that is lost with its lane this often is given up. */
const MAX_LOSSES = 4;
/** Suspects run in so many processes at a time: while one is started anew, the other goes on. */
export const TRIAL_LANES = 2;
/** Stacks of a worker's threads, and its own heap: they count as memory of the process. */
const THREAD_BYTES = 64 * 1024 * 1024;
/** Spares are started when those that serve have started. */
const WARM_AFTER_MS = 2_000;
/** A statement that is out of memory after less has not used it up itself. */
const TOO_SOON_MS = 100;
/** What could not be stopped after less of its time limit was held up by others, not by itself. */
const OWN_FAULT = 0.5;

export function startLanes(config: LaneConfig, observe: Observe, overrides: LaneOverrides = {}): Lanes {
  const rssLimit = (of: LaneSettings): number | undefined =>
    config.laneSpareBytes === 0
      ? undefined
      : of.memoryBytes + config.laneSpareBytes + THREAD_BYTES * of.workers;
  const settings = laneSettings(config, overrides);
  const lane = (of: LaneSettings): Lane =>
    createLane({
      settings: of,
      confinement: { dataBytes: rssLimit(of), workers: of.workers },
      rssLimitBytes: rssLimit(of),
      observe,
    });
  const scan = lane(settings.scan);
  const guilt = createGuilt(observe);
  const drain = createDrainRate();
  let snapshot: SnapshotRef | undefined;
  let closed = false;
  let warmer: NodeJS.Timeout | undefined;

  const suspects = createSuspects({
    lanes: TRIAL_LANES,
    max: config.maxQueue,
    startLane: () => {
      const started = lane(settings.trial);
      if (snapshot !== undefined) started.open(snapshot).catch(() => {});
      return started;
    },
    run: (ticket, to) => send(ticket, to),
    guilty: ({ job }) => job.kind === 'query' && guilt.refused(job),
    answer: (ticket, reply) => answer(ticket, reply),
  });
  const all = (): readonly Lane[] => [scan, ...suspects.lanes];

  const route = (ticket: Ticket): void => {
    const { job } = ticket;
    if (job.kind !== 'query') send(ticket, scan);
    else if (guilt.refused(job)) answer(ticket, REFUSED);
    else if (guilt.suspected(job)) suspects.add(ticket);
    else if (!guilt.known(job) && guilt.distrustful(performance.now())) suspects.add(ticket);
    // While the lane is started anew, those of suspects are its spares.
    else if (!scan.serving && suspects.ready) suspects.add(ticket);
    else send(ticket, scan);
  };

  const send = (ticket: Ticket, to: Lane): void => {
    const { job } = ticket;
    const waitMs = Math.max(1, ticket.until - performance.now());
    const id = to.send({
      job,
      client: ticket.client,
      snapshot: ticket.snapshot,
      waitMs,
      deadlineMs: limitMs(job),
      onReply: (reply, ranMs) => onReply(ticket, to, reply, ranMs),
      onLost: (loss, why, ranMs) => onLost(ticket, to, loss, why, ranMs),
    });
    ticket.at = { lane: to, id };
  };

  /** The last word. @param ranMs engine time that a failure took */
  const answer = (ticket: Ticket, reply: Reply, ranMs = 0): void => {
    ticket.at = undefined;
    const now = performance.now();
    drain.answered(now);
    ticket.resolve(reply.ok ? reply : { ...reply, ...hintOf(reply, now), engineMs: ranMs });
    suspects.done(ticket);
  };
  const hintOf = ({ code }: Failed, now: number): Partial<Failed> => {
    if (code !== 'overloaded') return {};
    const waiting = all().reduce((sum, { pending }) => sum + pending, 0);
    return { retryAfterS: drain.retryAfterS(waiting, now) };
  };

  const onReply = (ticket: Ticket, from: Lane, reply: Reply, ranMs: number): void => {
    const { job } = ticket;
    if (job.kind === 'query') {
      if (reply.ok) guilt.ran(job);
      // No statement eats its share in so short a time: others have left the lane without memory. Alone it has its own.
      if (!reply.ok && reply.code === 'limit-memory' && from === scan && ranMs < TOO_SOON_MS) {
        suspects.add(ticket);
        return;
      }
      // The limits are the client's, not those of the lane that it happened to run in.
      const limit = reply.ok ? undefined : limitReply(job, reply.code, ranMs);
      if (!reply.ok && limit !== undefined) {
        answer(ticket, { ...reply, ...limit }, ranMs);
        return;
      }
    }
    answer(ticket, reply, ranMs);
  };

  const limitReply = (job: QueryJob, code: Failed['code'], ranMs: number): Failed | undefined => {
    if (code === 'limit-time') return outOfTime(job, ranMs);
    return code === 'limit-memory' ? memoryLimit(settings.trial.memoryBytes) : undefined;
  };

  const onLost = (ticket: Ticket, from: Lane, loss: Loss, why: string, ranMs: number): void => {
    const alone = suspects.accuses(ticket, from);
    if (!alone) guilt.death(performance.now());
    // Whoever killed one lane will try again.
    if (!closed) suspects.warm(Math.max(1, config.spareLanes));
    ticket.at = undefined;
    if (closed) {
      answer(ticket, STOPPING);
      return;
    }
    const { job } = ticket;
    if (job.kind === 'query' && loss !== 'queued') {
      const verdict = judge(job, loss, why, ranMs, alone);
      if (verdict !== undefined) {
        answer(ticket, verdict, ranMs);
        return;
      }
    }
    ticket.losses += loss === 'queued' ? 0 : 1;
    if (ticket.losses > MAX_LOSSES) answer(ticket, LOST_TOO_OFTEN, ranMs);
    else if (ticket.gone) suspects.done(ticket);
    else if (job.kind !== 'query' || loss === 'queued') resend(ticket);
    else suspects.add(ticket);
  };
  const resend = (ticket: Ticket): void => {
    suspects.done(ticket);
    route(ticket);
  };

  /** The answer where the statement is to blame; undefined where it is to be run again. */
  const judge = (
    job: QueryJob,
    loss: Loss,
    why: string,
    ranMs: number,
    alone: boolean,
  ): Failed | undefined => {
    if (loss === 'overrun') {
      if (ranMs >= job.limits.deadlineMs * OWN_FAULT)
        guilt.strike(job, 'it could not be stopped at its time limit');
      return outOfTime(job, ranMs);
    }
    if (loss === 'overweight') {
      guilt.strike(job, why);
      return memoryLimit(settings.trial.memoryBytes);
    }
    if (!alone) return undefined;
    guilt.convict(job, why);
    return REFUSED;
  };

  const prepareSnapshot = async (wanted: SnapshotRef): Promise<void> => {
    const serving = all().filter((each) => each.serving);
    // A lane that is just being started must hold nobody up: it serves only once it has what is in use then.
    const needed = serving.length > 0 ? serving : [scan];
    for (const each of all()) if (!needed.includes(each)) each.open(wanted).catch(() => {});
    const results = await Promise.allSettled(needed.map((each) => each.open(wanted)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed === undefined) return;
    // A lane that did open it must not keep it open.
    if (snapshot !== undefined) for (const each of all()) each.use(snapshot);
    throw failed.reason;
  };
  const useSnapshot = (wanted: SnapshotRef): void => {
    if (snapshot === undefined) warmer = setTimeout(() => suspects.warm(config.spareLanes), WARM_AFTER_MS);
    snapshot = wanted;
    for (const each of all()) each.use(wanted);
    guilt.forgive();
  };

  return {
    run(job, { signal, client = '', snapshot: wanted } = {}) {
      if (closed || snapshot === undefined) return Promise.resolve(NO_SNAPSHOT);
      if (signal?.aborted === true) return Promise.reject(signal.reason);
      const reads = wanted ?? snapshot.id;
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          ticket.gone = true;
          ticket.at?.lane.cancel(ticket.at.id);
          reject(signal?.reason);
          // It may still run there; its end, by whatever means, makes room for the next.
          suspects.done(ticket);
        };
        const ticket: Ticket = {
          job,
          client,
          snapshot: reads,
          until: performance.now() + limitMs(job),
          resolve: (reply) => {
            signal?.removeEventListener('abort', abort);
            resolve(reply);
          },
          losses: 0,
          gone: false,
          at: undefined,
        };
        signal?.addEventListener('abort', abort);
        route(ticket);
      });
    },
    prepareSnapshot,
    useSnapshot,
    async openSnapshot(wanted) {
      await prepareSnapshot(wanted);
      useSnapshot(wanted);
    },
    healthy: () => snapshot !== undefined && !closed && scan.serving,
    stats: () => all().map((each, index) => statsOf(LANE_NAMES[index] ?? 'trial', each)),
    async close() {
      closed = true;
      clearTimeout(warmer);
      suspects.close();
      await Promise.all(all().map((each) => each.close()));
    },
  };
}

const LANE_NAMES = ['scan', 'trial', 'trial2'] as const;

function statsOf(lane: string, { serving, pending, running, deaths, pid, rssBytes }: Lane): LaneStats {
  return { lane, serving, pending, running, queued: pending - running, deaths, pid, rssBytes };
}

function limitMs(job: Job): number {
  return 'limits' in job ? job.limits.deadlineMs : STORED_DEADLINE_MS;
}

/** The wait in line is part of what a client waits: whoever had less than its time to run is told so. */
function outOfTime(job: QueryJob, ranMs: number): Failed {
  return ranMs >= job.limits.deadlineMs * OWN_FAULT ? timeLimit(job) : WAITED;
}
