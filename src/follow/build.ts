// Imports in a process of their own: neither the engine nor SQLite is ever loaded by who follows, and a crash or the
// memory of an import ends with it. While a source changes, the process stays for the next one.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { withoutPasswords } from '../base/passwords.ts';
import type { ImportMessage, ImportOrder, ImportResult } from './import-process.ts';

export interface Built {
  /** The import's last line: what it published, or why it failed. */
  readonly line: string;
  readonly ok: boolean;
  /** Id of the new snapshot; undefined where nothing had changed. */
  readonly snapshot: string | undefined;
  /** The import's lines about tables that were served and are not in the new snapshot. */
  readonly removed: readonly string[];
}

export interface BuilderOptions {
  readonly source: string;
  readonly data: string;
  readonly keepSnapshots: number;
  readonly columnarRows: number;
  readonly indexRows: number;
  readonly indexColumns: readonly string[];
  readonly importMemory: number;
  /** Ends the import that is under way, which then leaves nothing behind. */
  readonly signal: AbortSignal;
}

export interface Builder {
  /** One at a time. */
  build(): Promise<Built>;
  close(): Promise<void>;
}

const FROM_SOURCE = import.meta.url.endsWith('.ts');
const NODE_OPTIONS = FROM_SOURCE ? ['--import', import.meta.resolve('tsx')] : [];
const MAIN = fileURLToPath(new URL(`./import-process.${FROM_SOURCE ? 'ts' : 'js'}`, import.meta.url));
const KEPT_OUTPUT = 16 * 1024;
/** An interrupted import that does not end by itself. */
const STOP_MS = 10_000;
/** Without an import for so long, the process ends: it has some 60 MB. */
const IDLE_MS = 10_000;

export function createBuilder(options: BuilderOptions): Builder {
  const { source, data, signal } = options;
  const order: ImportOrder = [source, '--data', data, '--update'];
  let running: ChildProcess | undefined;
  let idle: NodeJS.Timeout | undefined;
  let lastWords = '';

  const start = (): ChildProcess => {
    const child = startProcess(options);
    running = child;
    lastWords = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      lastWords = (lastWords + text).slice(-KEPT_OUTPUT);
    });
    const gone = (): void => {
      if (running === child) running = undefined;
    };
    child.once('exit', gone).once('error', gone);
    return child;
  };
  const letGo = (): void => {
    if (running?.connected) running.disconnect();
    running = undefined;
  };

  const build = (): Promise<Built> => {
    clearTimeout(idle);
    const kept = running;
    const child = kept ?? start();
    let begun = false;
    let kill: NodeJS.Timeout | undefined;
    const stop = (): void => {
      child.kill('SIGTERM');
      kill = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    return new Promise((resolve) => {
      const end = (built: Built | Promise<Built>): void => {
        clearTimeout(kill);
        signal.removeEventListener('abort', stop);
        child.off('message', heard).off('close', closed).off('error', failed);
        resolve(built);
      };
      const heard = (message: unknown): void => {
        const said = message as ImportMessage;
        if (said === 'begun') {
          begun = true;
          return;
        }
        if (said.ends) letGo();
        else idle = setTimeout(letGo, IDLE_MS).unref();
        end(builtOf(said));
      };
      const failed = (error: Error): void => end(failure(`the import cannot be started: ${error.message}`));
      const closed = (code: number | null, killedBy: NodeJS.Signals | null): void => {
        // One that had nothing to do was ended before it was asked.
        if (!begun && kept !== undefined && !signal.aborted) end(build());
        else
          end(failure(failureLine(lastWords) ?? `the import ended with ${killedBy ?? `exit code ${code}`}`));
      };
      child.on('message', heard).once('error', failed).once('close', closed);
      // Where it is gone already, its end says so.
      child.send(order, () => {});
    });
  };

  return {
    build,
    async close() {
      clearTimeout(idle);
      const child = running;
      if (child === undefined) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      letGo();
      const kill = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(kill);
    },
  };
}

function startProcess({
  keepSnapshots,
  columnarRows,
  indexRows,
  indexColumns,
  importMemory,
}: BuilderOptions): ChildProcess {
  return spawn(process.execPath, [...NODE_OPTIONS, MAIN], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: {
      ...process.env,
      TABLEGATE_KEEP_SNAPSHOTS: String(keepSnapshots),
      TABLEGATE_COLUMNAR_ROWS: String(columnarRows),
      TABLEGATE_IMPORT_MEMORY: String(importMemory),
      TABLEGATE_INDEX_ROWS: String(indexRows),
      TABLEGATE_INDEX_COLUMNS: indexColumns.join(','),
      ...withoutPasswords(),
    },
  });
}

function builtOf({ code, out, err }: ImportResult): Built {
  if (code !== 0) return failure(failureLine(err) ?? `the import ended with exit code ${code}`);
  return {
    ok: true,
    line: out.trimEnd().split('\n').at(-1) ?? '',
    snapshot: /^snapshot (\d+-[0-9a-f]+):/m.exec(out)?.[1],
    removed: out.split('\n').filter((line) => line.startsWith('removed ')),
  };
}

const failure = (line: string): Built => ({ ok: false, line, snapshot: undefined, removed: [] });

function failureLine(text: string): string | undefined {
  const line = text
    .split('\n')
    .filter((each) => each.startsWith('tablegate: '))
    .at(-1);
  return line?.slice('tablegate: '.length);
}
