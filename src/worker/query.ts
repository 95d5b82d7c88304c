// Runs one statement of a client: plan, gate, engine, encoder. A small answer comes back whole; a large one
// is sent in parts as the engine makes it and as its reader takes it.

import { monotonicMs } from '../base/monotonic.ts';
import { checkTree } from '../dialect/gate.ts';
import { NotNative } from '../dialect/not-native.ts';
import type { Plan } from '../dialect/plan.ts';
import { fillTemplate as fill } from '../dialect/template.ts';
import { ByteWriter } from '../encode/byte-writer.ts';
import type { Encoder } from '../encode/encode.ts';
import { encoderMaker, type MakeEncoder } from '../encode/formats.ts';
import { tooManyBytes, tooManyRows } from '../encode/limits.ts';
import {
  FRAME,
  frame,
  jsonFrame,
  MORE,
  PART_BYTES,
  POISONED,
  replyFrame,
  setFrameId,
  WHOLE_BYTES,
} from '../wire/frames.ts';
import {
  type Limits,
  type Outcome,
  PUT_BACK,
  type QueryJob,
  type StatementJob,
  type Task,
} from '../wire/protocol.ts';
import { chunkRows, withColumns } from './chunk.ts';
import {
  type Chunks,
  CutStreamError,
  type DataChunk,
  type EngineConnection,
  materialized,
  textRows,
} from './engine.ts';
import { failureOf } from './failure.ts';
import type { PlanEntry, Plans } from './plans.ts';
import type { Watch, Watched } from './watch.ts';

export interface QueryOptions {
  readonly gate: boolean;
  /** Names of the session's own macros, which the gate lets through. */
  readonly macros: readonly string[];
  readonly streamBytes: number;
  readonly snapshot: string;
  /**
   * Brings tables of these lower-case names over from the row store, where they are not in the column store; they
   * stay until what is given back is called. @throws NoRoom
   */
  readonly hold: (tables: readonly string[]) => Promise<() => void>;
}
/** Sends a frame of a streamed answer; the bytes are given away. */
export type SendPart = (bytes: Uint8Array<ArrayBuffer>, last: boolean) => void;

/** Answers of at most so many rows may be asked for in one go: a chunk of the engine is 2,048 rows. */
const SMALL_ROWS = 1024;
/** Above this, an answer's next run is a stream again. */
const SMALL_BYTES = 128 * 1024;
/** Of what may fail at its last row, and is not sent before that is there: what has more is SQLite's. */
const LATE_BYTES = 16 * 1024 * 1024;

export type QueryTask = Task & { readonly job: QueryJob };

interface Times {
  readonly started: number;
  planMs: number;
  engineMs: number;
  encodeMs: number;
}

/** The reply's frame; undefined where every frame has been sent through `send`; or that it was stopped to be run again. */
export async function runQuery(
  task: QueryTask,
  connection: EngineConnection,
  plans: Plans,
  watch: Watch,
  options: QueryOptions,
  send: SendPart,
): Promise<Uint8Array<ArrayBuffer> | typeof PUT_BACK | undefined> {
  const { job } = task;
  const watched = watch.start(connection, task.slot, task.deadline);
  const times: Times = { started: monotonicMs(), planMs: 0, engineMs: 0, encodeMs: 0 };
  const run: Run = { task, connection, plans, watched, options, send, times, sent: false };
  try {
    const entry = plans.get(job.shape, job.literals);
    return await runPlan(run, entry, encoderFor(entry, job));
  } catch (error) {
    const failed = failureOf(error, job.limits, watched.stopped, run.sent);
    const flags = failed.poisoned === true ? POISONED : 0;
    if (watched.stopped === 'put-back' && flags === 0) return PUT_BACK;
    if (!run.sent) return replyFrame(failed, NO_BYTES, flags);
    run.send(own(jsonFrame(FRAME.end, task.id, failed, flags)), true);
    return undefined;
  } finally {
    watched.done();
  }
}

const NO_BYTES = new Uint8Array(0);

interface Run {
  readonly task: QueryTask;
  readonly connection: EngineConnection;
  readonly plans: Plans;
  readonly watched: Watched;
  readonly options: QueryOptions;
  readonly send: SendPart;
  readonly times: Times;
  /** The reply is on its way, and the rest of the body follows. */
  sent: boolean;
}

