// A worker thread of a lane's piscina pool: opens its own locked session of a snapshot when it starts, then runs
// the tasks it is given; at a swap a session of the next snapshot beside it. Several tasks may be under way at
// once (a streamed body waits for its reader), each on a connection of its own.
import { parentPort, workerData } from 'node:worker_threads';
import { move } from 'piscina';
import { monotonicMs } from '../base/monotonic.ts';
import type { Compile } from '../dialect/plan.ts';
import type { Schema } from '../dialect/schema.ts';
import { columnsPath } from '../snapshot/layout.ts';
import { POISONED, replyFrame, setFrameId } from '../wire/frames.ts';
import {
  type CloseTask,
  CONTROL,
  type Failed,
  type OpenTask,
  type Outcome,
  PUT_BACK,
  type SnapshotRef,
  type StatementJob,
  type StoredJob,
  type Task,
  WORN,
  type WorkerMessage,
  type WorkerSettings,
} from '../wire/protocol.ts';
import type { EngineConnection } from './engine.ts';
import { explainScan } from './explain.ts';
import { failureOf } from './failure.ts';
import { createPlans, type Plans } from './plans.ts';
import { preload } from './preload.ts';
import { passGate, type QueryOptions, runQuery } from './query.ts';
import { rehearse } from './rehearsal.ts';
import { proveGate, proveProcess } from './self-test.ts';
import { retiredEngines, type Session } from './session.ts';
import { makeSpill, type Spill } from './spill.ts';
import { openStores, type Stores } from './stores.ts';
import { createWatch, type Watch } from './watch.ts';

/** What dialect/compile.ts gives, and what stands in for it in tests of the engine. */
interface Compiler {
  readonly createCompiler: (schema: Schema) => Compile;
  /** Statements that make the temporary macros of the dialect, and their names. */
  readonly PRELUDE: readonly string[];
  readonly MACROS: readonly string[];
}

interface Open {
  readonly snapshot: string;
  readonly stores: Stores;
  readonly plans: Plans;
  readonly watch: Watch;
  readonly options: QueryOptions;
  readonly idle: EngineConnection[];
}

const settings = workerData as WorkerSettings;
const GATED = !settings.unlocked.includes('gate');

