// The process of a front: the HTTP server and all that stands before the engines. It has a socket to the supervisor from
// its birth, and ends with it. Listens on the port that all fronts share: node:cluster hands connections out in turn.
import { Socket } from 'node:net';
import { createAsk } from '../answer/engine.ts';
import { errorText, observeAll } from '../base/observe.ts';
import { widenYoungSpace } from '../base/young-space.ts';
import type { Config } from '../cli/config.ts';
import { type Api, createApi } from '../gateway/api.ts';
import { rehearseHttp } from '../gateway/http-rehearsal.ts';
import { inlineFirst, startInline } from '../gateway/inline-first.ts';
import { shortBuild } from '../gateway/metrics.ts';
import { createLeasedLimiter, type LeasedLimiter } from '../limit/leased.ts';
import { createWriter } from '../log/lines.ts';
import { createLog } from '../log/log.ts';
import { createSink } from '../log/sink.ts';
import { createCounters } from '../metrics/counters.ts';
import type { Family } from '../metrics/exposition.ts';
import { createGatewayMetrics } from '../metrics/gateway.ts';
import { createProcessMetrics } from '../metrics/process.ts';
import { plainFamilies } from '../metrics/sum.ts';
import type { InlineRows } from '../rowstore/inline.ts';
import { readFrames } from '../wire/frame-socket.ts';
import { createFrameWriter } from '../wire/frame-writer.ts';
import { FRAME, type Frame, frame, type Pong, parseJson } from '../wire/frames.ts';
import type { FromFront, ToFront } from './messages.ts';
import { createRemoteEngine } from './remote-engine.ts';
import { createServed, type Served } from './served.ts';

const SOCKET_FD = 4;
/** How often unused tokens are looked for. */
const TICK_MS = 100;
/** Lines that the supervisor has not taken: more of them are lost rather than kept. */
const MAX_WAITING_LOG_BYTES = 4 * 1024 * 1024;

type Begin = Extract<ToFront, { type: 'begin' }>;

/** What is there once it was told which front to be. */
interface Front {
  readonly api: Api;
  readonly limiter: LeasedLimiter;
  readonly served: Served;
  /** Undefined: it sends every statement to the supervisor. */
  readonly inline: InlineRows | undefined;
  readonly metrics: () => readonly Family[];
  following: Begin['following'];
}

function serve(): void {
  const socket = new Socket({ fd: SOCKET_FD, readable: true, writable: true });
  const writer = createFrameWriter(socket);
  const remote = createRemoteEngine(writer);
  let front: Front | undefined;
  const tell = (message: FromFront): void => writer.json(FRAME.tell, 0, message);
  // Lines of several processes would cut each other into pieces on one stream.
  const sink = createSink((bytes) => {
    if (socket.writableLength > MAX_WAITING_LOG_BYTES)
      throw Object.assign(new Error('full'), { code: 'EAGAIN' });
    writer.send(frame(FRAME.log, 0, bytes));
    return bytes.byteLength;
  });

  const begin = async ({ config, port, served: first, following }: Begin): Promise<void> => {
    const counters = createCounters();
    const observe = observeAll(logTo(config), counters.observe);
    process.on('unhandledRejection', (error) => observe({ type: 'bug', requestId: 'none', error }));
    const limiter = createLeasedLimiter({
      perSecond: config.rateLimit,
      burst: config.rateBurst,
      maxClients: config.rateClients,
      apiKeys: config.apiKeys,
      engineMsPerToken: config.rateEngineMs,
      now: () => performance.now(),
      ask: (key, want) => tell({ type: 'lease', key, want }),
      giveBack: (tokens) => tell({ type: 'returned', tokens }),
      charge: (client, engineMs) => tell({ type: 'charge', client, engineMs }),
    });
    setInterval(() => limiter.tick(), TICK_MS).unref();
    const served = createServed(first);
    const inline = startInline(config, observe, first.ref, new Map(first.serving.versions));
    const engine = inlineFirst(remote, inline, served.held);
    const ask = createAsk(engine, observe, limiter.charge);
    const api = createApi({
      config: { ...config, port },
      engine,
      ask,
      limiter,
      swap: served,
      following: () => its.following,
      observe,
      held: served.held,
    });
    const metrics = createGatewayMetrics(counters, createProcessMetrics(), {
      lanes: () => [],
      cache: api.cache,
      cacheLimitBytes: config.resultCacheBytes,
      // The buckets are the supervisor's.
      limiter: { clients: 0 },
      http: api,
      fronts: () => 1,
      build: shortBuild(),
    });
    const its: Front = { limiter, served, inline, following, api, metrics };
    front = its;
    await rehearseHttp({ config, engine, swap: served, following: () => its.following }, first.ref);
    tell({ type: 'listening', address: await api.listen() });
  };
  const logTo = (config: Config): ReturnType<typeof createLog> =>
    createLog(
      { level: config.logLevel, requestShare: config.logRequests },
      createWriter(config.logFormat, sink),
    );

  const unusable = (error: unknown): void =>
    tell({ type: 'unusable', why: error instanceof Error ? error.message : String(error) });

  const onTold = (message: ToFront): void => {
    if (message.type === 'begin') begin(message).catch(unusable);
    else if (front !== undefined) onToldMore(front, message);
  };
  const prepare = (its: Front, { next, atMs }: Extract<ToFront, { type: 'prepare' }>): void => {
    const { id } = next.ref;
    try {
      const { versions } = its.served.prepare(next, atMs);
      its.inline?.open(next.ref, versions);
      tell({ type: 'prepared', id });
    } catch (error) {
      tell({ type: 'prepared', id, why: errorText(error) });
    }
  };
  const onToldMore = (its: Front, message: Exclude<ToFront, Begin>): void => {
    switch (message.type) {
      case 'prepare':
        prepare(its, message);
        return;
      case 'hold':
        its.served.hold();
        tell({ type: 'held', id: message.id });
        return;
      case 'go':
        its.served.go(message.id);
        its.inline?.use(its.served.serving().snapshotId);
        return;
      case 'drop':
        its.served.drop(message.id);
        return;
      case 'following':
        its.following = message.report;
        return;
      case 'granted':
        its.limiter.granted(message);
        return;
      case 'scrape':
        tell({ type: 'scraped', id: message.id, families: plainFamilies(its.metrics()) });
        return;
      case 'drain':
        void its.api.close(message.drainMs).then(() => {
          sink.flush();
          tell({ type: 'drained' });
        });
        return;
    }
  };
  const onFrame = (received: Frame): void => {
    if (received.kind === FRAME.tell) onTold(parseJson(received.payload) as ToFront);
    else if (received.kind === FRAME.ping)
      writer.json(FRAME.pong, 0, { rssBytes: process.memoryUsage.rss() } satisfies Pong);
    else remote.onFrame(received);
  };

  // The supervisor is gone, or does not want this process any more.
  const end = (): never => process.exit(0);
  readFrames(socket, onFrame, end);
  socket.on('end', end).on('close', end).on('error', end);
  tell({ type: 'hello' });
}

// The supervisor decides when a front ends; a terminal's signals reach the whole group and must not cut requests.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
widenYoungSpace();
serve();