async function runPlan(
  run: Run,
  entry: PlanEntry,
  make: MakeEncoder,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { connection, times, watched } = run;
  const sql = await gatedSql(entry, run.task.job, connection, run.options);
  const release = await run.options.hold(entry.plan.tables);
  const encoder = make(takeWriter());
  try {
    times.planMs += monotonicMs() - times.started - times.planMs - times.engineMs;
    if (watched.stopped !== undefined) throw new Error('stopped before it ran');
    if (entry.small === true) {
      const reply = await runSmall(run, entry, sql, encoder);
      if (reply !== 'too many') return reply;
    }
    return await runStream(run, entry, sql, encoder);
  } finally {
    release();
    giveWriter(encoder.writer);
  }
}

/** What the engine is given. @throws GatewayError where its parse tree does not pass the gate */
export async function gatedSql(
  entry: PlanEntry,
  { literals }: StatementJob,
  connection: EngineConnection,
  { gate, macros }: QueryOptions,
): Promise<string> {
  const sql = fill(entry.plan.sql, literals);
  if (!entry.gated && gate) {
    await passGate(connection, sql, entry.plan, macros);
    entry.gated = true;
  }
  return sql;
}

/** @throws GatewayError mixed-column */
export function encoderFor(entry: PlanEntry, job: StatementJob): MakeEncoder {
  const { format, extract, unwrap } = job.output;
  const key = `${format}${extract}${unwrap}`;
  const known = entry.encoders.get(key);
  if (known !== undefined) return known;
  const names = resultNames(entry.plan, job);
  const make = encoderMaker(
    entry.plan.columns.map(({ kind }, i) => ({ name: names[i] as string, kind })),
    job.output,
  );
  if (hasFixedNames(entry.plan)) entry.encoders.set(key, make);
  return make;
}

/** Of its columns. */
export function resultNames({ columns }: Plan, { literals }: StatementJob): readonly string[] {
  return columns.map(({ name }) => fill(name, literals));
}

/** The names of its columns do not depend on literals. */
function hasFixedNames({ columns }: Plan): boolean {
  return columns.every(({ name }) => name.every((piece) => typeof piece === 'string'));
}

/** The engine's own parse tree decides what may be read; see dialect/gate.ts. Costs some 0.5 ms, once a plan. */
export async function passGate(
  connection: EngineConnection,
  sql: string,
  plan: Pick<Plan, 'tables'>,
  macros: readonly string[],
): Promise<void> {
  const quoted = sql.replaceAll("'", "''");
  const rows = await textRows(connection, `SELECT json_serialize_sql('${quoted}')::VARCHAR`);
  checkTree(JSON.parse(rows[0]?.[0] ?? 'null'), plan.tables, macros);
}

/** Gives `too many` where the answer is not small after all. */
async function runSmall(
  run: Run,
  entry: PlanEntry,
  sql: string,
  encoder: Encoder,
): Promise<Uint8Array<ArrayBuffer> | undefined | 'too many'> {
  const { times } = run;
  const limits = run.task.job.limits;
  const before = monotonicMs();
  // The LIMIT costs a tenth of a lookup.
  const bounded = entry.plan.single === true ? sql : `FROM (${sql}) LIMIT ${SMALL_ROWS + 1}`;
  const result = await run.connection.read(bounded);
  const after = monotonicMs();
  times.engineMs += after - before;
  const chunks = materialized(result);
  let rows = 0;
  for (const chunk of chunks) rows += chunkRows(chunk);
  if (rows > SMALL_ROWS) {
    entry.small = false;
    return 'too many';
  }
  for (const chunk of chunks) addChunk(encoder, chunk, limits);
  encoder.finish();
  entry.small = encoder.waiting <= SMALL_BYTES;
  times.encodeMs += monotonicMs() - after;
  return end(run, entry, encoder);
}

function addChunk(encoder: Encoder, chunk: DataChunk, limits: Limits): void {
  if (encoder.rows + chunkRows(chunk) > limits.maxRows) throw tooManyRows(limits);
  withColumns(chunk, encoder.kinds, encoder.add);
  if (encoder.total > limits.maxBytes) throw tooManyBytes(limits);
}

