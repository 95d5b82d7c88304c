// The endpoint of metrics, where one is asked for: on a port of its own, with what the process says of itself.
import { readBuildInfo } from '../base/build-info.ts';
import type { Observe } from '../base/observe.ts';
import type { Config } from '../cli/config.ts';
import type { Counters } from '../metrics/counters.ts';
import type { Family } from '../metrics/exposition.ts';
import { createGatewayMetrics, type Parts } from '../metrics/gateway.ts';
import { createProcessMetrics } from '../metrics/process.ts';
import { type MetricsServer, startMetricsServer } from '../metrics/server.ts';
import { listenFailure } from './addresses.ts';

export function shortBuild(): Parts['build'] {
  const { binary_version: version, git_commit: commit } = readBuildInfo();
  return { version, commit };
}

/**
 * @param others adds what other processes of this gateway say
 * @throws OperatorError where the port or host cannot be had
 */
export async function startMetrics(
  { metricsPort, metricsHost }: Config,
  counters: Counters,
  parts: Parts,
  observe: Observe,
  others: (own: readonly Family[]) => readonly Family[] | Promise<readonly Family[]> = (own) => own,
): Promise<MetricsServer | undefined> {
  if (metricsPort === 'off') return undefined;
  const own = createProcessMetrics();
  const families = createGatewayMetrics(counters, own, parts);
  try {
    const server = await startMetricsServer(() => others(families()), metricsPort, metricsHost);
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
