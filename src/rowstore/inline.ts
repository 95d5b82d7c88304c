// The row store inside the front: statements that are bounded to a few rows and to words whose time is known run in
// the process that asks. A way to a lane and back would cost more than they do. Whatever is not sure to be short is a
// lane's: SQLite cannot be interrupted, and here it would hold up every client.
import { lastRow } from '../dialect/page.ts';
import type { Answered, Failed, Job, QueryJob, Reply, SnapshotRef, StoredJob } from '../wire/protocol.ts';
import { failedOf, isOutgrown } from './failure.ts';
import { rehearse } from './rehearsal.ts';
import { type Answer, type Elsewhere, leftTo, runChosen, runStored } from './run.ts';
import { createShapeMemory } from './shape-memory.ts';
import { type Choice, isColumnar, type Statement } from './statements.ts';
import { knownNames, openStore, type RowStore } from './store.ts';

export interface InlineRows {
  /**
   * @param snapshot id of one that was opened; the one in use where it is not given
   * @returns undefined: it is a lane's; `elsewhere`: which one's, as a row lane would say
   */
  run(job: Job, snapshot?: string): Reply | Elsewhere | undefined;
  /**
   * Opens it beside the one in use. One that has very many tables, or cannot be opened, is left to the lanes.
   * @param tables how many it has
   */
  open(snapshot: SnapshotRef, tables: number): void;
  /** From now on it is in use; all others are closed. */
  use(snapshotId: string): void;
  close(): void;
}

export interface InlineOptions {
  readonly maxVisits: number;
  readonly shapes: number;
  /** False only in tests. */
  readonly selfTest: boolean;
  /** A snapshot is left to the lanes for a reason that should not be. */
  readonly onRefused: (why: string) => void;
}

/** SQLite reads the schema of all tables when it opens them, some 17 us each, while nothing else is answered. */
const MOST_TABLES = 3_000;
/** Asked of SQLite, whose binding is built without it: what does bound its memory are the bounds below. */
const HEAP_BYTES = 64 * 1024 * 1024;
/** Of one value: larger ones are a lane's, since a function may read all of it for each row. */
const VALUE_BYTES = 16 * 1024;
/** Of a shape with its literals: what is long may have very many words. */
const TEXT_CHARACTERS = 4_096;
/** Tables of a statement: more take their time to be planned. */
const SOURCES = 8;
/** Rows of a table that are read to get ready for a statement, once a snapshot: some 10 ms. */
const READ_ROWS = 32_000;
/** Of tables: more may be too much to be run here, and a plan costs less than a way to a lane. */
const PLAIN_ROWS = 500;
/** Of all look-up tables of a snapshot: SQLite's own limit of its memory is not built in. */
const SEEK_BYTES = 16 * 1024 * 1024;
/** Rows times the words of each: a millisecond, and some tens of them where all values are as large as they may be. */
const WORK = 4_096;
/** Parts of expressions, and columns of the result, that count as one call. */
const WORD_PARTS = 8;
/** Characters of literals that count as one call. */
const WORD_CHARACTERS = 64;
/** Of a shape of several tables, and of many: SQLite looks at all its conditions for each order of them, some 3 ms. */
const JOIN_CHARACTERS = 1_024;
const MANY_JOIN_CHARACTERS = 512;
const MANY_SOURCES = 5;
/** Values of a result, all rows together. */
const CELLS = 16_384;
/** Of all values of a result: to read and to write so many takes some 25 ms. */
const ANSWER_BYTES = 4 * 1024 * 1024;
/** A LIMIT of so many keeps a result short, sorted or not: of more, sorting takes as long as of all. */
const FEW_ROWS = 50;
/** The others go through all tables, show large values, or prove that lanes answer. */
const isShortJob = (
  job: Job,
): job is Extract<StoredJob, { readonly kind: 'table' | 'receipt' | 'snapshot' }> =>
  job.kind === 'table' || job.kind === 'receipt' || job.kind === 'snapshot';

