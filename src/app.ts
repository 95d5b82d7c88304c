// The composition root: makes every part of a gateway from the settings and puts them together. No logic of
// its own beyond the order in which parts start and stop.
import { type Ask, createAsk, type Engine } from './answer/engine.ts';
import { createRowsSource, type RowsSource } from './answer/rows.ts';
import { type BuildInfo, readBuildInfo } from './base/build-info.ts';
import { OperatorError } from './base/errors.ts';
import { type Observe, observeAll } from './base/observe.ts';
import type { Links } from './catalog/document.ts';
import type { Config } from './cli/config.ts';
import { type Follower, startFollower } from './follow/follower.ts';
import { checkAddresses, listenFailure } from './gateway/addresses.ts';
import { type Swap, startSwap } from './gateway/swap.ts';
import { createCompress } from './http/compress.ts';
import { createRouter, type FindRoute } from './http/router.ts';
import { createHttpServer, type HttpServer } from './http/server.ts';
import { type Lanes, startLanes } from './lane/lanes.ts';
import { createClientAddress } from './limit/address.ts';
import { createLimiter, type Limiter } from './limit/limiter.ts';
import { type Counters, createCounters } from './metrics/counters.ts';
import { createGatewayMetrics, type Parts } from './metrics/gateway.ts';
import { createProcessMetrics } from './metrics/process.ts';
import { type MetricsServer, startMetricsServer } from './metrics/server.ts';
import { apiDocumentRoutes } from './routes/api-document.ts';
import { withConsole } from './routes/console-page.ts';
import { healthRoute } from './routes/health.ts';
import { queryRoute } from './routes/query.ts';
import { receiptRoute } from './routes/receipt.ts';
import type { FollowReport } from './routes/serving.ts';
import { createSnapshotHeaders } from './routes/snapshot-header.ts';
import { tableRoute } from './routes/table.ts';
import { withPictures } from './routes/table-picture.ts';
import { tablesRoute } from './routes/tables.ts';
import { versionRoute } from './routes/version.ts';
import { currentSnapshot } from './snapshot/folder.ts';
import type { SnapshotRef } from './wire/protocol.ts';

export interface Gateway {
  /** `http://127.0.0.1:8080`: where it listens. */
  readonly address: string;
  /** `http://127.0.0.1:9464/metrics`; undefined where they are off. */
  readonly metricsAddress: string | undefined;
  /** Looks for a new snapshot in the data folder now. */
  look(): void;
  /** Stops accepting, lets running requests end, then stops the engine. */
  close(): Promise<void>;
}

/**
 * Starts the engine on the newest snapshot of the data folder, then listens.
 * @throws OperatorError where the data folder, its snapshot or the address cannot be used
 */
export async function startGateway(config: Config, log: Observe): Promise<Gateway> {
  await checkAddresses(config);
  const counters = createCounters();
  const observe = observeAll(log, counters.observe);
  const follower = config.follow === '' ? undefined : startFollower(config, observe);
  const lanes = startLanes(config, observe);
  try {
    await follower?.untilServable();
    const snapshot = await currentSnapshot(config.data);
    await openSnapshot(lanes, snapshot);
    const gateway = await serveLanes(config, lanes, snapshot, observe, counters, follower);
    return {
      ...gateway,
      async close() {
        await Promise.all([follower?.close(), gateway.close()]);
      },
    };
  } catch (error) {
    await Promise.all([follower?.close(), lanes.close()]);
    throw error;
  }
}

async function openSnapshot(lanes: Lanes, snapshot: SnapshotRef): Promise<void> {
  try {
    await lanes.openSnapshot(snapshot);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new OperatorError(
      `the snapshot ${snapshot.path} cannot be served: ${why}; import it anew with: tablegate import SOURCE`,
      { cause: error },
    );
  }
}

async function serveLanes(
  config: Config,
  engine: Lanes,
  snapshot: SnapshotRef,
  observe: Observe,
  counters: Counters,
  follower: Follower | undefined,
): Promise<Gateway> {
  const limiter = limiterOf(config);
  const ask = createAsk(engine, observe, limiter.charge);
  const swap = await startSwap({ config, lanes: engine, ask, observe, first: snapshot });
  const rows = createRowsSource(ask, {
    cacheBytes: config.resultCacheBytes,
    singleFlight: config.singleFlight === 'on',
    known: swap.known,
  });
  let address = '';
  const links = (): Links => linksOf(config, address);
  const following = (): FollowReport => ({ ...swap.following(), standsBy: follower?.standsBy });
  const http = createServer({ config, limiter, engine, ask, rows, swap, following, links, observe });
  address = await listen(http, config);
  const parts: Parts = {
    lanes: () => engine.stats(),
    cache: rows.cache,
    cacheLimitBytes: config.resultCacheBytes,
    limiter,
    http,
    build: shortBuild(),
  };
  const metrics = await startMetrics(config, counters, parts, observe).catch(async (error: unknown) => {
    await http.close(0);
    throw error;
  });
  return {
    address,
    metricsAddress: metrics?.address,
    look: () => swap.look(),
    async close() {
      await http.close(config.drainMs);
      await swap.close();
      await metrics?.close();
      await engine.close();
    },
  };
}

