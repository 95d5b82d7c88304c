// The worker threads of a lane: a piscina pool, the control memory it shares with them, which tasks they hold and
// which snapshots they have open. A task whose answer is being streamed no longer counts as running: it mostly
// waits for its reader.
import { Piscina } from 'piscina';
import { monotonicMs } from '../base/monotonic.ts';
import {
  type CloseTask,
  CONTROL,
  type LaneProcessSettings,
  type OpenTask,
  PUT_BACK,
  type SnapshotRef,
  STOP,
  type Task,
  WORN,
  type WorkerMessage,
  type WorkerSettings,
} from '../wire/protocol.ts';
import { createStreams } from './streams.ts';

export interface Workers {
  /**
   * Opens a snapshot beside those that are open, in every thread: new threads would cost ten times as much
   * (20 against 190 ms of CPU time each). @throws Error why one of them cannot
   */
  open(snapshot: SnapshotRef): Promise<void>;
  /** Reads this one from now on and closes every other, each when the last task that reads it is done. */
  retire(keep: string): void;
  /** Tasks that would start at once. */
  readonly free: number;
  /** Tasks that are not answered to the end. */
  readonly held: number;
  /** Reads the snapshot that was kept last where the task's own is not open any more. */
  run(task: Omit<Task, 'slot'>): void;
  cancel(id: number): void;
  /** Stops it, to be run again: see {@link WorkersEvents.onPutBack}. It may be answered all the same. */
  putBack(id: number): void;
  credit(id: number, bytes: number): void;
  /** For those who wait in line: the answer whose reader is slowest is cut off, where one waits for its reader. */
  giveUpSlowest(): void;
  /** Ends the threads. Only when nothing is held: an engine that is cut off takes the process with it. */
  close(): Promise<void>;
}

export interface WorkersEvents {
  /** A frame to be sent as it is. */
  readonly onFrame: (bytes: Uint8Array) => void;
  /** The first part of its answer was made. */
  readonly onSent: (id: number) => void;
  /** It is answered to its end: a worker can take another task. */
  readonly onEnd: (id: number) => void;
  /** It was stopped by {@link Workers.putBack}, and nothing of it was sent. @param left nobody waits for it any more */
  readonly onPutBack: (id: number, left: boolean) => void;
  /** A worker can take another task, as one that streams no longer counts. */
  readonly onFree: () => void;
  /** An engine was closed that has to stay with the process. */
  readonly onWorn: () => void;
  /** The threads cannot be trusted any more (one died, or an error that must not be). */
  readonly onBroken: (why: string) => void;
}

/** Streams that may wait for their readers, for each worker; more of them count as running. */
const STREAMS_A_WORKER = 8;
/** Bytes of a streamed body that may be sent before the first credit. */
const FIRST_CREDIT = 1024 * 1024;

/** From source, tsx must be told anew in every thread: it reads TypeScript in the main one only. */
const SOURCE_ARGV = import.meta.url.endsWith('.ts')
  ? [
      '--import',
      `data:text/javascript,import{register}from${JSON.stringify(import.meta.resolve('tsx/esm/api'))};register()`,
    ]
  : [];

/** Opening and closing must not wait for streams to end. */
const CONTROL_TASKS = 1;

/** A task for one thread of the pool. */
interface Addressed {
  readonly thread?: number;
}

interface Held {
  readonly slot: number;
  readonly snapshot: string;
}

/**
 * @throws Error where a worker cannot open the snapshot or is not locked. The other threads are left as they are: an
 * engine that is cut off while it opens takes the process with it, and the reason with that. The front ends them all.
 */
