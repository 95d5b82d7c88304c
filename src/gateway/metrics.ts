// The endpoint of metrics, where one is asked for: on a port of its own, with what the process says of itself.
import { readBuildInfo } from '../base/build-info.ts';
import type { Observe } from '../base/observe.ts';
import type { Config } from '../cli/config.ts';
import type { Counters } from '../metrics/counters.ts';
import { createGatewayMetrics, type Parts } from '../metrics/gateway.ts';
import { createProcessMetrics } from '../metrics/process.ts';
import { type MetricsServer, startMetricsServer } from '../metrics/server.ts';
import { listenFailure } from './addresses.ts';

export function shortBuild(): Parts['build'] {
  const { binary_version: version, git_commit: commit } = readBuildInfo();
  return { version, commit };
}

/** @throws OperatorError where the port or host cannot be had */
export async function startMetrics(
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