function shortBuild(): Parts['build'] {
  const { binary_version: version, git_commit: commit } = readBuildInfo();
  return { version, commit };
}

/** @throws OperatorError where the port or host cannot be had */
async function startMetrics(
  { metricsPort, metricsHost }: Config,
  counters: Counters,
  parts: Parts,
  observe: Observe,
): Promise<MetricsServer | undefined> {
  if (metricsPort === 'off') return undefined;
  const own = createProcessMetrics();
  try {
    const server = await startMetricsServer(
      createGatewayMetrics(counters, own, parts),
      metricsPort,
      metricsHost,
    );
    observe({ type: 'note', level: 'info', text: `metrics at ${server.address}` });
    return {
      address: server.address,
      async close() {
        own.close();
        await server.close();
      },
    };
  } catch (error) {
    own.close();
    throw listenFailure(error, metricsPort, metricsHost, 'metrics-');
  }
}

interface ServerParts {
  readonly config: Config;
  readonly limiter: Limiter;
  readonly engine: Engine;
  readonly ask: Ask;
  readonly rows: RowsSource;
  readonly swap: Swap;
  readonly following: () => FollowReport;
  readonly links: () => Links;
  readonly observe: Observe;
}

function createServer(parts: ServerParts): HttpServer {
  const { config, limiter, engine, ask, rows, following, links, observe } = parts;
  const { serving, known } = parts.swap;
  const info = readBuildInfo();
  const build = buildName(info);
  const tables = { ask, serving, known, links, build };
  const { deadlineMs, maxResultRows: maxRows, maxResultBytes: maxBytes, maxStatementBytes } = config;
  const find = createRouter(config.basePath, [
    versionRoute(info),
    healthRoute({ engine, ask, serving, following }),
    queryRoute({ rows, serving, limits: { deadlineMs, maxRows, maxBytes }, maxStatementBytes, build }),
    withPictures(tableRoute(tables), tables),
    tablesRoute(tables),
    receiptRoute({ ask, serving }),
    ...apiDocumentRoutes({
      version: info.binary_version,
      basePath: config.basePath,
      console: config.console === 'on',
    }),
  ]);
  return createHttpServer({
    find: config.console === 'on' ? findConsoleToo(find, config, observe) : find,
    limiter,
    clientAddress: createClientAddress(config.trustProxy),
    compress: createCompress({
      minBytes: config.compressBytes,
      cacheBytes: Math.floor(config.resultCacheBytes / 4),
    }),
    observe,
    snapshotHeaders: createSnapshotHeaders(known, Date.now),
    maxConnections: config.maxConnections,
    maxBodyBytes: config.maxBodyBytes,
    // Three bytes a byte where all of a statement is percent-encoded, and room for params and headers.
    maxHeaderBytes: Math.max(128 * 1024, 3 * maxStatementBytes + 32 * 1024),
    idleMs: Math.max(60_000, 2 * deadlineMs + 30_000),
    stallMs: config.stallMs,
    maxUnreadBytes: config.unreadBytes,
  });
}

function limiterOf(config: Config): Limiter {
  return createLimiter({
    perSecond: config.rateLimit,
    burst: config.rateBurst,
    maxClients: config.rateClients,
    apiKeys: config.apiKeys,
    engineMsPerToken: config.rateEngineMs,
    now: () => performance.now(),
  });
}

function findConsoleToo(find: FindRoute, { basePath }: Config, observe: Observe): FindRoute {
  const found = withConsole(find, basePath);
  if (found === undefined)
    observe({ type: 'note', level: 'warn', text: 'there is no console at /: make build makes it' });
  return found ?? find;
}

/** Answers of two builds may differ in bytes: their tags must. */
function buildName(info: BuildInfo): string {
  return `${info.binary_version} ${info.git_commit} ${info.build_date}`;
}

function linksOf(config: Config, address: string): Links {
  const { externalUriPrefix, basePath, animationRendererUri, metadataRendererUri } = config;
  return {
    externalUriPrefix: externalUriPrefix === '' ? address : externalUriPrefix,
    basePath,
    animationRendererUri,
    metadataRendererUri,
  };
}

/** @throws OperatorError where the port or host cannot be had */
async function listen(server: HttpServer, { host, port }: Config): Promise<string> {
  try {
    const bound = await server.listen(port, host);
    const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
    return `http://${name}:${bound.port}`;
  } catch (error) {
    throw listenFailure(error, port, host, '');
  }
}
