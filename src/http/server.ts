// The edge: a node:http server whose requests all pass one spine, with bounds on slow and large ones. Knows
// routes only as values; SQL and DuckDB not at all.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { GatewayError } from '../errors.ts';
import type { ClientAddress } from '../limit/address.ts';
import type { Admission, Limiter } from '../limit/limiter.ts';
import type { Observe } from '../observe.ts';
import { type Answer, NO_HEADERS } from './answer.ts';
import { readBody } from './body.ts';
import { errorAnswer, failureAnswer } from './failure.ts';
import { rateHeaders } from './rate-headers.ts';
import { readTarget, type Target } from './request.ts';
import { CORS_HEADERS, requestIdHeaders, respond } from './respond.ts';
import { allowed, type FindRoute, handlerOf, noSuchPath, type Request } from './router.ts';

/** Node's own defaults let a slow head stand for 85 s; these cut it after 5 to 6 s. */
const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
const CONNECTIONS_CHECK_MS = 1_000;
/** Longer than the 60 s after which common proxies drop idle connections: the proxy closes first. */
const KEEP_ALIVE_MS = 65_000;
const CLOSE: readonly string[] = ['Connection', 'close'];
const PREFLIGHT: Answer = {
  status: 204,
  headers: ['Access-Control-Max-Age', '86400', 'Allow', 'GET, HEAD, POST, OPTIONS'],
  body: '',
};

export interface HttpOptions {
  readonly find: FindRoute;
  readonly limiter: Limiter;
  readonly clientAddress: ClientAddress;
  readonly observe: Observe;
  readonly maxBodyBytes: number;
  /** Of request line and headers together. */
  readonly maxHeaderBytes: number;
  /** A connection on which nothing moves for this long is closed. */
  readonly idleMs: number;
}

/** Who asks, and which request it is. */
type Caller = Pick<Request, 'requestId' | 'client'>;

export interface HttpServer {
  /** @throws the listen error (EADDRINUSE, EACCES, ...) */
  listen(port: number, host: string): Promise<AddressInfo>;
  /** Stops accepting, lets running requests end for at most so long, then cuts what is left. */
  close(drainMs: number): Promise<void>;
  readonly running: number;
}

