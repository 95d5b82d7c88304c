// The edge: a node:http server whose requests all pass one spine, with bounds on slow and large ones. Knows
// routes only as values; SQL and DuckDB not at all.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { GatewayError } from '../base/errors.ts';
import type { Observe } from '../base/observe.ts';
import { TOO_MANY_REQUESTS } from '../base/reference-words.ts';
import type { ClientAddress } from '../limit/address.ts';
import type { Admission, Limiter } from '../limit/limiter.ts';
import { type Answer, NO_HEADERS } from './answer.ts';
import { inBatches } from './batch.ts';
import { createBusyPoll } from './busy-poll.ts';
import type { Compress } from './compress.ts';
import { busyWith, Exchange, type Names, setBusy } from './exchange.ts';
import { errorAnswer, failureAnswer } from './failure.ts';
import { refusalOfHead } from './head.ts';
import { rateHeaders } from './rate-headers.ts';
import { CORS_HEADERS, NOSNIFF, requestIdHeaders, respond } from './respond.ts';
import { allowed, type FindRoute, handlerOf, type Route } from './router.ts';
import { serverTiming } from './timing.ts';
import { createTraces } from './trace.ts';
import { createUnread } from './unread.ts';
import { createUntaken } from './untaken.ts';

/** Node's own defaults let a slow head stand for 85 s; these cut it after 5 to 6 s. */
const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
const CONNECTIONS_CHECK_MS = 1_000;
/** How often it is looked whether connections can be closed, while the server is. */
const CLOSE_LOOK_MS = 20;
/** Longer than the 60 s after which common proxies drop idle connections: the proxy closes first. */
const KEEP_ALIVE_MS = 65_000;
const CLOSE: readonly string[] = ['Connection', 'close'];
/** For log and metrics alone; 499 is nginx's number for it. */
const CLIENT_GONE: Answer = { status: 499, headers: NO_HEADERS, body: '', code: 'client-gone' };

export interface HttpOptions {
  readonly find: FindRoute;
  /** What is said of a path that it does not find. */
  readonly noSuchPath: (path: string) => GatewayError;
  readonly limiter: Limiter;
  readonly clientAddress: ClientAddress;
  readonly compress: Compress;
  readonly observe: Observe;
  /** Where it gives a promise, which never rejects, no request is begun before that. */
  readonly held?: () => Promise<void> | undefined;
  /** What is said of the snapshot that an answer was made of. */
  readonly snapshotHeaders?: (snapshotId: string) => readonly string[];
  readonly maxConnections: number;
  readonly maxBodyBytes: number;
  /** Of request line and headers together. */
  readonly maxHeaderBytes: number;
  /** A connection on which nothing moves for this long is closed. */
  readonly idleMs: number;
  /** The same where it has something to take. */
  readonly stallMs: number;
  /** Of answers that wait for their readers, all connections together. */
  readonly maxUnreadBytes: number;
}

export interface HttpServer {
  /**
   * @param alone other processes of a cluster do not take connections of this port
   * @throws the listen error (EADDRINUSE, EACCES, ...)
   */
  listen(port: number, host: string, alone?: boolean): Promise<AddressInfo>;
  /** Stops accepting, lets running requests end for at most so long, then cuts what is left. */
  close(drainMs: number): Promise<void>;
  readonly running: number;
}

