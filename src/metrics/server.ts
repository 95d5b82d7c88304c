// GET /metrics on a port of its own, so that the numbers are not public where the gateway is. Knows no metric.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EXPOSITION_TYPE, type Family, writeExposition } from './exposition.ts';

export interface MetricsServer {
  /** `http://127.0.0.1:9464/metrics`. */
  readonly address: string;
  close(): Promise<void>;
}

/** Whoever asks is a scraper on a network that is trusted: a few connections, short requests. */
const MAX_CONNECTIONS = 32;
const REQUEST_TIMEOUT_MS = 5_000;

/** @param families which must not fail @throws the listen error (EADDRINUSE, EACCES, ...) */
export async function startMetricsServer(
  families: () => readonly Family[] | Promise<readonly Family[]>,
  port: number,
  host: string,
): Promise<MetricsServer> {
  const server: Server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS, maxHeaderSize: 16 * 1024 },
    async (request, response) => {
      const path = (request.url ?? '').split('?')[0];
      const readable = request.method === 'GET' || request.method === 'HEAD';
      if (path !== '/metrics') response.writeHead(404).end('the metrics are at /metrics\n');
      else if (!readable) response.writeHead(405, { allow: 'GET, HEAD' }).end();
      else
        response
          .writeHead(200, { 'content-type': EXPOSITION_TYPE, 'cache-control': 'no-store' })
          .end(request.method === 'HEAD' ? '' : writeExposition(await families()));
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const bound = server.address() as AddressInfo;
  const name = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return {
    address: `http://${name}:${bound.port}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
