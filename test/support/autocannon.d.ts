// The part of autocannon that bench and tests use: the package brings no types.
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  /** One connection. Events: `headers`, `body` (each chunk), `response` (status, bytes on the wire, ms). */
  export interface Client extends EventEmitter {
    /** The bytes of the next request; called right before each is sent. */
    getRequestBuffer(): Uint8Array;
  }
  export interface Options {
    readonly url: string;
    readonly connections: number;
    readonly duration?: number;
    /** So many requests in all, instead of a duration. */
    readonly amount?: number;
    readonly sampleInt?: number;
    readonly timeout?: number;
    readonly setupClient?: (client: Client) => void;
    readonly requests?: readonly Request[];
  }
  export interface Request {
    readonly method: 'GET';
    readonly path?: string;
    readonly setupRequest?: (request: Request) => Request;
    readonly onResponse?: (status: number) => void;
  }
  export interface Instance extends EventEmitter {
    stop(): void;
  }
  export interface Result {
    readonly errors: number;
    readonly timeouts: number;
  }
  export default function autocannon(
    options: Options,
    done: (error: Error | null, result: Result) => void,
  ): Instance;
}
