// One lane, kept alive: its process is started, told which snapshot to serve, watched, killed when it cannot
// be stopped otherwise, and started anew. What was in it is given back with how it was lost; whoever sent it
// decides what happens next.
import { GatewayError } from '../errors.ts';
import {
  FRAME,
  type Frame,
  frame,
  jsonFrame,
  MORE,
  numberFrame,
  POISONED,
  parseJson,
  splitReply,
} from '../frames.ts';
import { monotonicMs } from '../monotonic.ts';
import type { Observe } from '../observe.ts';
import type { Answered, Failed, Job, LaneSettings, LaneState, Reply, SnapshotRef } from '../protocol.ts';
import { type BodyStream, createBodyStream } from './body-stream.ts';
import { type LaneProcess, spawnLane } from './process.ts';

/**
 * How a request was lost with its lane: `queued`: it had not begun; `running`: it may have been the cause;
 * `overrun`: it was the cause, it could not be stopped.
 */
export type Loss = 'queued' | 'running' | 'overrun';

export interface LaneRequest {
  readonly job: Job;
  readonly client: string;
  /** The lane is killed this long plus {@link GRACE_MS} after the request was sent. */
  readonly deadlineMs: number;
  readonly onReply: (reply: Reply) => void;
  readonly onLost: (loss: Loss, why: string) => void;
}

export interface Lane {
  readonly serving: boolean;
  /** Requests that are not answered to their end. */
  readonly pending: number;
  readonly pid: number | undefined;
  /** How often its process ended by itself or was killed, since the start. */
  readonly deaths: number;
  /** Gives an id for {@link cancel}. Held back while no process serves. */
  send(request: LaneRequest): number;
  /** Nobody waits any more: no callback of this request is called again. */
  cancel(id: number): void;
  /** Serves this snapshot from now on. @throws Error why the process cannot */
  open(snapshot: SnapshotRef): Promise<void>;
  close(): Promise<void>;
}

export interface LaneOptions {
  readonly settings: LaneSettings;
  readonly dataBytes: number | undefined;
  readonly observe: Observe;
}

/** After the deadline, `interrupt()` has this long to work; then the process is killed. */
export const GRACE_MS = 500;
const TICK_MS = 50;
/** A tick that comes so late says that this process was held up: answers may be waiting unread. */
const LATE_TICK_MS = 250;
const PING_MS = 1_000;
const SILENT_MS = 5_000;
/** A lane has this long to open a snapshot. */
const START_MS = 30_000;
/** What was held back for so long while no process served is given up. */
const HOLD_MS = 10_000;
/** A process that ends so often before it serves is not waited for any longer by whoever opened the snapshot. */
const OPEN_TRIES = 3;
const BACKOFF_MS = [0, 100, 200, 400, 800, 1600, 3200, 5000] as const;

interface Entry {
  readonly request: LaneRequest;
  readonly since: number;
  sent: boolean;
  started: boolean;
  abandoned: boolean;
  overrun: boolean;
  stream: BodyStream | undefined;
  lastActivity: number;
}

