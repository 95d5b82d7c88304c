// What a workload is: questions that can be asked without end, how their answers are known to be right, and
// the goals they stand for. Runs nothing.
import type { Dataset } from './dataset.ts';
import type { Goal } from './goals.ts';

/** One request and what a right answer to it must show. */
export interface Ask {
  /** Below the base path: `/query?statement=...`. */
  readonly path: string;
  /** The statement in it; '' where the request is no query. */
  readonly statement: string;
  /** Texts that a right answer contains, in a form that no other answer has. Looked for in every answer. */
  readonly proof: readonly string[];
}

/** Which part of the endless row of questions a run asks, so that no run repeats another's. */
export interface Slice {
  readonly seed: number;
  readonly index: number;
  /** Number of slices in all. */
  readonly of: number;
}

export type TargetName =
  | 'tablegate'
  | 'reference'
  | 'naive'
  | 'bare'
  | 'engine'
  | 'sqlite'
  | 'datasette'
  | 'roapi'
  | 'trino'
  | 'url'
  | 'url2';

/** One kind of load, put on each target in each round. */
export interface Variant {
  /** `closed 64`: names it in results and goals. */
  readonly name: string;
  readonly load: Load;
  /** A second load at the same time; only the first is measured. */
  readonly beside?: { readonly workload: string; readonly load: Load };
  /** Default: the workload's targets. */
  readonly targets?: readonly TargetName[];
  /** Leave out in quick runs. */
  readonly extra?: boolean;
  /** Runs at least this long, whatever the run's own length is. */
  readonly minSeconds?: number;
}

/** Of the line that tells what a target does when it has just started and was asked nothing: `first contact`. */
export const FIRST_CONTACT = 'first contact';

export type Load =
  /** Each connection asks again when it has its answer. By wrk; of large answers one at a time by a plain client. */
  | { readonly mode: 'closed'; readonly connections: number }
  /**
   * Requests start at a constant rate, whatever the answers do; latency counts from the intended start.
   * A rate as text is a share of what the workload's first closed variant measured on the named target.
   */
  | {
      readonly mode: 'open';
      readonly connections: number;
      readonly rate: number | { readonly share: number; readonly of: TargetName };
      /** 503 and 429 are counted as refused instead of failing the run. */
      readonly mayRefuse?: boolean;
    }
  /** One connection reads one large answer after the other, no faster than this many bytes a second. */
  | { readonly mode: 'read'; readonly bytesPerSecond?: number }
  /** Statements of strangers, see attack-loop.ts: for a load beside another. */
  | { readonly mode: 'attack'; readonly connections: number };

export interface Workload {
  readonly name: string;
  /** As in the table of goals. */
  readonly title: string;
  /** What is asked, for the report. */
  readonly about: string;
  readonly targets: readonly TargetName[];
  readonly variants: (dataset: Dataset) => readonly Variant[];
  readonly goals: readonly Goal[];
  /** Makes the questions of a slice, one a call. */
  readonly asks: (dataset: Dataset, slice: Slice) => () => Ask;
  /** Asked once each before the load, in place of the first of the others: what is wrong with one is told then. */
  readonly first?: (slice: Slice) => readonly Ask[];
  /** Every answer is the same: its length is compared too. */
  readonly constant?: boolean;
  /** The questions are few and come again. */
  readonly repeats?: boolean;
  /** Each answer takes long or has megabytes: timed one by one by the plain client, read in parts. */
  readonly large?: boolean;
  /** Answers that are compared with the truth before the load, and again from those of the load; default 8. */
  readonly checks?: number;
  /** Rows of an answer that is too large to be compared by value: they are counted. */
  readonly rows?: (dataset: Dataset) => number;
  /** The variants rise: those after one that a target could not keep up with are left out for it. */
  readonly untilCollapse?: boolean;
  /** How the engine alone makes this answer; default `rows`: only runs the statement. */
  readonly engine?: 'rows' | 'json';
}

export function queryPath(statement: string): string {
  return `/query?statement=${encodeURIComponent(statement)}`;
}

export function ask(statement: string, ...proof: readonly string[]): Ask {
  return { path: queryPath(statement), statement, proof };
}

/** Statements with a bound that changes no answer, but is another number in every statement of every run. */
export function firstBound(slice: Slice): number {
  return 2_000_000_000 + (slice.seed % 100_000) * 10_000_000_000 + slice.index * 10_000_000;
}
