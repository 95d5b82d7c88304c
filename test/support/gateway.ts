// A whole gateway on a free port over a small snapshot in a temporary folder, with real lanes. It leaves
// neither a process nor a file behind.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../../src/app.ts';
import type { Observation } from '../../src/base/observe.ts';
import { readArguments } from '../../src/cli/arguments.ts';
import { makeSnapshot, type TestTable } from './snapshot.ts';

/** The scan lane costs most of a start: few tests ask for it, and for them it is started. */
export const LATE_SCANS: readonly string[] = ['--scan-warm', 'off'];

export interface TestGatewayOptions {
  readonly tables?: readonly TestTable[];
  /** Serve this data folder instead of making one of `tables`; it stays. */
  readonly data?: string;
  /** Options as on the command line, such as `--rate-limit 5`; without them nobody is limited. */
  readonly args?: readonly string[];
}

export interface TestGateway {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** With `/api/v1`, no slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Of Prometheus' metrics; undefined without `--metrics-port`. */
  readonly metricsAddress: string | undefined;
  /** All that was observed so far. */
  readonly seen: readonly Observation[];
  /** GET /query of a statement; further parameters are appended as they are. */
  query(
    statement: string,
    parameters?: Readonly<Record<string, string | readonly string[]>>,
  ): Promise<Response>;
  /** POST /query of a value as JSON, or of a text as it is. */
  post(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  stop(): Promise<void>;
}

export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-gateway-'));
  const data = options.data ?? folder;
  if (options.data === undefined) await makeSnapshot(data, options.tables ?? []);
  const seen: Observation[] = [];
  const args = ['--data', data, '--port', '0', '--rate-limit', '0', ...LATE_SCANS, ...(options.args ?? [])];
  const gateway = await startGateway(readArguments(args, {}).config, (event) => seen.push(event));
  const url = `${gateway.address}/api/v1`;
  return {
    origin: gateway.address,
    url,
    port: Number(new URL(gateway.address).port),
    metricsAddress: gateway.metricsAddress,
    seen,
    query(statement, parameters = {}) {
      const search = new URLSearchParams({ statement });
      for (const [name, value] of Object.entries(parameters))
        for (const each of typeof value === 'string' ? [value] : value) search.append(name, each);
      return fetch(`${url}/query?${search}`);
    },
    post: (body, headers = { 'content-type': 'application/json' }) =>
      fetch(`${url}/query`, {
        method: 'POST',
        headers,
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      }),
    async stop() {
      await gateway.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
