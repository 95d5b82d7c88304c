// DuckDB alone, in a process of its own and without HTTP: the floor under every answer that scans or encodes.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { EngineJob, EngineResult } from '../../peers/engine.ts';
import { start, untilReady } from '../../processes.ts';
import type { Dataset } from '../dataset.ts';
import { plainDuckdb } from './naive.ts';
import type { Target } from './target.ts';

const ROOT = join(import.meta.dirname, '../../..');

export interface EngineTarget extends Target {
  readonly name: 'engine';
  run(job: Omit<EngineJob, 'kind'>): Promise<EngineResult>;
}

export async function startEngine(dataset: Dataset): Promise<EngineTarget> {
  const path = await plainDuckdb(dataset);
  const started = start({
    name: 'engine',
    command: process.execPath,
    args: ['--import', 'tsx', join(ROOT, 'bench/peers/engine.ts'), path, String(availableParallelism())],
    cwd: ROOT,
    messages: true,
  });
  let ready = false;
  let settle: ((result: EngineResult) => void) | undefined;
  let fail: ((error: Error) => void) | undefined;
  started.child.on('message', (message: 'ready' | EngineResult) => {
    if (message === 'ready') ready = true;
    else settle?.(message);
  });
  started.child.on('exit', () => fail?.(new Error(`the engine ended: ${started.output()}`)));
  await untilReady(started, () => ready);
  return {
    name: 'engine',
    base: '',
    pids: [started.pid],
    run: (job) =>
      new Promise((resolve, reject) => {
        settle = resolve;
        fail = reject;
        started.child.send({ kind: 'run', ...job } satisfies EngineJob);
      }),
    stop: () => started.stop(),
  };
}
