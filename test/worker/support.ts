// One worker's parts in this process: a locked session on a small snapshot, and statements run as a worker does.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monotonicMs } from '../../src/base/monotonic.ts';
import type { Compile } from '../../src/dialect/plan.ts';
import type { Schema } from '../../src/dialect/schema.ts';
import { columnsPath } from '../../src/snapshot/layout.ts';
import type { ParamValue } from '../../src/statement/param.ts';
import { readStatement } from '../../src/statement/statement.ts';
import { createFrameReader, FRAME, type Frame, splitReply } from '../../src/wire/frames.ts';
import {
  CONTROL,
  type Failed,
  type Limits,
  type Outcome,
  type Output,
  type QueryJob,
} from '../../src/wire/protocol.ts';
import { createPlans } from '../../src/worker/plans.ts';
import { type QueryOptions, runQuery } from '../../src/worker/query.ts';
import type { Session } from '../../src/worker/session.ts';
import { openStores } from '../../src/worker/stores.ts';
import { createWatch } from '../../src/worker/watch.ts';
import { bodyBytes } from '../support/body.ts';
import { createCompiler as createPassthrough } from '../support/compilers/passthrough.ts';
import { makeSnapshot, type TestTable } from '../support/snapshot.ts';

export const LIMITS: Limits = { deadlineMs: 10_000, maxRows: 100_000, maxBytes: 100_000_000 };
export const OBJECTS: Output = { format: 'objects', extract: false, unwrap: false };
/** The largest integer, and texts that are written, compared or escaped each in a way of its own. */
export const HUGE = 9_223_372_036_854_775_807n;
export const TEXTS = [
  'red',
  'Red',
  'red ',
  '',
  "it's",
  '[1, 2]',
  '{"a":1}',
  'ünï',
  '日本',
  '\u0001',
  '%_',
  '5',
] as const;

/** As the front sends it to a lane. */
export function statementJob(
  statement: string,
  params: readonly ParamValue[] = [],
  output = OBJECTS,
  limits = LIMITS,
): QueryJob {
  const { shape, literals } = readStatement(statement, params, 35_000);
  return { kind: 'query', shape, literals, output, limits };
}

export interface Ran {
  readonly outcome: ({ readonly ok: true } & Outcome) | Failed;
  readonly body: Buffer;
  /** The body as UTF-8. */
  readonly text: string;
  /** The body as it came: one part, or several. */
  readonly parts: readonly Buffer[];
  /** Frames in order: one reply, or a reply, data and an end. */
  readonly frames: readonly Frame[];
}

export interface TestWorker {
  readonly session: Session;
  readonly schema: Schema;
  /** Of the snapshot's columns. */
  readonly path: string;
  /** Two Int32 of one slot; there is credit for a gigabyte. */
  readonly control: Int32Array;
  run(job: QueryJob, options?: Partial<QueryOptions>, unproven?: boolean): Promise<Ran>;
  close(): void;
}

export interface TestWorkerOptions {
  readonly tables: readonly TestTable[];
  readonly createCompiler?: (schema: Schema) => Compile;
  readonly threads?: number;
  readonly memoryBytes?: number;
  readonly stallMs?: number;
}

export async function openTestWorker(options: TestWorkerOptions): Promise<TestWorker> {
  const dir = mkdtempSync(join(tmpdir(), 'tablegate-worker-'));
  const { path: folder } = await makeSnapshot(dir, options.tables, new Map([[1, 77]]));
  const stores = await openStores({
    folder,
    smallBytes: 32 * 1024 * 1024,
    threads: options.threads ?? 1,
    memoryBytes: options.memoryBytes ?? 256 * 1024 * 1024,
    prelude: [],
  });
  const { schema, session } = stores;
  const plans = createPlans((options.createCompiler ?? createPassthrough)(schema), 100);
  const memory = new SharedArrayBuffer(CONTROL.ints * 4);
  const control = new Int32Array(memory);
  control[CONTROL.credit] = 1024 * 1024 * 1024;
  control[CONTROL.hasReader] = 1;
  const watch = createWatch(memory, options.stallMs ?? 5_000);
  const usual: QueryOptions = {
    gate: true,
    macros: [],
    streamBytes: 256 * 1024,
    snapshot: 'test',
    hold: stores.hold,
  };
  return {
    session,
    schema,
    path: columnsPath(folder),
    control,
    async run(job, more = {}, unproven = false) {
      const frames: Frame[] = [];
      const read = createFrameReader((frame) => frames.push(frame));
      const deadline = monotonicMs() + job.limits.deadlineMs;
      const task = { id: 7, slot: 0, deadline, snapshot: 'test', job, unproven };
      const reply = await runQuery(task, session.connection, plans, watch, { ...usual, ...more }, (bytes) =>
        read(Buffer.from(bytes)),
      );
      if (reply !== undefined) read(Buffer.from(reply));
      const [first] = frames;
      if (first === undefined || first.kind !== FRAME.reply) throw new Error('no reply');
      const { head, body } = splitReply(first.payload);
      const others = frames.slice(1).filter(({ kind }) => kind === FRAME.data);
      const parts = [bodyBytes(body), ...others.map(({ payload }) => payload)];
      const whole = Buffer.concat(parts);
      return { outcome: head as Ran['outcome'], body: whole, text: whole.toString('utf8'), parts, frames };
    },
    close() {
      stores.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
