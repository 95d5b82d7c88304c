// The row store inside the front: statements that are bounded to a few rows and to words whose time is known run in
// the process that asks. A way to a lane and back would cost more than they do. Whatever is not sure to be short is a
// lane's: SQLite cannot be interrupted, and here it would hold up every client.
import type { TableVersions } from '../snapshot/versions.ts';
import type { Answered, Failed, Job, QueryJob, Reply, SnapshotRef, StoredJob } from '../wire/protocol.ts';
import { failedOf, isOutgrown } from './failure.ts';
import { createOpenStores, type WarmStore } from './open-stores.ts';
import { rehearse } from './rehearsal.ts';
import { type Answer, type Elsewhere, leftTo, runChosen, runStored } from './run.ts';
import { createShapeMemory } from './shape-memory.ts';
import { isLinear, isLittleWork, isShortPlan, isShortResult, isShortText } from './short.ts';
import { isColumnar, type Statement } from './statements.ts';
import { knownNames, openStore, type RowStore } from './store.ts';

export interface InlineRows {
  /**
   * @param snapshot id of one that {@link open} was told of; the one in use where it is not given
   * @returns undefined: it is a lane's; `elsewhere`: which one's, as a row lane would say
   */
  run(job: Job, snapshot?: string): Reply | undefined;
  /**
   * Opens it beside the one in use; one that has many tables only later. One that has very many, or cannot be opened, is left to
   * the lanes.
   */
  open(snapshot: SnapshotRef, versions: TableVersions): void;
  /** From now on it is in use; all others are closed, the one before it a while later. */
  use(snapshotId: string): void;
  close(): void;
}

export interface InlineOptions {
  readonly maxVisits: number;
  readonly shapes: number;
  /** False only in tests. */
  readonly selfTest: boolean;
  /** How long a snapshot that was replaced is kept open, in tests. */
  readonly keptMs?: number;
  /** The same where the next one is not opened before, and of how many tables it is not; in tests. */
  readonly unopenedMs?: number;
  readonly atOnceTables?: number;
  /** A snapshot is left to the lanes for a reason that should not be. */
  readonly onRefused: (why: string) => void;
}

/** SQLite reads the schema of all tables when it opens them, some 17 us each, while nothing else is answered. */
const MOST_TABLES = 30_000;
/** Of more, a snapshot that replaces another is opened only when that has been replaced for long. */
const AT_ONCE_TABLES = 3_000;
/** Asked of SQLite, whose binding is built without it: what does bound its memory are the bounds below. */
const HEAP_BYTES = 64 * 1024 * 1024;
/** Of one value: larger ones are a lane's, since a function may read all of it for each row. */
const VALUE_BYTES = 16 * 1024;
/** Rows of a table that are read to get ready for a statement, once a snapshot: some 10 ms. */
const READ_ROWS = 32_000;
/** Of tables: more may be too much to be run here, and a plan costs less than a way to a lane. */
const PLAIN_ROWS = 500;
/** Of all look-up tables of a snapshot: SQLite's own limit of its memory is not built in. */
const SEEK_BYTES = 16 * 1024 * 1024;
/** Of all values of a result: to read and to write so many takes some 25 ms. */
const ANSWER_BYTES = 4 * 1024 * 1024;
/** The others go through all tables, show large values, or prove that lanes answer. */
const isShortJob = (
  job: Job,
): job is Extract<StoredJob, { readonly kind: 'table' | 'receipt' | 'snapshot' }> =>
  job.kind === 'table' || job.kind === 'receipt' || job.kind === 'snapshot';

interface Asked {
  /** That it is an answer of, whichever store it is read in. */
  readonly snapshot: string;
  /** When it was begun to be read, for the time of its plan. */
  readonly started: number;
}

/** A failure may be an {@link Elsewhere}. */
type Looked = Reply | undefined;

