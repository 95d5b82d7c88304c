// One keep-alive HTTP/1.1 connection that sends prepared requests and reads answers by length or in chunks.
// Small on purpose: a load generator that shares the machine must cost little. Not a general client: it
// trusts its target to speak HTTP.
import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  /** Bytes of the body, without the framing of chunks. */
  readonly bytes: number;
  /** From the start of the request to the first byte of its answer. */
  readonly firstByteMs: number;
  readonly wholeMs: number;
}

export interface Connection {
  /**
   * Sends one request; the next may follow when it is answered.
   * @param onBody gets the body in parts, which are only lent.
   */
  ask(request: Uint8Array, onBody?: (part: Buffer) => void): Promise<Answer>;
  /** Reads no further until resume(): the kernel's buffers fill and the other side feels it. */
  pause(): void;
  resume(): void;
  close(): void;
}

type Phase = 'head' | 'length' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailer';

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  readonly onBody: ((part: Buffer) => void) | undefined;
  readonly startedMs: number;
  firstByteMs: number;
  status: number;
  bytes: number;
}

/** Of the target: all processes of the bench have it in their environment, and no command line shows it. */
export const KEY_VARIABLE = 'BENCH_API_KEY';

/** @throws Error where it is no value of a header */
export function keyHeaders(): Record<string, string> {
  const key = process.env[KEY_VARIABLE] ?? '';
  if (key === '') return {};
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error(`the API key in ${KEY_VARIABLE} is no value of a header`);
  return { 'Api-Key': key };
}

export function headerLines(): string {
  return Object.entries({ Accept: 'application/json', ...keyHeaders() })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

export function requestBytes(host: string, path: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${headerLines()}\r\n`, 'latin1');
}

export function openConnection(host: string, port: number): Connection {
  let socket: Socket | undefined;
  let phase: Phase = 'head';
  let rest = 0;
  let unread: Buffer | undefined;
  let waiting: Waiting | undefined;
  let closed = false;

  const fail = (error: Error): void => {
    const failed = waiting;
    waiting = undefined;
    socket?.destroy();
    socket = undefined;
    failed?.reject(error);
  };
  const finish = (): void => {
    const done = waiting;
    waiting = undefined;
    phase = 'head';
    if (done === undefined) return;
    const { status, bytes, firstByteMs } = done;
    done.resolve({ status, bytes, firstByteMs, wholeMs: performance.now() - done.startedMs });
  };
  const readHead = (head: string): void => {
    const status = Number(head.slice(9, 12));
    if (waiting !== undefined) waiting.status = status;
    if (status === 204 || status === 304) {
      finish();
      return;
    }
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length !== undefined) {
      rest = Number(length);
      phase = 'length';
      if (rest === 0) finish();
    } else if (/\r\ntransfer-encoding: *chunked/i.test(head)) phase = 'chunk-size';
    else fail(new Error('an answer with neither a length nor chunks'));
  };
  const takeBody = (chunk: Buffer, from: number): number => {
    const taken = Math.min(rest, chunk.length - from);
    if (waiting !== undefined) {
      waiting.bytes += taken;
      waiting.onBody?.(chunk.subarray(from, from + taken));
    }
    rest -= taken;
    return from + taken;
  };
  const onData = (part: Buffer): void => {
    if (waiting !== undefined && waiting.firstByteMs < 0)
      waiting.firstByteMs = performance.now() - waiting.startedMs;
    const chunk = unread === undefined ? part : Buffer.concat([unread, part]);
    unread = undefined;
    let from = 0;
    while (from < chunk.length) {
      if (waiting === undefined) {
        fail(new Error('bytes that nobody asked for'));
        return;
      }
      if (phase === 'length' || phase === 'chunk') {
        from = takeBody(chunk, from);
        if (rest > 0) return;
        if (phase === 'length') finish();
        else phase = 'chunk-end';
        continue;
      }
      const end = chunk.indexOf(phase === 'head' ? '\r\n\r\n' : '\r\n', from, 'latin1');
      if (end < 0) {
        unread = Buffer.from(chunk.subarray(from));
        return;
      }
      const line = chunk.toString('latin1', from, end);
      from = end + (phase === 'head' ? 4 : 2);
      if (phase === 'head') readHead(`${line}\r\n`);
      else if (phase === 'chunk-end') phase = 'chunk-size';
      else if (phase === 'trailer') {
        if (line === '') finish();
      } else {
        rest = Number.parseInt(line, 16);
        phase = rest === 0 ? 'trailer' : 'chunk';
      }
    }
  };
  const open = (): Socket => {
    const opened = connect({ host, port, noDelay: true });
    phase = 'head';
    unread = undefined;
    opened.on('data', onData);
    opened.on('error', (error) => {
      if (opened === socket) fail(error);
    });
    opened.on('close', () => {
      if (opened === socket) fail(new Error('the connection was closed before the answer was whole'));
    });
    return opened;
  };

  return {
    ask(request, onBody) {
      return new Promise((resolve, reject) => {
        if (closed || waiting !== undefined) {
          reject(new Error(closed ? 'the connection is closed' : 'one request at a time'));
          return;
        }
        waiting = {
          resolve,
          reject,
          onBody,
          startedMs: performance.now(),
          firstByteMs: -1,
          status: 0,
          bytes: 0,
        };
        socket ??= open();
        socket.write(request);
      });
    },
    pause: () => socket?.pause(),
    resume: () => socket?.resume(),
    close() {
      closed = true;
      fail(new Error('the connection was closed here'));
    },
  };
}
