// Runs every test file in a process group of its own and adds up what uvu reports. A file that runs no test,
// outlives its time or leaves a process behind has failed. The last line is `N passed, N failed`.
//   node --import tsx test/run.ts [--ring quick|long|all] [PART_OF_A_PATH...]
// The long ring is test/long/; named files are run whatever their ring. Two files at a time, but for those that load
// the machine by themselves.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join, relative, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './built/build.ts';

const ROOT = join(import.meta.dirname, '..');
/** Tests import what is shipped. */
const BUILT = new URL('./built/register.ts', import.meta.url).href;
/** Of a file of the quick ring, and of the long one. */
const TIMEOUT_MS = Number(process.env['TEST_FILE_TIMEOUT_MS'] ?? 420_000);
const LONG_TIMEOUT_MS = Math.max(TIMEOUT_MS, 1_800_000);
/** It holds what is asked against what the whole machine can do. */
const ALONE = ['soak.test.ts'];
const SLOWEST = 10;

const isLong = (file: string): boolean => relative(import.meta.dirname, file).startsWith(`long${sep}`);

interface FileResult {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  readonly output: string;
  readonly problem: string | undefined;
}

function testFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
    .sort();
}

function groupAlive(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
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

interface Ended {
  readonly file: string;
  readonly pid: number;
  readonly exitCode: number | null;
  readonly timedOutAfterMs: number | undefined;
  readonly seconds: number;
  readonly output: string;
}

async function runFile(file: string): Promise<Ended> {
  const started = Date.now();
  // A group of its own, so that what the file leaves behind can be seen and ended.
  const child = spawn(process.execPath, ['--import', 'tsx', '--import', BUILT, file], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      // One process for HTTP, which starts sooner and whose memory and log tests look at; those of several say so.
      TABLEGATE_FRONTS: '1',
      ...process.env,
      FORCE_COLOR: '0',
      TEST_RING: isLong(file) ? 'long' : 'quick',
    },
  });
  const pid = child.pid ?? 0;
  let output = '';
  let timedOutAfterMs: number | undefined;
  const collect = (chunk: string): void => {
    output += chunk;
  };
  child.stdout.setEncoding('utf8').on('data', collect);
  child.stderr.setEncoding('utf8').on('data', collect);
  const limitMs = isLong(file) ? LONG_TIMEOUT_MS : TIMEOUT_MS;
  const timer = setTimeout(() => {
    timedOutAfterMs = limitMs;
    process.kill(-pid, 'SIGKILL');
  }, limitMs);
  const exitCode = await new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  clearTimeout(timer);
  return { file, pid, exitCode, timedOutAfterMs, seconds: (Date.now() - started) / 1000, output };
}

async function resultOf(ended: Ended): Promise<FileResult> {
  const { file, pid, exitCode, timedOutAfterMs, seconds, output } = ended;
  let problem: string | undefined;
  if (!(await goneWithin(pid, 5_000))) {
    problem = 'left a process behind';
    process.kill(-pid, 'SIGKILL');
  }
  const total = count(output, 'Total');
  const passed = count(output, 'Passed');
  const skipped = count(output, 'Skipped');
  if (timedOutAfterMs !== undefined) problem = `still running after ${timedOutAfterMs / 1000} s`;
  else if (exitCode !== 0 && total === passed + skipped) problem ??= `ended with exit code ${exitCode}`;
  else if (total === 0 && skipped === 0) problem ??= 'ran no test';
  return {
    file: relative(ROOT, file),
    passed,
    // A file that ends early still counts as a failure of one test.
    failed: Math.max(total - passed - skipped, problem === undefined ? 0 : 1),
    skipped,
    seconds,
    output,
    problem,
  };
}

function report(result: FileResult): void {
  const state = result.failed === 0 ? 'ok  ' : 'FAIL';
  const skipped = result.skipped === 0 ? '' : `, ${result.skipped} skipped`;
  process.stdout.write(
    `${state} ${result.file}: ${result.passed} passed, ${result.failed} failed${skipped} (${result.seconds.toFixed(1)} s)\n`,
  );
  if (result.problem !== undefined) process.stdout.write(`     ${result.problem}\n`);
  const notes = result.output.split('\n').filter((line) => /^(SKIPPED|NOTE|seed)\b/i.test(line));
  const shown = result.failed === 0 ? notes.map((line) => `     ${line}`).join('\n') : result.output;
  if (shown.trim() !== '') process.stdout.write(`${shown.trimEnd()}\n`);
}

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { ring: { type: 'string', default: 'quick' } },
});
const inRing = (file: string): boolean =>
  options.ring === 'all' || isLong(file) === (options.ring === 'long');
const files = testFiles(import.meta.dirname).filter((file) =>
  wanted.length === 0 ? inRing(file) : wanted.some((word) => relative(ROOT, file).includes(word)),
);
build();
const results: FileResult[] = [];
const finished: Promise<void>[] = [];
async function finish(ended: Ended): Promise<void> {
  const result = await resultOf(ended);
  results.push(result);
  report(result);
}
async function runAll(queue: string[], beside: number): Promise<void> {
  const runners = Array.from({ length: beside }, async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift())
      // What it started takes a moment to be gone: the next need not wait for that.
      finished.push(finish(await runFile(file)));
  });
  await Promise.all(runners);
}
const isAlone = (file: string): boolean => isLong(file) && ALONE.includes(basename(file));
await runAll(
  files.filter((file) => !isAlone(file)),
  Math.min(2, availableParallelism()),
);
await runAll(files.filter(isAlone), 1);
await Promise.all(finished);

const slowest = results.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
if (results.length > SLOWEST)
  process.stdout.write(
    `\nslowest: ${slowest.map(({ file, seconds }) => `${file} ${seconds.toFixed(0)} s`).join(', ')}\n`,
  );
const sum = (pick: (result: FileResult) => number): number =>
  results.reduce((total, result) => total + pick(result), 0);
const failed = sum((result) => result.failed);
const skipped = sum((result) => result.skipped);
process.stdout.write(
  `\n${sum((result) => result.passed)} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}\n`,
);
process.exitCode = failed === 0 && results.length > 0 ? 0 : 1;
