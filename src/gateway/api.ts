// The HTTP API over whatever runs statements: makes its parts from the settings and puts them together. Starts no engine,
// and knows no processes.
import type { Ask, Engine } from '../answer/engine.ts';
import { createRowsSource, type RowsSource } from '../answer/rows.ts';
import { type BuildInfo, readBuildInfo } from '../base/build-info.ts';
import type { Observe } from '../base/observe.ts';
import type { Links } from '../catalog/document.ts';
import type { Config } from '../cli/config.ts';
import { createCompress } from '../http/compress.ts';
import { createPathHints } from '../http/path-hints.ts';
import { createRouter, type FindRoute, type Route } from '../http/router.ts';
import { createHttpServer, type HttpServer } from '../http/server.ts';
import { createClientAddress } from '../limit/address.ts';
import type { Limiter } from '../limit/limiter.ts';
import { createWaiting, type Waiting } from '../limit/waiting.ts';
import { apiDocumentRoutes } from '../routes/api-document.ts';
import { withConsole } from '../routes/console-page.ts';
import { explainRoute } from '../routes/explain.ts';
import { healthRoute } from '../routes/health.ts';
import { withMinimum } from '../routes/minimum.ts';
import { queryRoute } from '../routes/query.ts';
import { createHints } from '../routes/query-hints.ts';
import { receiptRoute } from '../routes/receipt.ts';
import type { FollowReport } from '../routes/serving.ts';
import { createSnapshotHeaders } from '../routes/snapshot-header.ts';
import { tableRoute } from '../routes/table.ts';
import { withPictures } from '../routes/table-picture.ts';
import { tablesRoute } from '../routes/tables.ts';
import { versionRoute } from '../routes/version.ts';
import { listenFailure } from './addresses.ts';
import type { Swap } from './swap.ts';

export interface ApiParts {
  readonly config: Config;
  readonly engine: Engine;
  readonly ask: Ask;
  readonly limiter: Limiter;
  readonly swap: Pick<Swap, 'serving' | 'known' | 'onTurn'>;
  readonly following: () => FollowReport;
  readonly observe: Observe;
  /** See HttpOptions. */
  readonly held?: () => Promise<void> | undefined;
  /** The port is this process's, even in a cluster. */
  readonly alone?: boolean;
}

export interface Api {
  /** @returns `http://127.0.0.1:8080` @throws OperatorError where the port or host cannot be had */
  listen(): Promise<string>;
  /** See http/server.ts. */
  close(drainMs: number): Promise<void>;
  /** Requests that are not answered to their end. */
  readonly running: number;
  /** Those that wait for newer data. */
  readonly waiting: number;
  readonly cache: RowsSource['cache'];
}

export function createApi(parts: ApiParts): Api {
  const { config, ask, swap } = parts;
  const rows = createRowsSource(ask, {
    cacheBytes: config.resultCacheBytes,
    singleFlight: config.singleFlight === 'on',
    known: swap.known,
  });
  let address = '';
  const links = (): Links => linksOf(config, address);
  const waiting = createWaiting(config.maxWaiting);
  swap.onTurn(waiting.wake);
  const http = createServer(parts, rows, waiting, links);
  return {
    async listen() {
      address = await listen(http, config, parts.alone === true);
      return address;
    },
    close(drainMs) {
      // Nothing new comes any more.
      waiting.close();
      return http.close(drainMs);
    },
    get running() {
      return http.running;
    },
    get waiting() {
      return waiting.count;
    },
    cache: rows.cache,
  };
}

function createServer(parts: ApiParts, rows: RowsSource, waiting: Waiting, links: () => Links): HttpServer {
  const { config, limiter, engine, ask, following, observe } = parts;
  const { serving, known } = parts.swap;
  const info = readBuildInfo();
  const build = buildName(info);
  const tables = { ask, serving, known, links, build };
  const { deadlineMs, maxResultRows: maxRows, maxResultBytes: maxBytes, maxStatementBytes } = config;
  const limits = { deadlineMs, maxRows, maxBytes };
  const hinted = createHints(config.basePath);
  const queries = { rows, serving, limits, maxStatementBytes, build, hinted };
  const { maxWaitMs } = config;
  const fresh = (route: Route): Route => withMinimum(route, { serving, waiting, maxWaitMs, observe });
  const routes = [
    versionRoute(info),
    healthRoute({ engine, ask, serving, following }),
    fresh(queryRoute(queries)),
    fresh(explainRoute({ ...queries, ask })),
    fresh(withPictures(tableRoute(tables), tables)),
    fresh(tablesRoute(tables)),
    fresh(receiptRoute({ ask, serving })),
    ...apiDocumentRoutes({
      version: info.binary_version,
      basePath: config.basePath,
      console: config.console === 'on',
    }),
  ];
  const find = createRouter(config.basePath, routes);
  return createHttpServer({
    find: config.console === 'on' ? findConsoleToo(find, config, observe) : find,
    noSuchPath: createPathHints(config.basePath, routes),
    limiter,
    clientAddress: createClientAddress(config.trustProxy),
    compress: createCompress({
      minBytes: config.compressBytes,
      cacheBytes: Math.floor(config.resultCacheBytes / 4),
    }),
    observe,
    ...(parts.held === undefined ? {} : { held: parts.held }),
    snapshotHeaders: createSnapshotHeaders(known, Date.now),
    maxConnections: config.maxConnections,
    maxBodyBytes: config.maxBodyBytes,
    // Three bytes a byte where all of a statement is percent-encoded, and room for params and headers.
    maxHeaderBytes: Math.max(128 * 1024, 3 * maxStatementBytes + 32 * 1024),
    idleMs: Math.max(60_000, maxWaitMs + 2 * deadlineMs + 30_000),
    stallMs: config.stallMs,
    maxUnreadBytes: config.unreadBytes,
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
async function listen(server: HttpServer, { host, port }: Config, alone: boolean): Promise<string> {
  try {
    const bound = await server.listen(port, host, alone);
    const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
    return `http://${name}:${bound.port}`;
  } catch (error) {
    throw listenFailure(error, port, host, '');
  }
}
