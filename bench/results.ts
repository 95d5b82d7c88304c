// The lines of a result file and how they are written and read. Measures nothing.
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Surroundings } from './load/usage.ts';
import type { Origin } from './origin.ts';
import type { Latency } from './statistics.ts';

export const RESULTS_FOLDER = join(import.meta.dirname, 'results');

/** Memory of one process of a target at one moment. */
export interface MemorySample {
  /** Since the run began. */
  readonly ms: number;
  /** Resident bytes of the target's processes together. */
  readonly bytes: number;
}

/** How the load of a line came. */
export type Mode = 'closed' | 'open' | 'read' | 'attack' | 'engine' | 'study';

/** One run of one workload against one target: every round is a line of its own. */
export interface LoadLine extends Origin {
  readonly suite: 'load';
  /** The same for all lines of one `make bench`. */
  readonly run: string;
  readonly date: string;
  readonly seed: number;
  readonly workload: string;
  readonly target: string;
  /** Of a gateway that was given by it. */
  readonly address?: string;
  /** What others did on the machine before the start, where it was too much. */
  readonly busyBefore?: string;
  /** What was asked, where the workload is the user's own. */
  readonly about?: string;
  /** Names the load within the workload: `closed 64`, `open 2000/s`, `beside 2 scans`. */
  readonly variant: string;
  readonly mode: Mode;
  readonly connections: number;
  /** Intended requests a second, for open loops. */
  readonly rate?: number;
  readonly round: number;
  readonly seconds: number;
  readonly requests: number;
  /** Answers that were refused as "full" where the workload allows it (rising load only). */
  readonly refused: number;
  readonly requestsPerSecond: number;
  readonly bytesPerSecond: number;
  /** Closed loop: from sending. Open loop: from the intended start. */
  readonly latency: Latency;
  /** Open loop only: from sending. */
  readonly service?: Latency;
  /** What else a workload measures: `firstByteMs`, `grownBytes`, ... */
  readonly measures: Readonly<Record<string, number>>;
  /** Share of one core that the load generator itself used: near 1, it was the limit and not the target. */
  readonly generatorCpu: number;
  /** Answers a second that the same generator gets from a server that does nothing, in the same run. */
  readonly ceiling?: number;
  /** Processor time of the target for one answer, in microseconds, by kind of process. */
  readonly processorUs?: Readonly<Record<string, number>>;
  readonly surroundings?: Surroundings;
  readonly memory: readonly MemorySample[];
}

export interface MicroLine extends Origin {
  readonly suite: 'micro';
  readonly run: string;
  readonly date: string;
  readonly group: string;
  readonly task: string;
  readonly nanoseconds: {
    readonly p50: number;
    readonly p75: number;
    readonly p99: number;
    readonly mean: number;
  };
  readonly operationsPerSecond: number;
  readonly samples: number;
}

export type ResultLine = LoadLine | MicroLine;

export function appendLine(file: string, line: ResultLine): void {
  mkdirSync(join(file, '..'), { recursive: true });
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

export function readLines(file: string): ResultLine[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ResultLine);
}

/** The result file of a suite that was written last, or undefined. */
export function newestResult(suite: string): string | undefined {
  let names: string[];
  try {
    names = readdirSync(RESULTS_FOLDER);
  } catch {
    return undefined;
  }
  return names
    .filter((name) => name.startsWith(`${suite}-`) && name.endsWith('.jsonl'))
    .map((name) => join(RESULTS_FOLDER, name))
    .sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs)
    .at(-1);
}

/** A file name that sorts by time: `load-2026-11-21T11-50-49Z.jsonl`. */
export function resultFile(suite: string, now: Date): string {
  const stamp = now
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-');
  return join(RESULTS_FOLDER, `${suite}-${stamp}.jsonl`);
}