export function createHttpServer(options: HttpOptions): HttpServer {
  const { find, limiter, clientAddress, compress, observe } = options;
  let running = 0;
  const names: Names = { requestId: createRequestIds(), traceparent: createTraces() };
  let closing = false;
  const onCut = (client: string, bytes: number): void =>
    observe({
      type: 'note',
      level: 'debug',
      text: `client ${client} does not read: ${bytes} bytes given up`,
    });
  const { maxUnreadBytes: maxBytes, stallMs, idleMs } = options;
  const unread = createUnread({ maxBytes, stallMs, idleMs, onCut });
  const untaken = createUntaken({ stallMs, onCut });

  /** The spine: one request, a line a stage. An answer that is there at once leaves in the same turn. */
  const serve = (exchange: Exchange): void => {
    const { message } = exchange;
    const found = find(exchange.target.path);
    exchange.client = clientAddress(message.socket.remoteAddress, exchange.header('x-forwarded-for'));
    if (found !== undefined) exchange.route = routeName(found.route);
    if (found?.route.limited === true && message.method !== 'OPTIONS') {
      exchange.limited = true;
      const admission = limiter.admit(exchange.client, exchange.header('api-key'));
      if (admission instanceof Promise) {
        admission.then((late) => {
          exchange.admission = late;
          answerTo(exchange, found);
        });
        return;
      }
      exchange.admission = admission;
    }
    answerTo(exchange, found);
  };

  const answerTo = (exchange: Exchange, found: ReturnType<FindRoute>): void => {
    const answer = answerOf(exchange, found);
    if (answer instanceof Promise) answer.then((late) => encode(exchange, late));
    else encode(exchange, answer);
  };

  const encode = (exchange: Exchange, answer: Answer): void => {
    const coded = compress(answer, exchange);
    if (coded instanceof Promise) coded.then((late) => send(exchange, late));
    else send(exchange, coded);
  };

  /** Never throws, never rejects. */
  const answerOf = (exchange: Exchange, found: ReturnType<FindRoute>): Answer | Promise<Answer> => {
    const { method = '' } = exchange.message;
    const failed = (error: unknown): Answer => {
      if (!(error instanceof GatewayError)) {
        // What is thrown because the client left is nobody's bug, and no answer: there is nobody to read it.
        if (exchange.res.destroyed) return CLIENT_GONE;
        observe({ type: 'bug', requestId: exchange.requestId, error });
      }
      return failureAnswer(error);
    };
    try {
      const refusal = refusalOfHead(exchange.message);
      if (refusal !== undefined) return refusal;
      if (method === 'OPTIONS') return preflight(found?.route);
      if (found === undefined) return failureAnswer(options.noSuchPath(exchange.target.path));
      const handler = handlerOf(found.route, method);
      if (handler === undefined) return wrongMethod(method, allowed(found.route));
      if (exchange.admission?.allowed === false) return tooManyRequests(exchange.admission);
      exchange.segments = found.segments;
      const answer = handler(exchange);
      return answer instanceof Promise ? answer.catch(failed) : answer;
    } catch (error) {
      return failed(error);
    }
  };

  const send = (exchange: Exchange, answer: Answer): void => {
    const { res, admission } = exchange;
    const readyMs = performance.now();
    const headers = [
      ...CORS_HEADERS,
      ...requestIdHeaders(exchange.requestId),
      'Traceparent',
      exchange.traceparent,
      'Server-Timing',
      serverTiming(answer, readyMs - exchange.startedMs),
    ];
    if (admission !== undefined) headers.push(...rateHeaders(admission, Date.now()));
    if (answer.snapshot !== undefined) headers.push(...(options.snapshotHeaders?.(answer.snapshot) ?? []));
    // While draining, no connection is kept for another request; nor where a body may come that nobody asked for.
    if (closing || exchange.waits) headers.push(...CLOSE);
    headers.push(...answer.headers);
    try {
      const bytes = respond(res, answer, headers, exchange.withBody, exchange.client, unread);
      if (bytes instanceof Promise)
        bytes.then(
          (count) => tell(exchange, answer, count, readyMs),
          (error: unknown) => cut(exchange, error),
        );
      else tell(exchange, answer, bytes, readyMs);
    } catch (error) {
      cut(exchange, error);
    }
  };

  const tell = (exchange: Exchange, answer: Answer, bytes: number, readyMs: number): void => {
    const { requestId, traceparent, client, message, target, route, startedMs } = exchange;
    const { status, code, cache, times } = answer;
    const endMs = performance.now();
    untaken.handed(message.socket, client, bytes);
    const event = {
      type: 'request',
      requestId,
      traceparent,
      client,
      method: message.method ?? '',
      path: target.path,
      route,
      status,
      bytes,
      ms: endMs - startedMs,
      writeMs: endMs - readyMs,
      rate: rateOf(exchange),
      cache,
      times,
    } as const;
    observe(code === undefined ? event : { ...event, code });
  };

  /** The head may be out: all that is left is to cut the connection, so that the answer does not look whole. */
  const cut = ({ res, requestId }: Exchange, error: unknown): void => {
    res.destroy();
    if (!(error instanceof GatewayError)) observe({ type: 'bug', requestId, error });
  };

  const poll = createBusyPoll(() => running === 0);
  const answerLater = inBatches((exchange: Exchange) => {
    const held = options.held?.();
    if (held === undefined) serve(exchange);
    else held.then(() => serve(exchange));
  }, poll);
  const onRequest = (message: IncomingMessage, res: ServerResponse, waits = false): void => {
    // Read before the connection was ended for its last answer: there is no way for this one.
    if (!message.socket.writable) return;
    const exchange = new Exchange(message, res, names, options.maxBodyBytes, waits);
    running += 1;
    setBusy(message.socket, exchange);
    res.on('close', () => {
      running -= 1;
      if (res.writableFinished) return;
      exchange.left();
      observe({ type: 'client-gone', requestId: exchange.requestId, path: message.url ?? '' });
    });
    answerLater(exchange);
  };

  const server = createServer(
    {
      maxHeaderSize: options.maxHeaderBytes,
      // head.ts looks for it, and refuses in our own form.
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      noDelay: true,
    },
    (message, res) => onRequest(message, res),
  );
  // Node's own way says 100 before anybody has looked: here that is said by whoever wants to read the body.
  server.on('checkContinue', (message, res) => onRequest(message, res, true));
  server.timeout = options.idleMs;
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    // Not server.maxConnections: what is refused so, node:cluster hands to the next front, and on, for ever.
    if (sockets.size >= options.maxConnections) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const busy = busyWith(socket);
    const midAnswer = busy?.res.headersSent === true && !(busy.res.writableFinished && busy.message.complete);
    // Closed once that answer is out: nobody is there to read another.
    const wasLast = busy?.res.headersSent === true && !busy.res.shouldKeepAlive;
    if (error.code === 'ECONNRESET' || !socket.writable || midAnswer) socket.destroy();
    else if (wasLast) return;
    else socket.end(rawAnswer(clientErrorAnswer(error.code), names.requestId(undefined)));
  });

  return {
    listen: (port, host, exclusive = false) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, host, exclusive }, () => {
          server.off('error', reject);
          resolve(server.address() as AddressInfo);
        });
      }),
    async close(drainMs) {
      closing = true;
      untaken.close();
      observe({ type: 'draining', running });
      // Not http's own close, for which a connection is idle once its answer was ended, whether or not it was sent.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      const closeIdle = (): void => {
        if ([...sockets].every(({ writableLength }) => writableLength === 0)) server.closeIdleConnections();
      };
      closeIdle();
      const looking = setInterval(closeIdle, CLOSE_LOOK_MS);
      const cut = setTimeout(() => server.closeAllConnections(), drainMs);
      await closed;
      // Of its own timer, which would keep it and all that it answers from, too.
      server.close();
      clearInterval(looking);
      clearTimeout(cut);
    },
    get running() {
      return running;
    },
  };
}

