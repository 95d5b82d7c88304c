// One lane, kept alive: its process is started, told which snapshot to serve, watched, killed when it cannot
// be stopped otherwise, and started anew. What was in it is given back with how it was lost; whoever sent it
// decides what happens next.
import { resolve as absolute } from 'node:path';
import { monotonicMs } from '../base/monotonic.ts';
import type { Observe } from '../base/observe.ts';
import {
  FRAME,
  type Frame,
  frame,
  MORE,
  numberFrame,
  ownMemory,
  POISONED,
  parseJson,
  splitReply,
} from '../wire/frames.ts';
import type { Answered, Failed, LaneSettings, LaneState, SnapshotRef } from '../wire/protocol.ts';
import { createBackoff } from './backoff.ts';
import type { Confinement } from './confine.ts';
import {
  begun,
  type Entry,
  heldTooLong,
  type LaneRequest,
  markOverweight,
  newEntry,
  overruns,
  ranMs,
} from './entry.ts';
import { Openings } from './openings.ts';
import { beginParts, endParts, giveBack, handOn, takeLost } from './parts.ts';
import { isSequential, type LaneProcess, NOT_READY, spawnLane } from './process.ts';
import { createPulse, type Pulse } from './pulse.ts';
import { Wear } from './wear.ts';

export interface Lane {
  readonly serving: boolean;
  /** It keeps ending by itself: what is sent is answered `not-ready` at once. */
  readonly down: boolean;
  /** Requests that are not answered to their end. */
  readonly pending: number;
  /** Of those, the ones that a worker has begun. */
  readonly running: number;
  /** Whether it sends an answer in parts. */
  readonly streaming: boolean;
  readonly pid: number | undefined;
  /** How often its process ended by itself or was killed, since the start; not because it was worn. */
  readonly deaths: number;
  readonly wear: Wear;
  /** By its process, as last heard. */
  readonly said: Pulse['said'];
  /** Gives an id for {@link cancel}. Held back while no process serves. */
  send(request: LaneRequest): number;
  /** Nobody waits any more: no callback of this request is called again. */
  cancel(id: number): void;
  /** Ends the process of a long lane, and gives back what it ran: it is to make room for others. */
  putBack(id: number): void;
  /** Opens this snapshot beside the one in use; the first is in use at once. @throws Error why it cannot */
  open(snapshot: SnapshotRef): Promise<void>;
  /** No request names another snapshot from now on; the others are closed when they are done. */
  use(snapshot: SnapshotRef): void;
  close(): Promise<void>;
}

export interface LaneOptions {
  readonly settings: LaneSettings;
  readonly confinement: Confinement;
  /** A process whose memory passes this is killed; undefined: none is. */
  readonly rssLimitBytes: number | undefined;
  readonly observe: Observe;
}

const TICK_MS = 50;
/** A tick that comes so late says that this process was held up: answers may be waiting unread. */
const LATE_TICK_MS = 250;
/** Time to stop by itself when nobody waits any more. */
const LEAVE_MS = 30;
/** A lane has this long to open a snapshot. */
const START_MS = 30_000;