export async function startWorkers(
  settings: LaneProcessSettings,
  snapshot: SnapshotRef,
  events: WorkersEvents,
): Promise<Workers> {
  const slots = settings.workers * (1 + STREAMS_A_WORKER);
  const memory = new SharedArrayBuffer(slots * CONTROL.ints * Int32Array.BYTES_PER_ELEMENT);
  const control = new Int32Array(memory);
  const freeSlots = Array.from({ length: slots }, (_, slot) => slot);
  const held = new Map<number, Held>();
  const streams = createStreams(settings.workers * STREAMS_A_WORKER);
  let running = 0;

  const workerData: WorkerSettings = { ...settings, snapshot, control: memory };
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const pool = new Piscina<Task | OpenTask | CloseTask, unknown>({
    filename: new URL(`../worker/worker.${extension}`, import.meta.url).href,
    minThreads: settings.workers,
    maxThreads: settings.workers,
    idleTimeout: Number.POSITIVE_INFINITY,
    concurrentTasksPerWorker: 1 + STREAMS_A_WORKER + CONTROL_TASKS,
    loadBalancer: (task, workers) => {
      const thread = (task[Piscina.queueOptionsSymbol as keyof typeof task] as Addressed | null)?.thread;
      if (thread !== undefined) return workers.find(({ id }) => id === thread) ?? null;
      let idlest: (typeof workers)[number] | null = null;
      for (const worker of workers)
        if (worker.currentUsage < (idlest?.currentUsage ?? 1 + STREAMS_A_WORKER)) idlest = worker;
      return idlest;
    },
    execArgv: SOURCE_ARGV,
    recordTiming: false,
    workerData,
  });

  const isOpen = new Set([snapshot.id]);
  const retired = new Set<string>();
  let kept = snapshot.id;

  const inEveryThread = (task: OpenTask | CloseTask): Promise<unknown[]> =>
    Promise.all(
      pool.threads.map(({ threadId }) => {
        const address: Addressed = { thread: threadId };
        return pool.run({ ...task, [Piscina.queueOptionsSymbol]: address });
      }),
    );
  const closeRetired = (): void => {
    if (retired.size === 0) return;
    const read = new Set([...held.values()].map((task) => task.snapshot));
    for (const id of retired) {
      if (read.has(id)) continue;
      retired.delete(id);
      isOpen.delete(id);
      inEveryThread({ close: id }).then(
        (said) => {
          if (said.includes(WORN)) events.onWorn();
        },
        (error: unknown) => events.onBroken(String(error)),
      );
    }
  };

  const release = (id: number): void => {
    const task = held.get(id);
    if (task === undefined) return;
    held.delete(id);
    freeSlots.push(task.slot);
    running -= streams.ended(id);
    closeRetired();
  };
  const takeSlot = (): number => {
    const slot = freeSlots.pop();
    if (slot === undefined) throw new Error('no free slot: ask `free` first');
    control[slot * CONTROL.ints + CONTROL.stop] = 0;
    control[slot * CONTROL.ints + CONTROL.credit] = FIRST_CREDIT;
    control[slot * CONTROL.ints + CONTROL.hasReader] = 0;
    running += 1;
    return slot;
  };
  const stop = (id: number, why: number): void => {
    const task = held.get(id);
    if (task !== undefined) Atomics.store(control, task.slot * CONTROL.ints + CONTROL.stop, why);
  };
  const cancel = (id: number): void => stop(id, STOP.nobodyWaits);
  const openOne = (wanted: string): string => (isOpen.has(wanted) ? wanted : kept);
  const broken = (error: unknown): void =>
    events.onBroken(error instanceof Error ? error.message : String(error));
  const onMessage = (message: WorkerMessage): void => {
    if (message.type === WORN) events.onWorn();
    if (message.type !== 'part') return;
    const fewer = held.has(message.id) ? streams.began(message.id) : 0;
    running -= fewer;
    events.onSent(message.id);
    events.onFrame(message.bytes);
    if (fewer > 0) events.onFree();
  };

  await new Promise<void>((resolve, reject) => {
    let opened = 0;
    pool.on('error', (error: Error) => {
      reject(error);
      events.onBroken(error.message);
    });
    pool.on('message', (message: WorkerMessage) => {
      if (message.type === 'opened') {
        opened += 1;
        if (opened === settings.workers) resolve();
      } else if (message.type === 'failed') reject(new Error(message.why));
      else onMessage(message);
    });
  });

  return {
    async open(wanted) {
      retired.delete(wanted.id);
      if (isOpen.has(wanted.id)) return;
      const reasons = await inEveryThread({ open: wanted });
      const reason = reasons.find((each) => each !== undefined);
      if (reason !== undefined) {
        if ((await inEveryThread({ close: wanted.id })).includes(WORN)) events.onWorn();
        throw new Error(String(reason));
      }
      isOpen.add(wanted.id);
    },
    retire(keep) {
      if (!isOpen.has(keep)) return;
      kept = keep;
      for (const id of isOpen) if (id !== keep) retired.add(id);
      closeRetired();
    },
    get free() {
      return Math.min(settings.workers - running, freeSlots.length);
    },
    get held() {
      return held.size;
    },
    run(task) {
      const slot = takeSlot();
      const snapshot = openOne(task.snapshot);
      held.set(task.id, { slot, snapshot });
      pool.run({ ...task, snapshot, slot }).then((bytes) => {
        const isLeft = Atomics.load(control, slot * CONTROL.ints + CONTROL.stop) === STOP.nobodyWaits;
        release(task.id);
        if (bytes === PUT_BACK) events.onPutBack(task.id, isLeft);
        else {
          if (bytes !== undefined && bytes !== null) events.onFrame(bytes as Uint8Array);
          events.onEnd(task.id);
        }
      }, broken);
    },
    cancel,
    putBack: (id) => stop(id, STOP.putBack),
    credit(id, bytes) {
      const task = held.get(id);
      if (task === undefined) return;
      const at = task.slot * CONTROL.ints + CONTROL.credit;
      Atomics.add(control, at, bytes);
      Atomics.store(control, task.slot * CONTROL.ints + CONTROL.hasReader, 1);
      Atomics.notify(control, at);
      streams.taken(id, bytes, monotonicMs());
    },
    giveUpSlowest() {
      const creditOf = (id: number): number =>
        Atomics.load(control, (held.get(id)?.slot ?? 0) * CONTROL.ints + CONTROL.credit);
      const id = streams.slowest(monotonicMs(), (each) => creditOf(each) <= 0);
      if (id !== undefined) cancel(id);
    },
    close: () => pool.destroy(),
  };
}