/** What may stand in a log and a header as it is. */
const GIVEN_ID = /^[A-Za-z0-9._:/+=-]{1,64}$/;

/** The client's or proxy's own id where it gave a plain one; else unique for all time without a random number each. */
function createRequestIds(): (given: string | undefined) => string {
  const start = randomBytes(6).toString('hex');
  let count = 0;
  return (given) =>
    given !== undefined && GIVEN_ID.test(given) ? given : `${start}-${(++count).toString(36)}`;
}

function routeName({ name, word }: Route): string {
  return name ?? word;
}

function rateOf({ limited, admission }: Exchange): 'allowed' | 'refused' | 'exempt' | undefined {
  if (!limited) return undefined;
  if (admission === undefined) return 'exempt';
  return admission.allowed ? 'allowed' : 'refused';
}

/** Also of a path that is not there: the browser asks before it lets a page read that 404. */
function preflight(route: Route | undefined): Answer {
  const allow = route === undefined ? [] : ['Allow', allowed(route)];
  return { status: 204, headers: ['Access-Control-Max-Age', '86400', ...allow], body: '' };
}

function wrongMethod(method: string, allow: string): Answer {
  return errorAnswer('method-not-allowed', `This path does not take ${method}; it takes ${allow}.`, {
    headers: ['Allow', allow],
  });
}

/** Not thrown: a flood of them must cost no stack traces. */
function tooManyRequests(admission: Admission): Answer {
  const seconds = Math.max(1, Math.ceil(admission.retryAfterMs / 1000));
  return errorAnswer('too-many-requests', TOO_MANY_REQUESTS, { hint: `Try again in ${seconds} s.` });
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
  const headers = [...CORS_HEADERS, ...requestIdHeaders(requestId), ...answer.headers, ...NOSNIFF];
  const lines = [`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? 'Error'}`];
  for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`);
  lines.push(`Content-Length: ${Buffer.byteLength(String(answer.body))}`, 'Connection: close');
  return `${lines.join('\r\n')}\r\n\r\n${answer.body}`;
}
