// The bytes between front and lane, and between front and supervisor: length-prefixed binary frames over a stream socket.
// Knows nothing of what a job means; bodies pass as they are, never through JSON or base64.
//
//   u32 bytes after this field | u8 kind | u8 flags | u16 0 | u32 id | payload        (little endian)
//
// A REPLY's payload is `u32 length of head | head (JSON) | body`; every other payload is JSON, bytes or nothing.
import { isAscii } from 'node:buffer';

export const FRAME = {
  /** front -> lane: a job, JSON. */
  run: 1,
  /** front -> lane: nobody waits for this id any more. */
  cancel: 2,
  /** front -> lane: this many more bytes (u32) of a streamed body may be sent. */
  credit: 3,
  /** front -> lane: open this snapshot beside what is open, JSON. */
  open: 4,
  /** front -> lane: answer with pong. */
  ping: 5,
  /** front -> lane: no new job names another snapshot than this, JSON; close the others when they are done. */
  retire: 6,
  /** lane -> front: head and body (or its first part). */
  reply: 16,
  /** lane -> front: more bytes of a streamed body. */
  data: 17,
  /** lane -> front: the streamed body is whole, or failed (JSON). */
  end: 18,
  /** lane -> front: the lane's state, JSON. */
  state: 19,
  /** lane -> front: the job left the queue and is being run. */
  started: 20,
  pong: 21,
  /** lane -> front: it was stopped for others, and is in the queue again. */
  putBack: 22,
  /** Between supervisor and front, both ways: what is no job, JSON. */
  tell: 23,
  /** front -> supervisor: whole lines for the log. */
  log: 24,
} as const;
export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

/** On a reply: data and end frames follow. */
export const MORE = 1;
/** On a reply or end: the engine can no longer be trusted. */
export const POISONED = 2;

/** What a process says of itself when it is asked whether it is there. */
export interface Pong {
  /** Of a lane without the pages of files that it maps. */
  readonly rssBytes: number;
  /** Of the remote lane: active nodes of the cluster; 0 where it cannot run anything, undefined where it does not say. */
  readonly nodes?: number | undefined;
}

export const HEADER_BYTES = 12;
/** A frame that claims more is a broken stream, not a large body: those are sent in parts. */
const MAX_FRAME_BYTES = 256 * 1024 * 1024;

/** A body up to this size may leave in one frame. The front keeps all of it until its reader has taken it. */
export const WHOLE_BYTES = 4 * 1024 * 1024;
/**
 * A larger body leaves in parts of at most this size, wherever that cuts it, also inside of a value: what waits in the
 * front for a reader is bounded, and an answer must not reach that bound by itself.
 */
export const PART_BYTES = 1024 * 1024;

export interface Frame {
  readonly kind: number;
  readonly flags: number;
  readonly id: number;
  /** Good until the receiver returns: see {@link ownMemory}. */
  readonly payload: Buffer;
}

/** @param bytes of the whole frame, which begins at `at` */
export function putHeader(
  into: Buffer,
  at: number,
  bytes: number,
  kind: FrameKind,
  flags: number,
  id: number,
): void {
  into.writeUInt32LE(bytes - 4, at);
  into.writeUInt32LE(kind | (flags << 8), at + 4);
  into.writeUInt32LE(id, at + 8);
}

export function frame(kind: FrameKind, id: number, payload?: Uint8Array, flags = 0): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + (payload?.byteLength ?? 0));
  if (payload !== undefined) bytes.set(payload, HEADER_BYTES);
  putHeader(bytes, 0, bytes.byteLength, kind, flags, id);
  return bytes;
}

export function jsonFrame(kind: FrameKind, id: number, value: unknown, flags = 0): Buffer {
  const text = JSON.stringify(value);
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + Buffer.byteLength(text));
  bytes.write(text, HEADER_BYTES);
  putHeader(bytes, 0, bytes.byteLength, kind, flags, id);
  return bytes;
}

export function numberFrame(kind: FrameKind, id: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + 4);
  putHeader(bytes, 0, bytes.byteLength, kind, 0, id);
  bytes.writeUInt32LE(value, HEADER_BYTES);
  return bytes;
}

/**
 * A whole REPLY frame with id 0, in memory of its own so that it can be transferred to another thread; the
 * thread that sends it fills in the id with {@link setFrameId}.
 */
