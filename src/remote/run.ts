// One statement of a client in the distributed engine: compile, ask for pages as the reader takes the rows, encode. What
// is sent there is text of the compiler's, never the client's.
import type { ColumnKind, Plan } from '../dialect/plan.ts';
import { type RemoteRelation, remoteSql } from '../dialect/remote.ts';
import { fillTemplate } from '../dialect/template.ts';
import { tooManyBytes, tooManyRows } from '../encode/limits.ts';
import { bodyMaker } from '../encode/row-body.ts';
import type { BodyColumn } from '../encode/typed-rows.ts';
import { PAGE_BYTES, runStatement, type TrinoAddress } from '../trino/client.ts';
import type { PartLine } from '../wire/part-lines.ts';
import type { ExplainRecord, Outcome, QueryJob, StatementJob } from '../wire/protocol.ts';
import { READING_S, type RemoteTimes } from '../wire/remote.ts';
import { rowReader } from './rows.ts';
import type { RemoteStore } from './store.ts';

export interface RunContext {
  readonly to: TrinoAddress;
  readonly store: RemoteStore;
  /** Whether the engine is locked where these are: see {@link Proof}. */
  readonly prove: (relations: readonly RemoteRelation[]) => Promise<void>;
  /** Who asks, for the cluster's resource groups. */
  readonly source: string;
  /** A part is sent when the body has so many bytes. */
  readonly partBytes: number;
  readonly signal: AbortSignal;
  /** Time that the reader takes is not the statement's: see {@link Clock}. */
  readonly clock: Clock;
}

/** Counts the time that a statement may still take. */
export interface Clock {
  pause(): void;
  resume(): void;
}

/** Values that make a page larger are not for this process, whatever an answer may have. */
const MAX_PAGE_BYTES = 128 * 1024 * 1024;
/** Blobs come as base64, integers as texts; the answer may have fewer bytes for them. */
const PAGE_FACTOR = 2;

/** Columns of other kinds have their type by their values. */
const DECLARED: Readonly<Record<ColumnKind, string | null>> = {
  integer: 'INTEGER',
  real: 'REAL',
  text: 'TEXT',
  blob: 'BLOB',
  any: null,
};

/** @throws GatewayError, TrinoError, TrinoUnavailable, TrinoTooLarge; the signal's reason */
export async function runRemote(context: RunContext, job: QueryJob, line: PartLine): Promise<void> {
  const { to, store, prove, source, partBytes, signal, clock } = context;
  const started = performance.now();
  const { sql, plan, columns } = compiled(store, job);
  const encoder = bodyMaker(columns, job.output)();
  const read = rowReader(plan.columns.map(({ kind }) => kind));
  const planMs = performance.now() - started;
  await prove(store.relationsOf(plan.tables));
  const remote = { pages: 0, bytes: 0, nodes: 0 };
  let encodeMs = 0;
  let readerMs = 0;
  const outcome = (): Outcome =>
    outcomeOf(store, plan, {
      rows: encoder.rows,
      planMs,
      engineMs: performance.now() - started - planMs - encodeMs - readerMs,
      encodeMs,
      remote,
    });
  const session = { query_max_run_time: `${Math.ceil(job.limits.deadlineMs / 1000) + READING_S}s` };
  const maxPageBytes = Math.min(PAGE_BYTES + PAGE_FACTOR * job.limits.maxBytes, MAX_PAGE_BYTES);
  for await (const page of runStatement(to, sql, { signal, source, session, maxPageBytes })) {
    remote.pages += 1;
    remote.bytes += page.bytes;
    remote.nodes = Math.max(remote.nodes, page.stats?.nodes ?? 0);
    if (page.data === undefined) continue;
    const before = performance.now();
    if (encoder.rows + page.data.length > job.limits.maxRows) throw tooManyRows(job.limits);
    encoder.add(page.data.map(read));
    encodeMs += performance.now() - before;
    if (encoder.total > job.limits.maxBytes) throw tooManyBytes(job.limits);
    // Two rows at least before the head is sent: an unwrapped answer's type depends on it.
    if (encoder.waiting < partBytes || encoder.rows < 2) continue;
    const sent = performance.now();
    clock.pause();
    // Who left has the signal aborted.
    await line.send(outcome(), encoder.take());
    clock.resume();
    readerMs += performance.now() - sent;
  }
  signal.throwIfAborted();
  encoder.finish();
  if (encoder.total > job.limits.maxBytes) throw tooManyBytes(job.limits);
  const last = outcome();
  clock.pause();
  await line.end(last, encoder.takeWhole());
}

/** What the engine would be given; nothing is sent there. @throws GatewayError */
export async function explainRemote(store: RemoteStore, job: StatementJob, line: PartLine): Promise<void> {
  const started = performance.now();
  const { sql, plan, columns } = compiled(store, job);
  const record: ExplainRecord = { trino: { sql }, columns: columns.map(({ name }) => name) };
  const planMs = performance.now() - started;
  await line.end(
    outcomeOf(store, plan, { rows: 1, planMs, engineMs: 0, encodeMs: 0 }),
    JSON.stringify(record),
  );
}

function compiled(
  { compile }: RemoteStore,
  { shape, literals }: StatementJob,
): { readonly sql: string; readonly plan: Plan; readonly columns: readonly BodyColumn[] } {
  const plan = compile(shape, literals);
  const columns = plan.columns.map(({ name, kind }) => ({
    name: fillTemplate(name, literals),
    type: DECLARED[kind],
  }));
  return { sql: remoteSql(plan, literals), plan, columns };
}

type Ran = Pick<Outcome, 'rows' | 'planMs' | 'engineMs' | 'encodeMs'> & { readonly remote?: RemoteTimes };

function outcomeOf({ snapshot }: RemoteStore, plan: Plan, ran: Ran): Outcome {
  return {
    snapshot,
    engine: 'remote',
    columns: plan.columns.length,
    tables: plan.readsBlocks === true ? [...plan.tables, 'blocks'] : plan.tables,
    deterministic: plan.deterministic,
    ...ran,
    planMs: rounded(ran.planMs),
    engineMs: rounded(ran.engineMs),
    encodeMs: rounded(ran.encodeMs),
    ...(ran.remote === undefined ? {} : { remote: { ...ran.remote } }),
  };
}

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;
