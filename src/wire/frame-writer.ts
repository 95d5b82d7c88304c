// Frames to a stream socket. Those of one turn of the event loop leave in one write; small ones are written where they
// leave from, since a buffer of its own for each costs the garbage collector more than its bytes do.
import type { Socket } from 'node:net';
import { release } from '../base/release.ts';
import { FRAME, type FrameKind, frame, HEADER_BYTES, putHeader, replyFrame, setFrameId } from './frames.ts';

export interface FrameWriter {
  /** A whole frame, whose memory is taken over. */
  send(bytes: Uint8Array): void;
  json(kind: FrameKind, id: number, value: unknown, flags?: number): void;
  /** A part of a body, whose memory is taken over: written as it lies. */
  data(id: number, part: Uint8Array): void;
  /** @param body text is written as UTF-8 */
  reply(id: number, head: unknown, body: string | Uint8Array, flags?: number): void;
}

/** Frames up to this size are put together into one write. */
const BATCH_BYTES = 64 * 1024;
/** Of a reply's head. */
const LENGTH_BYTES = 4;
/** The most that UTF-8 takes for a UTF-16 unit. */
const UNIT_BYTES = 3;

export function createFrameWriter(socket: Socket): FrameWriter {
  let batch: Buffer = Buffer.allocUnsafeSlow(BATCH_BYTES);
  let filled = 0;
  let scheduled = false;
  /** Most writes are over at once, and their memory is used again. */
  let spare: Buffer | undefined;

  const isOpen = (): boolean => !socket.destroyed && !socket.writableEnded;
  const flush = (): void => {
    scheduled = false;
    if (filled === 0) return;
    const full = batch;
    const bytes = full.subarray(0, filled);
    batch = spare ?? Buffer.allocUnsafeSlow(BATCH_BYTES);
    spare = undefined;
    filled = 0;
    if (isOpen())
      socket.write(bytes, () => {
        spare = full;
      });
  };
  /** Where so many bytes begin in the batch. */
  const room = (bytes: number): number => {
    if (filled + bytes > BATCH_BYTES) flush();
    if (!scheduled) {
      scheduled = true;
      setImmediate(flush);
    }
    return filled;
  };
  const sendAlone = (bytes: Uint8Array): void => {
    flush();
    if (isOpen()) socket.write(bytes, () => release(bytes));
  };

  return {
    send(bytes) {
      if (bytes.byteLength > BATCH_BYTES) {
        sendAlone(bytes);
        return;
      }
      const at = room(bytes.byteLength);
      batch.set(bytes, at);
      filled = at + bytes.byteLength;
    },
    json(kind, id, value, flags = 0) {
      const text = JSON.stringify(value);
      const bytes = HEADER_BYTES + text.length * UNIT_BYTES;
      if (bytes > BATCH_BYTES) {
        sendAlone(frame(kind, id, Buffer.from(text), flags));
        return;
      }
      const at = room(bytes);
      filled = at + HEADER_BYTES + batch.write(text, at + HEADER_BYTES);
      putHeader(batch, at, filled - at, kind, flags, id);
    },
    data(id, part) {
      const bytes = HEADER_BYTES + part.byteLength;
      if (bytes > BATCH_BYTES) {
        const header = Buffer.allocUnsafe(HEADER_BYTES);
        putHeader(header, 0, bytes, FRAME.data, 0, id);
        flush();
        if (!isOpen()) return;
        socket.cork();
        socket.write(header);
        socket.write(part, () => release(part));
        socket.uncork();
        return;
      }
      const at = room(bytes);
      putHeader(batch, at, bytes, FRAME.data, 0, id);
      batch.set(part, at + HEADER_BYTES);
      filled = at + bytes;
    },
    reply(id, head, body, flags = 0) {
      const text = JSON.stringify(head);
      const most = typeof body === 'string' ? body.length * UNIT_BYTES : body.byteLength;
      const bytes = HEADER_BYTES + LENGTH_BYTES + text.length * UNIT_BYTES + most;
      if (bytes > BATCH_BYTES) {
        const alone = replyFrame(head, typeof body === 'string' ? Buffer.from(body) : body, flags);
        setFrameId(alone, id);
        sendAlone(alone);
        return;
      }
      const at = room(bytes);
      const headAt = at + HEADER_BYTES + LENGTH_BYTES;
      const bodyAt = headAt + batch.write(text, headAt);
      batch.writeUInt32LE(bodyAt - headAt, at + HEADER_BYTES);
      if (typeof body === 'string') filled = bodyAt + batch.write(body, bodyAt);
      else {
        batch.set(body, bodyAt);
        filled = bodyAt + body.byteLength;
      }
      putHeader(batch, at, filled - at, FRAME.reply, flags, id);
    },
  };
}
