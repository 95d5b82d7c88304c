// The process of the remote lane: has the front's statements over tables of the distributed engine run there, and sends
// back the frames of their answers. The only process that knows how to log in there.
import { beforeAbort } from '../base/abort.ts';
import { digestOf } from '../base/digest.ts';
import { TRINO_PASSWORD } from '../base/passwords.ts';
import type { RemoteRelation } from '../dialect/remote.ts';
import { createFairQueue } from '../limit/fair-queue.ts';
import type { TrinoAddress } from '../trino/client.ts';
import { FRAME, frame } from '../wire/frames.ts';
import {
  type Front,
  type LaneService,
  laneSettings,
  type RunOrder,
  serveLane,
} from '../wire/lane-process.ts';
import { createPartLines } from '../wire/part-lines.ts';
import type { Failed, LaneProcessSettings, SnapshotRef, StatementJob } from '../wire/protocol.ts';
import { createClock } from './clock.ts';
import { failedOf, timeLimit } from './failure.ts';
import { watchNodes } from './nodes.ts';
import { explainRemote, runRemote } from './run.ts';
import { createProof, NotReadOnly } from './self-test.ts';
import { openRemoteStore, type RemoteStore } from './store.ts';

/** A statement that waits until fewer are under way. */
interface Waiting {
  readonly id: number;
  readonly order: RunOrder;
  readonly until: number;
  readonly late: NodeJS.Timeout;
}

function remoteService(settings: LaneProcessSettings, { writer }: Front): LaneService {
  const { trino, workers, maxQueue, streamBytes, stallMs } = settings;
  if (trino === undefined) throw new Error('no address of Trino');
  const to: TrinoAddress = { ...trino, password: process.env[TRINO_PASSWORD] ?? '' };
  const lines = createPartLines(writer);
  const stores = new Map<string, RemoteStore>();
  const proof = createProof(to, (text) => process.stderr.write(`${text}\n`));
  const nodes = watchNodes(to, (text) => process.stderr.write(`${text}\n`));
  const queue = createFairQueue<Waiting>(maxQueue);
  const waiting = new Map<number, Waiting>();
  let running = 0;
  /** The snapshot that is in use: read, too, by what was sent for one that is open no more; its answer says so. */
  let kept = '';

  const refuse = (id: number, failed: Failed): void => lines.open(id).fail(failed);

  const open = (snapshot: SnapshotRef): void => {
    if (stores.has(snapshot.id)) return;
    const store = openRemoteStore(snapshot);
    stores.set(snapshot.id, store);
    // What is wrong is said now, and not when the first statement comes. That Trino is not there yet is no fault.
    proof.holds(store.relations).catch(() => {});
  };

  const come = (id: number, order: RunOrder): void => {
    const item: Waiting = {
      ...{ id, order, until: performance.now() + order.waitMs },
      late: setTimeout(() => {
        if (leave(id)) refuse(id, LATE);
      }, order.waitMs),
    };
    waiting.set(id, item);
    const other = queue.push(order.client, item);
    if (other !== undefined) {
      forget(other);
      refuse(other.id, { ...FULL, message: `more than ${maxQueue} statements are waiting; try again` });
    }
    begin();
  };
  const forget = (item: Waiting): void => {
    waiting.delete(item.id);
    clearTimeout(item.late);
  };
  /** False: it has begun, or is not there. */
  const leave = (id: number): boolean => {
    const item = waiting.get(id);
    if (item === undefined) return false;
    forget(item);
    queue.remove(item.order.client, item);
    return true;
  };
  const begin = (): void => {
    while (running < workers) {
      const client = queue.first(() => 0);
      const item = client === undefined ? undefined : queue.shift(client);
      if (item === undefined) return;
      forget(item);
      running += 1;
      void run(item).finally(() => {
        running -= 1;
        begin();
      });
    }
  };

  const run = async ({ id, order, until }: Waiting): Promise<void> => {
    const job = order.job as StatementJob;
    const stop = new AbortController();
    const line = lines.open(id, { onLeft: () => stop.abort(LEFT), onTaken: () => clock.taken() });
    const leftMs = Math.min(job.limits.deadlineMs, until - performance.now());
    const clock = createClock({ leftMs, stallMs }, (why) =>
      stop.abort(why === 'time' ? { ...LEFT, ...timeLimit(job.limits) } : LEFT),
    );
    try {
      writer.send(frame(FRAME.started, id));
      const store = stores.get(order.snapshot) ?? stores.get(kept);
      if (store === undefined) line.fail({ ...LEFT, code: 'not-ready', message: 'the snapshot is not open' });
      else if (job.kind === 'explain') await explainRemote(store, job, line);
      else {
        const prove = (where: readonly RemoteRelation[]): Promise<void> =>
          beforeAbort(proof.holds(where), stop.signal);
        const source = `tablegate-${digestOf([order.client]).slice(0, 16)}`;
        await runRemote(
          { to, store, prove, source, partBytes: streamBytes, signal: stop.signal, clock },
          job,
          line,
        );
      }
    } catch (error) {
      if (stop.signal.aborted) line.fail(stop.signal.reason as Failed);
      else if (error instanceof NotReadOnly) line.fail({ ...NOT_LOCKED, detail: error.message });
      else line.fail(failedOf(error, job.limits, line.sent));
    } finally {
      clock.stop();
    }
  };

  return {
    run: come,
    cancel(id) {
      if (leave(id)) refuse(id, LEFT);
      else lines.cancel(id);
    },
    credit: lines.credit,
    open,
    retire(keep) {
      if (stores.has(keep)) kept = keep;
      // What runs has its SQL already: nothing of the snapshot is read on.
      for (const [id, store] of stores) {
        if (id >= keep) continue;
        stores.delete(id);
        store.close();
      }
    },
    condition: () => ({ nodes: nodes.active }),
    // The cluster ends what nobody asks for.
    end: () => process.exit(0),
  };
}

const LEFT: Failed = {
  ok: false,
  code: 'limit-time',
  message: 'the statement was stopped: nobody waits for its answer',
};
const LATE: Failed = {
  ok: false,
  code: 'overloaded',
  message: 'the statement waited in line for its whole time limit; try again',
  remote: 'line',
};
const FULL: Failed = {
  ok: false,
  code: 'overloaded',
  message: 'too many statements are waiting; try again',
  remote: 'line',
};
const NOT_LOCKED: Failed = {
  ok: false,
  code: 'not-ready',
  message: 'the distributed engine is not locked: nothing is read there until it is',
  remote: 'unlocked',
};

// The front decides when a lane ends; a terminal's Ctrl-C reaches the whole group and must not cut requests.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
serveLane((front) => remoteService(laneSettings(), front));
