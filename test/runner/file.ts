// One test file in a process group of its own, and what uvu told of it.
import { spawn } from 'node:child_process';
import { relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { REGISTER, ROOT } from './places.ts';

/** Of a file of the quick ring, and of the long one. */
const TIMEOUT_MS = Number(process.env['TEST_FILE_TIMEOUT_MS'] ?? 420_000);
const LONG_TIMEOUT_MS = Math.max(TIMEOUT_MS, 1_800_000);
/** Until what a file started is gone, on a machine that is busy. */
const GONE_MS = 20_000;
/** Once all results are told and the event loop has ended, what is left is Node.js's own exit. */
const EXIT_TIMEOUT_MS = 60_000;

export interface FileResult {
  /** Path from the project's folder. */
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  readonly output: string;
  readonly problem: string | undefined;
}

/** Whether it is of the long ring: test/long/. */
export const isLong = (file: string): boolean => relative(ROOT, file).startsWith(`test${sep}long${sep}`);

function groupAlive(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It is gone.
  }
}

/** Children that were told to stop may need a moment to be gone. */
async function goneWithin(pid: number, ms: number): Promise<boolean> {
  const end = Date.now() + ms;
  while (groupAlive(pid)) {
    if (Date.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return true;
}

function count(output: string, label: string): number {
  const found = [...output.matchAll(new RegExp(`^\\s*${label}:\\s+(\\d+)`, 'gm'))];
  return found.reduce((sum, match) => sum + Number(match[1]), 0);
}

export interface EndedFile {
  readonly file: string;
  readonly pid: number;
  readonly exitCode: number | null;
  readonly timedOutAfterMs: number | undefined;
  /** All was told and nothing left to run, but Node.js did not come to its end: see `watchExit`. */
  readonly hungAtExit: boolean;
  readonly seconds: number;
  readonly output: string;
}

/** Runs it to its end. What it leaves behind is in the process group `pid`. */
export async function runFile(file: string): Promise<EndedFile> {
  const started = Date.now();
  const child = spawn(process.execPath, ['--import', REGISTER, file], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: {
      // One process for HTTP, which starts sooner and whose memory and log tests look at; those of several say so.
      TABLEGATE_FRONTS: '1',
      ...process.env,
      FORCE_COLOR: '0',
      TEST_RING: isLong(file) ? 'long' : 'quick',
      TEST_RUNNER: String(process.pid),
    },
  });
  const pid = child.pid ?? 0;
  let output = '';
  let timedOutAfterMs: number | undefined;
  const collect = (chunk: string): void => {
    output += chunk;
  };
  const [, stdout, stderr, beats] = child.stdio as unknown as [null, Readable, Readable, Readable];
  stdout.setEncoding('utf8').on('data', collect);
  stderr.setEncoding('utf8').on('data', collect);
  const limitMs = isLong(file) ? LONG_TIMEOUT_MS : TIMEOUT_MS;
  const timer = setTimeout(() => {
    timedOutAfterMs = limitMs;
    killGroup(pid);
  }, limitMs);
  let hungAtExit = false;
  const watch = watchExit(
    beats,
    () => /^\s*Duration:/m.test(output),
    () => {
      hungAtExit = true;
      child.kill('SIGKILL');
    },
  );
  const exitCode = await new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  clearTimeout(timer);
  clearInterval(watch);
  return {
    file,
    pid,
    exitCode,
    timedOutAfterMs,
    hungAtExit,
    seconds: (Date.now() - started) / 1000,
    output,
  };
}

/**
 * Node.js 20 now and then waits for ever for its own threads between the last turn of the event loop and its exit
 * (`DrainTasks`), some once in ten thousand processes with workers. A loop that something holds open turns and beats,
 * and that stays the test's fault; one that is over does not.
 */
function watchExit(beats: Readable, told: () => boolean, hung: () => void): NodeJS.Timeout {
  let last = Date.now();
  beats.on('data', () => {
    last = Date.now();
  });
  return setInterval(() => {
    if (!told()) last = Date.now();
    else if (Date.now() - last > EXIT_TIMEOUT_MS) hung();
  }, 1_000);
}

/** Counts what it told. A file that runs no test, outlives its time or leaves a process behind has failed. */
export async function resultOf(ended: EndedFile): Promise<FileResult> {
  const { file, pid, exitCode, timedOutAfterMs, hungAtExit, seconds, output } = ended;
  let problem: string | undefined;
  if (!(await goneWithin(pid, GONE_MS))) {
    problem = 'left a process behind';
    killGroup(pid);
  }
  const total = count(output, 'Total');
  const passed = count(output, 'Passed');
  const skipped = count(output, 'Skipped');
  if (timedOutAfterMs !== undefined) problem = `still running after ${timedOutAfterMs / 1000} s`;
  else if (exitCode !== 0 && !hungAtExit && total === passed + skipped)
    problem ??= `ended with exit code ${exitCode}`;
  else if (total === 0 && skipped === 0) problem ??= 'ran no test';
  const note = 'NOTE Node.js hung in its exit after the last test and was ended';
  return {
    file: relative(ROOT, file),
    passed,
    // A file that ends early still counts as a failure of one test.
    failed: Math.max(total - passed - skipped, problem === undefined ? 0 : 1),
    skipped,
    seconds,
    output: hungAtExit ? `${output}${note}\n` : output,
    problem,
  };
}