export function createHttpServer(options: HttpOptions): HttpServer {
  const { find, limiter, clientAddress, observe } = options;
  const running = new Set<ServerResponse>();
  /** What a connection is busy with, so that a broken next request cannot write into an answer. */
  const exchanges = new WeakMap<
    Duplex,
    { readonly message: IncomingMessage; readonly res: ServerResponse }
  >();
  const nextRequestId = createRequestIds();
  let closing = false;

  /** The spine: one request, a line a stage. */
  const serve = async (message: IncomingMessage, res: ServerResponse, requestId: string): Promise<void> => {
    const startedMs = performance.now();
    const method = message.method ?? '';
    const target = readTarget(message.url ?? '/');
    const client = clientAddress(message.socket.remoteAddress, header(message, 'x-forwarded-for'));
    const found = find(target.path);
    const admission = found?.route.limited === true ? admit(message, client) : undefined;
    const caller = { requestId, client };
    const answer = await answerOf(message, res, caller, target, found, admission);
    const headers = [...requestIdHeaders(requestId), ...rateHeaders(admission, Date.now()), ...lastHeaders()];
    const bytes = await respond(res, answer, headers, method !== 'HEAD');
    const { status, code } = answer;
    const ms = performance.now() - startedMs;
    const event = { requestId, client, method, path: target.path, status, bytes, ms } as const;
    observe(code === undefined ? { type: 'request', ...event } : { type: 'request', ...event, code });
  };

  const admit = (message: IncomingMessage, client: string): Admission | undefined =>
    message.method === 'OPTIONS' ? undefined : limiter.admit(client, header(message, 'api-key'));

  const answerOf = async (
    message: IncomingMessage,
    res: ServerResponse,
    caller: Caller,
    target: Target,
    found: ReturnType<FindRoute>,
    admission: Admission | undefined,
  ): Promise<Answer> => {
    try {
      if (message.method === 'OPTIONS') return PREFLIGHT;
      if (found === undefined) throw noSuchPath();
      const handler = handlerOf(found.route, message.method ?? '');
      if (handler === undefined) return wrongMethod(message.method ?? '', allowed(found.route));
      if (admission?.allowed === false) throw tooManyRequests(admission);
      return await handler(requestOf(message, res, caller, target, found.segments));
    } catch (error) {
      // What is thrown because the client left is nobody's bug.
      if (!(error instanceof GatewayError) && !res.destroyed)
        observe({ type: 'bug', requestId: caller.requestId, error });
      return failureAnswer(error);
    }
  };

  const requestOf = (
    message: IncomingMessage,
    res: ServerResponse,
    caller: Caller,
    target: Target,
    segments: readonly string[],
  ): Request => ({
    ...caller,
    segments,
    search: target.search,
    header: (name) => header(message, name),
    body: () => readBody(message, options.maxBodyBytes),
    signal: () => signalOf(res),
  });

  /** While draining, no connection is kept for another request. */
  const lastHeaders = (): readonly string[] => (closing ? CLOSE : NO_HEADERS);

  const onRequest = (message: IncomingMessage, res: ServerResponse): void => {
    const requestId = nextRequestId();
    running.add(res);
    exchanges.set(message.socket, { message, res });
    res.on('close', () => {
      running.delete(res);
      if (!res.writableFinished) observe({ type: 'client-gone', requestId, path: message.url ?? '' });
    });
    serve(message, res, requestId).catch((error: unknown) => {
      // The head is out: all that is left is to cut the connection, so that the answer does not look whole.
      res.destroy();
      if (!(error instanceof GatewayError)) observe({ type: 'bug', requestId, error });
    });
  };

  const server = createServer(
    {
      maxHeaderSize: options.maxHeaderBytes,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      noDelay: true,
    },
    onRequest,
  );
  server.timeout = options.idleMs;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const busy = exchanges.get(socket);
    const midAnswer = busy?.res.headersSent === true && !(busy.res.writableFinished && busy.message.complete);
    if (error.code === 'ECONNRESET' || !socket.writable || midAnswer) socket.destroy();
    else socket.end(rawAnswer(clientErrorAnswer(error.code), nextRequestId()));
  });

  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve(server.address() as AddressInfo);
        });
      }),
    async close(drainMs) {
      closing = true;
      observe({ type: 'draining', running: running.size });
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const cut = setTimeout(() => server.closeAllConnections(), drainMs);
      await closed;
      clearTimeout(cut);
    },
    get running() {
      return running.size;
    },
  };
}

function header(message: IncomingMessage, name: string): string | undefined {
  const value = message.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

function signalOf(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const gone = (): void => {
    if (!res.writableFinished) controller.abort(new Error('the client is gone'));
  };
  if (res.destroyed) gone();
  else res.once('close', gone);
  return controller.signal;
}

/** Unique for all time without a random number each: a random start and a count. */
function createRequestIds(): () => string {
  const start = randomBytes(6).toString('hex');
  let count = 0;
  return () => `${start}-${(++count).toString(36)}`;
}

function wrongMethod(method: string, allow: string): Answer {
  return errorAnswer('method-not-allowed', `This path does not take ${method}; it takes ${allow}.`, [
    'Allow',
    allow,
  ]);
}

function tooManyRequests(admission: Admission): GatewayError {
  const seconds = Math.max(1, Math.ceil(admission.retryAfterMs / 1000));
  return new GatewayError('too-many-requests', `Too many requests: try again in ${seconds} s.`);
}

/** What could not even be parsed. Codes are llhttp's and Node's. */
function clientErrorAnswer(code: string | undefined): Answer {
  if (code === 'HPE_HEADER_OVERFLOW')
    return errorAnswer(
      'headers-too-large',
      'The request line and headers are too large; use POST for the statement.',
    );
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return errorAnswer('request-timeout', 'The request did not arrive whole in time.');
  return errorAnswer('bad-request', 'This is no valid HTTP request.');
}

/** An answer for a connection that never became a request. */
function rawAnswer(answer: Answer, requestId: string): string {
  const headers = [...CORS_HEADERS, ...requestIdHeaders(requestId), ...answer.headers];
  const lines = [`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? 'Error'}`];
  for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`);
  lines.push(`Content-Length: ${Buffer.byteLength(String(answer.body))}`, 'Connection: close');
  return `${lines.join('\r\n')}\r\n\r\n${answer.body}`;
}
