// A command of this program as a process beside a gateway: what it observes is observed here, it is started anew when it
// ends, and it ends with this process. So a gateway loads nothing of it, and nothing of it can take a gateway down.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Observation, Observe } from '../base/observe.ts';
import { type PasswordVariable, withoutPasswords } from '../base/passwords.ts';
import { valueText, variableName } from '../cli/arguments.ts';
import type { Config, SettingName } from '../cli/config.ts';
import { pause } from './turn.ts';

/** What such a process says to the one that started it. */
export type BackgroundMessage =
  | { readonly kind: 'seen'; readonly event: Observation }
  | { readonly kind: 'stands-by'; readonly is: boolean };

export interface BackgroundOptions {
  /** For messages: `the puller`. */
  readonly what: string;
  readonly args: readonly string[];
  /** Those that the process is to have as they are here. */
  readonly config: Config;
  readonly settings: readonly SettingName[];
  /** Of the distributed engine's, the one that it is to have. */
  readonly password?: PasswordVariable;
  readonly observe: Observe;
}

export interface Background {
  /** Another process does the same for the same folder or place; see the command. */
  readonly standsBy: boolean;
  close(): Promise<void>;
}

const FROM_SOURCE = import.meta.url.endsWith('.ts');
const NODE_OPTIONS = FROM_SOURCE ? ['--import', import.meta.resolve('tsx')] : [];
const STOP_MS = 10_000;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;
/** Who ran for so long is well again. */
const WELL_MS = 60_000;
const KEPT_OUTPUT = 4_096;

export function startBackground(options: BackgroundOptions): Background {
  const { what, observe } = options;
  const stop = new AbortController();
  let standsBy = false;
  const onMessage = (message: BackgroundMessage): void => {
    if (message.kind === 'stands-by') standsBy = message.is;
    else observe(message.event);
  };
  const keepRunning = async (): Promise<void> => {
    let waitMs = FIRST_WAIT_MS;
    while (!stop.signal.aborted) {
      const began = performance.now();
      const why = await runOnce(options, onMessage, stop.signal);
      standsBy = false;
      if (stop.signal.aborted) return;
      if (performance.now() - began > WELL_MS) waitMs = FIRST_WAIT_MS;
      const text = `${what} ended, ${why}; it is started again in ${waitMs / 1000} s`;
      observe({ type: 'note', level: 'error', text });
      await pause(waitMs, stop.signal);
      waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
    }
  };
  const running = keepRunning();
  return {
    get standsBy() {
      return standsBy;
    },
    async close() {
      stop.abort();
      await running;
    },
  };
}

/** @returns how it ended */
function runOnce(
  { args, config, settings, password }: BackgroundOptions,
  onMessage: (message: BackgroundMessage) => void,
  signal: AbortSignal,
): Promise<string> {
  const main = fileURLToPath(new URL(`../main.${FROM_SOURCE ? 'ts' : 'js'}`, import.meta.url));
  // By variables: a command line is to be seen by everybody on the machine.
  const own = settings.map((name) => [variableName(name), valueText(name, config[name])] as const);
  const child = spawn(process.execPath, [...NODE_OPTIONS, main, ...args], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
    env: { ...process.env, ...Object.fromEntries(own), ...withoutPasswords(password) },
  });
  let err = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err = (err + text).slice(-KEPT_OUTPUT);
  });
  child.on('message', (message) => onMessage(message as BackgroundMessage));
  let kill: NodeJS.Timeout | undefined;
  const end = (): void => {
    child.kill('SIGTERM');
    kill = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  };
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  return new Promise((resolve) => {
    const over = (why: string): void => {
      clearTimeout(kill);
      signal.removeEventListener('abort', end);
      const line = err.trimEnd().split('\n').at(-1) ?? '';
      resolve(line === '' ? why : `${why}: ${line}`);
    };
    child.once('error', (error) => over(error.message));
    child.once('close', (code, killedBy) => over(killedBy ?? `exit code ${code}`));
  });
}
