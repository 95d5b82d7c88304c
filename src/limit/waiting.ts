// Requests that wait for something to come: woken when it may have, bounded in all and by client, and let go of when
// their time is over, their client leaves or the gateway stops. Knows not what they wait for.
import type { Abort } from '../base/abort.ts';
import { bucketKey } from './address.ts';

/** `full`: there was no room, it did not wait; `closed`: the gateway stops. */
export type WaitEnd = 'came' | 'late' | 'full' | 'closed';

export interface Waiting {
  /**
   * @param isThere asked at each {@link wake}
   * @throws the reason of the signal
   */
  wait(client: string, ms: number, isThere: () => boolean, signal: Abort): Promise<WaitEnd>;
  wake(): void;
  /** Lets go of all; whoever comes later is not held. */
  close(): void;
  readonly count: number;
}

/** One client has at most this share of the room. */
const CLIENT_SHARE = 0.1;

interface Waiter {
  readonly isThere: () => boolean;
  readonly end: (how: WaitEnd) => void;
}

export function createWaiting(max: number): Waiting {
  const waiters = new Set<Waiter>();
  const byClient = new Map<string, number>();
  const maxOfClient = Math.max(1, Math.floor(max * CLIENT_SHARE));
  let closed = false;

  return {
    wait(client, ms, isThere, signal) {
      const key = bucketKey(client);
      const own = byClient.get(key) ?? 0;
      if (closed) return Promise.resolve('closed');
      if (waiters.size >= max || own >= maxOfClient) return Promise.resolve('full');
      if (signal.aborted) return Promise.reject(signal.reason);
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', abort);
          waiters.delete(waiter);
          const left = (byClient.get(key) ?? 1) - 1;
          if (left === 0) byClient.delete(key);
          else byClient.set(key, left);
        };
        const abort = (): void => {
          leave();
          reject(signal.reason);
        };
        const waiter: Waiter = {
          isThere,
          end: (how) => {
            leave();
            resolve(how);
          },
        };
        const timer = setTimeout(waiter.end, ms, 'late');
        waiters.add(waiter);
        byClient.set(key, own + 1);
        signal.addEventListener('abort', abort);
      });
    },
    wake() {
      for (const waiter of [...waiters]) if (waiter.isThere()) waiter.end('came');
    },
    close() {
      closed = true;
      for (const waiter of [...waiters]) waiter.end('closed');
    },
    get count() {
      return waiters.size;
    },
  };
}
