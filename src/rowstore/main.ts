// The process of a row lane or of a long lane: runs the front's jobs on SQLite one after the other, and sends back the
// frames of their answers. What cannot be stopped in time is ended with the process, by the front.
import { Worker } from 'node:worker_threads';
import { TELLS_MAPPED_APART } from '../base/own-memory.ts';
import { widenYoungSpace } from '../base/young-space.ts';
import { FRAME, frame } from '../wire/frames.ts';
import {
  type Front,
  type LaneService,
  laneSettings,
  type RunOrder,
  serveLane,
} from '../wire/lane-process.ts';
import { createPartLines } from '../wire/part-lines.ts';
import type { Failed, LaneProcessSettings, QueryJob, SnapshotRef } from '../wire/protocol.ts';
import { explainRows } from './explain.ts';
import { failedOf } from './failure.ts';
import { type Answer, type Elsewhere, type Line, runBounded, runLong, runStored } from './run.ts';
import { createShapeMemory } from './shape-memory.ts';
import { MOST_READ_ROWS } from './sizes.ts';
import { knownNames, openStore, type RowStore } from './store.ts';

/** Of one value: what the row lane leaves to the long lane, and what that may hold. */
const VALUE_BYTES = { rows: 16 * 1024 * 1024, long: 256 * 1024 * 1024 } as const;

/** Of a page that SQLite writes as JSON: one that is larger holds up others longer than its cells would. */
const PAGE_BYTES = 4 * 1024 * 1024;
/** Of all look-up tables of a snapshot. */
const SEEK_BYTES = 64 * 1024 * 1024;

function rowService(settings: LaneProcessSettings, { writer }: Front): LaneService {
  const stores = new Map<string, RowStore>();
  const memory = createShapeMemory(settings.plans);
  const isLong = settings.lane === 'long';
  const lines = createPartLines(writer);

  /** At the start is enough: all stores are opened alike. And a try of VACUUM makes SQLite read the whole schema again. */
  let proven = false;

  const replyTo = (id: number, answer: Answer | Elsewhere | Failed): void => {
    if ('outcome' in answer) writer.reply(id, { ok: true, ...answer.outcome }, answer.body);
    else writer.reply(id, answer, '');
  };

  const open = (snapshot: SnapshotRef): void => {
    if (!stores.has(snapshot.id))
      stores.set(
        snapshot.id,
        openStore(snapshot, {
          heapBytes: settings.memoryBytes,
          valueBytes: VALUE_BYTES[isLong ? 'long' : 'rows'],
          maxVisits: settings.maxVisits,
          plainVisits: settings.maxVisits,
          shapes: settings.plans,
          memory,
          pageBytes: PAGE_BYTES,
          readRows: MOST_READ_ROWS,
          seekBytes: SEEK_BYTES,
          countsPairs: true,
          seeks: !isLong,
          // Its process may be ended at any time: that is how a statement is stopped.
          mapped: isLong && TELLS_MAPPED_APART,
          proven: settings.selfTest && !proven,
        }),
      );
    proven = true;
  };

  const run = (id: number, { job, snapshot }: RunOrder): void => {
    const store = stores.get(snapshot);
    if (store === undefined) {
      replyTo(id, { ok: false, code: 'not-ready', message: 'the snapshot is not open' });
      return;
    }
    try {
      if (job.kind === 'explain') replyTo(id, explainRows(store, job, isLong));
      else if (job.kind !== 'query') replyTo(id, runStored(store, job));
      else if (isLong) void stream(id, store, job);
      else replyTo(id, runBounded(store, job));
    } catch (error) {
      replyTo(id, failedOf(error, knownNames(store, job), 'shape' in job ? job : undefined));
    }
  };

  const stream = async (id: number, store: RowStore, job: QueryJob): Promise<void> => {
    const parts = lines.open(id);
    const line: Line = {
      partBytes: settings.streamBytes,
      send: parts.send,
      async pause() {
        await new Promise((resolve) => setImmediate(resolve));
      },
    };
    try {
      writer.send(frame(FRAME.started, id));
      const answer = await runLong(store, job, line);
      if (answer === 'left') parts.fail(LEFT);
      else await parts.end(answer.outcome, answer.body);
    } catch (error) {
      parts.fail(failedOf(error, knownNames(store, job), job));
    }
  };

  const close = (store: RowStore): void => {
    // What streams from it still reads it.
    if (lines.size > 0) {
      setTimeout(() => close(store), CLOSE_AGAIN_MS);
      return;
    }
    if (!stores.delete(store.snapshot)) return;
    store.close();
  };

  if (isLong)
    new Worker(new URL(`./orphan.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url), {
      workerData: process.ppid,
    });
  return {
    run,
    cancel: lines.cancel,
    credit: lines.credit,
    open,
    retire(keep) {
      // One that is being opened beside the one in use has a higher number.
      for (const [id, store] of stores) if (id < keep) close(store);
    },
    end: () => process.exit(0),
  };
}

const CLOSE_AGAIN_MS = 1_000;
const LEFT: Failed = {
  ok: false,
  code: 'limit-time',
  message: 'the statement was stopped: nobody waits for its answer',
};

widenYoungSpace();
serveLane((front) => rowService(laneSettings(), front));
