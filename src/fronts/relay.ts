// The supervisor's side of one front's jobs: hands them to the lanes, and what comes back to the front, without looking
// at it. A body in parts goes on as fast as the front's reader takes it.
import { Aborter } from '../base/abort.ts';
import { GatewayError } from '../base/errors.ts';
import { errorText } from '../base/observe.ts';
import type { Lanes } from '../lane/lanes.ts';
import type { FrameWriter } from '../wire/frame-writer.ts';
import { FRAME, type Frame, MORE, parseJson } from '../wire/frames.ts';
import type { Answered, Failed } from '../wire/protocol.ts';
import type { RunOrder } from './messages.ts';

export interface Relay {
  /** A frame of a job. */
  onFrame(received: Frame): void;
  /** Jobs that are not answered to their end. */
  readonly pending: number;
  /** The front is gone: nobody waits for any of them. */
  close(): void;
}

/** Of a body in parts: bytes that are sent before its reader has taken those before them. */
const AHEAD_BYTES = 512 * 1024;
const FRONT_LEFT = new Error('the front does not wait for it any more');
const NO_ENGINE: Failed = { ok: false, code: 'not-ready', message: 'no engine serves at this moment' };

class Running {
  readonly aborter = new Aborter();
  /** Sent, and not yet taken by the reader. */
  unread = 0;
  parts: AsyncIterator<Uint8Array> | undefined;
  wake: (() => void) | undefined;

  leave(): void {
    this.aborter.abort(FRONT_LEFT);
    // It may never have been begun to be read; where a part is awaited now, this comes after it.
    this.parts?.return?.().catch(() => {});
    this.wake?.();
  }

  taken(bytes: number): void {
    this.unread -= bytes;
    if (this.unread <= AHEAD_BYTES) this.wake?.();
  }

  /** Until its reader has room, or has left. */
  async room(): Promise<void> {
    while (this.unread > AHEAD_BYTES && !this.aborter.aborted)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
  }
}

export function createRelay(lanes: Pick<Lanes, 'run' | 'healthy'>, writer: FrameWriter): Relay {
  const jobs = new Map<number, Running>();

  const run = async (id: number, { job, ...order }: RunOrder): Promise<void> => {
    // At once, as a gateway of one process does: a lane that is being started would hold the question back.
    if (job.kind === 'probe' && !lanes.healthy()) {
      writer.reply(id, NO_ENGINE, '');
      return;
    }
    const running = new Running();
    jobs.set(id, running);
    try {
      const reply = await lanes.run(job, { ...order, signal: running.aborter });
      if (!reply.ok) writer.reply(id, reply, '');
      else await answer(id, running, reply);
    } catch (error) {
      if (!running.aborter.aborted) writer.reply(id, bugOf(error), '');
    } finally {
      jobs.delete(id);
    }
  };
  /** Lanes reject where nobody waits any more, and never else. */
  const bugOf = (error: unknown): Failed => ({
    ok: false,
    code: 'internal',
    message: 'the job was not answered',
    detail: errorText(error),
  });
  const answer = async (id: number, running: Running, reply: Answered): Promise<void> => {
    const { body, rest, unread: _, ...head } = reply;
    if (rest === undefined) {
      writer.reply(id, head, body);
      return;
    }
    const parts = rest[Symbol.asyncIterator]();
    running.parts = parts;
    if (running.aborter.aborted) {
      running.leave();
      return;
    }
    running.unread = body.length;
    writer.reply(id, head, body, MORE);
    try {
      for (;;) {
        await running.room();
        const part = await parts.next();
        if (running.aborter.aborted) return;
        if (part.done === true) break;
        running.unread += part.value.byteLength;
        writer.data(id, part.value);
      }
      writer.json(FRAME.end, id, { ok: true });
    } catch (error) {
      if (running.aborter.aborted) return;
      const { code, message } =
        error instanceof GatewayError ? error : new GatewayError('internal', String(error));
      writer.json(FRAME.end, id, { ok: false, code, message } satisfies Failed);
    }
  };

  return {
    onFrame(received) {
      if (received.kind === FRAME.run) void run(received.id, parseJson(received.payload) as RunOrder);
      else if (received.kind === FRAME.cancel) jobs.get(received.id)?.leave();
      else if (received.kind === FRAME.credit) jobs.get(received.id)?.taken(received.payload.readUInt32LE(0));
    },
    get pending() {
      return jobs.size;
    },
    close() {
      for (const running of jobs.values()) running.leave();
    },
  };
}
