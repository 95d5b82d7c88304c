// The seam between the front and whatever runs statements, seen from the front: lanes today, another engine
// some day. Also turns a failed reply into the error that it stands for.
import { GatewayError } from '../errors.ts';
import type { Observe } from '../observe.ts';
import type { Answered, Job, Reply } from '../protocol.ts';

export interface RunOptions {
  /** Aborts when nobody waits for the reply any more. */
  readonly signal?: AbortSignal;
  /** Whose turn it is where statements wait in line. */
  readonly client?: string;
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

export type Ask = (job: Job, asker: Asker) => Promise<Answered>;

/** @throws GatewayError where the reply is a failure */
export function createAsk(engine: Engine, observe: Observe): Ask {
  return async (job, { requestId, ...options }) => {
    const reply = await engine.run(job, options);
    if (reply.ok) return reply;
    if (reply.detail !== undefined)
      observe({ type: 'engine-error', requestId, code: reply.code, detail: reply.detail });
    throw new GatewayError(reply.code, reply.message);
  };
}
