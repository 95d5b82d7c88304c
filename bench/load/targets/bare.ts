// Bare node:http that sends the bytes which Tablegate sent (or, where it does not run, another target).
import { join } from 'node:path';
import type { BareAnswer } from '../../peers/bare.ts';
import { start, untilReady } from '../../processes.ts';
import type { StartContext, Target } from './target.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Made by node:http itself, or about one connection only. */
const OWN_HEADERS = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length']);

export async function startBare(context: StartContext): Promise<Target> {
  const model =
    context.running.find(({ name }) => name === 'tablegate' || name === 'url') ??
    context.running.find(({ name }) => name === 'reference') ??
    context.running.find(({ base }) => base !== '');
  if (model === undefined) throw new Error('the bare target needs another target whose answers it sends');
  const next = context.workload.asks(context.dataset, { seed: context.seed, index: 0, of: 1 });
  const answers: BareAnswer[] = [];
  for (const path of new Set([next().path, next().path, next().path])) {
    const answer = await fetch(`${model.base}${path}`);
    answers.push({
      path: `/api/v1${path}`,
      headers: [...answer.headers].filter(([name]) => !OWN_HEADERS.has(name)),
      body: Buffer.from(await answer.arrayBuffer()).toString('base64'),
    });
  }
  const started = start({
    name: 'bare',
    command: process.execPath,
    args: ['--import', 'tsx', join(ROOT, 'bench/peers/bare.ts')],
    cwd: ROOT,
    messages: true,
  });
  started.child.send(answers);
  let base = '';
  started.child.on('message', (port) => {
    base = `http://127.0.0.1:${String(port)}/api/v1`;
  });
  await untilReady(started, () => base !== '');
  return { name: 'bare', base, pids: [started.pid], stop: () => started.stop() };
}
