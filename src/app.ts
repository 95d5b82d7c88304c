// The composition root of a gateway whose HTTP server is in this process: makes its parts from the settings and puts them
// together. No logic of its own beyond the order in which parts start and stop.
import { createAsk } from './answer/engine.ts';
import { type Observe, observeAll } from './base/observe.ts';
import type { Config } from './cli/config.ts';
import { checkAddresses } from './gateway/addresses.ts';
import { createApi } from './gateway/api.ts';
import { type Engines, startEngines } from './gateway/engines.ts';
import type { Gateway } from './gateway/gateway.ts';
import { rehearseHttp } from './gateway/http-rehearsal.ts';
import { alsoInline, inlineFirst, startInline } from './gateway/inline-first.ts';
import { shortBuild, startMetrics } from './gateway/metrics.ts';
import { startSwap } from './gateway/swap.ts';
import { createLimiter, type Limiter } from './limit/limiter.ts';
import { type Counters, createCounters } from './metrics/counters.ts';
import type { Parts } from './metrics/gateway.ts';
import type { FollowReport } from './routes/serving.ts';
import { tableVersions } from './snapshot/versions.ts';

/**
 * Starts the engine on the newest snapshot of the data folder, then listens.
 * @throws OperatorError where the data folder, its snapshot or the address cannot be used
 */
export async function startGateway(config: Config, log: Observe): Promise<Gateway> {
  await checkAddresses(config);
  const counters = createCounters();
  const observe = observeAll(log, counters.observe);
  const engines = await startEngines(config, observe);
  try {
    return await serve(config, engines, observe, counters);
  } catch (error) {
    await Promise.all([engines.stopFollowing(), engines.lanes.close()]);
    throw error;
  }
}

async function serve(
  config: Config,
  engines: Engines,
  observe: Observe,
  counters: Counters,
): Promise<Gateway> {
  const { lanes, snapshot } = engines;
  const limiter = limiterOf(config);
  const inline = startInline(config, observe, snapshot, await tableVersions(snapshot));
  const engine = inlineFirst(lanes, inline);
  const ask = createAsk(engine, observe, limiter.charge);
  const swap = await startSwap({
    config,
    lanes: alsoInline(lanes, inline),
    ask,
    observe,
    first: snapshot,
  });
  const following = (): FollowReport => ({ ...swap.following(), standsBy: engines.standsBy });
  const api = createApi({ config, engine, ask, limiter, swap, following, observe });
  await rehearseHttp({ config, engine, swap, following }, snapshot);
  const address = await api.listen();
  const parts: Parts = {
    lanes: () => lanes.stats(),
    cache: api.cache,
    cacheLimitBytes: config.resultCacheBytes,
    limiter,
    http: api,
    fronts: () => 1,
    build: shortBuild(),
  };
  const metrics = await startMetrics(config, counters, parts, observe).catch(async (error: unknown) => {
    await api.close(0);
    throw error;
  });
  const stop = async (): Promise<void> => {
    await api.close(config.drainMs);
    await swap.close();
    await metrics?.close();
    await lanes.close();
  };
  return {
    address,
    metricsAddress: metrics?.address,
    look: () => swap.look(),
    async close() {
      await Promise.all([engines.stopFollowing(), stop()]);
    },
  };
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