export function createInlineRows({ maxVisits, shapes, selfTest, onRefused }: InlineOptions): InlineRows {
  const stores = new Map<string, RowStore>();
  const memory = createShapeMemory(shapes);
  let proven = !selfTest;
  let rehearsed = false;
  let used = '';

  const runQuery = (store: RowStore, job: QueryJob): Reply | Elsewhere | undefined => {
    const started = performance.now();
    const characters = charactersOf(job);
    if (characters > TEXT_CHARACTERS) return undefined;
    try {
      const statement = store.statements.read(job.shape, job.literals);
      const mayRun = isPlain(statement);
      // To say which lane takes it pays where that is not the row lane, which would look at it once more.
      if (!mayRun && !isColumnar(statement.statement, store.catalogue)) return undefined;
      if (!isPlanned(statement) || job.shape.length > mostCharacters(statement)) return undefined;
      const choice = store.statements.choose(statement, job.literals);
      if (choice.settled === true) return leftTo(choice);
      if (choice.engine !== 'rows' || !mayRun) return undefined;
      if (workOf(choice, characters - job.shape.length) > WORK) return undefined;
      const runnable = store.statements.prepare(choice.run);
      if (runnable.columns.length * rowsHeld(choice, job) > CELLS) {
        store.statements.release(runnable);
        return undefined;
      }
      const answer = runChosen(store, job, { choice, runnable, started, mostBytes: ANSWER_BYTES });
      return 'outcome' in answer ? answered(answer) : undefined;
    } catch (error) {
      // Its memory is less than a lane's.
      if (isOutgrown(error)) return undefined;
      return { ...failedOf(error, knownNames(store, job), job), engineMs: performance.now() - started };
    }
  };

  return {
    run(job, snapshot = used) {
      const store = stores.get(snapshot);
      if (store === undefined) return undefined;
      if (job.kind === 'query') return runQuery(store, job);
      return isShortJob(job) ? storedReply(store, job) : undefined;
    },
    open(snapshot, tables) {
      if (tables > MOST_TABLES || stores.has(snapshot.id)) return;
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
        if (!rehearsed) rehearse(store, (job) => runQuery(store, job));
        proven = true;
        rehearsed = true;
        stores.set(snapshot.id, store);
      } catch (error) {
        onRefused(`the front leaves ${snapshot.id} to the lanes: ${String(error)}`);
      }
    },
    use(snapshotId) {
      used = snapshotId;
      for (const [id, store] of stores) {
        if (id === used) continue;
        stores.delete(id);
        store.close();
      }
    },
    close() {
      for (const store of stores.values()) store.close();
      stores.clear();
    },
  };
}

/** Rows of its result, or that are sorted for it. */
function rowsHeld({ visits = Number.POSITIVE_INFINITY, run }: Choice, { literals }: QueryJob): number {
  const last = lastRow(run.statement.limit, literals) ?? visits;
  return last > FEW_ROWS ? visits : Math.min(visits, last);
}

/** Of its shape and its literals. */
function charactersOf({ shape, literals }: QueryJob): number {
  let characters = shape.length;
  for (const { text } of literals) characters += text.length;
  return characters;
}

/** Whether its plan is made in a known time: a subquery in FROM can use its values over and over. */
function isPlanned({ statement }: Statement): boolean {
  const { recursive, sources, references, repeats } = statement;
  return !repeats && !recursive && sources <= SOURCES && references.length === sources;
}

/** Whether its time is known by the rows that it visits. */
function isPlain({ statement: { linear, expanding } }: Statement): boolean {
  return linear && expanding === 0;
}

/** Of its shape. */
function mostCharacters({ statement: { sources } }: Statement): number {
  if (sources < 2) return TEXT_CHARACTERS;
  return sources < MANY_SOURCES ? JOIN_CHARACTERS : MANY_JOIN_CHARACTERS;
}

/** @param literals characters of all: a path or a format may be long */
function workOf({ visits = Number.POSITIVE_INFINITY, sorts = true, run }: Choice, literals: number): number {
  const { calls, parts, plainColumns } = run.statement;
  // Columns are read of the rows that are given, which are few; and of all that are sorted, or that have a larger max().
  const words = sorts || calls > 0 ? parts : parts - plainColumns;
  return visits * (1 + calls + Math.floor(words / WORD_PARTS) + Math.floor(literals / WORD_CHARACTERS));
}

function answered({ outcome, body }: Answer): Answered {
  const isAscii = typeof body !== 'string' || Buffer.byteLength(body) === body.length;
  const { snapshot, rows, columns, deterministic, tables, engine, reason, why } = outcome;
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
    return answered(runStored(store, job));
  } catch (error) {
    return failedOf(error);
  }
}