async function runStream(
  run: Run,
  entry: PlanEntry,
  sql: string,
  encoder: Encoder,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { times, options, task } = run;
  const { limits } = task.job;
  const isLate = entry.plan.late === true;
  // What is not to be sent in parts may be whole: to start another process takes 400 ms, and to encode so much 10.
  const heldBytes = isLate ? LATE_BYTES : task.unproven ? WHOLE_BYTES : 0;
  const partBytes = Math.max(heldBytes, options.streamBytes);
  let since = monotonicMs();
  const lap = (): number => {
    const now = monotonicMs();
    const took = now - since;
    since = now;
    return took;
  };
  const chunks = await run.connection.stream(`FROM (${sql})`);
  let next = fetchAhead(chunks);
  try {
    for (;;) {
      const chunk = await next;
      times.engineMs += lap();
      if (chunk === undefined) break;
      // The engine makes the next chunk while this one is encoded.
      next = fetchAhead(chunks);
      addChunk(encoder, chunk, limits);
      times.encodeMs += lap();
      // Two rows at least before the head is sent: an unwrapped answer's type depends on it.
      if (encoder.waiting >= partBytes && encoder.rows > 1) {
        if (isLate) throw new NotNative('so many rows of which some may be equal by ORDER BY');
        await sendParts(run, entry, encoder);
        lap();
      }
    }
    encoder.finish();
    entry.small = !run.sent && encoder.rows <= SMALL_ROWS && encoder.waiting <= SMALL_BYTES;
    return await end(run, entry, encoder);
  } catch (error) {
    if (!isLate || !(error instanceof CutStreamError) || run.watched.stopped !== undefined) throw error;
    // The engine does not say what it was that ended the stream.
    throw new NotNative('rows that are equal by ORDER BY, or a value without native form');
  } finally {
    // Its error is thrown already, or does not matter any more.
    await next.catch(() => {});
    await chunks.close();
  }
}

/** Its failure is seen when it is awaited: until then it must not count as unhandled. */
function fetchAhead(chunks: Chunks): Promise<DataChunk | undefined> {
  const next = chunks.next();
  next.catch(() => {});
  return next;
}

/** The reply's frame where nothing was sent, and all of the body is small enough for one; else sends what is left. */
async function end(
  run: Run,
  entry: PlanEntry,
  encoder: Encoder,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (!run.sent && encoder.waiting <= WHOLE_BYTES)
    return replyFrame({ ok: true, ...outcome(run, entry, encoder) }, encoder.take(), 0);
  await sendParts(run, entry, encoder);
  run.send(own(jsonFrame(FRAME.end, run.task.id, { ok: true, ...outcome(run, entry, encoder) })), true);
  return undefined;
}

/** All that waits to be sent. The first part is the reply itself. */
async function sendParts(run: Run, entry: PlanEntry, encoder: Encoder): Promise<void> {
  const bytes = encoder.take();
  for (let at = 0; at === 0 || at < bytes.byteLength; at += PART_BYTES)
    await sendPart(run, entry, encoder, bytes.subarray(at, at + PART_BYTES));
}

async function sendPart(run: Run, entry: PlanEntry, encoder: Encoder, bytes: Uint8Array): Promise<void> {
  if (!(await run.watched.takeCredit(bytes.byteLength))) throw new Error('nobody takes the answer');
  if (run.sent) {
    run.send(own(frame(FRAME.data, run.task.id, bytes)), false);
    return;
  }
  const reply = replyFrame({ ok: true, ...outcome(run, entry, encoder) }, bytes, MORE);
  setFrameId(reply, run.task.id);
  run.send(reply, false);
  run.sent = true;
}

/** To a microsecond. */
export function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function outcome(run: Run, entry: PlanEntry, encoder: Encoder): Outcome {
  const { plan } = entry;
  return {
    snapshot: run.options.snapshot,
    engine: 'scan',
    rows: encoder.rows,
    columns: plan.columns.length,
    tables: plan.readsBlocks === true ? [...plan.tables, 'blocks'] : plan.tables,
    deterministic: plan.deterministic,
    planMs: roundMs(run.times.planMs),
    engineMs: roundMs(run.times.engineMs),
    encodeMs: roundMs(run.times.encodeMs),
  };
}

/** Small Buffers share a pool, which cannot be transferred. */
function own(bytes: Buffer): Uint8Array<ArrayBuffer> {
  return bytes.byteLength === bytes.buffer.byteLength
    ? (bytes as Uint8Array<ArrayBuffer>)
    : new Uint8Array(bytes);
}

/** Writers that no statement uses at the moment: several statements may be under way in one worker. */
const idle: ByteWriter[] = [];
function takeWriter(): ByteWriter {
  return idle.pop() ?? new ByteWriter();
}
function giveWriter(writer: ByteWriter): void {
  writer.clear();
  idle.push(writer);
}
