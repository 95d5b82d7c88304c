// Answers that the kernel took whole while their clients take nothing: no socket of ours waits then, but megabytes of
// the kernel's memory do, for as long as the connection stands. Linux says in /proc what waits for each; elsewhere such
// connections are closed when they have been idle for long, as all are. A connection that is to be closed after its answer
// is not let go of before the client has that answer: what the kernel still has of a closed one, nobody can take back.
import { readFile } from 'node:fs/promises';
import { Socket } from 'node:net';

export interface Untaken {
  /** An answer of so many bytes was handed to the kernel. */
  handed(socket: Socket, client: string, bytes: number): void;
  close(): void;
}

export interface UntakenOptions {
  /** Where so long nothing of it is taken, the connection is reset. */
  readonly stallMs: number;
  readonly onCut: (client: string, bytes: number) => void;
  /** Lines of /proc/net/tcp and its like. */
  readonly read?: () => Promise<string>;
}

/** Less than that is not worth a look. */
const LEAST_BYTES = 16 * 1024;
/** A stall is looked for so often in its time. */
const LOOKS = 3;

interface Handed {
  readonly client: string;
  /** It is to be closed when all is taken. */
  closes: boolean;
  waiting: number;
  /** When it was seen first that so much waits. */
  since: number;
}

export function createUntaken({ stallMs, onCut, read = readTables }: UntakenOptions): Untaken {
  const handed = new Map<Socket, Handed>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const look = async (): Promise<void> => {
    const tables = await read().catch(() => undefined);
    timer = undefined;
    if (closed) return;
    const now = performance.now();
    const waiting = tables === undefined ? undefined : queuesOf(tables);
    for (const [socket, its] of handed) {
      const bytes = socket.destroyed ? 0 : (waiting?.get(keyOf(socket)) ?? 0);
      if (bytes === 0) letGo(socket, its);
      else if (bytes !== its.waiting) {
        its.waiting = bytes;
        its.since = now;
      } else if (now - its.since >= stallMs) {
        handed.delete(socket);
        onCut(its.client, bytes);
        // Not closed in order: the kernel would go on offering it for minutes.
        socket.resetAndDestroy();
      }
    }
    lookLater();
  };
  const letGo = (socket: Socket, { closes }: Handed): void => {
    handed.delete(socket);
    if (closes) socket.destroy();
  };
  /** Instead of an end of the connection as soon as the kernel has taken all. */
  const closeWhenTaken = (socket: Socket): void => {
    const its = handed.get(socket);
    if (its === undefined) Socket.prototype.destroySoon.call(socket);
    else {
      its.closes = true;
      socket.setTimeout(0);
      socket.end();
      // No answer can go out any more: what comes is taken, so that its end is seen, and dropped. The listener first: it is
      // what takes the connection back from node:http, which reads below listeners.
      const drop = (): void => {};
      socket.on('data', drop);
      for (const other of socket.listeners('data'))
        if (other !== drop) socket.off('data', other as (chunk: Buffer) => void);
      socket.resume();
      // The client has closed it, too.
      socket.once('end', () => socket.destroy());
    }
  };
  const lookLater = (): void => {
    if (handed.size > 0 && !closed) timer ??= setTimeout(look, stallMs / LOOKS).unref();
  };

  return {
    handed(socket, client, bytes) {
      if (closed || bytes < LEAST_BYTES || socket.destroyed) return;
      handed.set(socket, { client, closes: false, waiting: 0, since: 0 });
      // Called by node:http after the last answer of a connection.
      socket.destroySoon = () => closeWhenTaken(socket);
      lookLater();
    },
    close() {
      closed = true;
      clearTimeout(timer);
      for (const [socket, its] of handed) letGo(socket, its);
    },
  };
}

async function readTables(): Promise<string> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'latin1').catch(() => '')),
  );
  return tables.join('');
}

/** Bytes that wait to be taken, by port here, address and port there: in hexadecimal, as the kernel writes them. */
export function queuesOf(tables: string): ReadonlyMap<string, number> {
  const queues = new Map<string, number>();
  const line =
    /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) (?:0{16}FFFF0{4})?([0-9A-F]+:[0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]{8}):/gm;
  for (const [, port, peer, waiting = ''] of tables.matchAll(line))
    if (waiting !== '00000000') queues.set(`${port} ${peer}`, Number.parseInt(waiting, 16));
  return queues;
}

function keyOf({ localPort = 0, remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${port(localPort)} ${addressOf(remoteAddress)}:${port(remotePort)}`;
}
const port = (value: number): string => value.toString(16).toUpperCase().padStart(4, '0');

/** Its bytes in words of four, the last byte of each first: as processors of little endian have them. */
export function addressOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  const bytes = mapped.includes(':') ? bytesOfV6(mapped) : mapped.split('.').map(Number);
  const words: string[] = [];
  for (let at = 0; at < bytes.length; at += 4)
    words.push(
      bytes
        .slice(at, at + 4)
        .reverse()
        .map((byte) => byte.toString(16).padStart(2, '0'))
        .join(''),
    );
  return words.join('').toUpperCase();
}

function bytesOfV6(address: string): readonly number[] {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const groupsOf = (text: string | undefined): readonly string[] => (text ? text.split(':') : []);
  const left = groupsOf(head);
  const right = groupsOf(tail);
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  return [...left, ...zeros, ...right].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
