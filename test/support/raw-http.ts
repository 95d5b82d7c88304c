// HTTP byte by byte: sends what no client library would send, and reads what comes as it comes.
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  /** Names in lower case; of equal names the last. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One connection and all that it has read; bytes as latin1. */
export interface RawConnection {
  readonly socket: Socket;
  readonly text: string;
  readonly closed: boolean;
  write(bytes: string): void;
  /** Resolves when the other side closed, or `enough` is true of what was read; rejects after `ms`. */
  until(enough: (text: string) => boolean, ms?: number): Promise<string>;
  destroy(): void;
}

export function open(
  port: number,
  options: { readonly allowHalfOpen?: boolean } = {},
): Promise<RawConnection> {
  return new Promise((resolve, reject) => {
    let text = '';
    let closed = false;
    const watchers = new Set<() => void>();
    const tell = (): void => {
      for (const watcher of watchers) watcher();
    };
    const socket = connect({ port, host: '127.0.0.1', ...options });
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      tell();
    });
    const onClose = (): void => {
      closed = true;
      tell();
    };
    socket.on('close', onClose).on('end', onClose);
    socket.once('error', reject);
    socket.on('error', () => {});
    socket.once('connect', () =>
      resolve({
        socket,
        get text() {
          return text;
        },
        get closed() {
          return closed;
        },
        write(bytes) {
          if (!socket.destroyed) socket.write(bytes, 'latin1');
        },
        until: (enough, ms = 20_000) =>
          new Promise((done, fail) => {
            const settle = (): void => {
              if (!closed && !enough(text)) return;
              watchers.delete(settle);
              clearTimeout(late);
              done(text);
            };
            const late = setTimeout(() => {
              watchers.delete(settle);
              fail(new Error(`nothing after ${ms} ms: ${JSON.stringify(text.slice(0, 300))}`));
            }, ms);
            watchers.add(settle);
            settle();
          }),
        destroy: () => socket.destroy(),
      }),
    );
  });
}

/** Sends bytes on a new connection and reads until the other side closes or `enough` answers have come. */
export async function exchange(
  port: number,
  bytes: string,
  enough = Number.POSITIVE_INFINITY,
): Promise<RawAnswer[]> {
  const connection = await open(port);
  connection.write(bytes);
  const text = await connection.until((read) => readAnswers(read).length >= enough);
  connection.destroy();
  return readAnswers(text);
}

/** The whole answers at the start of a text, as a strict client splits them: by length or by chunks. */
export function readAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(rest)?.[1] ?? 0);
    if (end < 0 || status === 0) return answers;
    const headers: Record<string, string> = {};
    for (const line of rest.slice(0, end).split('\r\n').slice(1)) {
      const colon = line.indexOf(':');
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    rest = rest.slice(end + 4);
    if (status === 100) continue;
    const body = headers['transfer-encoding'] === 'chunked' ? readChunks(rest) : readLength(rest, headers);
    if (body === undefined) return answers;
    answers.push({ status, headers, body: body.text });
    rest = rest.slice(body.bytes);
  }
}

interface Body {
  readonly text: string;
  readonly bytes: number;
}

function readLength(rest: string, headers: Readonly<Record<string, string>>): Body | undefined {
  const bytes = Number(headers['content-length'] ?? 0);
  return rest.length < bytes ? undefined : { text: rest.slice(0, bytes), bytes };
}

function readChunks(rest: string): Body | undefined {
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    const line = rest.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(rest.slice(at, line), 16);
    if (Number.isNaN(size) || rest.length < line + 2 + size + 2) return undefined;
    parts.push(rest.slice(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
    if (size === 0) return { text: parts.join(''), bytes: at };
  }
}
