// A proxy between replicas or publishers and a real store, which does to chosen requests what networks and stores do:
// nothing, errors, cuts, wrong bytes. It counts what it passed on.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type Fault =
  /** Answers this instead of asking the store. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body: string;
    }
  /** Ends the connection after so many bytes of the body. */
  | { readonly kind: 'cut'; readonly bytes: number }
  /** Sends only so many, and says that these are all. */
  | { readonly kind: 'truncate'; readonly bytes: number }
  /** One bit of this byte. */
  | { readonly kind: 'flip'; readonly at: number }
  /** Bytes without end. */
  | { readonly kind: 'endless' }
  /** Ends the connection without an answer. */
  | { readonly kind: 'gone' }
  /** Never answers. */
  | { readonly kind: 'silent' }
  /** The store is asked when this is done. */
  | { readonly kind: 'after'; readonly done: Promise<unknown> };

export interface PassedOn {
  readonly method: string;
  readonly path: string;
  readonly range: string | undefined;
  readonly status: number;
  /** Of the body that was sent on. */
  readonly bytes: number;
}

export interface FaultProxy {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  readonly passed: PassedOn[];
  /** What is done to a request; undefined: nothing. */
  fault: (method: string, path: string) => Fault | undefined;
  stop(): Promise<void>;
}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((incoming, outgoing) => {
    const fault = proxy.fault(incoming.method ?? '', incoming.url ?? '');
    if (fault?.kind === 'gone') incoming.socket.destroy();
    else if (fault?.kind === 'answer') outgoing.writeHead(fault.status, fault.headers).end(fault.body);
    else if (fault?.kind === 'endless') flood(outgoing);
    else if (fault?.kind === 'after') fault.done.then(() => passOn(incoming, outgoing, undefined));
    else if (fault?.kind !== 'silent') passOn(incoming, outgoing, fault);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  function passOn(incoming: IncomingMessage, outgoing: ServerResponse, fault: Fault | undefined): void {
    const { method = '', url: path = '', headers } = incoming;
    const asked = request({ hostname, port, method, path, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('end', () => {
        const body = Buffer.concat(chunks);
        const status = answer.statusCode ?? 502;
        const bytes = sendOn(outgoing, status, answer.headers, body, fault);
        proxy.passed.push({ method, path, range: headers.range, status, bytes });
      });
    });
    asked.once('error', () => outgoing.destroy());
    incoming.pipe(asked);
  }

  const proxy: FaultProxy = {
    origin: '',
    passed: [],
    fault: () => undefined,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(proxy, { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

/** @returns bytes of the body that were sent */
function sendOn(
  outgoing: ServerResponse,
  status: number,
  headers: IncomingMessage['headers'],
  body: Buffer,
  fault: Fault | undefined,
): number {
  if (fault?.kind === 'cut' && body.length > fault.bytes) {
    outgoing.writeHead(status, headers);
    outgoing.write(body.subarray(0, fault.bytes), () => outgoing.destroy());
    return fault.bytes;
  }
  let sent = body;
  if (fault?.kind === 'truncate') sent = body.subarray(0, fault.bytes);
  if (fault?.kind === 'flip' && body.length > fault.at) {
    sent = Buffer.from(body);
    sent[fault.at] = (sent[fault.at] ?? 0) ^ 1;
  }
  const length = sent === body ? {} : { 'content-length': String(sent.length) };
  outgoing.writeHead(status, { ...headers, ...length }).end(sent);
  return sent.length;
}

function flood(outgoing: ServerResponse): void {
  outgoing.writeHead(200, { 'content-type': 'application/octet-stream' });
  const chunk = Buffer.alloc(64 * 1024, ' ');
  const more = (): void => {
    while (!outgoing.destroyed && outgoing.write(chunk));
  };
  outgoing.on('drain', more);
  more();
}
