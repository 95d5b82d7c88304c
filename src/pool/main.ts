// A lane's process: takes jobs from the front over the socket it was born with (file descriptor 3), keeps a
// bounded line, hands them to the worker threads of the snapshot that is served, and sends back the frames
// they make. Knows nothing of HTTP; kills nothing but itself.
import { Socket } from 'node:net';
import { monotonicMs } from '../base/monotonic.ts';
import { createFrameWriter } from '../wire/frame-writer.ts';
import {
  createFrameReader,
  FRAME,
  type Frame,
  frame,
  jsonFrame,
  type Pong,
  parseJson,
} from '../wire/frames.ts';
import type { Failed, Job, LaneProcessSettings, LaneState, SnapshotRef } from '../wire/protocol.ts';
import { createLine, type Waiting } from './line.ts';
import { lowerPriority } from './priority.ts';
import { startWorkers, type Workers } from './workers.ts';

const SOCKET_FD = 3;
/** Jobs that are no statement: reading what the snapshot keeps must not take longer. */
const STORED_DEADLINE_MS = 5_000;
/** How often it is looked, while some wait, who has waited too long and who is to make room. */
const TICK_MS = 25;

/** What a run frame says. */
interface RunOrder {
  readonly job: Job;
  readonly client: string;
  /** Id of the snapshot to be read. */
  readonly snapshot: string;
  /** Nobody waits for longer; a run's own limit counts from its begin. */
  readonly waitMs: number;
}

/**
 * At once and whatever the threads do: an orphaned statement would go on, and an exit waits for it.
 * SIGKILL to oneself cannot be held up.
 */
function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('unreachable');
}

function serve(settings: LaneProcessSettings): void {
  const socket = new Socket({ fd: SOCKET_FD, readable: true, writable: true });
  const writer = createFrameWriter(socket);
  const line = createLine(settings.maxQueue, settings.workers);
  let workers: Workers | undefined;
  /** One snapshot after the other. */
  let opening: Promise<unknown> = Promise.resolve();

  const tellState = (state: LaneState): void => writer.json(FRAME.state, 0, state);
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
    const { id, snapshot, job } = item;
    on.run({ id, deadline: deadlineOf(item, now), snapshot, job });
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
    tellState({ state: 'serving', snapshot: snapshot.id });
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
      onWorn: () => tellState({ state: 'worn' }),
      onBroken: (why) => {
        process.stderr.write(`a worker thread broke: ${why}\n`);
        die();
      },
    });

  const run = (id: number, bytes: Frame['payload']): void => {
    const { job, client, snapshot, waitMs } = parseJson(bytes) as RunOrder;
    const waitsUntil = monotonicMs() + waitMs;
    line.come({ id, client, snapshot, job, waitsUntil });
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

  const handle = (received: Frame): void => {
    switch (received.kind) {
      case FRAME.run:
        run(received.id, received.payload);
        return;
      case FRAME.cancel:
        cancel(received.id);
        return;
      case FRAME.credit:
        workers?.credit(received.id, received.payload.readUInt32LE(0));
        return;
      case FRAME.ping:
        writer.send(
          jsonFrame(FRAME.pong, received.id, { rssBytes: process.memoryUsage.rss() } satisfies Pong),
        );
        return;
      case FRAME.open: {
        const snapshot = parseJson(received.payload) as SnapshotRef;
        opening = opening
          .then(() => open(snapshot))
          .catch((error: unknown) =>
            tellState({
              state: 'failed',
              snapshot: snapshot.id,
              why: error instanceof Error ? error.message : String(error),
            }),
          );
        return;
      }
      case FRAME.retire: {
        const { keep } = parseJson(received.payload) as { readonly keep: string };
        opening = opening.then(() => workers?.retire(keep));
        return;
      }
    }
  };

  const read = createFrameReader(handle);
  socket.on('data', (chunk: Buffer) => {
    read(chunk);
    admit();
  });
  // The front has gone, even by SIGKILL: nobody is left to answer.
  socket.on('end', die);
  socket.on('error', die);
  socket.on('close', die);
}

// The front decides when a lane ends; a terminal's Ctrl-C reaches the whole group and must not cut requests.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
serve(JSON.parse(process.env['TABLEGATE_LANE'] ?? '') as LaneProcessSettings);
