// One snapshot's worker threads: a piscina pool, the control memory it shares with them, and which tasks they
// hold. A task whose answer is being streamed no longer counts as running: it mostly waits for its reader.
import { Piscina } from 'piscina';
import {
  CONTROL,
  type LaneSettings,
  type SnapshotRef,
  type Task,
  type WorkerMessage,
  type WorkerSettings,
} from '../protocol.ts';

export interface Workers {
  readonly snapshot: SnapshotRef;
  /** Whether another task would start at once. */
  readonly free: boolean;
  /** Tasks that are not answered to the end. */
  readonly held: number;
  run(task: Omit<Task, 'slot'>): void;
  cancel(id: number): void;
  credit(id: number, bytes: number): void;
  /** Ends the threads. Only when nothing is held: an engine that is cut off takes the process with it. */
  close(): Promise<void>;
}

export interface WorkersEvents {
  /** A frame to be sent as it is. */
  readonly onFrame: (id: number, bytes: Uint8Array) => void;
  /** A worker can take another task. */
  readonly onFree: () => void;
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

interface Held {
  readonly slot: number;
  streamed: boolean;
}

/** @throws Error where a worker cannot open the snapshot or is not locked */
export async function startWorkers(
  settings: LaneSettings,
  snapshot: SnapshotRef,
  events: WorkersEvents,
): Promise<Workers> {
  const slots = settings.workers * (1 + STREAMS_A_WORKER);
  const memory = new SharedArrayBuffer(slots * CONTROL.ints * Int32Array.BYTES_PER_ELEMENT);
  const control = new Int32Array(memory);
  const freeSlots = Array.from({ length: slots }, (_, slot) => slot);
  const held = new Map<number, Held>();
  let running = 0;

  const workerData: WorkerSettings = { ...settings, snapshot, control: memory };
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const pool = new Piscina<Task, Uint8Array | undefined>({
    filename: new URL(`../worker/worker.${extension}`, import.meta.url).href,
    minThreads: settings.workers,
    maxThreads: settings.workers,
    idleTimeout: Number.POSITIVE_INFINITY,
    concurrentTasksPerWorker: 1 + STREAMS_A_WORKER,
    execArgv: SOURCE_ARGV,
    recordTiming: false,
    workerData,
  });

  const release = (id: number): void => {
    const task = held.get(id);
    if (task === undefined) return;
    held.delete(id);
    freeSlots.push(task.slot);
    if (!task.streamed) running -= 1;
    events.onFree();
  };
  const onMessage = (message: WorkerMessage): void => {
    if (message.type !== 'part') return;
    const task = held.get(message.id);
    if (task !== undefined && !task.streamed && held.size - running < settings.workers * STREAMS_A_WORKER) {
      task.streamed = true;
      running -= 1;
      events.onFree();
    }
    events.onFrame(message.id, message.bytes);
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
  }).catch(async (error: unknown) => {
    await pool.destroy();
    throw error;
  });

  return {
    snapshot,
    get free() {
      return running < settings.workers && freeSlots.length > 0;
    },
    get held() {
      return held.size;
    },
    run(task) {
      const slot = freeSlots.pop();
      if (slot === undefined) throw new Error('no free slot: ask `free` first');
      control[slot * CONTROL.ints + CONTROL.cancelled] = 0;
      control[slot * CONTROL.ints + CONTROL.credit] = FIRST_CREDIT;
      held.set(task.id, { slot, streamed: false });
      running += 1;
      pool.run({ ...task, slot }).then(
        (bytes) => {
          if (bytes !== undefined && bytes !== null) events.onFrame(task.id, bytes);
          release(task.id);
        },
        (error: unknown) => events.onBroken(error instanceof Error ? error.message : String(error)),
      );
    },
    cancel(id) {
      const task = held.get(id);
      if (task !== undefined) Atomics.store(control, task.slot * CONTROL.ints + CONTROL.cancelled, 1);
    },
    credit(id, bytes) {
      const task = held.get(id);
      if (task === undefined) return;
      const at = task.slot * CONTROL.ints + CONTROL.credit;
      Atomics.add(control, at, bytes);
      Atomics.notify(control, at);
    },
    close: () => pool.destroy(),
  };
}
