// The part of autocannon that the bench uses: the package brings no types.
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
    readonly duration: number;
    readonly sampleInt: number;
    readonly timeout: number;
    readonly setupClient: (client: Client) => void;
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
