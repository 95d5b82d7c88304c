// The server that does nothing, with an answer of the size that the workload has: the generator's ceiling.
import { join } from 'node:path';
import { start, untilReady } from '../../processes.ts';

const ROOT = join(import.meta.dirname, '../../..');

export interface NullServer {
  readonly base: string;
  stop(): Promise<void>;
}

export async function startNull(body: Uint8Array): Promise<NullServer> {
  const started = start({
    name: 'null server',
    command: process.execPath,
    args: ['--import', 'tsx', join(ROOT, 'bench/peers/null.ts')],
    cwd: ROOT,
    messages: true,
  });
  started.child.send(Buffer.from(body).toString('base64'));
  let base = '';
  started.child.on('message', (port) => {
    base = `http://127.0.0.1:${String(port)}/api/v1`;
  });
  await untilReady(started, () => base !== '');
  return { base, stop: () => started.stop() };
}
