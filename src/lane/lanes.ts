// The front's way to the engine: which lane a job goes to, what is sent again when a lane dies, which shapes
// are not run any more. Another engine can stand behind this interface.
import type { Config } from '../config.ts';
import type { Observe } from '../observe.ts';
import type { Failed, Job, LaneSettings, QueryJob, Reply, SnapshotRef } from '../protocol.ts';
import { createLane, type Lane, type Loss } from './lane.ts';
import { createShapes } from './shapes.ts';

export interface RunOptions {
  /** Aborts when nobody waits any more: the statement is stopped, and the promise rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Whose turn it is in the line: clients are served round robin. */
  readonly client?: string;
  /** Id of a snapshot that was prepared; the one in use where it is not given. */
  readonly snapshot?: string;
}

export interface LaneStats {
  readonly lane: string;
  readonly serving: boolean;
  readonly pending: number;
  readonly deaths: number;
  readonly pid: number | undefined;
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

/** For tests of the engine alone; see {@link LaneSettings}. */
export interface LaneOverrides {
  readonly compiler?: string;
  readonly gate?: boolean;
}

/** A statement in the fast lane that takes longer is stopped there and run in the wide one. */
const FAST_DEADLINE_MS = 500;
const STORED_DEADLINE_MS = 5_000;
/** A statement that is lost with its lane this often is given up. */
const MAX_LOSSES = 4;
/** So many deaths of a lane within the window, and shapes that never ran cleanly go one at a time. */
const DEATHS_OF_DISTRUST = 3;
const DISTRUST_MS = 30_000;
/** Overruns that a shape with clean runs may have before it is refused; each such statement is refused at once. */
const STRIKES = 5;

export type LaneConfig = Pick<
  Config,
  | 'fastWorkers'
  | 'wideWorkers'
  | 'wideThreads'
  | 'fastMemoryBytes'
  | 'wideMemoryBytes'
  | 'maxQueue'
  | 'laneSpareBytes'
  | 'streamBytes'
  | 'stallMs'
  | 'planShapes'
>;

interface Ticket {
  readonly job: Job;
  readonly client: string;
  readonly snapshot: string;
  readonly until: number;
  readonly resolve: (reply: Reply) => void;
  losses: number;
  /** Taken back by the signal. */
  gone: boolean;
  at: { readonly lane: Lane; readonly id: number } | undefined;
}

const REFUSED: Failed = {
  ok: false,
  code: 'statement-refused',
  message: 'a statement of this shape took the engine down before and is not run again: write it differently',
};

export function startLanes(config: LaneConfig, observe: Observe, overrides: LaneOverrides = {}): Lanes {
  const settings = (lane: LaneSettings['lane'], part: Partial<LaneSettings>): LaneSettings => ({
    lane,
    workers: 1,
    threads: 1,
    memoryBytes: config.wideMemoryBytes,
    maxQueue: config.maxQueue,
    streamBytes: config.streamBytes,
    stallMs: config.stallMs,
    plans: config.planShapes,
    gate: overrides.gate ?? true,
    ...(overrides.compiler === undefined ? {} : { compiler: overrides.compiler }),
    ...part,
  });
  const lane = (of: LaneSettings): Lane =>
    createLane({
      settings: of,
      dataBytes: config.laneSpareBytes === 0 ? undefined : of.memoryBytes + config.laneSpareBytes,
      observe,
    });
  const fast = lane(settings('fast', { workers: config.fastWorkers, memoryBytes: config.fastMemoryBytes }));
  const wideSettings = settings('wide', { workers: config.wideWorkers, threads: config.wideThreads });
  const wide = lane(wideSettings);
  /** Started when a lane first dies: suspects run here, one at a time. */
  let trial: Lane | undefined;
  const suspects: Ticket[] = [];
  let onTrial: Ticket | undefined;

  const shapes = createShapes();
  const strikes = new Map<string, number>();
  const deaths: number[] = [];
  let snapshot: SnapshotRef | undefined;
  let closed = false;

  const distrustful = (): boolean => {
    const now = performance.now();
    while (deaths.length > 0 && now - (deaths[0] ?? 0) > DISTRUST_MS) deaths.shift();
    return deaths.length >= DEATHS_OF_DISTRUST;
  };

  const route = (ticket: Ticket): void => {
    const { job } = ticket;
    if (job.kind !== 'query') {
      send(ticket, fast.serving || !wide.serving ? fast : wide);
      return;
    }
    const why = shapes.refused(job.shape) ?? shapes.refused(statementKey(job));
    if (why !== undefined) {
      finish(ticket, REFUSED);
      return;
    }
    if (shapes.lane(job.shape) === 'fast' && fast.serving) send(ticket, fast);
    else if (!shapes.known(job.shape) && distrustful()) suspect(ticket);
    else send(ticket, wide);
  };

  const send = (ticket: Ticket, to: Lane): void => {
    const { job } = ticket;
    const left = Math.max(1, ticket.until - performance.now());
    const deadlineMs = to === fast && job.kind === 'query' ? Math.min(left, FAST_DEADLINE_MS) : left;
    const asked: Job =
      job.kind === 'query' ? { ...job, limits: { ...job.limits, deadlineMs: Math.ceil(deadlineMs) } } : job;
    const id = to.send({
      job: asked,
      client: ticket.client,
      snapshot: ticket.snapshot,
      deadlineMs,
      onReply: (reply) => onReply(ticket, to, reply),
      onLost: (loss, why) => onLost(ticket, to, loss, why),
    });
    ticket.at = { lane: to, id };
  };

  const finish = (ticket: Ticket, reply: Reply): void => {
    ticket.at = undefined;
    if (ticket === onTrial) {
      onTrial = undefined;
      nextOnTrial();
    }
    ticket.resolve(reply);
  };

  const onReply = (ticket: Ticket, from: Lane, reply: Reply): void => {
    const { job } = ticket;
    if (job.kind === 'query') {
      if (reply.ok) shapes.ran(job.shape, reply.engineMs + reply.encodeMs);
      else if (from === fast && (reply.code === 'limit-time' || reply.code === 'limit-memory')) {
        shapes.demote(job.shape);
        if (ticket.until - performance.now() > 1) {
          send(ticket, wide);
          return;
        }
      }
      // The fast lane's own deadline is not the client's.
      if (!reply.ok && reply.code === 'limit-time') {
        finish(ticket, timeLimit(job));
        return;
      }
    }
    finish(ticket, reply);
  };

  const onLost = (ticket: Ticket, from: Lane, loss: Loss, why: string): void => {
    if (from !== trial) noteDeath();
    ticket.at = undefined;
    if (closed) {
      finish(ticket, { ok: false, code: 'not-ready', message: 'the gateway is stopping' });
      return;
    }
    const { job } = ticket;
    if (job.kind === 'query' && loss === 'overrun') {
      strike(job, 'it could not be stopped at its time limit');
      finish(ticket, timeLimit(job));
      return;
    }
    ticket.losses += loss === 'running' ? 1 : 0;
    if (job.kind === 'query' && loss === 'running' && from === trial) {
      shapes.refuse(job.shape, why);
      observe({ type: 'shape-refused', shape: job.shape, why: `alone in a lane it ended it (${why})` });
      finish(ticket, REFUSED);
      return;
    }
    if (ticket.losses > MAX_LOSSES) {
      finish(ticket, { ok: false, code: 'not-ready', message: 'the engine was restarted too often' });
      return;
    }
    if (ticket.gone) return;
    if (job.kind === 'query' && loss === 'running') suspect(ticket);
    else route(ticket);
  };

  /** All that a lane's death gives back comes in one turn of the event loop: it is one death. */
  let noted = false;
  const noteDeath = (): void => {
    if (noted) return;
    noted = true;
    setImmediate(() => {
      noted = false;
    });
    deaths.push(performance.now());
  };

  const strike = (job: QueryJob, why: string): void => {
    const count = (strikes.get(job.shape) ?? 0) + 1;
    strikes.set(job.shape, count);
    // A client must not be able to take a shape that others use away with one bad value.
    const isShape = !shapes.known(job.shape) || count >= STRIKES;
    shapes.refuse(isShape ? job.shape : statementKey(job), why);
    shapes.demote(job.shape);
    observe({ type: 'shape-refused', shape: job.shape, why });
  };

  const suspect = (ticket: Ticket): void => {
    if (suspects.length >= config.maxQueue) {
      finish(ticket, {
        ok: false,
        code: 'overloaded',
        message: 'too many statements are waiting; try again',
      });
      return;
    }
    suspects.push(ticket);
    nextOnTrial();
  };

  const nextOnTrial = (): void => {
    if (onTrial !== undefined || closed) return;
    for (;;) {
      const ticket = suspects.shift();
      if (ticket === undefined) return;
      if (ticket.gone) continue;
      const { job } = ticket;
      if (job.kind === 'query' && shapes.refused(job.shape) !== undefined) {
        ticket.resolve(REFUSED);
        continue;
      }
      if (performance.now() > ticket.until) {
        ticket.resolve({
          ok: false,
          code: 'overloaded',
          message: 'the statement waited for too long; try again',
        });
        continue;
      }
      onTrial = ticket;
      send(ticket, startTrial());
      return;
    }
  };

  const startTrial = (): Lane => {
    if (trial === undefined) {
      trial = lane({ ...wideSettings, lane: 'trial', workers: 1 });
      if (snapshot !== undefined) trial.open(snapshot).catch(() => {});
    }
    return trial;
  };

  const all = (): readonly Lane[] => [fast, wide, ...(trial === undefined ? [] : [trial])];
  const prepareSnapshot = async (wanted: SnapshotRef): Promise<void> => {
    const results = await Promise.allSettled(all().map((each) => each.open(wanted)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed === undefined) return;
    // A lane that did open it must not keep it open.
    if (snapshot !== undefined) for (const each of all()) each.use(snapshot);
    throw failed.reason;
  };
  const useSnapshot = (wanted: SnapshotRef): void => {
    snapshot = wanted;
    for (const each of all()) each.use(wanted);
    shapes.forgive();
    strikes.clear();
  };

  return {
    run(job, { signal, client = '', snapshot: wanted } = {}) {
      if (closed || snapshot === undefined)
        return Promise.resolve({ ok: false, code: 'not-ready', message: 'there is no snapshot to read yet' });
      if (signal?.aborted === true) return Promise.reject(signal.reason);
      const reads = wanted ?? snapshot.id;
      return new Promise((resolve, reject) => {
        const limit = job.kind === 'query' ? job.limits.deadlineMs : STORED_DEADLINE_MS;
        const abort = (): void => {
          ticket.gone = true;
          ticket.at?.lane.cancel(ticket.at.id);
          reject(signal?.reason);
          // It may still run there; its end, by whatever means, makes room for the next.
          if (ticket === onTrial) trialGone(ticket);
        };
        const ticket: Ticket = {
          job,
          client,
          snapshot: reads,
          until: performance.now() + limit,
          resolve: (reply) => {
            signal?.removeEventListener('abort', abort);
            resolve(reply);
          },
          losses: 0,
          gone: false,
          at: undefined,
        };
        signal?.addEventListener('abort', abort, { once: true });
        route(ticket);
      });
    },
    prepareSnapshot,
    useSnapshot,
    async openSnapshot(wanted) {
      await prepareSnapshot(wanted);
      useSnapshot(wanted);
    },
    healthy: () => snapshot !== undefined && !closed && (wide.serving || fast.serving),
    stats: () =>
      Object.entries({ fast, wide, trial }).flatMap(([name, each]) =>
        each === undefined
          ? []
          : [
              {
                lane: name,
                serving: each.serving,
                pending: each.pending,
                deaths: each.deaths,
                pid: each.pid,
              },
            ],
      ),
    async close() {
      closed = true;
      await Promise.all([fast.close(), wide.close(), trial?.close()]);
    },
  };

  function trialGone(ticket: Ticket): void {
    if (ticket !== onTrial) return;
    onTrial = undefined;
    nextOnTrial();
  }
}

function timeLimit(job: QueryJob): Failed {
  return {
    ok: false,
    code: 'limit-time',
    message: `the statement ran longer than the limit of ${job.limits.deadlineMs} ms`,
  };
}

function statementKey(job: QueryJob): string {
  return JSON.stringify([job.shape, job.literals]);
}
