// Runs one statement on the row store. In the row lane it is bounded before it runs, and answered in one go; in the
// long lane rows are sent in parts as SQLite finds them and as their reader takes them.

import type { Filled } from '../dialect/row-statement.ts';
import type { Cell } from '../encode/json-rows.ts';
import { tooManyBytes, tooManyRows } from '../encode/limits.ts';
import { type BodyEncoder, bodyMaker, formOf, needsTypes, wholeBody } from '../encode/row-body.ts';
import { WHOLE_BYTES } from '../wire/frames.ts';
import type { EngineReason, Failed, Outcome, Output, QueryJob, StoredJob } from '../wire/protocol.ts';
import type { Prepared } from './database.ts';
import { isOutgrown, isTooLarge } from './failure.ts';
import { FEW_ROWS, type PageText } from './json-page.ts';
import type { Choice, Runnable, Statement } from './statements.ts';
import type { RowStore } from './store.ts';
import { mayBeBroken } from './text.ts';

export interface Answer {
  readonly outcome: Outcome;
  readonly body: Uint8Array | string;
}
export type Elsewhere = Failed & { readonly code: 'elsewhere' };

export function elsewhere(engine: 'scan' | 'long' | 'remote', reason: EngineReason, why: string): Elsewhere {
  return { ok: false, code: 'elsewhere', message: why, elsewhere: engine, reason };
}

/** @returns undefined: it is run here */
export function leftTo({ engine, reason, why, visits, run }: Choice): Elsewhere | undefined {
  if (engine === 'rows') return undefined;
  const left = elsewhere(engine, reason, why);
  return visits === undefined || run.statement.expanding > 0 ? left : { ...left, visits };
}

function outgrown(): Elsewhere {
  return elsewhere('long', 'outgrown', 'it outgrew the row lane');
}

/** @throws GatewayError, or Error of SQLite */
export function runBounded(store: RowStore, job: QueryJob): Answer | Elsewhere {
  const started = performance.now();
  const choice = store.statements.choose(store.statements.read(job.shape, job.literals), job.literals);
  const left = leftTo(choice);
  if (left !== undefined) return left;
  const runnable = store.statements.prepare(choice.run);
  return runChosen(store, job, { choice, runnable, started, mostBytes: WHOLE_BYTES });
}

/** A statement that is to be run here. */
export interface Chosen {
  readonly choice: Choice;
  /** Of `choice.run`; it is released. */
  readonly runnable: Runnable;
  /** When it was begun, for the time of its plan. */
  readonly started: number;
  /** Of all values of its result: what has more is run elsewhere. */
  readonly mostBytes: number;
}

/** @throws GatewayError, or Error of SQLite */
export function runChosen(store: RowStore, job: QueryJob, chosen: Chosen): Answer | Elsewhere {
  try {
    return run(store, job, chosen);
  } finally {
    store.statements.release(chosen.runnable);
  }
}

function run(store: RowStore, job: QueryJob, chosen: Chosen): Answer | Elsewhere {
  const { choice, runnable, started } = chosen;
  const statement = choice.run;
  const planned = performance.now();
  const page = answerPage(store, runnable, job, choice, { started, planned });
  if (page !== undefined) return page;
  let rows: Cell[][] | undefined;
  try {
    rows = wholeRows(store, job, chosen);
  } catch (error) {
    if (!isOutgrown(error)) throw error;
  }
  if (rows === undefined) return outgrown();
  const ran = performance.now();
  if (rows.length >= FEW_ROWS) runnable.given += rows.length;
  if (rows.length > job.limits.maxRows) throw tooManyRows(job.limits);
  const encoder = encoderOf(runnable, job.output);
  encoder.add(rows);
  encoder.finish();
  if (encoder.total > job.limits.maxBytes) throw tooManyBytes(job.limits);
  // A long lane sends it in parts, as its reader takes them.
  if (encoder.total > WHOLE_BYTES) return outgrown();
  const times = { planMs: planned - started, engineMs: ran - planned, encodeMs: performance.now() - ran };
  return { outcome: outcomeOf(store, statement, job, encoder, times, choice), body: encoder.takeWhole() };
}

