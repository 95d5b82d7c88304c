// Answers that their clients do not read as fast as they are made. What waits for them in this process is bounded for
// all connections together: beyond that, whoever has most of it loses the answer that waits longest. And where nothing
// moves for long, that connection is closed.
import type { ServerResponse } from 'node:http';

export interface Unread {
  /**
   * Its connection did not take all that was written, or may not have.
   * @param ahead bytes that may wait further up, until this connection takes more
   */
  waits(client: string, res: ServerResponse, ahead: number): void;
  /** Its connection took all. */
  took(res: ServerResponse): void;
  /** As counted when somebody last came to wait. */
  readonly bytes: number;
}

export interface UnreadOptions {
  /** Of all connections together. */
  readonly maxBytes: number;
  /** Without a byte taken for so long, a connection is closed. */
  readonly stallMs: number;
  /** The same of one that has nothing to take. */
  readonly idleMs: number;
  readonly onCut: (client: string, bytes: number) => void;
}

interface Waiting {
  readonly client: string;
  readonly ahead: number;
}
interface Share {
  bytes: number;
  /** In the order in which they came to wait. */
  readonly waiting: (readonly [res: ServerResponse, bytes: number])[];
}

export function createUnread({ maxBytes, stallMs, idleMs, onCut }: UnreadOptions): Unread {
  /** The one that took something last is last. */
  const waiting = new Map<ServerResponse, Waiting>();
  /** At least what waits: what was taken since is not yet taken off. */
  let bytes = 0;

  const count = (): Map<string, Share> => {
    const shares = new Map<string, Share>();
    bytes = 0;
    for (const [res, { client, ahead }] of waiting) {
      if (res.destroyed || res.writableLength === 0) {
        waiting.delete(res);
        continue;
      }
      const its = res.writableLength + ahead;
      const share = shares.get(client) ?? { bytes: 0, waiting: [] };
      share.bytes += its;
      share.waiting.push([res, its]);
      shares.set(client, share);
      bytes += its;
    }
    return shares;
  };
  const cutOne = (shares: Map<string, Share>): void => {
    let most: readonly [client: string, share: Share] | undefined;
    for (const entry of shares) if (most === undefined || entry[1].bytes > most[1].bytes) most = entry;
    const [res, its] = most?.[1].waiting.shift() ?? [];
    if (most === undefined || res === undefined || its === undefined) {
      bytes = 0;
      return;
    }
    most[1].bytes -= its;
    bytes -= its;
    waiting.delete(res);
    // Not in the kernel's memory, either.
    if (res.socket === null) res.destroy();
    else res.socket.resetAndDestroy();
    onCut(most[0], its);
  };

  return {
    waits(client, res, ahead) {
      waiting.delete(res);
      waiting.set(res, { client, ahead });
      res.socket?.setTimeout(stallMs);
      bytes += res.writableLength + ahead;
      if (bytes <= maxBytes) return;
      const shares = count();
      while (bytes > maxBytes) cutOne(shares);
    },
    took(res) {
      if (waiting.delete(res)) res.socket?.setTimeout(idleMs);
    },
    get bytes() {
      return bytes;
    },
  };
}
