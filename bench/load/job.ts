// What the bench tells a load generator's process to do, and what it hears back. Plain data.
import type { Latency } from '../statistics.ts';
import type { Dataset } from './dataset.ts';
import type { Kept } from './verify.ts';
import type { Load, Slice } from './workload.ts';

export interface LoadJob {
  readonly workload: string;
  /** Instead of a workload of the suite: a statement with places to fill, see custom.ts. */
  readonly template?: string;
  /** `http://127.0.0.1:8080/api/v1` */
  readonly base: string;
  readonly dataset: Dataset;
  /** Rates are numbers by now. */
  readonly load: Load;
  readonly slice: Slice;
  /** Answers before this time are checked but not counted. */
  readonly warmMs: number;
  readonly measureMs: number;
  /** Answers to send back for comparison. */
  readonly keep: number;
  readonly constant: boolean;
}

export interface Measured {
  readonly seconds: number;
  readonly requests: number;
  readonly refused: number;
  readonly requestsPerSecond: number;
  readonly bytesPerSecond: number;
  readonly latency: Latency;
  readonly service?: Latency;
  readonly measures: Readonly<Record<string, number>>;
  readonly kept: readonly Kept[];
}

export type ToGenerator =
  | { readonly kind: 'run'; readonly job: LoadJob }
  /** Ends a run that was started to last (a load beside another). */
  | { readonly kind: 'finish' };

export type FromGenerator =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly measured: Measured; readonly cpu: number }
  | { readonly kind: 'failed'; readonly message: string };