export function createLane(options: LaneOptions): Lane {
  const { settings, observe, rssLimitBytes } = options;
  const name = settings.lane;
  /** What is sent first runs first, and alone. */
  const sequential = isSequential(settings);
  const entries = new Map<number, Entry>();
  let process: LaneProcess | undefined;
  /** Its end is on the way, and nothing is in it any more. */
  let killed: LaneProcess | undefined;
  let serving = false;
  let spawnedAt = 0;
  let servedAt = 0;
  const backoff = createBackoff();
  const pulse = createPulse();
  let deaths = 0;
  /** Snapshots whose engines it has closed, and that stay with its process. */
  const wear = new Wear();
  let lastId = 0;
  let used: SnapshotRef | undefined;
  /** Being opened, or open beside the one in use. */
  let next: SnapshotRef | undefined;
  const openings = new Openings();
  let closing: (() => void) | undefined;
  let lastWords = '';
  let lastTick = monotonicMs();
  let respawn: NodeJS.Timeout | undefined;

  const forget = (id: number): void => {
    entries.delete(id);
    if (sequential) beginNext();
    else handOn(entries);
  };
  /** It says nothing of a begin: that would cost more than the statement. */
  const beginNext = (): void => {
    const first = entries.values().next().value;
    if (first?.sent === true) first.startedAt ??= monotonicMs();
  };

  const kill = (why: string): void => {
    if (process === undefined || killed === process) return;
    killed = process;
    observe({ type: 'lane-killed', lane: name, pid: process.pid, why });
    process.kill();
    // Its end takes a second where others want the processor: those who wait for it know enough.
    lose(why);
  };

  const start = (): void => {
    respawn = undefined;
    if (closing !== undefined || process !== undefined || used === undefined) return;
    spawnedAt = monotonicMs();
    pulse.begin(spawnedAt);
    wear.begin();
    process = spawnLane(settings, options.confinement, {
      onFrame,
      onEnd,
      onWords: (text) => {
        lastWords = text;
        observe({ type: 'note', level: 'warn', text: `lane ${name}: ${text}` });
      },
    });
    process.json(FRAME.open, 0, used);
    if (next !== undefined) process.json(FRAME.open, 0, next);
  };

  const onEnd = (why: string): void => {
    const isLost = killed === process;
    if (closing === undefined) observe({ type: 'lane-ended', lane: name, pid: process?.pid ?? 0, why });
    process = undefined;
    killed = undefined;
    if (!isLost || closing !== undefined) lose(why);
    if (closing === undefined) {
      respawn = setTimeout(start, backoff.waitMs);
      if (backoff.down) giveUp(why);
    }
    closing?.();
  };

  /** Gives back what was sent to the process, which has ended or is about to. */
  const lose = (why: string): void => {
    const now = monotonicMs();
    const lost = takeLost(entries, closing !== undefined);
    backoff.ended(serving ? now - servedAt : 0, !wear.spent && !lost.some((entry) => ranMs(entry, now) > 0));
    if (serving) refuseNext(`lane ${name} ended while it opened it: ${lastWords || why}`);
    serving = false;
    // That of a long lane is how a statement is stopped; that of a worn one is planned.
    if (name !== 'long' && !wear.spent) deaths += 1;
    giveBack(lost, why, now);
  };

  /** A snapshot that takes a lane down as it is opened must not do so again and again. */
  const refuseNext = (why: string): void => {
    if (next !== undefined && openings.settle(next.id, why)) next = undefined;
  };

  /** Nobody waits any longer for a process that does not come; it is tried again all the same. */
  const giveUp = (why: string): void => {
    openings.settle(undefined, `lane ${name} ended before it served: ${lastWords || why}`);
    for (const [id, entry] of [...entries]) if (!entry.sent) refuse(id, entry);
  };
  const refuse = (id: number, entry: Entry): void => {
    forget(id);
    entry.request.onReply(NOT_READY, 0);
  };

  const sendNow = (id: number, entry: Entry): void => {
    entry.sent = true;
    entry.lastActivity = monotonicMs();
    const { job, client, snapshot, waitMs } = entry.request;
    const left = waitMs - (entry.lastActivity - entry.since);
    process?.json(FRAME.run, id, { job, client, snapshot, waitMs: left });
    if (sequential) beginNext();
  };

  const onState = (state: LaneState): void => {
    if (state.state === 'worn') {
      wear.add();
      return;
    }
    if (state.state === 'failed') {
      observe({
        type: 'note',
        level: 'error',
        text: `lane ${name} cannot open ${state.snapshot}: ${state.why}`,
      });
      openings.settle(state.snapshot, state.why);
      if (next?.id === state.snapshot) next = undefined;
      lastWords = state.why;
      if (!serving) process?.kill();
      return;
    }
    if (!serving && process !== undefined && state.snapshot === used?.id) {
      serving = true;
      servedAt = monotonicMs();
      backoff.served();
      observe({ type: 'lane-started', lane: name, pid: process.pid, ms: servedAt - spawnedAt });
    }
    openings.settle(state.snapshot);
    if (serving) for (const [id, entry] of entries) if (!entry.sent) sendNow(id, entry);
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
        entry.request.onReply(
          failed.ok ? (Object.assign(failed, { body }) as Answered) : failed,
          ranMs(entry, monotonicMs()),
        );
      return;
    }
    beginParts(entry, failed, body, {
      credit: (bytes) => process?.send(numberFrame(FRAME.credit, id, bytes)),
      left: () => cancel(id),
    });
    handOn(entries);
  };

  const onFrame = (received: Frame): void => {
    // All that it was sent is given back.
    if (process === killed) return;
    if (received.kind === FRAME.state) {
      onState(parseJson(received.payload) as LaneState);
      return;
    }
    if (received.kind === FRAME.pong) {
      pulse.heard(monotonicMs(), parseJson(received.payload) as Pulse['said']);
      return;
    }
    const entry = entries.get(received.id);
    // It is run again: what was under way when its process was ended does not count.
    if (entry === undefined || entry.loss === 'put-back') return;
    switch (received.kind) {
      case FRAME.started:
      case FRAME.putBack:
        entry.startedAt = received.kind === FRAME.started ? monotonicMs() : undefined;
        return;
      case FRAME.reply:
        onReplyFrame(received.id, entry, received);
        return;
      case FRAME.data:
        entry.lastActivity = monotonicMs();
        entry.stream?.push(ownMemory(received.payload));
        return;
      case FRAME.end:
        forget(received.id);
        endParts(entry, parseJson(received.payload) as Failed | { readonly ok: true });
        if ((received.flags & POISONED) !== 0) kill('the engine is broken');
        return;
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
    // A long statement hears nothing while SQLite looks for its next row.
    if (name === 'long') setTimeout(endFor, LEAVE_MS, id, 'left', 'nobody waits for what it runs');
  };
  const endFor = (id: number, loss: 'left' | 'put-back', why: string): void => {
    const entry = entries.get(id);
    if (entry === undefined || closing !== undefined) return;
    entry.loss = loss;
    kill(why);
  };

  const tick = (): void => {
    const now = monotonicMs();
    const late = now - lastTick > LATE_TICK_MS;
    lastTick = now;
    if (process !== undefined && !serving && now - spawnedAt > START_MS) kill('it does not start');
    if (process !== undefined && pulse.due(now)) process.send(frame(FRAME.ping, 0));
    if (process !== undefined && rssLimitBytes !== undefined && pulse.said.rssBytes > rssLimitBytes) {
      markOverweight(entries);
      kill(`its memory of ${pulse.said.rssBytes} bytes passes the limit of ${rssLimitBytes}`);
      pulse.heard(now, { rssBytes: 0 });
    }
    if (process !== killed && wear.ends(entries, next !== undefined)) kill('it has closed many snapshots');
    if (late) return;
    // One that runs a statement on its only thread cannot answer; the statement's own deadline watches it.
    if (process !== undefined && pulse.silent(now) && !(sequential && entries.size > 0)) {
      kill('it does not answer');
      return;
    }
    let guilty = 0;
    for (const [id, entry] of [...entries]) {
      if (!entry.sent) {
        if (heldTooLong(entry, now)) refuse(id, entry);
      } else if (overruns(entry, now)) {
        entry.loss = 'overrun';
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
    get down() {
      return backoff.down;
    },
    get pending() {
      return entries.size;
    },
    get running() {
      return begun(entries).length;
    },
    get streaming() {
      return [...entries.values()].some(({ stream }) => stream !== undefined);
    },
    get pid() {
      return process?.pid;
    },
    get deaths() {
      return deaths;
    },
    wear,
    get said() {
      return pulse.said;
    },
    send(request) {
      lastId = lastId === 0xffffffff ? 1 : lastId + 1;
      const entry = newEntry(request, monotonicMs());
      entries.set(lastId, entry);
      // Answered later, as every request: whoever sends is not done with it yet.
      if (backoff.down) {
        const id = lastId;
        setImmediate(() => {
          if (!serving && entries.has(id)) refuse(id, entry);
        });
      }
      if (serving) sendNow(lastId, entry);
      return lastId;
    },
    cancel,
    putBack: (id) => endFor(id, 'put-back', 'what it runs makes room for others'),
    open(given) {
      // Its process stands in another folder.
      const wanted = { ...given, path: absolute(given.path) };
      if (used === undefined) used = wanted;
      else if (used.id !== wanted.id) next = wanted;
      const opened = openings.wait(wanted.id);
      if (process === undefined && respawn === undefined) start();
      else process?.json(FRAME.open, 0, wanted);
      return opened;
    },
    use(wanted) {
      used = { ...wanted, path: absolute(wanted.path) };
      next = undefined;
      process?.json(FRAME.retire, 0, { keep: wanted.id });
    },
    async close() {
      clearInterval(ticker);
      clearTimeout(respawn);
      const ended = new Promise<void>((resolve) => {
        closing = resolve;
      });
      openings.settle(undefined, 'the lanes are being closed');
      process?.kill();
      if (process !== undefined) await ended;
    },
  };
}
