// The front's way to the engines: which lane a job goes to, what is sent on where a lane cannot answer it, and what is
// sent again when a lane dies. Each statement goes to the row lane first, which answers it or says where it belongs.
import { existsSync } from 'node:fs';
import type { RunOptions } from '../answer/engine.ts';
import type { Observe } from '../base/observe.ts';
import { bucketKey } from '../limit/address.ts';
import { columnsPath } from '../snapshot/layout.ts';
import type { Failed, Job, LaneSettings, Reply, SnapshotRef, StatementJob } from '../wire/protocol.ts';
import { createBlame } from './blame.ts';
import { createDrainRate } from './drain-rate.ts';
import { GRACE_MS, type Loss } from './entry.ts';
import type { Lane } from './lane.ts';
import { type LaneConfig, type LaneOverrides, laneSettings } from './lane-settings.ts';
import { asBefore, fallsOver, nextEngine } from './next-engine.ts';
import { createQuarantine, createRefusals } from './quarantine.ts';
import { createRank } from './rank.ts';
import { createRowLine } from './row-line.ts';
import { createScans } from './scans.ts';
import { createSolo } from './solo.ts';
import { laneStarter } from './start-lane.ts';
import { type LaneStats, statsOf } from './stats.ts';
import {
  isStatement,
  KEPT_OUT,
  LOST_TOO_OFTEN,
  limitMs,
  memoryLimit,
  NO_REMOTE,
  NO_SNAPSHOT,
  NOT_TAKEN,
  outOfTime,
  REFUSED,
  STOPPING,
  type Ticket,
  timeLimit,
  type Why,
} from './ticket.ts';

export interface Lanes {
  /** Never rejects but for the signal: what went wrong is in the reply. */
  run(job: Job, options?: RunOptions): Promise<Reply>;
  /** Opens it beside the one in use, in row lanes and the scan lane. @throws Error where a lane cannot; the one in use stays so */
  prepareSnapshot(snapshot: SnapshotRef): Promise<void>;
  /** What is asked from this moment on reads it, whatever the lane; what runs ends on the old one. Long lanes open it now. */
  useSnapshot(snapshot: SnapshotRef): void;
  /** Both at once. */
  openSnapshot(snapshot: SnapshotRef): Promise<void>;
  /** Whether a statement can be answered now. */
  healthy(): boolean;
  stats(): readonly LaneStats[];
  /** Ends the processes at once; what runs is lost. */
  close(): Promise<void>;
}

/** What the row lane takes is bounded to a few milliseconds: what has not ended by then is run alone. */
const ROW_DEADLINE_MS = 1_000;
/** A statement that is lost with its lane this often is given up. */
const MAX_LOSSES = 4;
const SET: Why = { reason: 'set', why: 'no other engine may answer' };