export function replyFrame(head: unknown, body: Uint8Array, flags: number): Uint8Array<ArrayBuffer> {
  const text = JSON.stringify(head);
  // Heads are ASCII but for messages; three bytes a UTF-16 unit is the most UTF-8 takes.
  const headBytes = Buffer.byteLength(text);
  const bytes = new Uint8Array(HEADER_BYTES + 4 + headBytes + body.byteLength);
  Buffer.from(bytes.buffer).write(text, HEADER_BYTES + 4);
  new DataView(bytes.buffer).setUint32(HEADER_BYTES, headBytes, true);
  bytes.set(body, HEADER_BYTES + 4 + headBytes);
  putHeader(Buffer.from(bytes.buffer), 0, bytes.byteLength, FRAME.reply, flags, 0);
  return bytes;
}

export function setFrameId(bytes: Uint8Array, id: number): void {
  new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES).setUint32(8, id, true);
}

/** Bodies up to this size that are ASCII become strings: those cost the garbage collector a tenth of a buffer. */
export const TEXT_BYTES = 16 * 1024;

/** Head and body of a REPLY's payload. The body may be kept. */
export function splitReply(payload: Buffer): { readonly head: unknown; readonly body: Uint8Array | string } {
  const bodyAt = 4 + payload.readUInt32LE(0);
  const head: unknown = JSON.parse(payload.toString('utf8', 4, bodyAt));
  const bytes = payload.subarray(bodyAt);
  const isText = bytes.byteLength <= TEXT_BYTES && isAscii(bytes);
  return { head, body: isText ? bytes.toString('latin1') : ownMemory(bytes, payload) };
}

/** The bytes as they may be kept: a copy where they are a small part of what the socket gave. */
export function ownMemory(bytes: Buffer, payload = bytes): Buffer {
  if (payload.byteOffset === 0 && payload.byteLength === payload.buffer.byteLength) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.byteLength);
  bytes.copy(copy);
  return copy;
}

export function parseJson(payload: Buffer): unknown {
  return JSON.parse(payload.toString('utf8'));
}

function frameOf(header: Buffer, payload: Buffer): Frame {
  return { kind: header[4] ?? 0, flags: header[5] ?? 0, id: header.readUInt32LE(8), payload };
}

/** Cuts a stream into frames. Give it each chunk as it comes; throws where the stream cannot be frames. */
export function createFrameReader(onFrame: (frame: Frame) => void): (chunk: Buffer) => void {
  const header = Buffer.alloc(HEADER_BYTES);
  let headerFilled = 0;
  let payload: Buffer | undefined;
  let payloadFilled = 0;

  const finish = (bytes: Buffer): void => {
    payload = undefined;
    headerFilled = 0;
    onFrame(frameOf(header, bytes));
  };

  return (chunk) => {
    let at = 0;
    while (at < chunk.byteLength) {
      if (payload === undefined) {
        // Whole frames are read where they lie; only what comes in pieces is put together.
        if (headerFilled === 0 && chunk.byteLength - at >= HEADER_BYTES) {
          const end = at + 4 + chunk.readUInt32LE(at);
          if (end - at >= HEADER_BYTES && end <= chunk.byteLength) {
            const whole = chunk.subarray(at, end);
            at = end;
            onFrame(frameOf(whole, whole.subarray(HEADER_BYTES)));
            continue;
          }
        }
        const taken = Math.min(HEADER_BYTES - headerFilled, chunk.byteLength - at);
        chunk.copy(header, headerFilled, at, at + taken);
        headerFilled += taken;
        at += taken;
        if (headerFilled < HEADER_BYTES) return;
        const length = header.readUInt32LE(0) - (HEADER_BYTES - 4);
        if (length < 0 || length > MAX_FRAME_BYTES)
          throw new Error(`a frame of ${length} bytes: not our stream`);
        payload = Buffer.allocUnsafeSlow(length);
        payloadFilled = 0;
        if (length === 0) {
          finish(payload);
          continue;
        }
      }
      const taken = Math.min(payload.byteLength - payloadFilled, chunk.byteLength - at);
      chunk.copy(payload, payloadFilled, at, at + taken);
      payloadFilled += taken;
      at += taken;
      if (payloadFilled === payload.byteLength) finish(payload);
    }
  };
}
