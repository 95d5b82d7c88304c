// The bench's end of a load generator's process.
import { join } from 'node:path';
import { start, untilReady } from '../processes.ts';
import type { FromGenerator, LoadJob, Measured, ToGenerator } from './job.ts';

export interface Generator {
  run(job: LoadJob): Promise<{ readonly measured: Measured; readonly cpu: number }>;
  /** Tells a run that lasts to end now; its promise settles soon after. */
  finish(): void;
  stop(): Promise<void>;
}

export async function startGenerator(): Promise<Generator> {
  const started = start({
    name: 'load generator',
    command: process.execPath,
    args: ['--import', 'tsx', join(import.meta.dirname, 'generator.ts')],
    cwd: join(import.meta.dirname, '../..'),
    messages: true,
  });
  let ready = false;
  let settle: ((message: FromGenerator) => void) | undefined;
  started.child.on('message', (message: FromGenerator) => {
    if (message.kind === 'ready') ready = true;
    else settle?.(message);
  });
  started.child.on('exit', () =>
    settle?.({ kind: 'failed', message: `the generator ended: ${started.output()}` }),
  );
  await untilReady(started, () => ready);
  const tell = (message: ToGenerator): void => {
    started.child.send(message);
  };
  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        settle = (message) => {
          settle = undefined;
          if (message.kind === 'done') resolve(message);
          else if (message.kind === 'failed') reject(new Error(message.message));
        };
        tell({ kind: 'run', job });
      }),
    finish: () => tell({ kind: 'finish' }),
    stop: () => started.stop(),
  };
}
