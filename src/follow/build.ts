// One import in a process of its own: neither the engine nor SQLite is ever loaded by who follows, and a crash or
// the memory of an import ends with it.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { withoutPasswords } from '../base/passwords.ts';

export interface Built {
  /** The import's last line: what it published, or why it failed. */
  readonly line: string;
  readonly ok: boolean;
  /** Id of the new snapshot; undefined where nothing had changed. */
  readonly snapshot: string | undefined;
  /** The import's lines about tables that were served and are not in the new snapshot. */
  readonly removed: readonly string[];
}

export interface BuildOptions {
  readonly source: string;
  readonly data: string;
  readonly keepSnapshots: number;
  readonly columnarRows: number;
  readonly indexRows: number;
  readonly indexColumns: readonly string[];
  readonly importMemory: number;
  /** Ends the import, which then leaves nothing behind. */
  readonly signal: AbortSignal;
}

const FROM_SOURCE = import.meta.url.endsWith('.ts');
const NODE_OPTIONS = FROM_SOURCE ? ['--import', import.meta.resolve('tsx')] : [];
const KEPT_OUTPUT = 16 * 1024;
/** An interrupted import that does not end by itself. */
const STOP_MS = 10_000;

export function buildSnapshot(options: BuildOptions): Promise<Built> {
  const { source, data, keepSnapshots, columnarRows, indexRows, indexColumns, importMemory, signal } =
    options;
  const main = fileURLToPath(new URL(`../main.${FROM_SOURCE ? 'ts' : 'js'}`, import.meta.url));
  const args = ['import', source, '--data', data, '--update'];
  const child = spawn(process.execPath, [...NODE_OPTIONS, main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
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
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out = (out + text).slice(-KEPT_OUTPUT);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err = (err + text).slice(-KEPT_OUTPUT);
  });
  let kill: NodeJS.Timeout | undefined;
  const stop = (): void => {
    child.kill('SIGTERM');
    kill = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return new Promise((resolve) => {
    const end = (ok: boolean, why: string): void => {
      clearTimeout(kill);
      signal.removeEventListener('abort', stop);
      const snapshot = /^snapshot (\d+-[0-9a-f]+):/m.exec(out)?.[1];
      const removed = ok ? out.split('\n').filter((line) => line.startsWith('removed ')) : [];
      resolve({ ok, line: why, snapshot: ok ? snapshot : undefined, removed });
    };
    child.once('error', (error) => end(false, `the import cannot be started: ${error.message}`));
    child.once('close', (code, killedBy) => {
      if (code === 0) end(true, lastLine(out));
      else end(false, failureLine(err) ?? `the import ended with ${killedBy ?? `exit code ${code}`}`);
    });
  });
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}

function failureLine(text: string): string | undefined {
  const line = text
    .split('\n')
    .filter((each) => each.startsWith('tablegate: '))
    .at(-1);
  return line?.slice('tablegate: '.length);
}