export function startLanes(config: LaneConfig, observe: Observe, overrides: LaneOverrides = {}): Lanes {
  const settings = laneSettings(config, overrides);
  const lane = laneStarter(config, observe);
  const only = overrides.only ?? (config.engine === 'auto' ? undefined : config.engine);
  const rows = Array.from({ length: overrides.only === 'scan' ? 0 : config.rowLanes }, () =>
    lane(settings.rows),
  );
  const scan = lane(settings.scan);
  const remote = config.trino === '' || overrides.only !== undefined ? undefined : lane(settings.remote);
  const overflow = config.trinoOverflow === 'on' && only === undefined ? remote : undefined;
  const quarantine = {
    rows: createQuarantine('rows', observe),
    scan: createQuarantine('scan', observe),
  };
  const blame = createBlame((from) =>
    scans.has(from) ? quarantine.scan : rows.includes(from) ? quarantine.rows : undefined,
  );
  const refusals = createRefusals(observe);
  /** Engine memory of one statement of the scan lane. */
  const scanShare = Math.floor(settings.scan.memoryBytes / settings.scan.workers);
  const drain = createDrainRate();
  let snapshot: SnapshotRef | undefined;
  let scanStarted = only === 'scan';
  let closed = false;

  const holds = config.scanApart === 'on' && only !== 'scan';
  const opened = (of: LaneSettings): Lane => {
    const started = lane(of);
    if (snapshot !== undefined) started.open(snapshot).catch(() => {});
    return started;
  };
  const scans = createScans({
    main: scan,
    startApart: config.scanApart === 'on' ? () => opened(settings.apart) : undefined,
    quarantine: quarantine.scan,
  });
  const long = createSolo({
    lanes: config.longLanes,
    max: config.maxQueue,
    rank: createRank(config.scanNice),
    startLane: () => opened(settings.long),
    run: (ticket, to) => send(ticket, to),
    stop: ({ at }) => at?.lane.putBack(at.id),
    answer: (ticket, reply) => answer(ticket, reply),
  });
  const rowLine = createRowLine({
    lanes: rows,
    send: (ticket, lane) => send(ticket, rows[lane] as Lane),
    answer: (ticket, reply) => answer(ticket, reply),
  });
  /** Those that have been started, or are to be; long lanes follow once it is in use. */
  const first = (): readonly Lane[] => [...rows, ...(scanStarted ? [scan] : [])];
  const all = (): readonly Lane[] => [...first(), ...later()];
  /** Nobody waits for them to open a snapshot. */
  const later = (): readonly Lane[] => [
    ...long.lanes,
    ...[scans.apart, remote].filter((each) => each !== undefined),
  ];

  const route = (ticket: Ticket): void => {
    const { job } = ticket;
    if (overrides.only === 'scan') toScan(ticket);
    else if (!isStatement(job)) toRows(ticket);
    else if (refusals.refused(job, performance.now())) answer(ticket, REFUSED);
    else if (only === 'long') toLong(ticket);
    else if (only === 'scan') toScan(ticket);
    else if (quarantine.rows.barred(job, performance.now()))
      toLongAs(ticket, { reason: 'barred', why: 'it ended a row lane before' });
    else toRows(ticket);
  };
  const toRows = (ticket: Ticket): void => rowLine.add(ticket);
  const toLong = (ticket: Ticket): void => {
    const { told, why = SET } = ticket;
    if (told === undefined) long.add(ticket);
    else answer(ticket, { ok: true, ...told.outcome, engine: 'long', ...why, body: told.body });
  };
  const toLongAs = (ticket: Ticket, why: Why): void => {
    ticket.why = why;
    toLong(ticket);
  };
  const toScan = (ticket: Ticket): void => {
    const { job } = ticket;
    const to = only !== 'scan' && isStatement(job) ? scans.placeOf(job, performance.now()) : scan;
    if (to === undefined) {
      toLongAs(ticket, KEPT_OUT);
      return;
    }
    if (!scanStarted && snapshot !== undefined) {
      scanStarted = true;
      scan.open(snapshot).catch(() => {});
    }
    send(ticket, to);
  };

  /** @param spent it has had its time, as what fell over has, and is given it anew */
  const send = (ticket: Ticket, to: Lane, spent = to === remote && ticket.fell !== undefined): void => {
    const { job } = ticket;
    const unproven = holds && to === scan && isStatement(job) && !quarantine.scan.proven(job);
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
        onReply(ticket, to, reply, ranMs);
        if (isRow) rowLine.next();
      },
      onWhole: () => blame.ran(job, to),
      onLost: (loss, why, ranMs) => {
        onLost(ticket, to, loss, why, ranMs);
        if (isRow) rowLine.next();
      },
      onCut: (loss, why) => {
        if (!closed && isStatement(job)) blame.cut(job, to, loss, why, performance.now());
      },
    });
    ticket.at = { lane: to, id, unproven };
  };

  /** The last word. @param ranMs engine time that a failure took */
  const answer = (ticket: Ticket, reply: Reply, ranMs = 0): void => {
    ticket.at = undefined;
    const now = performance.now();
    drain.answered(now);
    ticket.resolve(reply.ok ? reply : { ...reply, ...hintOf(reply, now), engineMs: ranMs });
    long.done(ticket);
  };
  const hintOf = ({ code }: Failed, now: number): Partial<Failed> => {
    if (code !== 'overloaded') return {};
    const waiting = all().reduce((sum, { pending }) => sum + pending, long.waiting + rowLine.waiting);
    return { retryAfterS: drain.retryAfterS(waiting, now) };
  };

  const onReply = (ticket: Ticket, from: Lane, reply: Reply, ranMs: number): void => {
    const { job } = ticket;
    const before = from === remote && !reply.ok ? asBefore(ticket, reply) : undefined;
    if (before !== undefined) {
      onReply(ticket, scan, before, ranMs);
      return;
    }
    if (!isStatement(job)) {
      answer(ticket, reply, ranMs);
      return;
    }
    if (reply.ok) {
      const { at, told } = ticket;
      if (reply.rest === undefined) blame.ran(job, from);
      else if (at?.unproven) {
        toSecond(ticket, reply.rest);
        return;
      } else if (from === scan) scans.streams(performance.now());
      if (reply.unread !== undefined && long.runs(ticket, from) && at !== undefined)
        long.sends(from, reply.unread, () => from.cancel(at.id));
      // The row lane says so itself.
      const whole = told === undefined ? reply : { ...reply, told: told.body };
      answer(ticket, reply.reason === undefined ? { ...whole, ...(ticket.why ?? SET) } : whole);
      return;
    }
    const isScan = scans.has(from);
    if (isScan && overflow !== undefined && fallsOver(ticket, reply)) {
      send(ticket, overflow);
      return;
    }
    const next = only === undefined ? nextEngine(isScan, reply) : undefined;
    if (next !== undefined) {
      ticket.why =
        reply.code === 'elsewhere'
          ? { reason: reply.reason ?? 'not-native', why: reply.message }
          : { reason: 'failed', why: `the scan lane failed: ${reply.code}` };
      if (reply.code === 'limit-memory') ticket.outOfMemory = true;
      ticket.told ??= reply.told;
      if (next === 'scan') toScan(ticket);
      else if (next === 'long') toLong(ticket);
      else if (remote === undefined) answer(ticket, NO_REMOTE);
      else send(ticket, remote);
      return;
    }
    if (reply.code === 'elsewhere') answer(ticket, { ...NOT_TAKEN, detail: reply.message }, ranMs);
    else if (from === remote) answer(ticket, reply, ranMs);
    else answer(ticket, { ...reply, ...limitReply(ticket, job, reply.code, ranMs) }, ranMs);
  };
  /** Its next part may end the process: it is not sent from where others' are. It has its time anew. */
  const toSecond = (ticket: Ticket, rest: AsyncIterable<Uint8Array>): void => {
    void rest[Symbol.asyncIterator]().return?.();
    const to = scans.second();
    if (to === undefined) toLongAs(ticket, KEPT_OUT);
    else send(ticket, to, true);
  };

  /** The limits are the client's, not those of the lane that it happened to run in. */
  const limitReply = (
    ticket: Ticket,
    job: StatementJob,
    code: Failed['code'],
    ranMs: number,
  ): Failed | undefined => {
    if (code === 'limit-time') return outOfTime(ticket, job, ranMs, scanShare);
    return code === 'limit-memory' ? memoryLimit(settings.long.memoryBytes) : undefined;
  };

  const onLost = (ticket: Ticket, from: Lane, loss: Loss, why: string, ranMs: number): void => {
    ticket.at = undefined;
    if (closed) {
      answer(ticket, STOPPING);
      return;
    }
    const now = performance.now();
    blame.ended(from, now);
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
    if (ticket.losses > MAX_LOSSES) answer(ticket, LOST_TOO_OFTEN, ranMs);
    else if (!isStatement(job) || loss === 'queued') {
      long.done(ticket);
      route(ticket);
    } else if (from === remote)
      onReply(ticket, from, loss === 'overrun' ? timeLimit(job) : LOST_TOO_OFTEN, ranMs);
    else if (long.runs(ticket, from)) lostAlone(ticket, job, loss, why, ranMs);
    else {
      blame.lost(job, from, loss, why, now);
      // It had its whole time there.
      if (scans.has(from) && loss === 'overrun') onReply(ticket, scan, timeLimit(job), ranMs);
      else if (only === 'scan') send(ticket, scan);
      else toLongAs(ticket, { reason: 'lost', why: `it was lost with its lane: ${loss}` });
    }
  };
  /** Nobody else was there: it is the cause. */
  const lostAlone = (ticket: Ticket, job: StatementJob, loss: Loss, why: string, ranMs: number): void => {
    if (loss === 'overrun') answer(ticket, outOfTime(ticket, job, ranMs, scanShare), ranMs);
    else if (loss === 'overweight') answer(ticket, memoryLimit(settings.long.memoryBytes), ranMs);
    else {
      refusals.convict(job, why, performance.now());
      answer(ticket, REFUSED, ranMs);
    }
  };

  const ready = (): readonly Lane[] => [...first(), ...(scans.apart === undefined ? [] : [scans.apart])];
  const prepareSnapshot = async (wanted: SnapshotRef): Promise<void> => {
    // Where there are no columns, hardly a statement is the scan lane's: it waits for one.
    if (config.scanWarm === 'on' && existsSync(columnsPath(wanted.path))) scanStarted = true;
    const serving = ready().filter((each) => each.serving);
    // A lane that is just being started must hold nobody up: it serves only once it has what is in use then.
    const needed = serving.length > 0 ? serving : ready();
    for (const each of ready()) if (!needed.includes(each)) each.open(wanted).catch(() => {});
    const results = await Promise.allSettled(needed.map((each) => each.open(wanted)));
    // A second process that is ended meanwhile refuses nothing: the next one has what is in use then.
    const own = first();
    const failed = results.find(({ status }, i) => status === 'rejected' && own.includes(needed[i]!));
    if (failed?.status !== 'rejected') return;
    // A lane that did open it must not keep it open.
    if (snapshot !== undefined) for (const each of ready()) each.use(snapshot);
    throw failed.reason;
  };
  const useSnapshot = (wanted: SnapshotRef): void => {
    const isFirst = snapshot === undefined;
    snapshot = wanted;
    for (const each of first()) each.use(wanted);
    // A long statement hears nothing until it ends: nobody waits for its lane. What comes next stands behind the opening.
    for (const each of later()) {
      each.open(wanted).catch(() => {});
      each.use(wanted);
    }
    if (isFirst && overrides.only === undefined) long.warm(config.spareLanes);
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
          long.done(ticket);
        };
        const ticket: Ticket = {
          job,
          client: bucketKey(client),
          snapshot: reads,
          until: performance.now() + limitMs(job),
          resolve: (reply) => {
            signal?.removeEventListener('abort', abort);
            resolve(reply);
          },
          losses: 0,
          gone: false,
          at: undefined,
          why: undefined,
          outOfMemory: false,
          told: undefined,
          fell: undefined,
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
    healthy: () =>
      snapshot !== undefined &&
      !closed &&
      (only === 'scan' ? scan.serving : rows.some(({ serving }) => serving)),
    stats: () => [
      ...rows.map((each, i) => statsOf(i === 0 ? 'rows' : `rows${i + 1}`, each)),
      ...(scanStarted ? [statsOf('scan', scan)] : []),
      ...(scans.apart === undefined ? [] : [statsOf('scan2', scans.apart)]),
      ...long.lanes.map((each, i) => statsOf(i === 0 ? 'long' : `long${i + 1}`, each)),
      ...(remote === undefined ? [] : [statsOf('remote', remote)]),
    ],
    async close() {
      closed = true;
      long.close();
      rowLine.close();
      scans.close();
      // One that was never started has its heartbeat, too.
      await Promise.all([...new Set([...all(), scan])].map((each) => each.close()));
    },
  };
}