interface Opening {
  readonly id: string;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export function createLane(options: LaneOptions): Lane {
  const { settings, observe } = options;
  const name = settings.lane;
  const entries = new Map<number, Entry>();
  let process: LaneProcess | undefined;
  let serving = false;
  let spawnedAt = 0;
  let failures = 0;
  let deaths = 0;
  let lastId = 0;
  let snapshot: SnapshotRef | undefined;
  let served: SnapshotRef | undefined;
  let openings: Opening[] = [];
  let closing: (() => void) | undefined;
  let lastWords = '';
  let lastPong = 0;
  let lastPing = 0;
  let lastTick = monotonicMs();
  let respawn: NodeJS.Timeout | undefined;

  const forget = (id: number): void => {
    entries.delete(id);
  };

  const kill = (why: string): void => {
    if (process === undefined) return;
    observe({ type: 'lane-killed', lane: name, pid: process.pid, why });
    process.kill();
  };

  const start = (): void => {
    respawn = undefined;
    if (closing !== undefined || process !== undefined || snapshot === undefined) return;
    spawnedAt = monotonicMs();
    lastPong = spawnedAt;
    process = spawnLane(settings, options.dataBytes, {
      onFrame,
      onEnd,
      onWords: (text) => {
        lastWords = text;
        observe({ type: 'note', level: 'warn', text: `lane ${name}: ${text}` });
      },
    });
    process.send(jsonFrame(FRAME.open, 0, snapshot));
  };

  const onEnd = (why: string): void => {
    const pid = process?.pid ?? 0;
    process = undefined;
    if (!serving) failures += 1;
    serving = false;
    if (failures >= OPEN_TRIES) {
      const given = openings;
      openings = [];
      for (const opening of given)
        opening.reject(new Error(`lane ${name} ended before it served: ${lastWords || why}`));
    }
    deaths += 1;
    if (closing === undefined) {
      observe({ type: 'lane-ended', lane: name, pid, why });
      const wait = BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)] ?? 0;
      respawn = setTimeout(start, wait);
    }
    for (const [id, entry] of [...entries]) {
      if (!entry.sent && closing === undefined) continue;
      forget(id);
      if (entry.stream !== undefined)
        entry.stream.fail(new GatewayError('not-ready', 'the engine process of this answer ended'));
      else if (!entry.abandoned || entry.overrun)
        entry.request.onLost(entry.overrun ? 'overrun' : entry.started ? 'running' : 'queued', why);
    }
    closing?.();
  };

  const sendNow = (id: number, entry: Entry): void => {
    entry.sent = true;
    entry.lastActivity = monotonicMs();
    process?.send(jsonFrame(FRAME.run, id, { job: entry.request.job, client: entry.request.client }));
  };

  const onState = (state: LaneState): void => {
    const settled = openings.filter((opening) => opening.id === state.snapshot);
    openings = openings.filter((opening) => opening.id !== state.snapshot);
    if (state.state === 'failed') {
      observe({
        type: 'note',
        level: 'error',
        text: `lane ${name} cannot open ${state.snapshot}: ${state.why}`,
      });
      for (const opening of settled) opening.reject(new Error(state.why));
      if (snapshot?.id === state.snapshot) snapshot = served ?? snapshot;
      if (!serving) process?.kill();
      return;
    }
    served = snapshot?.id === state.snapshot ? snapshot : served;
    failures = 0;
    if (!serving && process !== undefined) {
      serving = true;
      observe({ type: 'lane-started', lane: name, pid: process.pid, ms: monotonicMs() - spawnedAt });
    }
    for (const opening of settled) opening.resolve();
    for (const [id, entry] of entries) if (!entry.sent) sendNow(id, entry);
  };

  const onReplyFrame = (id: number, entry: Entry, received: Frame): void => {
    const { head, body } = splitReply(received.payload);
    const failed = head as Failed | { readonly ok: true };
    if ((received.flags & POISONED) !== 0) {
      // Its own answer is worth nothing; how it was lost decides.
      kill(failed.ok ? 'the engine is broken' : `the engine is broken: ${failed.detail ?? failed.message}`);
      return;
    }
    if ((received.flags & MORE) === 0) {
      forget(id);
      if (!entry.abandoned)
        entry.request.onReply(failed.ok ? ({ ...(head as Answered), body } satisfies Reply) : failed);
      return;
    }
    entry.lastActivity = monotonicMs();
    entry.stream = createBodyStream({
      onTaken: (bytes) => {
        entry.lastActivity = monotonicMs();
        process?.send(numberFrame(FRAME.credit, id, bytes));
      },
      onLeft: () => cancel(id),
    });
    // The first part counts against the first credit like every other.
    process?.send(numberFrame(FRAME.credit, id, body.byteLength));
    if (entry.abandoned) return;
    entry.request.onReply({ ...(head as Answered), body, rest: entry.stream.parts });
  };

  const onFrame = (received: Frame): void => {
    if (received.kind === FRAME.state) {
      onState(parseJson(received.payload) as LaneState);
      return;
    }
    if (received.kind === FRAME.pong) {
      lastPong = monotonicMs();
      return;
    }
    const entry = entries.get(received.id);
    if (entry === undefined) return;
    switch (received.kind) {
      case FRAME.started:
        entry.started = true;
        return;
      case FRAME.reply:
        onReplyFrame(received.id, entry, received);
        return;
      case FRAME.data:
        entry.lastActivity = monotonicMs();
        entry.stream?.push(received.payload);
        return;
      case FRAME.end: {
        forget(received.id);
        const end = parseJson(received.payload) as Failed | { readonly ok: true };
        if (end.ok) entry.stream?.end();
        else entry.stream?.fail(new GatewayError(end.code, end.message));
        if ((received.flags & POISONED) !== 0) kill('the engine is broken');
        return;
      }
    }
  };

  const cancel = (id: number): void => {
    const entry = entries.get(id);
    if (entry === undefined) return;
    if (!entry.sent) {
      forget(id);
      return;
    }
    // Stays watched: a statement that cannot be stopped must not hold the lane for ever.
    entry.abandoned = true;
    process?.send(frame(FRAME.cancel, id));
  };

  const overruns = (entry: Entry, now: number): boolean => {
    if (!entry.started) return false;
    const limit = entry.request.deadlineMs + GRACE_MS;
    if (entry.stream === undefined) return now - entry.since > limit;
    return entry.stream.drained && now - entry.lastActivity > limit;
  };

  const tick = (): void => {
    const now = monotonicMs();
    const late = now - lastTick > LATE_TICK_MS;
    lastTick = now;
    if (process !== undefined && !serving && now - spawnedAt > START_MS) kill('it does not start');
    if (process !== undefined && now - lastPing > PING_MS) {
      lastPing = now;
      process.send(frame(FRAME.ping, 0));
    }
    if (late) return;
    if (process !== undefined && now - lastPong > SILENT_MS + PING_MS) {
      lastPong = now;
      kill('it does not answer');
      return;
    }
    let guilty = 0;
    for (const [id, entry] of [...entries]) {
      if (!entry.sent) {
        if (now - entry.since < HOLD_MS) continue;
        forget(id);
        entry.request.onReply({ ok: false, code: 'not-ready', message: 'the engine is being started' });
      } else if (overruns(entry, now)) {
        entry.overrun = true;
        guilty += 1;
      }
    }
    if (guilty > 0) kill('a statement could not be stopped at its deadline');
  };
  const ticker = setInterval(tick, TICK_MS);

  return {
    get serving() {
      return serving;
    },
    get pending() {
      return entries.size;
    },
    get pid() {
      return process?.pid;
    },
    get deaths() {
      return deaths;
    },
    send(request) {
      lastId = lastId === 0xffffffff ? 1 : lastId + 1;
      const entry: Entry = {
        request,
        since: monotonicMs(),
        sent: false,
        started: false,
        abandoned: false,
        overrun: false,
        stream: undefined,
        lastActivity: 0,
      };
      entries.set(lastId, entry);
      if (serving) sendNow(lastId, entry);
      return lastId;
    },
    cancel,
    open(wanted) {
      snapshot = wanted;
      return new Promise((resolve, reject) => {
        openings.push({ id: wanted.id, resolve, reject });
        if (process === undefined && respawn === undefined) start();
        else process?.send(jsonFrame(FRAME.open, 0, wanted));
      });
    },
    async close() {
      clearInterval(ticker);
      clearTimeout(respawn);
      const ended = new Promise<void>((resolve) => {
        closing = resolve;
      });
      for (const opening of openings) opening.reject(new Error('the lanes are being closed'));
      openings = [];
      if (process === undefined) return;
      process.kill();
      await ended;
    },
  };
}
