// One process that imports, as its parent sees it: orders go in, results come out, and how it ended is told in words.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { namesError } from '../base/observe.ts';
import { withoutPasswords } from '../base/passwords.ts';
import type { ImportMessage, ImportOrder, ImportResult } from './import-process.ts';

export interface Importer {
  /**
   * One at a time. @param onBegun it has the order
   * @returns undefined: it ended before it had answered
   */
  run(order: ImportOrder, onBegun: () => void): Promise<ImportResult | undefined>;
  /** How it ended: a signal or an exit code, and its last words. Never rejects. */
  readonly ended: Promise<string>;
  /** Interrupts what it does; one that has nothing to do ends. This process waits for it. */
  stop(): void;
  /** It has nothing to do, and ends. */
  letGo(): void;
}

const FROM_SOURCE = import.meta.url.endsWith('.ts');
const NODE_OPTIONS = FROM_SOURCE ? ['--import', import.meta.resolve('tsx')] : [];
const MAIN = fileURLToPath(new URL(`./import-process.${FROM_SOURCE ? 'ts' : 'js'}`, import.meta.url));
const KEPT_WORDS = 16 * 1024;
/** An interrupted import that does not end by itself. */
const STOP_MS = 10_000;

/** @param env settings @throws Error where it cannot be started: no memory, no files, no program */
export async function startImporter(env: Readonly<Record<string, string>>): Promise<Importer> {
  const child = spawn(process.execPath, [...NODE_OPTIONS, MAIN], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, ...env, ...withoutPasswords() },
  });
  await once(child, 'spawn');
  const ended = endOf(child);
  let kill: NodeJS.Timeout | undefined;
  let gone = false;
  /** Of the order that it has; one listener for all of them, since very many come while a source changes. */
  let waiting: { readonly onBegun: () => void; readonly done: (result?: ImportResult) => void } | undefined;
  const end = (result?: ImportResult): void => {
    const { done } = waiting ?? {};
    waiting = undefined;
    holds(child, false);
    done?.(result);
  };
  void ended.then(() => {
    gone = true;
    clearTimeout(kill);
    end();
  });
  child.on('message', (message) => {
    const said = message as ImportMessage;
    if (said === 'begun') waiting?.onBegun();
    else end(said);
  });
  // Whatever goes wrong with its channel, its end follows.
  child.on('error', () => {});
  holds(child, false);
  return {
    run(order, onBegun) {
      if (gone) return Promise.resolve(undefined);
      holds(child, true);
      return new Promise((resolve) => {
        waiting = { onBegun, done: resolve };
        // Where it is gone already, its end says so.
        if (child.connected) child.send(order, () => {});
      });
    },
    ended,
    stop() {
      holds(child, true);
      child.kill('SIGTERM');
      kill ??= setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    },
    letGo() {
      if (child.connected) child.disconnect();
      kill ??= setTimeout(() => child.kill('SIGKILL'), STOP_MS).unref();
    },
  };
}

/** Whether this process waits for it before it ends. */
function holds(child: ChildProcess, is: boolean): void {
  for (const each of [child, child.channel, child.stderr as Socket | null]) {
    if (is) each?.ref();
    else each?.unref();
  }
}

async function endOf(child: ChildProcess): Promise<string> {
  let words = '';
  const stderr = child.stderr;
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-KEPT_WORDS);
  });
  // Its last words may come after its end. There is no `close` where this side has closed the channel.
  const [[code, signal]] = (await Promise.all([once(child, 'exit'), stderr && once(stderr, 'close')])) as [
    [number | null, NodeJS.Signals | null],
    unknown,
  ];
  const lines = words.split('\n').filter((line) => line.trim() !== '');
  // Of a stack trace, the line that names the error.
  const line = lines.find(namesError) ?? lines.at(-1);
  const how = signal ?? `exit code ${code}`;
  return line === undefined ? how : `${how}: ${line.trim()}`;
}
