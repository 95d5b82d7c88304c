// A statement's way through the lanes: which one it goes to first, which one next where a lane cannot answer it, and
// what becomes of it where a lane dies. Each goes to a row lane first, which answers it or says where it belongs, unless a
// front has said that already.
import type { Observe } from '../base/observe.ts';
import { TELLS_MAPPED_APART } from '../base/own-memory.ts';
import type { Failed, Reply, SnapshotRef, StatementJob } from '../wire/protocol.ts';
import { type Blame, createBlame } from './blame.ts';
import { createDrainRate } from './drain-rate.ts';
import { GRACE_MS, type Loss } from './entry.ts';
import type { Lane } from './lane.ts';
import { LaneSet } from './lane-set.ts';
import { type LaneConfig, type LaneOverrides, laneSettings } from './lane-settings.ts';
import { asBefore, fallsOver, nextEngine } from './next-engine.ts';
import { createRefusals, type Refusals } from './quarantine.ts';
import {
  isStatement,
  KEPT_OUT,
  LOST_TOO_OFTEN,
  limitMs,
  memoryLimit,
  NO_REMOTE,
  NOT_TAKEN,
  outOfTime,
  REFUSED,
  SCAN_STARTS,
  STOPPING,
  type Ticket,
  timeLimit,
  UNREADABLE,
  type Why,
} from './ticket.ts';

/** What the row lane takes is bounded to a few milliseconds: what has not ended by then is run alone. */
const ROW_DEADLINE_MS = 1_000;
/** A statement that is lost with its lane this often is given up. */
const MAX_LOSSES = 4;
/** How Linux ends a process where a page of a file that it maps cannot be read, or is not there any more. */
const UNREAD_PAGE: NodeJS.Signals = 'SIGBUS';
const SET: Why = { reason: 'set', why: 'no other engine may answer' };

export class Routing {
  readonly lanes: LaneSet;
  readonly #settings: ReturnType<typeof laneSettings>;
  /** No other engine may answer. */
  readonly #only: 'scan' | 'long' | 'rows' | undefined;
  /** There is no row lane: the scan lane runs all jobs. */
  readonly #rowless: boolean;
  /** A lane that takes what the scan lane has not the time or memory for. */
  readonly #overflow: Lane | undefined;
  /** Answers in parts are held until it is known that they can be run again. */
  readonly #holds: boolean;
  readonly #blame: Blame;
  readonly #refusals: Refusals;
  readonly #drain = createDrainRate();
  #closed = false;

