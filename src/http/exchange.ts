// One request and the answer to it, from the first byte read to the last one written: what handlers may ask of
// it, and what the spine notes about it. A class, so that a request costs one object and no closures.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Abort, Aborter } from '../base/abort.ts';
import type { Admission } from '../limit/limiter.ts';
import { readBody } from './body.ts';
import { readTarget, type Target } from './request.ts';
import type { Request } from './router.ts';

/** What a request is called, made from what its sender calls it. */
export interface Names {
  readonly requestId: (given: string | undefined) => string;
  readonly traceparent: (given: string | undefined) => string;
}

const NO_SEGMENTS: readonly string[] = [];
const CLIENT_LEFT = new Error('the client is gone');

export class Exchange implements Request {
  readonly message: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  /** Its own place in the trace that it is part of. */
  readonly traceparent: string;
  readonly startedMs: number;
  readonly target: Target;
  readonly #maxBodyBytes: number;
  #signal: Aborter | undefined = undefined;
  #body: Promise<Uint8Array> | undefined = undefined;
  client = '';
  segments = NO_SEGMENTS;
  /** What log and metrics call its route. */
  route = 'none';
  /** Whether a limiter was asked. */
  limited = false;
  /** Undefined where no limit applies. */
  admission: Admission | undefined = undefined;

  /** The client sends its body when it is told to (RFC 9110 section 10.1.1), and it was not yet. */
  waits: boolean;

  constructor(
    message: IncomingMessage,
    res: ServerResponse,
    names: Names,
    maxBodyBytes: number,
    waits: boolean,
  ) {
    this.waits = waits;
    this.message = message;
    this.res = res;
    this.startedMs = performance.now();
    this.requestId = names.requestId(this.header('x-request-id'));
    this.traceparent = names.traceparent(this.header('traceparent'));
    this.target = readTarget(message.url ?? '/');
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** HEAD is answered without one. */
  get withBody(): boolean {
    return this.message.method !== 'HEAD';
  }

  get search(): string {
    return this.target.search;
  }

  /** Read from the raw list: most requests are asked for two or three names, and never need Node's object of all. */
  header(lowerCaseName: string): string | undefined {
    const { rawHeaders } = this.message;
    let found: string | undefined;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const name = rawHeaders[i] ?? '';
      if (name.length !== lowerCaseName.length || name.toLowerCase() !== lowerCaseName) continue;
      const value = rawHeaders[i + 1] ?? '';
      found = found === undefined ? value : `${found},${value}`;
    }
    return found;
  }

  /** @throws GatewayError where it is too large, or of a kind that is not taken */
  body(): Promise<Uint8Array> {
    this.#body ??= readBody(this.message, this.#maxBodyBytes, () => {
      if (this.waits) this.res.writeContinue();
      this.waits = false;
    });
    return this.#body;
  }

  /** Aborts when the client is gone. */
  signal(): Abort {
    this.#signal ??= new Aborter();
    if (this.res.destroyed) this.#signal.abort(CLIENT_LEFT);
    return this.#signal;
  }

  /** The client left before its answer was whole. */
  left(): void {
    this.#signal?.abort(CLIENT_LEFT);
  }
}

/** What a connection is busy with, so that a broken next request cannot write into an answer. */
const BUSY = Symbol('busy');
type Connection = Duplex & { [BUSY]?: Exchange };

export function setBusy(socket: Duplex, exchange: Exchange): void {
  (socket as Connection)[BUSY] = exchange;
}

export function busyWith(socket: Duplex): Exchange | undefined {
  return (socket as Connection)[BUSY];
}