/** Its rows as JSON of SQLite's; undefined where they are to be read by cells. @throws GatewayError limit-* */
function answerPage(
  store: RowStore,
  runnable: Runnable,
  job: QueryJob,
  choice: Choice,
  { started, planned }: { readonly started: number; readonly planned: number },
): Answer | undefined {
  const { output, limits } = job;
  const page = readPage(store, runnable, choice.run, output);
  if (page === undefined) return undefined;
  const ran = performance.now();
  if (page.rows > limits.maxRows) throw tooManyRows(limits);
  const body = wholeBody(runnable.columns, output, page.text);
  if (Buffer.byteLength(body) > limits.maxBytes) throw tooManyBytes(limits);
  const size = { rows: page.rows, columns: runnable.columns.length };
  const times = { planMs: planned - started, engineMs: ran - planned, encodeMs: performance.now() - ran };
  return { outcome: outcomeOf(store, choice.run, job, size, times, choice), body };
}

function readPage(
  store: RowStore,
  runnable: Runnable,
  statement: Statement,
  output: Output,
): PageText | undefined {
  const read = store.statements.page(statement, runnable, output);
  if (read === undefined) return undefined;
  let page: PageText | undefined;
  try {
    page = read(statement.filled.values);
  } catch {
    // What is wrong is said of the statement itself.
  }
  // Other rows of it are likely to be like these.
  if (page === undefined) runnable.pages.set(formOf(output), undefined);
  return page;
}

function encoderOf({ columns, bodies }: Runnable, output: Output): BodyEncoder {
  const form = formOf(output);
  let make = bodies.get(form);
  if (make === undefined) {
    make = bodyMaker(columns, output);
    bodies.set(form, make);
  }
  return make();
}

/** @returns undefined where they have too many bytes */
function wholeRows(
  store: RowStore,
  job: QueryJob,
  { choice, runnable, mostBytes }: Chosen,
): Cell[][] | undefined {
  const typed = needsTypes(job.output);
  const rows = allRows(runnable, choice, typed, mostBytes);
  if (runnable.cells !== undefined || !rows?.some((row) => row.some(mayBeBroken))) return rows;
  const byBytes = store.statements.prepare(choice.run, true);
  try {
    return allRows(byBytes, choice, typed, mostBytes);
  } finally {
    store.statements.release(byBytes);
  }
}

function allRows(
  { prepared, cells, columns }: Runnable,
  { run: { filled }, visits = Number.POSITIVE_INFINITY }: Choice,
  typed: boolean,
  mostBytes: number,
): Cell[][] | undefined {
  const isSmall = visits * columns.length <= FEW_CELLS;
  const rows = readRows(prepared, filled, typed, isSmall ? undefined : mostBytes);
  return cells === undefined ? rows : rows?.map(cells);
}

/** Values that are read at once, whatever their size is. */
const FEW_CELLS = 64;

function readRows(
  prepared: Prepared,
  { values }: Filled,
  typed: boolean,
  mostBytes: number | undefined,
): Cell[][] | undefined {
  const read = (): Cell[][] | undefined =>
    mostBytes === undefined
      ? (prepared.all(...values) as Cell[][])
      : rowsWithin(prepared.iterate(...values) as Iterable<Cell[]>, mostBytes);
  try {
    if (!typed) return read();
  } catch (error) {
    if (!isTooLarge(error)) throw error;
  }
  prepared.setReadBigInts(true);
  try {
    return read();
  } finally {
    prepared.setReadBigInts(false);
  }
}

function rowsWithin(rows: Iterable<Cell[]>, mostBytes: number): Cell[][] | undefined {
  const read: Cell[][] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += sizeOf(row);
    if (bytes > mostBytes) return undefined;
    read.push(row);
  }
  return read;
}

/** Of its texts and blobs: characters and bytes. */
function sizeOf(row: readonly Cell[]): number {
  let size = 0;
  for (const cell of row)
    if (typeof cell === 'string') size += cell.length;
    else if (cell instanceof Uint8Array) size += cell.byteLength;
  return size;
}

/** What a statement of the long lane needs of its process. */
export interface Line {
  /** Sends a part of the body; the first goes with the outcome. Resolves when the next may be made. False: nobody reads on. */
  send(outcome: Outcome, part: Uint8Array): Promise<boolean>;
  /** Lets the process hear what came in. */
  pause(): Promise<void>;
  readonly partBytes: number;
}

