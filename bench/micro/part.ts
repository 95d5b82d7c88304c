// How a part is measured alone: tasks of a group, each an operation repeated within a sample, since a clock
// cannot time an operation of 100 ns.
import { Bench } from 'tinybench';
import type { MicroLine } from '../results.ts';

export interface Task {
  readonly name: string;
  /** Operations in a sample: so many that one takes tens of microseconds. Default 1. */
  readonly repeat?: number;
  readonly run: () => unknown;
}

export interface Part {
  readonly group: string;
  /** May start what the tasks need; `close` ends it. */
  readonly open: () => Promise<{
    readonly tasks: readonly Task[];
    readonly close?: () => void | Promise<void>;
  }>;
}

/** Keeps results in sight, so that no operation is optimized away. */
let sink: unknown;
export const seen = (): unknown => sink;

type Measured = Pick<MicroLine, 'group' | 'task' | 'nanoseconds' | 'operationsPerSecond' | 'samples'>;

/** @throws whatever a task throws: a task that fails is no measurement. */
export async function measurePart(part: Part, milliseconds: number): Promise<Measured[]> {
  const { tasks, close } = await part.open();
  try {
    const bench = new Bench({ time: milliseconds, warmupTime: milliseconds / 3, throws: true });
    for (const { name, repeat = 1, run } of tasks) {
      const isAsync = run() instanceof Promise;
      bench.add(
        name,
        isAsync
          ? async () => {
              for (let done = 0; done < repeat; done++) sink = await run();
            }
          : () => {
              for (let done = 0; done < repeat; done++) sink = run();
            },
      );
    }
    await bench.run();
    return bench.tasks.map((task, index) => {
      const { result } = task;
      const repeat = tasks[index]?.repeat ?? 1;
      if (!('latency' in result)) throw new Error(`${part.group}, ${task.name}: ${result.state}`);
      const { latency } = result;
      const perOperation = (ms: number): number => Math.round((ms * 1e6 * 10) / repeat) / 10;
      return {
        group: part.group,
        task: task.name,
        nanoseconds: {
          p50: perOperation(latency.p50),
          p75: perOperation(latency.p75),
          p99: perOperation(latency.p99),
          mean: perOperation(latency.mean),
        },
        operationsPerSecond: Math.round((1000 / latency.mean) * repeat),
        samples: latency.samplesCount,
      };
    });
  } finally {
    await close?.();
  }
}