function tell(message: WorkerMessage, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

async function open(snapshot: SnapshotRef): Promise<Open> {
  const compiler: Compiler =
    settings.compiler === undefined
      ? ((await import('../dialect/compile.ts')) as Compiler)
      : ((await import(settings.compiler)) as Compiler);
  const watch = createWatch(settings.control, settings.stallMs);
  const stores = await openStores({
    folder: snapshot.path,
    threads: settings.threads,
    memoryBytes: Math.floor(settings.memoryBytes / settings.workers),
    smallBytes: Math.floor(settings.smallBytes / settings.workers),
    spill: spillOf(settings),
    prelude: compiler.PRELUDE,
    locked: !settings.unlocked.includes('session'),
    proven: settings.selfTest,
  });
  try {
    if (settings.selfTest) await provePassage(stores.session, columnsPath(snapshot.path));
    return {
      snapshot: snapshot.id,
      stores,
      plans: createPlans(compiler.createCompiler(stores.schema), settings.plans),
      watch,
      options: {
        gate: GATED,
        streamBytes: settings.streamBytes,
        snapshot: snapshot.id,
        macros: compiler.MACROS,
        hold: stores.hold,
      },
      idle: [stores.session.connection],
    };
  } catch (error) {
    await stores.close();
    throw error;
  }
}

function spillOf({ spill, workers }: WorkerSettings): Spill | undefined {
  return spill === undefined ? undefined : makeSpill(spill.folder, Math.floor(spill.bytes / workers));
}

/** Once a thread: gate and process are the same for every snapshot. */
let proven = false;
async function provePassage({ connection }: Session, path: string): Promise<void> {
  if (proven) return;
  proveProcess(settings.limits);
  await proveGate(
    async (sql) => (GATED ? await passGate(connection, sql, { tables: [] }, []) : undefined),
    path,
  );
  proven = true;
}

interface Slot {
  readonly snapshot: SnapshotRef;
  /** Undefined until a statement needs it. */
  open: Promise<Open> | undefined;
  failed?: { readonly error: unknown; readonly at: number };
}
/** What could not be opened is not tried again by every statement that comes. */
const RETRY_MS = 5_000;

/** By the snapshot's id. */
const slots = new Map<string, Slot>();
/** Whether a statement has read the snapshot that came last. */
let isUsed = true;

async function openSlot(slot: Slot): Promise<Open> {
  const { failed } = slot;
  if (slot.open === undefined && failed !== undefined && monotonicMs() - failed.at < RETRY_MS)
    throw failed.error;
  const retired = retiredEngines();
  slot.open ??= open(slot.snapshot).catch((error: unknown) => {
    slot.open = undefined;
    slot.failed = { error, at: monotonicMs() };
    if (retiredEngines() > retired) tell({ type: WORN });
    throw error;
  });
  return slot.open;
}

/**
 * At once where the one before was read, else when a statement comes: while a source is followed, snapshots come by
 * the second, and an idle lane has nothing to pay for them.
 * @returns why it cannot be opened; undefined where it was, or will be
 */
async function openBeside(snapshot: SnapshotRef): Promise<string | undefined> {
  if (slots.has(snapshot.id)) return undefined;
  const slot: Slot = { snapshot, open: undefined };
  try {
    if (isUsed) await openSlot(slot);
    slots.set(snapshot.id, slot);
    isUsed = false;
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What waited is found out here: SQLite answers meanwhile. */
function notOpened(error: unknown): Failed {
  const detail = error instanceof Error ? error.message : String(error);
  return {
    ok: false,
    code: 'elsewhere',
    elsewhere: 'long',
    message: 'the columns of the snapshot cannot be opened',
    detail,
  };
}

/** For nobody: control memory, deadline and parts are its own. */
async function rehearseOn({ snapshot, stores, plans, options }: Open): Promise<void> {
  const control = new Int32Array(new SharedArrayBuffer(CONTROL.ints * Int32Array.BYTES_PER_ELEMENT));
  const watch = createWatch(control.buffer, settings.stallMs);
  const { connection } = stores.session;
  const run = (job: StatementJob): Promise<unknown> => {
    control[CONTROL.credit] = job.limits.maxBytes;
    const deadline = monotonicMs() + job.limits.deadlineMs;
    if (job.kind === 'explain') return explainScan(job, connection, plans, options);
    const task = { id: 0, slot: 0, deadline, snapshot, unproven: false, job };
    return runQuery(task, connection, plans, watch, options, () => {});
  };
  await rehearse(connection, stores.schema, run, stores.hold);
  await preload(connection, stores.schema, settings.memoryBytes / settings.workers);
}

// The pool must not see a thrown error: piscina would start workers without end.
const why = await openBeside(settings.snapshot);
if (settings.rehearses)
  await slots
    .get(settings.snapshot.id)
    ?.open?.then(rehearseOn)
    .catch(() => {});
tell(why === undefined ? { type: 'opened' } : { type: 'failed', why });

/** The frame of the answer; undefined where it went out in parts; or that it is to be run again. */
export default async function run(task: Task | OpenTask | CloseTask): Promise<unknown> {
  if ('open' in task) return openBeside(task.open);
  if ('close' in task) {
    const closed = slots.get(task.close);
    slots.delete(task.close);
    await closed?.open?.then(
      ({ stores }) => stores.close(),
      () => {},
    );
    return settings.spill !== undefined && closed?.open !== undefined ? WORN : undefined;
  }
  const slot = slots.get(task.snapshot);
  if (slot === undefined) throw new Error(`the snapshot ${task.snapshot} is not open`);
  isUsed = true;
  const on = await openSlot(slot).catch(notOpened);
  const frame = 'stores' in on ? await runOn(on, task) : replyFrame(on, Buffer.alloc(0), 0);
  if (frame === undefined || frame === PUT_BACK) return frame;
  setFrameId(frame, task.id);
  // To transfer costs more than to copy a page.
  return frame.byteLength < 4096 ? frame : move(frame);
}

/** Each statement has a connection of its own. */
async function runOn(on: Open, task: Task): Promise<Uint8Array<ArrayBuffer> | typeof PUT_BACK | undefined> {
  const connection = on.idle.pop() ?? (await on.stores.session.connect());
  try {
    const { job } = task;
    if (job.kind === 'explain') return await explainScan(job, connection, on.plans, on.options);
    if (job.kind !== 'query') return runStored(on, job);
    return await runQuery({ ...task, job }, connection, on.plans, on.watch, on.options, (bytes, last) =>
      tell({ type: 'part', id: task.id, bytes, last }, [bytes.buffer]),
    );
  } finally {
    on.idle.push(connection);
  }
}

function runStored(on: Open, job: StoredJob): Uint8Array<ArrayBuffer> {
  const before = monotonicMs();
  try {
    const record = on.stores.stored.read(job);
    const outcome: Outcome = {
      snapshot: on.snapshot,
      rows: record === null ? 0 : 1,
      columns: 0,
      deterministic: true,
      planMs: 0,
      engineMs: monotonicMs() - before,
      encodeMs: 0,
    };
    return replyFrame({ ok: true, ...outcome }, Buffer.from(JSON.stringify(record)), 0);
  } catch (error) {
    const failed = failureOf(error, undefined, undefined);
    return replyFrame(failed, Buffer.alloc(0), failed.poisoned === true ? POISONED : 0);
  }
}