/** Rows between two looks at what came in, and at the size of the body. */
const STEP_ROWS = 256;

/**
 * @returns the end of the body; all of it where nothing was sent
 * @throws GatewayError, or Error of SQLite
 */
export async function runLong(store: RowStore, job: QueryJob, line: Line): Promise<Answer | 'left'> {
  const started = performance.now();
  const statement = store.statements.read(job.shape, job.literals);
  // A row that shows it may come after others were sent.
  const runnable = store.statements.prepare(statement, statement.statement.mayBreak);
  // Held until its last row is read: what nobody holds is closed by the garbage collector, which ends the process.
  try {
    return await sendRows(store, job, line, { statement, runnable, started });
  } finally {
    store.statements.release(runnable);
  }
}

async function sendRows(
  store: RowStore,
  job: QueryJob,
  line: Line,
  begun: { readonly statement: Statement; readonly runnable: Runnable; readonly started: number },
): Promise<Answer | 'left'> {
  const { statement, runnable, started } = begun;
  const { prepared, cells } = runnable;
  prepared.setReadBigInts(true);
  const encoder = encoderOf(runnable, job.output);
  const planMs = performance.now() - started;
  const outcome = (): Outcome => {
    const times = { planMs, engineMs: performance.now() - started - planMs, encodeMs: 0 };
    return outcomeOf(store, statement, job, encoder, times, { engine: 'long' });
  };
  const { maxRows, maxBytes } = job.limits;
  let step: Cell[][] = [];
  let stepSize = 0;
  const encode = (): void => {
    if (encoder.rows + step.length > maxRows) throw tooManyRows(job.limits);
    encoder.add(step);
    step = [];
    stepSize = 0;
    if (encoder.total > maxBytes) throw tooManyBytes(job.limits);
  };
  for (const row of prepared.iterate(...statement.filled.values) as Iterable<Cell[]>) {
    const read = cells === undefined ? row : cells(row);
    step.push(read);
    stepSize += sizeOf(read);
    if (step.length < STEP_ROWS && stepSize < line.partBytes) continue;
    encode();
    // Two rows at least before the head is sent: an unwrapped answer's type depends on it.
    if (encoder.waiting >= line.partBytes && encoder.rows > 1) {
      if (!(await line.send(outcome(), encoder.take()))) return 'left';
    } else await line.pause();
  }
  encode();
  encoder.finish();
  return { outcome: outcome(), body: encoder.takeWhole() };
}

interface Times {
  readonly planMs: number;
  readonly engineMs: number;
  readonly encodeMs: number;
}

/** Written out, since each request makes one: V8 copies what is spread property by property. */
export function outcomeOf(
  { snapshot }: RowStore,
  { statement }: Statement,
  { literals }: Pick<QueryJob, 'literals'>,
  encoder: Pick<BodyEncoder, 'rows' | 'columns'>,
  times: Times,
  { engine, reason, why }: Pick<Outcome, 'engine' | 'reason' | 'why'>,
): Outcome {
  const now = statement.clocks.some((index) => literals[index]?.text.trim().toLowerCase() === 'now');
  return {
    snapshot,
    rows: encoder.rows,
    columns: encoder.columns,
    deterministic: !statement.volatile && !now,
    tables: statement.blocks ? [...statement.tables, BLOCKS] : statement.tables,
    planMs: rounded(times.planMs),
    engineMs: rounded(times.engineMs),
    encodeMs: rounded(times.encodeMs),
    engine,
    reason,
    why,
  };
}

/** Stands for the chains' blocks among the tables that were read. */
const BLOCKS = 'blocks';

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;

export function runStored({ snapshot, stored }: RowStore, job: StoredJob): Answer {
  const started = performance.now();
  const record = stored.read(job);
  const outcome: Outcome = {
    snapshot,
    rows: record === null ? 0 : 1,
    columns: 0,
    deterministic: true,
    planMs: 0,
    engineMs: rounded(performance.now() - started),
    encodeMs: 0,
  };
  return { outcome, body: JSON.stringify(record) };
}
