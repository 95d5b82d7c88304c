// Starts the bench's child processes and sees that none outlives it: each is ended by its id, with all that it
// started itself. Knows nothing of what they do.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

const PAGE_BYTES = 4096;

export interface StartOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Opens a channel for messages (the child is a Node.js program). */
  readonly messages?: boolean;
  /** Sent first; SIGKILL follows after 5 s. Default SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
}

export interface Started {
  readonly name: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** What it wrote so far to both outputs, the last 64 KiB of it. */
  output(): string;
  stop(): Promise<void>;
}

const running = new Set<Started>();
let cleaning = false;

function parents(): Map<number, number> {
  const found = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The second field is the program's name in brackets and may hold anything; fields count from its end.
      const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
      found.set(Number(name), Number(parent));
    } catch {
      // Gone since the listing.
    }
  }
  return found;
}

/** The process and all that descend from it. Only itself where there is no /proc. */
export function family(pid: number): number[] {
  let parentOf: Map<number, number>;
  try {
    parentOf = parents();
  } catch {
    return [pid];
  }
  const members = [pid];
  for (let at = 0; at < members.length; at++)
    for (const [child, parent] of parentOf) if (parent === members[at]) members.push(child);
  return members;
}

/** Resident bytes of these processes together; 0 where there is no /proc. */
export function residentBytes(pids: readonly number[]): number {
  let sum = 0;
  for (const pid of pids) {
    try {
      sum += Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
    } catch {
      // Ended.
    }
  }
  return sum;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Ended already.
  }
}

export function start(options: StartOptions): Started {
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ['ignore', 'pipe', 'pipe', ...(options.messages === true ? (['ipc'] as const) : [])],
  });
  let output = '';
  const collect = (chunk: string): void => {
    output = (output + chunk).slice(-65_536);
  };
  child.stdout?.setEncoding('utf8').on('data', collect);
  child.stderr?.setEncoding('utf8').on('data', collect);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      collect(`${error.message}\n`);
      resolve();
    });
  });
  const pid = child.pid ?? 0;
  const started: Started = {
    name: options.name,
    pid,
    child,
    output: () => output,
    async stop() {
      running.delete(started);
      if (pid === 0) return;
      const members = family(pid);
      signal(pid, options.stopSignal ?? 'SIGTERM');
      const patience = new AbortController();
      await Promise.race([ended, wait(5_000, undefined, { signal: patience.signal }).catch(() => {})]);
      patience.abort();
      // What a process leaves behind (a lane, say) was its own child a moment ago.
      for (const member of members) if (member !== pid || child.exitCode === null) signal(member, 'SIGKILL');
      await ended;
    },
  };
  running.add(started);
  return started;
}

/** Waits until `ready` is true; fails when the process ends or the time is over. */
export async function untilReady(
  started: Started,
  ready: () => Promise<boolean> | boolean,
  timeoutMs = 60_000,
): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await ready())) {
    if (started.child.exitCode !== null || started.child.signalCode !== null)
      throw new Error(`${started.name} ended while starting:\n${started.output()}`);
    if (Date.now() > end) {
      const said = started.output();
      await started.stop();
      throw new Error(`${started.name} was not ready after ${timeoutMs / 1000} s:\n${said}`);
    }
    await wait(25);
  }
}

export async function stopAll(): Promise<void> {
  await Promise.all([...running].map((started) => started.stop()));
}

/**
 * Ends all children when the bench itself is told to end. Call once, in a program's main file.
 * @param others ends what was not started here
 */
export function stopAllOnSignals(others: () => Promise<void> = async () => {}): void {
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      if (cleaning) return;
      cleaning = true;
      process.stderr.write(`\n${name}: ending ${running.size} processes\n`);
      void Promise.all([stopAll(), others()]).finally(() => process.exit(name === 'SIGINT' ? 130 : 143));
    });
  // A crash of the bench itself: no time to be polite.
  process.on('exit', () => {
    for (const started of running) for (const pid of family(started.pid)) signal(pid, 'SIGKILL');
  });
}
