// The front's side of jobs: an engine that sends them to the supervisor and gives what comes back. The frames are those
// between front and lane.
import type { Engine } from '../answer/engine.ts';
import { GatewayError } from '../base/errors.ts';
import { type BodyStream, createBodyStream } from '../lane/body-stream.ts';
import type { FrameWriter } from '../wire/frame-writer.ts';
import {
  FRAME,
  type Frame,
  frame,
  MORE,
  numberFrame,
  ownMemory,
  parseJson,
  splitReply,
} from '../wire/frames.ts';
import type { Answered, Failed, Reply } from '../wire/protocol.ts';
import type { RunOrder } from './messages.ts';

export interface RemoteEngine extends Engine {
  /** A frame of a job. */
  onFrame(received: Frame): void;
}

interface Entry {
  readonly answer: (reply: Reply) => void;
  /** Undefined until the first part of a body has come. */
  stream: BodyStream | undefined;
}

export function createRemoteEngine(writer: FrameWriter): RemoteEngine {
  const entries = new Map<number, Entry>();
  let lastId = 0;

  const leave = (id: number): void => {
    if (entries.delete(id)) writer.send(frame(FRAME.cancel, id));
  };
  const onReply = (id: number, entry: Entry, { payload, flags }: Frame): void => {
    const { head, body } = splitReply(payload);
    const failed = head as Failed | { readonly ok: true };
    if ((flags & MORE) === 0) {
      entries.delete(id);
      entry.answer(failed.ok ? (Object.assign(failed, { body }) as Answered) : failed);
      return;
    }
    const take = (bytes: number): void => writer.send(numberFrame(FRAME.credit, id, bytes));
    const stream = createBodyStream({ onTaken: take, onLeft: () => leave(id) });
    entry.stream = stream;
    take(body.length);
    entry.answer(
      Object.assign(head as Answered, { body, rest: stream.parts, unread: () => !stream.drained }),
    );
  };

  return {
    run(job, { signal, client = '', snapshot, elsewhere } = {}) {
      if (signal?.aborted === true) return Promise.reject(signal.reason);
      lastId = lastId === 0xffffffff ? 1 : lastId + 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          leave(id);
          reject(signal?.reason);
        };
        const answer = (reply: Reply): void => {
          signal?.removeEventListener('abort', abort);
          resolve(reply);
        };
        entries.set(id, { answer, stream: undefined });
        signal?.addEventListener('abort', abort);
        writer.json(FRAME.run, id, { job, client, snapshot, elsewhere } satisfies RunOrder);
      });
    },
    // Whoever cannot run anything says so by the probe's reply; without a supervisor there is no front.
    healthy: () => true,
    onFrame(received) {
      // Nobody waits for it any more.
      const entry = entries.get(received.id);
      if (entry === undefined) return;
      if (received.kind === FRAME.reply) onReply(received.id, entry, received);
      else if (received.kind === FRAME.data) entry.stream?.push(ownMemory(received.payload));
      else if (received.kind === FRAME.end) {
        entries.delete(received.id);
        const end = parseJson(received.payload) as Failed | { readonly ok: true };
        if (end.ok) entry.stream?.end();
        else entry.stream?.fail(new GatewayError(end.code, end.message));
      }
    },
  };
}
