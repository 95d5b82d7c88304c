// All that crosses a thread or the socket between front and lane, as plain data. The frames' bytes are in
// frames.ts.
import type { ErrorCode } from '../base/errors.ts';
import type { RemoteError, RemoteTimes } from './remote.ts';

/** A value lifted out of a statement, or bound to one of its `?`. */
export interface Literal {
  readonly kind: 'integer' | 'real' | 'text' | 'blob' | 'null';
  /**
   * integer: the digits as written (`42`, `0x1F`, may pass 64 bits); real: as written (`1.5e3`);
   * text: its characters, quotes removed; blob: hexadecimal digits; null: `NULL`.
   */
  readonly text: string;
  /** How a column's name shows it where that is not the value's own text: `true`, a param, is the integer 1. */
  readonly source?: string;
  /** A text that was given for a `?`: a value wherever it stands, and never a name, as one in the statement can be. */
  readonly param?: true;
}

/** `objects` and `table` are asked for by name, the others by Accept. */
export type Format = 'objects' | 'table' | 'ndjson' | 'csv' | 'arrow' | 'parquet';

/** How rows become a body; see API.md "Query" and docs/FORMATS.md. */
export interface Output {
  readonly format: Format;
  readonly extract: boolean;
  readonly unwrap: boolean;
}

