// The bench's data in a folder of the test's own, and a gateway that answers as it is told.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchOptions, runBench } from '../../bench/load/bench.ts';
import { workloadNamed } from '../../bench/load/suite.ts';
import { readOrigin } from '../../bench/origin.ts';
import type { LoadLine } from '../../bench/results.ts';

export const ROOT = join(import.meta.dirname, '../..');
export const FLIGHTS = 20_000;

/** Must be called before anything asks for the bench's database. */
export function ownBenchFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-test-bench-'));
  process.env['BENCH_DATA'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

export function quickBench(workloads: readonly string[], more: Partial<BenchOptions>): Promise<LoadLine[]> {
  return runBench({
    root: ROOT,
    origin: readOrigin(ROOT),
    workloads: workloads.map(workloadNamed),
    flights: FLIGHTS,
    seed: 1,
    rounds: 1,
    warmMs: 50,
    measureMs: 100,
    extras: 'none',
    patient: false,
    say: () => {},
    ...more,
  });
}

/** A gateway whose health is always well. */
export async function startGateway(
  answer: RequestListener,
): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/health') === true) response.end('{}');
    else answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