  constructor(config: LaneConfig, observe: Observe, overrides: LaneOverrides) {
    const settings = laneSettings(config, overrides);
    const only = overrides.only ?? (config.engine === 'auto' ? undefined : config.engine);
    this.#settings = settings;
    this.#only = only;
    this.#rowless = overrides.only === 'scan';
    this.#holds = config.scanApart !== 'off' && only !== 'scan';
    this.#refusals = createRefusals(observe);
    this.lanes = new LaneSet({
      ...{ config, overrides, settings, observe },
      scanAlone: only === 'scan',
      send: (ticket, lane) => this.#send(ticket, lane),
      answer: (ticket, reply) => this.#answer(ticket, reply),
    });
    const { rows, scans, remote, quarantine } = this.lanes;
    this.#overflow = config.trinoOverflow === 'on' && only === undefined ? remote : undefined;
    this.#blame = createBlame((from) =>
      scans.has(from) ? quarantine.scan : rows.includes(from) ? quarantine.rows : undefined,
    );
  }

  /** What is asked for now reads it; undefined: nothing can be asked for. */
  get snapshot(): SnapshotRef | undefined {
    return this.#closed ? undefined : this.lanes.snapshot;
  }

  route(ticket: Ticket): void {
    const { job } = ticket;
    if (this.#rowless) this.#toScan(ticket);
    else if (!isStatement(job)) this.#toRows(ticket);
    else if (this.#refusals.refused(job, performance.now())) this.#answer(ticket, REFUSED);
    else if (this.#only === 'long') this.#toLong(ticket);
    else if (this.#only === 'scan') this.#toScan(ticket);
    else if (this.lanes.quarantine.rows.barred(job, performance.now()))
      this.#toLongAs(ticket, { reason: 'barred', why: 'it ended a row lane before' });
    else if (ticket.elsewhere === undefined) this.#toRows(ticket);
    else this.#onFailure(ticket, job, undefined, ticket.elsewhere, 0);
  }

  /** Nobody waits for it any more. */
  leave(ticket: Ticket): void {
    ticket.gone = true;
    ticket.at?.lane.cancel(ticket.at.id);
    // It may still run there; its end, by whatever means, makes room for the next.
    this.lanes.long.done(ticket);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.lanes.close();
  }

  #toRows(ticket: Ticket): void {
    this.lanes.rowLine.add(ticket);
  }

  #toLong(ticket: Ticket): void {
    const { told, why = SET } = ticket;
    if (told === undefined) this.lanes.long.add(ticket);
    else this.#answer(ticket, { ok: true, ...told.outcome, engine: 'long', ...why, body: told.body });
  }

  #toLongAs(ticket: Ticket, why: Why): void {
    ticket.why = why;
    this.#toLong(ticket);
  }

  #toScan(ticket: Ticket): void {
    const { job } = ticket;
    const { scan, scans } = this.lanes;
    const to = this.#only !== 'scan' && isStatement(job) ? scans.placeOf(job, performance.now()) : scan;
    if (to === undefined) {
      this.#toLongAs(ticket, KEPT_OUT);
      return;
    }
    this.lanes.startScan();
    if (this.lanes.scanIsLate(ticket.visits) && this.#only === undefined) this.#toLongAs(ticket, SCAN_STARTS);
    else this.#send(ticket, to);
  }

  /** Its next part may end the process: it is not sent from where others' are. It has its time anew. */
  #toSecond(ticket: Ticket, rest: AsyncIterable<Uint8Array>): void {
    void rest[Symbol.asyncIterator]().return?.();
    const to = this.lanes.scans.second();
    if (to === undefined) this.#toLongAs(ticket, KEPT_OUT);
    else this.#send(ticket, to, true);
  }

  /** @param spent it has had its time, as what fell over has, and is given it anew */
  #send(ticket: Ticket, to: Lane, spent = to === this.lanes.remote && ticket.fell !== undefined): void {
    const { job } = ticket;
    const { rows, rowLine, scan, scans, remote, quarantine } = this.lanes;
    const unproven = this.#holds && to === scan && isStatement(job) && !quarantine.scan.proven(job);
    const waitMs = spent ? limitMs(job) : Math.max(1, ticket.until - performance.now());
    const isRow = rows.includes(to);
    const id = to.send({
      job,
      client: ticket.client,
      snapshot: ticket.snapshot,
      waitMs,
      deadlineMs: isRow ? ROW_DEADLINE_MS : limitMs(job),
      // SQLite cannot be stopped but with its process.
      graceMs: scans.has(to) || to === remote ? GRACE_MS : 0,
      unproven,
      onReply: (reply, ranMs) => {
        if (isRow) rowLine.ran(ticket.client, ranMs);
        this.#onReply(ticket, to, reply, ranMs);
        if (isRow) rowLine.next();
      },
      onWhole: () => this.#blame.ran(job, to),
      onLost: (loss, why, ranMs) => {
        this.#onLost(ticket, to, loss, why, ranMs);
        if (isRow) rowLine.next();
      },
      onCut: (loss, why) => {
        if (!this.#closed && isStatement(job)) this.#blame.cut(job, to, loss, why, performance.now());
      },
    });
    ticket.at = { lane: to, id, unproven };
  }

  /** The last word. @param ranMs engine time that a failure took */
  #answer(ticket: Ticket, reply: Reply, ranMs = 0): void {
    ticket.at = undefined;
    const now = performance.now();
    this.#drain.answered(now);
    ticket.resolve(reply.ok ? reply : { ...reply, ...this.#hintOf(reply, now), engineMs: ranMs });
    this.lanes.long.done(ticket);
  }

  #hintOf({ code }: Failed, now: number): Partial<Failed> {
    if (code !== 'overloaded') return {};
    return { retryAfterS: this.#drain.retryAfterS(this.lanes.waiting, now) };
  }

  #onReply(ticket: Ticket, from: Lane, reply: Reply, ranMs: number): void {
    const { job } = ticket;
    const { scan, remote } = this.lanes;
    const before = from === remote && !reply.ok ? asBefore(ticket, reply) : undefined;
    if (before !== undefined) this.#onReply(ticket, scan, before, ranMs);
    else if (!isStatement(job)) this.#answer(ticket, reply, ranMs);
    else if (reply.ok) this.#onAnswer(ticket, job, from, reply);
    else this.#onFailure(ticket, job, from, reply, ranMs);
  }

  #onAnswer(
    ticket: Ticket,
    job: StatementJob,
    from: Lane,
    reply: Extract<Reply, { readonly ok: true }>,
  ): void {
    const { at, told } = ticket;
    const { scan, scans, long } = this.lanes;
    if (reply.rest === undefined) this.#blame.ran(job, from);
    else if (at?.unproven) {
      this.#toSecond(ticket, reply.rest);
      return;
    } else if (from === scan) scans.streams(performance.now());
    if (reply.unread !== undefined && long.runs(ticket, from) && at !== undefined)
      long.sends(from, reply.unread, () => from.cancel(at.id));
    // The row lane says so itself.
    const whole = told === undefined ? reply : { ...reply, told: told.body };
    this.#answer(ticket, reply.reason === undefined ? { ...whole, ...(ticket.why ?? SET) } : whole);
  }

  /** @param from undefined: no lane, but whoever looked at it before */
  #onFailure(ticket: Ticket, job: StatementJob, from: Lane | undefined, reply: Failed, ranMs: number): void {
    const { scans, remote } = this.lanes;
    const isScan = from !== undefined && scans.has(from);
    if (isScan && this.#overflow !== undefined && fallsOver(ticket, reply)) {
      this.#send(ticket, this.#overflow);
      return;
    }
    const next = this.#only === undefined ? nextEngine(isScan, reply) : undefined;
    if (next !== undefined) {
      ticket.why =
        reply.code === 'elsewhere'
          ? { reason: reply.reason ?? 'not-native', why: reply.message }
          : { reason: 'failed', why: `the scan lane failed: ${reply.code}` };
      if (reply.code === 'limit-memory') ticket.outOfMemory = true;
      ticket.told ??= reply.told;
      ticket.visits = reply.visits;
      if (next === 'scan') this.#toScan(ticket);
      else if (next === 'long') this.#toLong(ticket);
      else if (remote === undefined) this.#answer(ticket, NO_REMOTE);
      else this.#send(ticket, remote);
      return;
    }
    if (reply.code === 'elsewhere') this.#answer(ticket, { ...NOT_TAKEN, detail: reply.message }, ranMs);
    else if (from === remote) this.#answer(ticket, reply, ranMs);
    else this.#answer(ticket, { ...reply, ...this.#limitReply(ticket, job, reply.code, ranMs) }, ranMs);
  }

  /** The limits are the client's, not those of the lane that it happened to run in. */
  #limitReply(ticket: Ticket, job: StatementJob, code: Failed['code'], ranMs: number): Failed | undefined {
    if (code === 'limit-time') return outOfTime(ticket, job, ranMs, this.#scanShare);
    return code === 'limit-memory' ? memoryLimit(this.#settings.long.memoryBytes) : undefined;
  }

  /** Engine memory of one statement of the scan lane. */
  get #scanShare(): number {
    return Math.floor(this.#settings.scan.memoryBytes / this.#settings.scan.workers);
  }

  #onLost(ticket: Ticket, from: Lane, loss: Loss, why: string, ranMs: number): void {
    ticket.at = undefined;
    if (this.#closed) {
      this.#answer(ticket, STOPPING);
      return;
    }
    const { scan, scans, remote, long } = this.lanes;
    const now = performance.now();
    this.#blame.ended(from, now);
    const { job } = ticket;
    if (ticket.gone || loss === 'left') {
      long.done(ticket);
      return;
    }
    if (loss === 'put-back') {
      long.putBack(ticket);
      return;
    }
    ticket.losses += loss === 'queued' ? 0 : 1;
    if (ticket.losses > MAX_LOSSES) this.#answer(ticket, LOST_TOO_OFTEN, ranMs);
    else if (!isStatement(job) || loss === 'queued') {
      long.done(ticket);
      this.route(ticket);
    } else if (from === remote)
      this.#onReply(ticket, from, loss === 'overrun' ? timeLimit(job) : LOST_TOO_OFTEN, ranMs);
    else if (long.runs(ticket, from)) this.#lostAlone(ticket, job, loss, why, ranMs);
    else {
      this.#blame.lost(job, from, loss, why, now);
      // It had its whole time there.
      if (scans.has(from) && loss === 'overrun') this.#onReply(ticket, scan, timeLimit(job), ranMs);
      else if (this.#only === 'scan') this.#send(ticket, scan);
      else this.#toLongAs(ticket, { reason: 'lost', why: `it was lost with its lane: ${loss}` });
    }
  }

  /** Nobody else was there: it is the cause. */
  #lostAlone(ticket: Ticket, job: StatementJob, loss: Loss, why: string, ranMs: number): void {
    if (loss === 'overrun') this.#answer(ticket, outOfTime(ticket, job, ranMs, this.#scanShare), ranMs);
    else if (loss === 'overweight') this.#answer(ticket, memoryLimit(this.#settings.long.memoryBytes), ranMs);
    else if (TELLS_MAPPED_APART && why === UNREAD_PAGE) this.#answer(ticket, UNREADABLE, ranMs);
    else {
      this.#refusals.convict(job, why, performance.now());
      this.#answer(ticket, REFUSED, ranMs);
    }
  }
}
