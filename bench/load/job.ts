// What the bench tells a load generator's process to do, and what it hears back. Plain data.
import type { Latency } from '../statistics.ts';
import type { Own } from './custom.ts';
import type { Dataset } from './dataset.ts';
import type { Kept } from './verify.ts';
import type { Load, Slice } from './workload.ts';

export interface LoadJob {
  readonly workload: string;
  /** Instead of a workload of the suite: statements with places to fill, or a log; see custom.ts. */
  readonly template?: string | Own;
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
  /** Ended by {@link ToGenerator} `finish`, not by its time: a load beside another. */
  readonly lasting?: boolean;
  /** Whether answers are looked at: a server that does nothing has none. */
  readonly looks: boolean;
  /** Questions come again: the workload has only some. */
  readonly repeats: boolean;
  /** Of the target: whose processor time is counted, with that of all they start. */
  readonly pids: readonly number[];
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
  /** Share of a core that the generator used, where it knows better than its process. */
  readonly generatorCpu?: number;
  /** Processor time of the target for one answer, in microseconds, by kind of process. */
  readonly processorUs?: Readonly<Record<string, number>>;
  readonly kept: readonly Kept[];
}

/** The figures of so many requests. @param bytes of their answers */
export function ratesOf(
  seconds: number,
  requests: number,
  bytes: number,
): Pick<Measured, 'seconds' | 'requests' | 'requestsPerSecond' | 'bytesPerSecond'> {
  return { seconds, requests, requestsPerSecond: requests / seconds, bytesPerSecond: bytes / seconds };
}

export type ToGenerator =
  | { readonly kind: 'run'; readonly job: LoadJob }
  /** Ends a run that was started to last (a load beside another). */
  | { readonly kind: 'finish' };

export type FromGenerator =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly measured: Measured; readonly cpu: number }
  | { readonly kind: 'failed'; readonly message: string };
