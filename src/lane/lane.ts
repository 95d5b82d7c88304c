// One lane, kept alive: its process is started, told which snapshot to serve, watched, killed when it cannot
// be stopped otherwise, and started anew. What was in it is given back with how it was lost; whoever sent it
// decides what happens next.
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
import type { RunOrder } from '../wire/lane-process.ts';
import type { Answered, Failed, LaneSettings, LaneState, SnapshotRef } from '../wire/protocol.ts';
import { createBackoff } from './backoff.ts';
import type { Confinement } from './confine.ts';
import { type Entry, type LaneRequest, markOverweight, ranMs } from './entry.ts';
import { Openings } from './openings.ts';
import { beginParts, endParts, giveBack, handOn, takeLost } from './parts.ts';
import { isSequential, type LaneProcess, NOT_READY, spawnLane } from './process.ts';
import { createPulse, type Pulse } from './pulse.ts';
import { Requests } from './requests.ts';
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
  return new KeptLane(options);
}

class KeptLane implements Lane {
  readonly wear = new Wear();
  readonly #options: LaneOptions;
  readonly #name: LaneSettings['lane'];
  readonly #sequential: boolean;
  readonly #requests: Requests;
  readonly #openings = new Openings();
  readonly #backoff = createBackoff();
  readonly #pulse = createPulse();
  readonly #ticker: NodeJS.Timeout;
  #process: LaneProcess | undefined;
  /** Its end is on the way, and nothing is in it any more. */
  #killed: LaneProcess | undefined;
  /** It cannot open what it has to, and its end is on the way. */
  #unfit: LaneProcess | undefined;
  #serving = false;
  #spawnedAt = 0;
  #servedAt = 0;
  #deaths = 0;
  #closing: (() => void) | undefined;
  #lastWords = '';
  #lastTick = monotonicMs();
  #respawn: NodeJS.Timeout | undefined;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#name = options.settings.lane;
    this.#sequential = isSequential(options.settings);
    this.#requests = new Requests(this.#sequential);
    this.#ticker = setInterval(() => this.#tick(), TICK_MS);
  }

  get serving(): boolean {
    return this.#serving;
  }
  get down(): boolean {
    return this.#backoff.down;
  }
  get pending(): number {
    return this.#requests.entries.size;
  }
  get running(): number {
    return this.#requests.running;
  }
  get streaming(): boolean {
    return this.#requests.streaming;
  }
  get pid(): number | undefined {
    return this.#process?.pid;
  }
  get deaths(): number {
    return this.#deaths;
  }
  get said(): Pulse['said'] {
    return this.#pulse.said;
  }

  send(request: LaneRequest): number {
    const { id, entry } = this.#requests.add(request);
    // Answered later, as every request: whoever sends is not done with it yet.
    if (this.#backoff.down)
      setImmediate(() => {
        if (!this.#serving && this.#requests.entries.has(id)) this.#refuse(id, entry);
      });
    if (this.#serving) this.#sendNow(id, entry);
    return id;
  }

  cancel(id: number): void {
    const entry = this.#requests.entries.get(id);
    if (entry === undefined) return;
    if (!entry.sent) {
      this.#requests.forget(id);
      return;
    }
    // Stays watched: a statement that cannot be stopped must not hold the lane for ever.
    entry.abandoned = true;
    this.#process?.send(frame(FRAME.cancel, id));
    // A long statement hears nothing while SQLite looks for its next row.
    if (this.#name === 'long')
      setTimeout(() => this.#endFor(id, 'left', 'nobody waits for what it runs'), LEAVE_MS);
  }

  putBack(id: number): void {
    this.#endFor(id, 'put-back', 'what it runs makes room for others');
  }

  open(snapshot: SnapshotRef): Promise<void> {
    const { wanted, opened } = this.#openings.want(snapshot);
    if (this.#process === undefined && this.#respawn === undefined) this.#start();
    else this.#process?.json(FRAME.open, 0, wanted);
    return opened;
  }

  use(snapshot: SnapshotRef): void {
    const isOther = this.#openings.used?.id !== snapshot.id;
    this.#openings.use(snapshot);
    if (isOther && this.#respawn !== undefined) {
      clearTimeout(this.#respawn);
      this.#backoff.renew();
      this.#start();
    }
    this.#process?.json(FRAME.retire, 0, { keep: snapshot.id });
  }

  async close(): Promise<void> {
    clearInterval(this.#ticker);
    clearTimeout(this.#respawn);
    const ended = new Promise<void>((resolve) => {
      this.#closing = resolve;
    });
    this.#openings.giveUp('the lanes are being closed');
    this.#process?.kill();
    if (this.#process !== undefined) await ended;
  }

  #start(): void {
    this.#respawn = undefined;
    if (this.#closing !== undefined || this.#process !== undefined || this.#openings.used === undefined)
      return;
    this.#spawnedAt = monotonicMs();
    this.#pulse.begin(this.#spawnedAt);
    this.wear.begin();
    const { settings, confinement, observe } = this.#options;
    this.#process = spawnLane(settings, confinement, {
      onFrame: (received) => this.#onFrame(received),
      onEnd: (why) => this.#onEnd(why),
      onWords: (text) => {
        this.#lastWords = text;
        observe({ type: 'note', level: 'warn', text: `lane ${this.#name}: ${text}` });
      },
    });
    for (const snapshot of this.#openings.all) this.#process.json(FRAME.open, 0, snapshot);
  }

  #kill(why: string): void {
    if (this.#process === undefined || this.#killed === this.#process) return;
    this.#killed = this.#process;
    const { pid } = this.#process;
    this.#options.observe({ type: 'lane-killed', lane: this.#name, pid, why });
    this.#process.kill();
    // Its end takes a second where others want the processor: those who wait for it know enough.
    this.#lose(why);
  }

  #onEnd(why: string): void {
    const isLost = this.#killed === this.#process;
    const isClosing = this.#closing !== undefined;
    if (!isClosing) this.#options.observe({ type: 'lane-ended', lane: this.#name, pid: this.pid ?? 0, why });
    this.#process = undefined;
    this.#killed = undefined;
    if (!isLost && !isClosing && this.#name === 'long') this.#deaths += 1;
    if (!isLost || isClosing) this.#lose(why);
    if (this.#closing === undefined) {
      this.#respawn = setTimeout(() => this.#start(), this.#backoff.waitMs);
      if (this.#backoff.down) this.#giveUp(why);
    }
    this.#closing?.();
  }

  /** Gives back what was sent to the process, which has ended or is about to. */
  #lose(why: string): void {
    const now = monotonicMs();
    const lost = takeLost(this.#requests.entries, this.#closing !== undefined);
    const isInnocent = !this.wear.spent && !lost.some((entry) => ranMs(entry, now) > 0);
    this.#backoff.ended(this.#serving ? now - this.#servedAt : 0, isInnocent);
    if (this.#serving)
      this.#openings.lost(`lane ${this.#name} ended while it opened it: ${this.#lastWords || why}`);
    this.#serving = false;
    // To end a long lane is how a statement is stopped; the end of a worn one is planned.
    if (this.#name !== 'long' && !this.wear.spent) this.#deaths += 1;
    giveBack(lost, why, now);
  }

  /** Nobody waits any longer for a process that does not come; it is tried again all the same. */
  #giveUp(why: string): void {
    this.#openings.giveUp(`lane ${this.#name} ended before it served: ${this.#lastWords || why}`);
    for (const [id, entry] of this.#requests.unsent) this.#refuse(id, entry);
  }

  #refuse(id: number, entry: Entry): void {
    this.#requests.forget(id);
    entry.request.onReply(NOT_READY, 0);
  }

  #sendNow(id: number, entry: Entry): void {
    this.#requests.sent(entry);
    const { job, client, snapshot, waitMs, unproven = false } = entry.request;
    const left = waitMs - (entry.lastActivity - entry.since);
    const order: RunOrder = { job, client, snapshot, waitMs: left, unproven };
    this.#process?.json(FRAME.run, id, order);
    this.#requests.beginNext();
  }

  #onState(state: LaneState): void {
    // What it may have opened meanwhile is nothing to be sent to: a statement would be lost with it, and be blamed.
    if (this.#process === this.#unfit) return;
    if (state.state === 'worn') {
      this.wear.add();
      return;
    }
    const { observe } = this.#options;
    const { snapshot } = state;
    if (state.state === 'failed') {
      const { why } = state;
      observe({ type: 'note', level: 'error', text: `lane ${this.#name} cannot open ${snapshot}: ${why}` });
      this.#openings.failed(snapshot, why);
      this.#lastWords = why;
      if (this.#serving) return;
      this.#unfit = this.#process;
      this.#process?.kill();
      return;
    }
    if (!this.#serving && this.#process !== undefined && snapshot === this.#openings.used?.id) {
      this.#serving = true;
      this.#servedAt = monotonicMs();
      this.#backoff.served();
      const { pid } = this.#process;
      observe({ type: 'lane-started', lane: this.#name, pid, ms: this.#servedAt - this.#spawnedAt });
    }
    this.#openings.opened(snapshot);
    if (this.#serving) for (const [id, entry] of this.#requests.unsent) this.#sendNow(id, entry);
  }

  #onReplyFrame(id: number, entry: Entry, received: Frame): void {
    const { head, body } = splitReply(received.payload);
    const failed = head as Failed | { readonly ok: true };
    if ((received.flags & POISONED) !== 0) {
      // Its own answer is worth nothing; how it was lost decides.
      this.#kill(
        failed.ok ? 'the engine is broken' : `the engine is broken: ${failed.detail ?? failed.message}`,
      );
      return;
    }
    if ((received.flags & MORE) === 0) {
      this.#requests.forget(id);
      if (!entry.abandoned)
        entry.request.onReply(
          failed.ok ? (Object.assign(failed, { body }) as Answered) : failed,
          ranMs(entry, monotonicMs()),
        );
      return;
    }
    beginParts(entry, failed, body, {
      credit: (bytes) => this.#process?.send(numberFrame(FRAME.credit, id, bytes)),
      left: () => this.cancel(id),
    });
    handOn(this.#requests.entries);
  }

  #onFrame(received: Frame): void {
    // All that it was sent is given back.
    if (this.#process === this.#killed) return;
    if (received.kind === FRAME.state) {
      this.#onState(parseJson(received.payload) as LaneState);
      return;
    }
    if (received.kind === FRAME.pong) {
      this.#pulse.heard(monotonicMs(), parseJson(received.payload) as Pulse['said']);
      return;
    }
    const entry = this.#requests.entries.get(received.id);
    // It is run again: what was under way when its process was ended does not count.
    if (entry === undefined || entry.loss === 'put-back') return;
    switch (received.kind) {
      case FRAME.started:
      case FRAME.putBack:
        entry.startedAt = received.kind === FRAME.started ? monotonicMs() : undefined;
        return;
      case FRAME.reply:
        this.#onReplyFrame(received.id, entry, received);
        return;
      case FRAME.data:
        entry.lastActivity = monotonicMs();
        entry.stream?.push(ownMemory(received.payload));
        return;
      case FRAME.end:
        this.#requests.forget(received.id);
        endParts(entry, parseJson(received.payload) as Failed | { readonly ok: true });
        if ((received.flags & POISONED) !== 0) this.#kill('the engine is broken');
        return;
    }
  }

  #endFor(id: number, loss: 'left' | 'put-back', why: string): void {
    const entry = this.#requests.entries.get(id);
    if (entry === undefined || this.#closing !== undefined) return;
    entry.loss = loss;
    this.#kill(why);
  }

  #tick(): void {
    const now = monotonicMs();
    const late = now - this.#lastTick > LATE_TICK_MS;
    this.#lastTick = now;
    const { entries } = this.#requests;
    const process = this.#process;
    if (process !== undefined) {
      if (!this.#serving && now - this.#spawnedAt > START_MS) this.#kill('it does not start');
      if (this.#pulse.due(now)) process.send(frame(FRAME.ping, 0));
      this.#weigh(now);
    }
    if (process !== this.#killed && this.wear.ends(entries, this.#openings.next !== undefined))
      this.#kill('it has closed many snapshots');
    if (late) return;
    // One that runs a statement on its only thread cannot answer; the statement's own deadline watches it.
    if (process !== undefined && this.#pulse.silent(now) && !(this.#sequential && entries.size > 0)) {
      this.#kill('it does not answer');
      return;
    }
    for (const [id, entry] of this.#requests.heldTooLong(now)) this.#refuse(id, entry);
    if (this.#requests.markOverruns(now)) this.#kill('a statement could not be stopped at its deadline');
  }

  #weigh(now: number): void {
    const { rssLimitBytes } = this.#options;
    const { rssBytes } = this.#pulse.said;
    if (rssLimitBytes === undefined || rssBytes <= rssLimitBytes) return;
    markOverweight(this.#requests.entries);
    this.#kill(`its memory of ${rssBytes} bytes passes the limit of ${rssLimitBytes}`);
    this.#pulse.heard(now, { rssBytes: 0 });
  }
}
