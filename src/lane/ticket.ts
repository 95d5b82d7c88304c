// One statement or job on its way through the lanes, and the replies that the front gives without an engine.
import type { EngineReason, Failed, Job, Reply, StatementJob, Told } from '../wire/protocol.ts';
import type { Lane } from './lane.ts';

export interface Why {
  readonly reason: EngineReason;
  readonly why: string;
}

export interface Ticket {
  readonly job: Job;
  readonly client: string;
  readonly snapshot: string;
  /** On performance.now()'s clock: nobody waits longer, the wait in line included. */
  readonly until: number;
  readonly resolve: (reply: Reply) => void;
  /** What a row lane would say of it, where that is known. */
  readonly elsewhere: Failed | undefined;
  /** How often it was lost while it ran. */
  losses: number;
  /** Taken back by the signal. */
  gone: boolean;
  /** Unproven: it may end its process, and others' answers wait there for its end. */
  at: { readonly lane: Lane; readonly id: number; readonly unproven: boolean } | undefined;
  /** Why it is not where it came first, for the log. */
  why: Why | undefined;
  /** As the row lane said. */
  visits: number | undefined;
  /** It ran out of memory in the scan lane. */
  outOfMemory: boolean;
  /** How it ended in the scan lane, where the distributed engine was asked then. */
  fell: Failed | undefined;
  /** What the row lane said of it, where it is only explained. */
  told: Told | undefined;
}

export const SCAN_STARTS: Why = {
  reason: 'small',
  why: 'all tables are small, and the scan lane is being started',
};
export const KEPT_OUT: Why = { reason: 'barred', why: 'it is kept out of the scan lane' };
export const REFUSED: Failed = {
  ok: false,
  code: 'statement-refused',
  message: 'this statement ended the engine before and is not run again for a while: write it differently',
};
export const STOPPING: Failed = { ok: false, code: 'not-ready', message: 'the gateway is stopping' };
export const NO_SNAPSHOT: Failed = {
  ok: false,
  code: 'not-ready',
  message: 'there is no snapshot to read yet',
};
/** Only where one engine alone may answer. */
export const NOT_TAKEN: Failed = {
  ok: false,
  code: 'unsupported',
  message: 'this engine does not run the statement',
};
/** The setting `trino` is empty. */
export const NO_REMOTE: Failed = {
  ok: false,
  code: 'not-ready',
  message: 'the table lives in a distributed engine, and this gateway has no address of one',
};
export const LOST_TOO_OFTEN: Failed = {
  ok: false,
  code: 'not-ready',
  message: 'the engine was restarted too often; try again',
};
export const UNREADABLE: Failed = {
  ok: false,
  code: 'not-ready',
  message: 'the snapshot cannot be read at the moment',
  detail: 'SIGBUS: a page of rows.sqlite cannot be read, or is not there any more',
};
export const WAITED: Failed = {
  ok: false,
  code: 'overloaded',
  message: 'the statement waited in line for its whole time limit; try again',
};

export function timeLimit(job: StatementJob): Failed {
  return {
    ok: false,
    code: 'limit-time',
    message: `the statement ran longer than the limit of ${job.limits.deadlineMs} ms`,
  };
}

export function memoryLimit(bytes: number): Failed {
  return {
    ok: false,
    code: 'limit-memory',
    message: `the statement needs more memory than the limit of ${bytes} bytes: read fewer rows or columns at once`,
  };
}

/** What could not be stopped after less of its time limit was held up by others, not by itself. */
const OWN_FAULT = 0.5;

/** The wait in line is part of what a client waits: whoever had less than its time to run is told so. */
export function outOfTime(ticket: Ticket, job: StatementJob, ranMs: number, scanBytes: number): Failed {
  // SQLite was given what was left of its time; the scan lane's word says more.
  if (ticket.outOfMemory) return memoryLimit(scanBytes);
  return ranMs >= job.limits.deadlineMs * OWN_FAULT || ticket.why !== undefined ? timeLimit(job) : WAITED;
}

export function isStatement(job: Job): job is StatementJob {
  return 'shape' in job;
}

const STORED_DEADLINE_MS = 5_000;

/** How long a job may take. */
export function limitMs(job: Job): number {
  return 'limits' in job ? job.limits.deadlineMs : STORED_DEADLINE_MS;
}

/** A statement with its values: what is refused where its shape has run cleanly with others. */
export function statementKey(job: StatementJob): string {
  return JSON.stringify([job.shape, job.literals]);
}
