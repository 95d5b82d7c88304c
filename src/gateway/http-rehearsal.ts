// Before a process takes its first request, a few of its own on their whole way, from a socket to the answer and back: see
// statement/rehearsal.ts. This process does not log, count or limit them. Only where there are large tables.
import { connect } from 'node:net';
import { createAsk } from '../answer/engine.ts';
import { createLimiter } from '../limit/limiter.ts';
import { isRehearsed, LIMITS, rehearsedTexts } from '../statement/rehearsal.ts';
import type { SnapshotRef } from '../wire/protocol.ts';
import { type ApiParts, createApi } from './api.ts';
import { largestTable } from './rehearsal.ts';

const HOST = '127.0.0.1';
/** Of all requests together. What takes longer is not waited for. */
const MOST_MS = 2_000;
const { deadlineMs, maxRows: maxResultRows, maxBytes: maxResultBytes } = LIMITS;
const nothing = (): void => {};

/** @returns when all is done, whether it failed or not */
export async function rehearseHttp(
  { config, engine, swap, following }: Pick<ApiParts, 'config' | 'engine' | 'swap' | 'following'>,
  { path }: SnapshotRef,
): Promise<void> {
  if (!isRehearsed(config)) return;
  try {
    const table = await largestTable(engine, path);
    if (table === undefined) return;
    const api = createApi({
      config: { ...config, deadlineMs, maxResultRows, maxResultBytes, host: HOST, port: 0, console: 'off' },
      engine,
      ask: createAsk(engine, nothing, nothing),
      limiter: createLimiter({
        ...{ perSecond: 1_000, burst: 1_000, maxClients: 1, apiKeys: [] },
        now: () => performance.now(),
      }),
      swap: { ...swap, onTurn: nothing },
      following,
      observe: nothing,
      alone: true,
    });
    try {
      const { port } = new URL(await api.listen());
      const { run } = rehearsedTexts(table);
      await exchange(Number(port), requestsOf(config.basePath, run));
    } finally {
      await api.close(0);
    }
  } catch {
    // What is wrong is said of the requests that come.
  }
}

/** A statement in each of both ways, and the others; the answer to the last one ends the connection. */
function requestsOf(basePath: string, statements: readonly string[]): string {
  const host = `Host: ${HOST}\r\n`;
  const body = '{"statement":"select 1 as a"}';
  const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return [
    `POST ${basePath}/query HTTP/1.1\r\n${host}${type}\r\n${body}`,
    ...['select 2 as b', ...statements].map(
      (statement) =>
        `GET ${basePath}/query?statement=${encodeURIComponent(statement)} HTTP/1.1\r\n${host}\r\n`,
    ),
    `GET ${basePath}/version HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
  ].join('');
}

function exchange(port: number, requests: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, HOST, () => socket.write(requests));
    const late = setTimeout(() => socket.destroy(), MOST_MS);
    socket.on('error', reject).on('close', () => {
      clearTimeout(late);
      resolve();
    });
    socket.resume();
  });
}
