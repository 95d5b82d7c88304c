// The seam between the front and whatever runs statements, seen from the front: lanes today, another engine
// some day. Also turns a failed reply into the error that it stands for.
import type { Abort } from '../base/abort.ts';
import { GatewayError } from '../base/errors.ts';
import type { Observe, RunTimes } from '../base/observe.ts';
import type { Answered, Job, Reply } from '../wire/protocol.ts';

export interface RunOptions {
  /** Aborts when nobody waits for the reply any more. */
  readonly signal?: Abort;
  /** Whose turn it is where statements wait in line. */
  readonly client?: string;
  /** Id of the snapshot to be read; the one in use where it is not given. */
  readonly snapshot?: string;
}

export interface Engine {
  /** A failure of the statement or the engine is a reply, not a rejection; only the signal's abort rejects. */
  run(job: Job, options?: RunOptions): Promise<Reply>;
  /** Whether a statement can be run now. */
  healthy(): boolean;
}

/** Who asked: for the log, and for fairness among clients. */
export interface Asker extends RunOptions {
  readonly requestId: string;
}

/** A reply with what only the front can know of it. */
export interface Timed extends Answered {
  /** See {@link RunTimes}. */
  readonly queueMs: number;
}

export type Ask = (job: Job, asker: Asker) => Promise<Timed>;

/** Engine time that a client's statement took. */
export type Charge = (client: string, engineMs: number) => void;

/** @throws GatewayError where the reply is a failure */
export function createAsk(engine: Engine, observe: Observe, charge: Charge = () => {}): Ask {
  return async (job, asker) => {
    const { requestId, client = '' } = asker;
    const since = performance.now();
    const reply = await engine.run(job, asker);
    const times = timesOf(reply, performance.now() - since);
    const event = { ...times, type: 'run', requestId, job: job.kind } as const;
    observe(reply.ok ? event : { ...event, code: reply.code, remoteError: reply.remote });
    charge(client, reply.ok ? reply.planMs + reply.engineMs + reply.encodeMs : (reply.engineMs ?? 0));
    // Each reply is one request's own: a copy of it would cost more than all of the above.
    if (reply.ok) return Object.assign(reply, { queueMs: times.queueMs });
    // A 500 without a line that says why would be a second bug.
    if (reply.detail !== undefined || reply.code === 'internal')
      observe({ type: 'engine-error', requestId, code: reply.code, detail: reply.detail ?? reply.message });
    const { retryAfterS, hint, token } = reply;
    throw new GatewayError(reply.code, reply.message, {
      hint,
      token,
      ...(retryAfterS === undefined ? {} : { retryAfterS }),
    });
  };
}

/** Of a failure it is not known what it was busy with: all of its run counts as the engine's. */
function timesOf(reply: Reply, totalMs: number): RunTimes {
  const { planMs, engineMs, encodeMs } = reply.ok
    ? reply
    : { planMs: 0, engineMs: reply.engineMs ?? 0, encodeMs: 0 };
  const times = { queueMs: Math.max(0, totalMs - planMs - engineMs - encodeMs), planMs, engineMs, encodeMs };
  if (!reply.ok || reply.engine === undefined) return times;
  const { engine, reason = 'set', why = '', remote } = reply;
  return { ...times, engine, reason, why, ...(remote === undefined ? {} : { remote }) };
}
