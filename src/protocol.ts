// All that crosses a thread or the socket between front and lane, as plain data. Types only: the frames'
// bytes are in frames.ts.
import type { ErrorCode } from './errors.ts';

/** A value lifted out of a statement, or bound to one of its `?`. */
export interface Literal {
  readonly kind: 'integer' | 'real' | 'text' | 'blob' | 'null';
  /**
   * integer: the digits as written (`42`, `0x1F`, may pass 64 bits); real: as written (`1.5e3`);
   * text: its characters, quotes removed; blob: hexadecimal digits; null: `NULL`.
   */
  readonly text: string;
}

/** How rows become a body; see API.md "Query". */
export interface Output {
  readonly format: 'objects' | 'table';
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
export type Job = QueryJob | TableJob | ReceiptJob | ProbeJob | SnapshotJob;

/** What a job found out besides its body. Times in milliseconds. */
export interface Outcome {
  readonly rows: number;
  /** Columns of the result; 0 where the job is no query. */
  readonly columns: number;
  /** False where the answer depends on more than the snapshot (random(), the clock): never cache it. */
  readonly deterministic: boolean;
  readonly planMs: number;
  readonly engineMs: number;
  readonly encodeMs: number;
}
/**
 * A body over the streaming threshold comes in parts: `body` is the first and `rest` gives the others.
 * `rows` then counts those of the first part, which is at least two wherever more than one row will follow.
 */
export interface Answered extends Outcome {
  readonly ok: true;
  readonly body: Uint8Array;
  /**
   * Must be read to its end or left (`return()`, as `for await` does), or a lane's worker stays taken. Throws
   * a GatewayError where the statement fails or passes a limit half-way: cut the client's connection then, so
   * that the answer does not look whole. Can be read once.
   */
  readonly rest?: AsyncIterable<Uint8Array>;
}
export interface Failed {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly message: string;
  /** For the log only: the engine's own text. Never sent to a client. */
  readonly detail?: string;
  /** The engine instance can no longer be trusted: kill the lane, do not close it. */
  readonly poisoned?: boolean;
}
export type Reply = Answered | Failed;

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
}

/** The snapshot a lane serves. */
export interface SnapshotRef {
  /** Unique for all time; part of every ETag and cache key. */
  readonly id: string;
  /** The DuckDB file. */
  readonly path: string;
}
