// The composition root of a gateway with several fronts: this process has the lanes, the data folder, the clients'
// buckets and the metrics, and keeps the fronts alive; it answers no request itself.
import { createAsk } from '../answer/engine.ts';
import { type Observe, observeAll } from '../base/observe.ts';
import type { Config } from '../cli/config.ts';
import { checkAddresses, freePort } from '../gateway/addresses.ts';
import { type Engines, startEngines } from '../gateway/engines.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { shortBuild, startMetrics } from '../gateway/metrics.ts';
import { startSwap } from '../gateway/swap.ts';
import { createLedger } from '../limit/ledger.ts';
import { type Counters, createCounters } from '../metrics/counters.ts';
import type { FollowReport } from '../routes/serving.ts';
import { type Fleet, startFleet } from './fleet.ts';

/**
 * As `startGateway` of app.ts, with the HTTP servers in processes of their own.
 * @param write takes whole lines of fronts for the log
 * @param frontMain stands in for the fronts' program, in tests of one that cannot start
 * @throws OperatorError where the data folder, its snapshot or the address cannot be used, or a front not be started
 */
export async function startSupervisor(
  config: Config,
  log: Observe,
  write: (lines: string) => void,
  frontMain?: string,
): Promise<Gateway> {
  await checkAddresses(config);
  const counters = createCounters();
  const observe = observeAll(log, counters.observe);
  const engines = await startEngines(config, observe);
  try {
    return await supervise(config, engines, observe, counters, write, frontMain);
  } catch (error) {
    await Promise.all([engines.stopFollowing(), engines.lanes.close()]);
    throw error;
  }
}

async function supervise(
  config: Config,
  engines: Engines,
  observe: Observe,
  counters: Counters,
  write: (lines: string) => void,
  frontMain: string | undefined,
): Promise<Gateway> {
  const { lanes, snapshot } = engines;
  const ledger = createLedger({
    perSecond: config.rateLimit,
    burst: config.rateBurst,
    maxClients: config.rateClients,
    engineMsPerToken: config.rateEngineMs,
    holders: config.fronts,
    now: () => performance.now(),
  });
  const port = config.port === 0 ? await freePort(config.host) : config.port;
  let fleet: Fleet | undefined;
  const swap = await startSwap({
    config,
    lanes,
    ask: createAsk(lanes, observe),
    observe,
    first: snapshot,
    beside: {
      prepare: async (next, ref, atMs) => fleet?.turn.prepare({ ref, serving: next }, atMs),
      turn: async (_id, commit) => (fleet === undefined ? commit() : fleet.turn.turn(commit)),
      drop: () => fleet?.turn.drop(),
    },
  });
  const following = (): FollowReport => ({ ...swap.following(), standsBy: engines.standsBy });
  // In the same turn of the event loop: it cannot have turned yet.
  const first = { ref: snapshot, serving: swap.serving() };
  const its = startFleet({ config, port, lanes, ledger, first, following, observe, write, frontMain });
  fleet = its;
  try {
    const address = await its.listening();
    const metrics = await startMetrics(
      config,
      counters,
      {
        lanes: () => lanes.stats(),
        cache: { bytes: 0, entries: 0 },
        cacheLimitBytes: 0,
        limiter: ledger,
        http: { running: 0, waiting: 0 },
        fronts: () => 0,
        build: shortBuild(),
      },
      observe,
      its.families,
    );
    const stop = async (): Promise<void> => {
      await its.close(config.drainMs);
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
  } catch (error) {
    await its.close(0);
    await swap.close();
    throw error;
  }
}
