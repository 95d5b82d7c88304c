// The seam between the front and whatever runs statements, seen from the front: lanes today, another engine
// some day. Also turns a failed reply into the error that it stands for.
import type { Abort } from '../base/abort.ts';
import { GatewayError } from '../base/errors.ts';
import type { Observation, Observe } from '../base/observe.ts';
import type { Answered, Failed, Job, Reply } from '../wire/protocol.ts';

export interface RunOptions {
  /** Aborts when nobody waits for the reply any more. */
  readonly signal?: Abort;
  /** Whose turn it is where statements wait in line. */
  readonly client?: string;
  /** Id of the snapshot to be read; the one in use where it is not given. */
  readonly snapshot?: string | undefined;
  /** Which lane it belongs to, where that is known: what a row lane would say of it. */
  readonly elsewhere?: Failed | undefined;
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

type RunObservation = Extract<Observation, { readonly type: 'run' }>;

export type Ask = (job: Job, asker: Asker) => Promise<Timed>;

/** Engine time that a client's statement took. */
export type Charge = (client: string, engineMs: number) => void;

/** @throws GatewayError where the reply is a failure */
export function createAsk(engine: Engine, observe: Observe, charge: Charge = () => {}): Ask {
  return async (job, asker) => {
    const { requestId, client = '' } = asker;
    const since = performance.now();
    const reply = await engine.run(job, asker);
    const queueMs = queueOf(reply, performance.now() - since);
    observe(runOf(reply, { requestId, job: job.kind, queueMs }));
    charge(client, reply.ok ? reply.planMs + reply.engineMs + reply.encodeMs : (reply.engineMs ?? 0));
    // Each reply is one request's own: a copy of it would cost more than all of the above.
    if (reply.ok) return timed(reply, queueMs);
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

function timed(reply: Answered & { queueMs?: number }, queueMs: number): Timed {
  reply.queueMs = queueMs;
  return reply as Timed;
}

function queueOf(reply: Reply, totalMs: number): number {
  // Of a failure it is not known what it was busy with: all of its run counts as the engine's.
  const busyMs = reply.ok ? reply.planMs + reply.engineMs + reply.encodeMs : (reply.engineMs ?? 0);
  return Math.max(0, totalMs - busyMs);
}

/** Written out, since each request makes one: V8 copies what is spread property by property. */
function runOf(
  reply: Reply,
  { requestId, job, queueMs }: Pick<RunObservation, 'requestId' | 'job' | 'queueMs'>,
): RunObservation {
  if (!reply.ok)
    return {
      type: 'run',
      requestId,
      job,
      queueMs,
      planMs: 0,
      engineMs: reply.engineMs ?? 0,
      encodeMs: 0,
      code: reply.code,
      remoteError: reply.remote,
    };
  const { planMs, engineMs, encodeMs, engine, remote } = reply;
  const reason = engine === undefined ? undefined : (reply.reason ?? 'set');
  const why = engine === undefined ? undefined : (reply.why ?? '');
  return { type: 'run', requestId, job, queueMs, planMs, engineMs, encodeMs, engine, reason, why, remote };
}
