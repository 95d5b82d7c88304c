// The process of the scan lane: keeps the front's jobs in a bounded line, hands them to the worker threads of the
// snapshot that is served, and sends back the frames they make. Knows nothing of HTTP; kills nothing but itself.
import { monotonicMs } from '../base/monotonic.ts';
import { lowerPriority } from '../base/priority.ts';
import { FRAME, frame } from '../wire/frames.ts';
import {
  type Front,
  type LaneService,
  laneSettings,
  type RunOrder,
  serveLane,
} from '../wire/lane-process.ts';
import type { Failed, LaneProcessSettings, SnapshotRef } from '../wire/protocol.ts';
import { createLine, type Waiting } from './line.ts';
import { startWorkers, type Workers } from './workers.ts';

/** Jobs that are no statement: reading what the snapshot keeps must not take longer. */
const STORED_DEADLINE_MS = 5_000;
/** How often it is looked, while some wait, who has waited too long and who is to make room. */
const TICK_MS = 25;

/**
 * At once and whatever the threads do: an orphaned statement would go on, and an exit waits for it.
 * SIGKILL to oneself cannot be held up.
 */
function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('unreachable');
}

function poolService(settings: LaneProcessSettings, { writer, tell }: Front): LaneService {
  const line = createLine(settings.maxQueue, settings.workers);
  let workers: Workers | undefined;
  /** One snapshot after the other. */
  let opening: Promise<unknown> = Promise.resolve();

  const fail = (id: number, failed: Failed): void => writer.reply(id, failed, '');

  const dispatch = (): void => {
    while (workers !== undefined) {
      const now = monotonicMs();
      const next = line.next(workers.free, now);
      if (next === undefined) break;
      if (now <= next.waitsUntil) begin(workers, next, now);
      else {
        line.ended(next.id, now);
        tooLate(next);
      }
    }
  };
  const makeRoom = (): void => {
    dispatch();
    const other = line.stop(workers?.free ?? 0, monotonicMs());
    if (other !== undefined) workers?.putBack(other);
  };
  const onPutBack = (id: number, left: boolean): void => {
    const now = monotonicMs();
    if (left) {
      line.ended(id, now);
      notWanted(id);
    } else {
      line.putBack(id, now);
      writer.send(frame(FRAME.putBack, id));
    }
    dispatch();
  };
  const deadlineOf = ({ job, waitsUntil }: Waiting, now: number): number => {
    const limit = 'limits' in job ? job.limits.deadlineMs : STORED_DEADLINE_MS;
    return Math.min(now + limit, waitsUntil);
  };
  const begin = (on: Workers, item: Waiting, now: number): void => {
    writer.send(frame(FRAME.started, item.id));
    const { id, snapshot, job, unproven } = item;
    on.run({ id, deadline: deadlineOf(item, now), snapshot, job, unproven });
  };
  const notWanted = (id: number): void =>
    fail(id, { ok: false, code: 'limit-time', message: 'nobody waits for the answer' });
  const tooLate = (item: Waiting): void =>
    fail(item.id, {
      ok: false,
      code: 'overloaded',
      message: 'the statement waited in line for longer than its time limit',
    });
  /** What waits past its deadline is answered even where no worker ever gets free. */
  setInterval(() => {
    if (!line.standing) return;
    for (const item of line.late(monotonicMs())) tooLate(item);
    makeRoom();
    // Readers that take nothing, or a byte now and then, must not hold up those who wait for a worker.
    if (line.standing && workers?.free === 0) workers.giveUpSlowest();
  }, TICK_MS);

  const open = async (snapshot: SnapshotRef): Promise<void> => {
    if (workers === undefined) {
      workers = await start(snapshot);
      lowerPriority(settings.nice);
    } else await workers.open(snapshot);
    dispatch();
  };
  const start = (snapshot: SnapshotRef): Promise<Workers> =>
    startWorkers(settings, snapshot, {
      onFrame: (bytes) => writer.send(bytes),
      onSent: (id) => line.sent(id, monotonicMs()),
      onEnd: (id) => {
        line.ended(id, monotonicMs());
        dispatch();
      },
      onPutBack,
      onFree: dispatch,
      onWorn: () => tell({ state: 'worn' }),
      onBroken: (why) => {
        process.stderr.write(`a worker thread broke: ${why}\n`);
        die();
      },
    });

  const run = (id: number, { waitMs, ...order }: RunOrder): void => {
    line.come({ id, ...order, waitsUntil: monotonicMs() + waitMs });
  };
  const admit = (): void => {
    if (!line.standing) dispatch();
    for (const { id } of line.takePlaces(monotonicMs()))
      fail(id, {
        ok: false,
        code: 'overloaded',
        message: `more than ${settings.maxQueue} statements are waiting; try again`,
      });
    makeRoom();
  };
  const cancel = (id: number): void => {
    if (line.leave(id, monotonicMs())) {
      notWanted(id);
      return;
    }
    workers?.cancel(id);
  };

  return {
    run,
    cancel,
    credit: (id, bytes) => workers?.credit(id, bytes),
    open(snapshot) {
      const opened = opening.then(() => open(snapshot));
      opening = opened.catch(() => {});
      return opened;
    },
    retire(keep) {
      opening = opening.then(() => workers?.retire(keep));
    },
    afterFrames: admit,
    end: die,
  };
}

// The front decides when a lane ends; a terminal's Ctrl-C reaches the whole group and must not cut requests.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
serveLane((front) => poolService(laneSettings(), front));