/** Bounds of one statement. */
export interface Limits {
  readonly deadlineMs: number;
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** Run a statement: its shape (text with the literals lifted out) and its literals in order. */
export interface QueryJob {
  readonly kind: 'query';
  readonly shape: string;
  readonly literals: readonly Literal[];
  readonly output: Output;
  readonly limits: Limits;
}
/** What would be done with a statement; nothing of it is run. Answers an {@link ExplainRecord} as JSON. */
export interface ExplainJob extends Omit<QueryJob, 'kind'> {
  readonly kind: 'explain';
}
/** Each goes where its statement would be run. */
export type StatementJob = QueryJob | ExplainJob;
/** The stored metadata of a table; answers a {@link TableRecord} or null as JSON. */
export interface TableJob {
  readonly kind: 'table';
  readonly chainId: number;
  readonly tableId: string;
}
/** Receipts of a transaction; answers a {@link ReceiptRecord} or null as JSON. */
export interface ReceiptJob {
  readonly kind: 'receipt';
  readonly chainId: number;
  readonly transactionHash: string;
}
/** Proves that a statement can be answered. */
export interface ProbeJob {
  readonly kind: 'probe';
}
/** What the front must know of the snapshot; answers a {@link SnapshotRecord} as JSON. Asked once a snapshot. */
export interface SnapshotJob {
  readonly kind: 'snapshot';
}
/** Where a table stands in a listing: by chain, then by table id. */
export interface TablePosition {
  readonly chainId: number;
  readonly tableId: string;
}
/** A page of the user tables, in the order of {@link TablePosition}; answers a {@link TableListRecord} as JSON. */
export interface TablesJob {
  readonly kind: 'tables';
  /** Null: of every chain. */
  readonly chainId: number | null;
  /** Part of the name, in any case; '' is every name. */
  readonly search: string;
  readonly limit: number;
  /** Null: from the first. */
  readonly after: TablePosition | null;
}
/** A table's metadata and first rows; answers a {@link PreviewRecord} or null as JSON. */
export interface PreviewJob {
  readonly kind: 'preview';
  readonly chainId: number;
  readonly tableId: string;
  readonly rows: number;
}
/** Jobs that are no statement. */
export type StoredJob = TableJob | ReceiptJob | ProbeJob | SnapshotJob | TablesJob | PreviewJob;
export type Job = StatementJob | StoredJob;

/** SQLite on the row store; DuckDB on the column store; SQLite again, alone in a process; Trino, for tables that live there. */
export type EngineName = 'rows' | 'scan' | 'long' | 'remote';

/**
 * Why an engine ran a statement, in a word. `visits`: the rows that it visits at most, few or many; `page`: it reads a
 * page in order; `recursive`, `tables` (too many joined), `small` (no table that DuckDB has), `outgrown` (the row lane's
 * bounds): a long lane is for them; `not-native`: DuckDB has no exact words for it; `failed`, `lost`, `barred`: it failed in another lane, was lost
 * with it, or is kept out of it; `remote`: a table of it lives in the distributed engine; `overflow`: the scan lane had not the time or memory; `set`: by the setting `engine`.
 */
export type EngineReason =
  | 'visits'
  | 'page'
  | 'recursive'
  | 'tables'
  | 'small'
  | 'outgrown'
  | 'not-native'
  | 'failed'
  | 'lost'
  | 'barred'
  | 'remote'
  | 'overflow'
  | 'set';

/** What a job found out besides its body. Times in milliseconds. */
export interface Outcome {
  /** Id of the snapshot that was read: during a swap two lanes may serve two of them for a moment. */
  readonly snapshot: string;
  readonly rows: number;
  /** Columns of the result; 0 where the job is no query. */
  readonly columns: number;
  /** False where the answer depends on more than the snapshot (random(), the clock): never cache it. */
  readonly deterministic: boolean;
  readonly planMs: number;
  readonly engineMs: number;
  readonly encodeMs: number;
  /** Lower-case names of the tables that were read; `blocks` stands for the chains' blocks. */
  readonly tables?: readonly string[] | undefined;
  /** Which engine ran it. */
  readonly engine?: EngineName | undefined;
  /** Why that one, in a word for the metrics and in a sentence for the log. */
  readonly reason?: EngineReason | undefined;
  readonly why?: string | undefined;
  /** Of a statement of the distributed engine. */
  readonly remote?: RemoteTimes;
}
/**
 * A body over the streaming threshold comes in parts: `body` is the first and `rest` gives the others.
 * `rows` then counts those of the first part, which is at least two wherever more than one row will follow.
 */
export interface Answered extends Outcome {
  readonly ok: true;
  /** A string is ASCII. */
  readonly body: Uint8Array | string;
  /**
   * Must be read to its end or left (`return()`, as `for await` does), or a lane's worker stays taken. Throws
   * a GatewayError where the statement fails or passes a limit half-way: cut the client's connection then, so
   * that the answer does not look whole. Can be read once.
   */
  readonly rest?: AsyncIterable<Uint8Array>;
  /** Whether parts of it have come that nobody has taken yet. */
  readonly unread?: () => boolean;
  /** Of an explained statement that the row lane has sent on: what that has said of it, as JSON. */
  readonly told?: string;
}
/** What a row lane says of an explained statement that it sends on. */
export interface Told {
  readonly outcome: Outcome;
  readonly body: string;
}
export interface Failed {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly message: string;
  /** See GatewayErrorOptions. */
  readonly hint?: string | undefined;
  readonly token?: number | undefined;
  /** For the log only: the engine's own text. Never sent to a client. */
  readonly detail?: string;
  /** The engine instance can no longer be trusted: kill the lane, do not close it. */
  readonly poisoned?: boolean;
  /** Where there was no room: when to ask again, by how fast the line is served. */
  readonly retryAfterS?: number;
  /** What it took of the engine before it failed. */
  readonly engineMs?: number;
  /** Of `elsewhere`: which engine is to run it. */
  readonly elsewhere?: 'scan' | 'long' | 'remote';
  readonly reason?: EngineReason;
  /** Rows that it visits at most, where nothing but these makes it long. */
  readonly visits?: number;
  readonly told?: Told;
  /** Of the remote lane. */
  readonly remote?: RemoteError;
}
export type Reply = Answered | Failed;

/** What an engine would be given. */
export interface ExplainRecord {
  readonly sqlite?: {
    readonly sql: string;
    /** Of its `?`, as SQL writes them. */
    readonly values: readonly string[];
    /** SQLite's EXPLAIN QUERY PLAN. */
    readonly plan: readonly { readonly depth: number; readonly detail: string }[];
    /** Rows that it visits at most; null where that is not counted, or has no bound. */
    readonly visits: number | null;
  };
  readonly duckdb?: { readonly sql: string };
  readonly trino?: { readonly sql: string };
  /** Names of the result's. */
  readonly columns: readonly string[];
}

/** Metadata of a table as the snapshot keeps it. */
export interface TableRecord {
  readonly name: string;
  readonly chainId: number;
  /** Decimal digits: table ids are uint256. */
  readonly tableId: string;
  readonly prefix: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  readonly columns: readonly ColumnRecord[];
  readonly tableConstraints: readonly string[];
}
export interface ColumnRecord {
  readonly name: string;
  /** As declared, lower case: `integer`, `int`, `text`, `blob`. */
  readonly type: string;
  readonly constraints: readonly string[];
}
export interface ListedTable extends TablePosition {
  readonly name: string;
  readonly prefix: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  readonly rowCount: number;
  readonly columnCount: number;
  /** Its rows are in the distributed engine. */
  readonly remote?: true;
}
export interface TableListRecord {
  readonly tables: readonly ListedTable[];
  /** Tables that fit chain and search, on all pages. */
  readonly total: number;
  /** Whether there is a table after the last one listed. */
  readonly more: boolean;
}
export interface PreviewRecord {
  readonly table: TableRecord;
  readonly rowCount: number;
  /** Cells as a reader would write them, cut where they are long; null is SQL's NULL. */
  readonly rows: readonly (readonly (string | null)[])[];
}
export interface ReceiptRecord {
  readonly chainId: number;
  readonly transactionHash: string;
  readonly blockNumber: number;
  /** The column `table_id`, which `table_ids` replaced; clients still read it. */
  readonly tableId: string | null;
  readonly tableIds: readonly string[];
  readonly error: string | null;
  readonly errorEventIdx: number | null;
}

export interface SnapshotRecord {
  /** As in its table tablegate.snapshot; the same as {@link SnapshotRef.id}. */
  readonly id: string;
  /** Every chain that has a table or a block in it, ascending. */
  readonly chains: readonly number[];
  /** Chain id and the last block that the source had processed, by chain ascending. */
  readonly blocks: readonly (readonly [chainId: number, blockNumber: number])[];
  /** Seconds since 1970. */
  readonly createdAt: number;
}

/** The snapshot a lane serves. */
export interface SnapshotRef {
  /** Unique for all time; part of every ETag and cache key. */
  readonly id: string;
  /** Its folder; what is in it snapshot/layout.ts knows. */
  readonly path: string;
}

/** What a lane's process is started with. */
export interface LaneSettings {
  readonly lane: 'rows' | 'scan' | 'long' | 'remote';
  readonly workers: number;
  /** Engine threads of each worker. */
  readonly threads: number;
  /** Engine memory of the whole lane, shared out to its workers. */
  readonly memoryBytes: number;
  /** Of that, at most for tables brought over from the row store. */
  readonly smallBytes: number;
  /** What does not fit into memory may go to files of so many bytes, shared out to its workers; undefined: to none. */
  readonly spill?: { readonly folder: string; readonly bytes: number } | undefined;
  readonly maxQueue: number;
  /** A body that passes this is sent in parts. */
  readonly streamBytes: number;
  /** A streamed body whose reader takes nothing for this long is given up. */
  readonly stallMs: number;
  /** Shapes whose plans are kept, by each worker. */
  readonly plans: number;
  /** Of the process; 0 is the front's own. */
  readonly nice: number;
  /** A row lane runs no statement that may visit more rows. */
  readonly maxVisits: number;
  /** Locks that are off: only in tests of the others. */
  readonly unlocked: readonly ('gate' | 'session' | 'process')[];
  /** False only in tests of one lock alone: nothing is tried before statements are taken. */
  readonly selfTest: boolean;
  /** A few statements are run before it serves its first snapshot: see statement/rehearsal.ts. */
  readonly rehearses: boolean;
  /** Of the remote lane: who is asked, and as which user. */
  readonly trino?: { readonly url: string; readonly user: string };
  /** URL of a module that stands in for dialect/compile.ts in tests of the engine alone. */
  readonly compiler?: string;
}

/** What the operating system was told to hold for a lane's process. */
export interface ProcessLimits {
  /** Null where it was told nothing. */
  readonly dataBytes: number | null;
  readonly fileBytes: number | null;
  /** Names of all that its environment may hold. */
  readonly env: readonly string[];
}

/** What is in the environment of a lane's process. */
export interface LaneProcessSettings extends LaneSettings {
  readonly limits: ProcessLimits;
}

/** What a worker thread is started with. */
export interface WorkerSettings extends LaneProcessSettings {
  readonly snapshot: SnapshotRef;
  /** Three Int32 a slot: see {@link CONTROL}. */
  readonly control: SharedArrayBuffer;
}
/** How the names of folders begin in which temporary files are opened. */
export const SPILL_PREFIX = '.spill-';

/** What a worker says of a snapshot that it has closed, whose engine has to stay with the process. */
export const WORN = 'worn';
/** With so many of them, a lane's process ends whatever it runs. */
export const MOST_WORN = 64;

/** A job on its way from pool to worker. The answer is frames, ready to be sent. */
export interface Task {
  /** Of the frames. */
  readonly id: number;
  /** Its place in the control memory. */
  readonly slot: number;
  /** On the clock of monotonic.ts. */
  readonly deadline: number;
  /** Id of the snapshot to be read: it is open in every worker. */
  readonly snapshot: string;
  readonly job: Job;
  /** Parts of its answer are not sent on: it is run again in another process, which may have to be started. */
  readonly unproven: boolean;
}
/** Opens a snapshot beside those that are open; answered with `undefined`, or why it cannot be opened. */
export interface OpenTask {
  readonly open: SnapshotRef;
}
/** Closes a snapshot that no task reads. */
export interface CloseTask {
  readonly close: string;
}
/** What a worker tells its pool outside of tasks. */
export type WorkerMessage =
  | { readonly type: 'opened' }
  | { readonly type: 'failed'; readonly why: string }
  /** A snapshot could not be opened, and its engine has to stay with the process. */
  | { readonly type: typeof WORN }
  /** A frame of a streamed answer, in order. The first is a reply, the last its end. */
  | { readonly type: 'part'; readonly id: number; readonly bytes: Uint8Array; readonly last: boolean };

/** What a lane's process tells the front about itself. */
export type LaneState =
  | { readonly state: 'serving'; readonly snapshot: string }
  | { readonly state: 'failed'; readonly snapshot: string; readonly why: string }
  /** It has closed a snapshot whose engine stays with the process. */
  | { readonly state: 'worn' };

/** Places of a slot in the control memory, which pool and worker share. */
export const CONTROL = {
  ints: 3,
  /** A {@link STOP}; 0: it is to go on. */
  stop: 0,
  /** Bytes of a streamed body that may still be sent. */
  credit: 1,
  /** 1 from the first credit on: the front has handed its first part on, and a reader is to take it. */
  hasReader: 2,
} as const;
/** Why a task is to be stopped. */
export const STOP = {
  nobodyWaits: 1,
  /** Others do: where nothing of its answer was sent, it gives {@link PUT_BACK}, and is run again. */
  putBack: 2,
} as const;
export const PUT_BACK = 'put back';
