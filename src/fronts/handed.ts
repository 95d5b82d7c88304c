// Connections on their way to a front. node:cluster forgets those that it handed to a process which died before it took
// them: nobody has them and nobody closes them, and their clients wait for ever. Here they are closed with the process.
import type { ChildProcess } from 'node:child_process';

interface Handle {
  close(): void;
}

/** What node:cluster says to a front with a connection, and hears when that was taken: lib/internal/cluster/utils.js. */
interface Handing {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

export function closeWithItsFront(front: ChildProcess): void {
  const handed = new Map<number, Handle>();
  const send = front.send.bind(front) as (...given: readonly unknown[]) => boolean;
  front.send = (...given: readonly unknown[]): boolean => {
    const [message, handle] = given as readonly [Handing, Handle | undefined];
    if (message?.act === 'newconn' && message.seq !== undefined && handle !== undefined)
      handed.set(message.seq, handle);
    return send(...given);
  };
  front.on('internalMessage', ({ ack }: Handing) => {
    if (ack !== undefined) handed.delete(ack);
  });
  front.on('exit', () => {
    for (const handle of handed.values()) handle.close();
    handed.clear();
  });
}
