// Clients that know which front they speak with: a connection stays with the front that was given it, and the ids of
// requests begin with what is that process's own.
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type GatewayProcess,
  type GatewayProcessOptions,
  startGatewayProcess,
} from '../support/gateway-process.ts';

export interface FrontAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** Names the front's process. */
  readonly front: string;
}

/** One connection, one request after the other. */
export interface FrontClient {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<FrontAnswer>;
  query(statement: string, headers?: Readonly<Record<string, string>>): Promise<FrontAnswer>;
  /** The answer as it comes. */
  open(path: string): Promise<IncomingMessage>;
  close(): void;
}

export function startFronts(fronts: number, options: GatewayProcessOptions): Promise<GatewayProcess> {
  return startGatewayProcess({ ...options, args: ['--fronts', String(fronts), ...(options.args ?? [])] });
}

export function clientOf({ url }: Pick<GatewayProcess, 'url'>): FrontClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const open = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      request(`${url}${path}`, { agent, headers }, resolve).on('error', reject).end();
    });
  const get: FrontClient['get'] = async (path, headers) => {
    const answer = await open(path, headers);
    let body = '';
    for await (const part of answer.setEncoding('utf8')) body += part;
    const its = answer.headers as FrontAnswer['headers'];
    return {
      status: answer.statusCode ?? 0,
      headers: its,
      body,
      front: its['x-request-id']?.split('-')[0] ?? '',
    };
  };
  return {
    get,
    query: (statement, headers) => get(`/query?statement=${encodeURIComponent(statement)}`, headers),
    open,
    close: () => agent.destroy(),
  };
}

/** A client of each front. */
export async function clientsOf(gateway: GatewayProcess, fronts: number): Promise<readonly FrontClient[]> {
  const found = new Map<string, FrontClient>();
  for (let tries = 0; found.size < fronts; tries++) {
    if (tries > 10 * fronts) throw new Error(`only ${found.size} of ${fronts} fronts answer`);
    const client = clientOf(gateway);
    const { front } = await client.get('/version');
    if (found.has(front)) client.close();
    else found.set(front, client);
  }
  return [...found.values()];
}

/** Of `front-1`, as the log said last. */
export function pidOf(gateway: GatewayProcess, front: string): number {
  return Number(
    [...gateway.log.matchAll(new RegExp(`${front} started in \\d+ ms, pid (\\d+)`, 'g'))].at(-1)?.[1],
  );
}

export async function until<T>(value: () => T | undefined | false, what: string): Promise<T> {
  for (let i = 0; i < 6000; i++) {
    const found = value();
    if (found !== undefined && found !== false) return found;
    await sleep(10);
  }
  throw new Error(`never: ${what}`);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
