// Runs every test file in a process group of its own and adds up what uvu reports. A file that runs no test,
// outlives its time or leaves a process behind has failed. The last line is `N passed, N failed`.
//   node --import tsx test/run.ts [--ring quick|long|all] [--again] [PART_OF_A_PATH...]
// The long ring is test/long/; named files are run whatever their ring. Two files at a time, but for those that load
// the machine by themselves. --again runs a file that failed once more, alone, and says so.
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './runner/build.ts';
import { compile } from './runner/compile.ts';
import { type EndedFile, type FileResult, isLong, resultOf, runFile } from './runner/file.ts';
import { ROOT } from './runner/places.ts';

/** One holds what is asked against what the whole machine can do, the other fills its memory and cores. */
const ALONE = ['soak.test.ts', 'remote-scale.test.ts'];
const SLOWEST = 10;
/** More files than these that fail are no accident of a busy machine. */
const MOST_AGAIN = 8;

function testFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
    .sort();
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
  options: { ring: { type: 'string', default: 'quick' }, again: { type: 'boolean', default: false } },
});
const inRing = (file: string): boolean =>
  options.ring === 'all' || isLong(file) === (options.ring === 'long');
const files = testFiles(join(ROOT, 'test')).filter((file) =>
  wanted.length === 0 ? inRing(file) : wanted.some((word) => relative(ROOT, file).includes(word)),
);
build();
compile();
const results: FileResult[] = [];
async function finish(ended: EndedFile): Promise<void> {
  const result = await resultOf(ended);
  results.push(result);
  report(result);
}
async function runAll(queue: string[], beside: number): Promise<void> {
  const finished: Promise<void>[] = [];
  const runners = Array.from({ length: beside }, async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift())
      // What it started takes a moment to be gone: the next need not wait for that.
      finished.push(finish(await runFile(file)));
  });
  await Promise.all(runners);
  await Promise.all(finished);
}
/** What fails twice has failed; what fails once is named, for a test must not depend on its neighbours. */
async function runAgain(): Promise<void> {
  const failed = results.filter((result) => result.failed > 0);
  if (failed.length === 0 || failed.length > MOST_AGAIN) return;
  process.stdout.write('\nonce more, alone, what failed:\n');
  for (const first of failed) {
    await runAll([join(ROOT, first.file)], 1);
    const second = results.at(-1);
    if (second?.failed === 0) results.splice(results.indexOf(first), 1);
    else results.pop();
    if (second?.failed === 0) unsteady.push(first.file);
  }
}
const unsteady: string[] = [];
const isAlone = (file: string): boolean => isLong(file) && ALONE.includes(basename(file));
await runAll(
  files.filter((file) => !isAlone(file)),
  Math.min(2, availableParallelism()),
);
await runAll(files.filter(isAlone), 1);
if (options.again) await runAgain();

const slowest = results.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
if (results.length > SLOWEST)
  process.stdout.write(
    `\nslowest: ${slowest.map(({ file, seconds }) => `${file} ${seconds.toFixed(0)} s`).join(', ')}\n`,
  );
if (unsteady.length > 0)
  process.stdout.write(`\nUNSTEADY, passed only when run again, to be mended: ${unsteady.join(', ')}\n`);
const broken = results.filter((result) => result.failed > 0).map(({ file, failed }) => `${file} (${failed})`);
if (broken.length > 0) process.stdout.write(`\nFAILED: ${broken.join(', ')}\n`);
const sum = (pick: (result: FileResult) => number): number =>
  results.reduce((total, result) => total + pick(result), 0);
const failed = sum((result) => result.failed);
const skipped = sum((result) => result.skipped);
process.stdout.write(
  `\n${sum((result) => result.passed)} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}\n`,
);
process.exitCode = failed === 0 && results.length > 0 ? 0 : 1;
