// The front's way to the engines: a job goes in, and one reply comes out. Which lanes there are says lane-set.ts, which of
// them a statement goes to says routing.ts.
import type { RunOptions } from '../answer/engine.ts';
import type { Observe } from '../base/observe.ts';
import { bucketKey } from '../limit/address.ts';
import type { Job, Reply, SnapshotRef } from '../wire/protocol.ts';
import type { LaneConfig, LaneOverrides } from './lane-settings.ts';
import { Routing } from './routing.ts';
import type { LaneStats } from './stats.ts';
import { limitMs, NO_SNAPSHOT, type Ticket } from './ticket.ts';

export interface Lanes {
  /** Never rejects but for the signal: what went wrong is in the reply. */
  run(job: Job, options?: RunOptions): Promise<Reply>;
  /** Opens it beside the one in use, in row lanes and the scan lane. @throws Error where a lane cannot; the one in use stays so */
  prepareSnapshot(snapshot: SnapshotRef): Promise<void>;
  /** What is asked from this moment on reads it, whatever the lane; what runs ends on the old one. Long lanes open it now. */
  useSnapshot(snapshot: SnapshotRef): void;
  /** Both at once. */
  openSnapshot(snapshot: SnapshotRef): Promise<void>;
  /** Whether a statement can be answered now. */
  healthy(): boolean;
  stats(): readonly LaneStats[];
  /** Ends the processes at once; what runs is lost. */
  close(): Promise<void>;
}

export function startLanes(config: LaneConfig, observe: Observe, overrides: LaneOverrides = {}): Lanes {
  const routing = new Routing(config, observe, overrides);
  const { lanes } = routing;
  return {
    run(job, { signal, client = '', snapshot: wanted, elsewhere } = {}) {
      const { snapshot } = routing;
      if (snapshot === undefined) return Promise.resolve(NO_SNAPSHOT);
      if (signal?.aborted === true) return Promise.reject(signal.reason);
      const reads = wanted ?? snapshot.id;
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          reject(signal?.reason);
          routing.leave(ticket);
        };
        const ticket: Ticket = {
          job,
          client: bucketKey(client),
          snapshot: reads,
          until: performance.now() + limitMs(job),
          resolve: (reply) => {
            signal?.removeEventListener('abort', abort);
            resolve(reply);
          },
          elsewhere,
          losses: 0,
          gone: false,
          at: undefined,
          why: undefined,
          visits: undefined,
          outOfMemory: false,
          told: undefined,
          fell: undefined,
        };
        signal?.addEventListener('abort', abort);
        routing.route(ticket);
      });
    },
    prepareSnapshot: (wanted) => lanes.prepare(wanted),
    useSnapshot: (wanted) => lanes.use(wanted),
    async openSnapshot(wanted) {
      await lanes.prepare(wanted);
      lanes.use(wanted);
    },
    healthy: () => routing.snapshot !== undefined && lanes.healthy,
    stats: () => lanes.stats(),
    close: () => routing.close(),
  };
}
