// What is measured in another way than by putting a load on targets: each study starts what it needs, checks the
// answers that it gets, and gives lines of results like the workloads.
import type { LoadLine } from '../../results.ts';
import { createLatencyRecorder } from '../../statistics.ts';
import type { Dataset } from '../dataset.ts';
import type { Generator } from '../generator-process.ts';
import type { Goal } from '../goals.ts';
import type { Measured } from '../job.ts';
import { type Surroundings, watchSurroundings } from '../usage.ts';
import type { TargetName } from '../workload.ts';

export type StudyLine = Omit<LoadLine, 'run' | 'date' | 'commit' | 'dirty' | 'node' | 'machine'>;

export interface StudyContext {
  /** Whose dist/ is measured. */
  readonly root: string;
  readonly dataset: Dataset;
  readonly seed: number;
  readonly rounds: number;
  readonly measureMs: number;
  /** False in runs that only show that all works: little data, few repetitions. */
  readonly patient: boolean;
  readonly generator: Generator;
  readonly wants: (target: TargetName) => boolean;
  readonly say: (text: string) => void;
  readonly emit: (line: StudyLine) => void;
}

export interface Study {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly goals: readonly Goal[];
  readonly run: (context: StudyContext) => Promise<void>;
}

export interface Timed {
  readonly variant: string;
  readonly target: TargetName;
  readonly round: number;
  /** Of each answer. */
  readonly milliseconds: readonly number[];
  readonly measures?: Readonly<Record<string, number>>;
  readonly processorUs?: Readonly<Record<string, number>>;
  readonly surroundings?: Surroundings;
}

/** A line of things that were timed one by one. */
export function timedLine(study: string, seed: number, timed: Timed): StudyLine {
  const latency = createLatencyRecorder();
  for (const each of timed.milliseconds) latency.record(each);
  const seconds = timed.milliseconds.reduce((sum, each) => sum + each, 0) / 1000;
  const requests = timed.milliseconds.length;
  return {
    suite: 'load',
    seed,
    workload: study,
    target: timed.target,
    variant: timed.variant,
    mode: 'study',
    connections: 1,
    round: timed.round,
    seconds,
    requests,
    refused: 0,
    requestsPerSecond: seconds === 0 ? 0 : requests / seconds,
    bytesPerSecond: 0,
    latency: latency.read(),
    measures: timed.measures ?? {},
    generatorCpu: 0,
    memory: [],
    ...(timed.processorUs === undefined ? {} : { processorUs: timed.processorUs }),
    ...(timed.surroundings === undefined ? {} : { surroundings: timed.surroundings }),
  };
}

/** A line of a study that measured a rate. */
export function rateLine(
  study: string,
  seed: number,
  at: Pick<Timed, 'variant' | 'round' | 'surroundings'>,
  connections: number,
  measured: Measured,
): StudyLine {
  const { seconds, requests, requestsPerSecond, bytesPerSecond, latency, processorUs } = measured;
  return {
    ...timedLine(study, seed, { ...at, target: 'tablegate', milliseconds: [] }),
    connections,
    seconds,
    requests,
    requestsPerSecond,
    bytesPerSecond,
    latency,
    ...(processorUs === undefined ? {} : { processorUs }),
    generatorCpu: measured.generatorCpu ?? 0,
  };
}

export interface Asked {
  readonly ms: number;
  readonly body: string;
}

/** @throws where the answer is not 200 */
export async function askOnce(base: string, path: string): Promise<Asked> {
  const started = performance.now();
  const answer = await fetch(base + path);
  const body = await answer.text();
  const ms = performance.now() - started;
  if (answer.status !== 200) throw new Error(`status ${answer.status} for ${path}: ${body.slice(0, 300)}`);
  return { ms, body };
}

/** Of this process and all that it started. */
export const around = (): (() => Surroundings) => watchSurroundings([process.pid]);
