// An engine alone, in a process of its own: gets a statement by message, and tells how long it took and its rows.
import { join } from 'node:path';
import { start, untilReady } from '../../processes.ts';
import type { Asked } from './study.ts';

const ROOT = join(import.meta.dirname, '../../..');

export interface Peer {
  ask(statement: string): Promise<Asked>;
  stop(): Promise<void>;
}

/** @param program a file of bench/peers/ */
export async function startPeer(program: string, args: readonly string[]): Promise<Peer> {
  const started = start({
    name: program,
    command: process.execPath,
    args: ['--import', 'tsx', join(ROOT, 'bench/peers', program), ...args],
    cwd: ROOT,
    messages: true,
  });
  let ready = false;
  let settle: ((asked: Asked) => void) | undefined;
  let fail: ((error: Error) => void) | undefined;
  started.child.on('message', (message: 'ready' | Asked) => {
    if (message === 'ready') ready = true;
    else settle?.(message);
  });
  started.child.on('exit', () => fail?.(new Error(`${program} ended: ${started.output()}`)));
  await untilReady(started, () => ready, 300_000);
  return {
    ask: (statement) =>
      new Promise((resolve, reject) => {
        settle = resolve;
        fail = reject;
        started.child.send(statement);
      }),
    stop: () => started.stop(),
  };
}