export function createInlineRows({
  maxVisits,
  shapes,
  selfTest,
  keptMs,
  unopenedMs,
  atOnceTables = AT_ONCE_TABLES,
  onRefused,
}: InlineOptions): InlineRows {
  const stores = createOpenStores(keptMs, unopenedMs);
  const memory = createShapeMemory(shapes);
  let proven = !selfTest;
  let rehearsed = false;

  /** @throws GatewayError, or Error of SQLite */
  const runIn = (
    store: RowStore,
    statement: Statement,
    job: QueryJob,
    { snapshot, started }: Asked,
  ): Looked => {
    if (!isLinear(statement.statement)) {
      const settled = store.statements.settle(statement, job.literals);
      return settled && leftTo(settled);
    }
    const choice = store.statements.choose(statement, job.literals);
    if (choice.settled === true) return leftTo(choice);
    if (choice.engine !== 'rows' || !isLittleWork(choice, job, store.isNarrow)) return undefined;
    const runnable = store.statements.prepare(choice.run);
    if (!isShortResult(choice, job, runnable.columns.length)) {
      store.statements.release(runnable);
      return undefined;
    }
    const answer = runChosen(store, job, { choice, runnable, started, mostBytes: ANSWER_BYTES });
    return 'outcome' in answer ? answered(answer, snapshot) : undefined;
  };
  /** @param opened undefined where the snapshot is not open: statements of tables that are the same in the warm one are run there */
  const runQuery = (
    snapshot: string,
    opened: RowStore | undefined,
    job: QueryJob,
    warm: WarmStore | undefined,
  ): Looked => {
    const reader = opened ?? warm?.store;
    if (reader === undefined || !isShortText(job)) return undefined;
    const asked = { snapshot, started: performance.now() };
    try {
      const statement = reader.statements.read(job.shape, job.literals);
      if (!isShortPlan(job, statement.statement, reader.catalogue)) return undefined;
      // Of large tables it may be known that no row lane answers it either.
      if (!isLinear(statement.statement) && !isColumnar(statement.statement, reader.catalogue))
        return undefined;
      if (warm !== undefined && isSame(warm, statement)) {
        try {
          return runIn(warm.store, warm.store.statements.adopt(statement), job, asked);
        } catch {
          // What is wrong is said of the snapshot that is asked for; and it may be that the warm one cannot be read any more.
        }
      }
      return opened && runIn(opened, statement, job, asked);
    } catch (error) {
      // Its memory is less than a lane's; and what is wrong there may be right in the snapshot that is asked for.
      if (opened === undefined || isOutgrown(error)) return undefined;
      return {
        ...failedOf(error, knownNames(opened, job), job),
        engineMs: performance.now() - asked.started,
      };
    }
  };

  const open = (snapshot: SnapshotRef): RowStore | undefined => {
    try {
      const store = openStore(snapshot, {
        heapBytes: HEAP_BYTES,
        valueBytes: VALUE_BYTES,
        maxVisits,
        plainVisits: Math.min(PLAIN_ROWS, maxVisits),
        shapes,
        memory,
        pageBytes: ANSWER_BYTES,
        readRows: READ_ROWS,
        seeks: true,
        seekBytes: SEEK_BYTES,
        countsPairs: false,
        proven: !proven,
      });
      if (!rehearsed) rehearse(store, (job) => runQuery(store.snapshot, store, job, undefined));
      proven = true;
      rehearsed = true;
      return store;
    } catch (error) {
      onRefused(`the front leaves ${snapshot.id} to the lanes: ${String(error)}`);
      return undefined;
    }
  };

  return {
    run(job, snapshot = stores.used) {
      const store = stores.get(snapshot);
      if (job.kind === 'query') return runQuery(snapshot, store, job, stores.warm(snapshot));
      return store !== undefined && isShortJob(job) ? storedReply(store, job) : undefined;
    },
    open(snapshot, versions) {
      if (versions.size > MOST_TABLES || stores.has(snapshot.id)) return;
      if (versions.size > atOnceTables && stores.isWarm)
        stores.addUnopened(snapshot.id, versions, () => open(snapshot));
      else {
        const store = open(snapshot);
        if (store !== undefined) stores.add(store, versions);
      }
    },
    use: (snapshotId) => stores.use(snapshotId),
    close: () => stores.close(),
  };
}

/** Whether it reads nothing that is another one in the snapshot asked for. */
function isSame(warm: WarmStore, { statement: { blocks, tables } }: Statement): boolean {
  return !blocks && tables.every(warm.isSame);
}

/** @param snapshot that it is an answer of: it may have been read in one whose tables are the same */
function answered({ outcome, body }: Answer, snapshot: string): Answered {
  const isAscii = typeof body !== 'string' || Buffer.byteLength(body) === body.length;
  const { rows, columns, deterministic, tables, engine, reason, why } = outcome;
  return {
    ok: true,
    snapshot,
    rows,
    columns,
    deterministic,
    tables,
    planMs: outcome.planMs,
    engineMs: outcome.engineMs,
    encodeMs: outcome.encodeMs,
    engine,
    reason,
    why,
    body: isAscii ? body : Buffer.from(body),
  };
}

function storedReply(store: RowStore, job: StoredJob): Answered | Failed {
  try {
    return answered(runStored(store, job), store.snapshot);
  } catch (error) {
    return failedOf(error);
  }
}
