// One request in a lane: how far it has come, and when it has had its time. Time comes in as an argument.
import type { Job, Reply } from '../wire/protocol.ts';
import type { BodyStream } from './body-stream.ts';

/**
 * How a request was lost with its lane: `queued`: it had not begun; `beside`: another one was the cause; `running`: it
 * may have been the cause, as others that ran; `alone`: nothing else ran when the process ended; `overrun`: it was
 * the cause, it could not be stopped; `overweight`: it was alone when the lane's memory passed its budget; `left`:
 * nobody waited for it any more; `put-back`: it made room for others.
 */
export type Loss = 'queued' | 'beside' | 'running' | 'alone' | 'overrun' | 'overweight' | 'left' | 'put-back';

export interface LaneRequest {
  readonly job: Job;
  readonly client: string;
  /** Id of the snapshot to be read. */
  readonly snapshot: string;
  /** Nobody waits longer than this, the wait in line included. */
  readonly waitMs: number;
  /** Run for longer than this plus {@link graceMs}, the lane is killed. */
  readonly deadlineMs: number;
  /** What it has after the deadline to stop by itself. */
  readonly graceMs: number;
  /** @param ranMs since it began, on the way back included; 0 where it never did */
  readonly onReply: (reply: Reply, ranMs: number) => void;
  readonly onLost: (loss: Loss, why: string, ranMs: number) => void;
  /** All of its answer in parts is here. */
  readonly onWhole?: () => void;
  /** The process ended after it began to send the answer in parts. */
  readonly onCut?: (loss: Loss, why: string) => void;
  /**
   * It may end the process until its own end: answers in parts of others wait for that before they begin to be sent.
   * Its own first part waits for nothing, as it is not to be sent from there.
   */
  readonly unproven?: boolean;
}

export interface Entry {
  readonly request: LaneRequest;
  readonly since: number;
  sent: boolean;
  startedAt: number | undefined;
  abandoned: boolean;
  loss: Exclude<Loss, 'queued' | 'running' | 'alone'> | undefined;
  stream: BodyStream | undefined;
  /** Hands its first part on, which waits until nothing is beside it that may end the process. */
  held: (() => void) | undefined;
  lastActivity: number;
}

/** After the deadline, `interrupt()` has this long to work; then the process is killed. */
export const GRACE_MS = 450;
/** What was held back for so long while no process served is given up. */
const HOLD_MS = 10_000;

export function newEntry(request: LaneRequest, now: number): Entry {
  return {
    request,
    since: now,
    sent: false,
    startedAt: undefined,
    abandoned: false,
    loss: undefined,
    stream: undefined,
    held: undefined,
    lastActivity: now,
  };
}

export function ranMs(entry: Entry, now: number): number {
  return entry.startedAt === undefined ? 0 : now - entry.startedAt;
}

export function heldTooLong({ since, request }: Entry, now: number): boolean {
  return now - since > Math.min(HOLD_MS, request.waitMs);
}

/** Whether it should have been stopped by now: of a body in parts, only the time that the lane takes counts. */
export function overruns(
  { request, since, startedAt, stream, held, abandoned, lastActivity }: Entry,
  now: number,
): boolean {
  if (startedAt === undefined || (held !== undefined && !abandoned)) return false;
  if (stream !== undefined)
    return (abandoned || stream.drained) && now - lastActivity > request.deadlineMs + request.graceMs;
  const deadline = Math.min(startedAt + request.deadlineMs, since + request.waitMs);
  return now > deadline + request.graceMs;
}

/** Those that a worker has begun. */
export function begun(entries: ReadonlyMap<number, Entry>): readonly Entry[] {
  return [...entries.values()].filter(({ startedAt }) => startedAt !== undefined);
}

/** The only one that runs is the cause; of several, any may be. */
export function markOverweight(entries: ReadonlyMap<number, Entry>): void {
  const [only, another] = begun(entries);
  if (another === undefined && only !== undefined) only.loss = 'overweight';
}

/** Of all that is lost with the lane, in order. */
export function lossesOf(lost: readonly Entry[]): readonly Loss[] {
  return lost.map((entry) => lossOf(entry, lost));
}

function lossOf(entry: Entry, lost: readonly Entry[]): Loss {
  if (entry.loss !== undefined) return entry.loss;
  if (entry.startedAt === undefined) return 'queued';
  if (lost.some(({ loss }) => loss !== undefined)) return 'beside';
  return lost.some((other) => other !== entry && other.startedAt !== undefined) ? 'running' : 'alone';
}
