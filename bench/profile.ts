// Where the time goes: one workload on Tablegate under `node --prof`, front, lanes and worker threads apart.
// For people who make it faster; no figures of a profiled run count.
//   node --import tsx bench/profile.ts hot [--variant 'closed 64'] [--seconds 4] [--warm 3] [--lines 14] [--light]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareDataset } from './load/dataset.ts';
import { startGenerator } from './load/generator-process.ts';
import type { Measured } from './load/job.ts';
import { showRate, showTime } from './load/print.ts';
import { workloadNamed } from './load/suite.ts';
import { startTablegate } from './load/targets/tablegate.ts';
import { family, stopAll, stopAllOnSignals } from './processes.ts';
import { at } from './statistics.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    variant: { type: 'string' },
    seconds: { type: 'string', default: '4' },
    /** Seconds before, for Node.js to compile what is hot. */
    warm: { type: 'string', default: '3' },
    lines: { type: 'string', default: '14' },
    /** Only the processor time by thread: costs the program nothing. */
    light: { type: 'boolean', default: false },
    flights: { type: 'string', default: '3000000' },
    root: { type: 'string', default: join(import.meta.dirname, '..') },
  },
});

/** Which part of the program a log is of: by the scripts that it names. */
function roleOf(log: string): string {
  if (log.includes('/worker/query.js')) return 'worker thread';
  if (log.includes('/pool/main.js')) return 'lane, main thread';
  return log.includes('/http/server.js') ? 'front' : 'other thread';
}

/** Clock ticks (10 ms) of processor time that each thread of the family has used, by process and thread name. */
function threadTimes(pids: readonly number[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const pid of pids)
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      times.set(`${pid} ${thread} ${name}`, Number(fields[11]) + Number(fields[12]));
    }
  return times;
}

/** The figure to go by on a machine that others use too. */
function showProcesses(before: Map<string, number>, after: Map<string, number>, requests: number): void {
  const microseconds = new Map<string, number>();
  for (const [thread, ticks] of after) {
    const [pid = ''] = thread.split(' ');
    const used = (ticks - (before.get(thread) ?? 0)) * 10_000;
    microseconds.set(pid, (microseconds.get(pid) ?? 0) + used);
  }
  const total = [...microseconds.values()].reduce((sum, used) => sum + used, 0);
  process.stdout.write(`processor time of an answer: ${(total / requests).toFixed(0)} us, by process:`);
  for (const [pid, used] of microseconds) process.stdout.write(` ${pid}: ${(used / requests).toFixed(0)}`);
  process.stdout.write('\n');
}

function showThreads(before: Map<string, number>, after: Map<string, number>, seconds: number): void {
  const used = [...after]
    .map(([thread, ticks]) => ({ thread, share: (ticks - (before.get(thread) ?? 0)) / 100 / seconds }))
    .filter(({ share }) => share >= 0.02)
    .sort((a, b) => b.share - a.share);
  process.stdout.write('\n==== processor time by thread (process, thread, name), share of a core\n');
  for (const { thread, share } of used)
    process.stdout.write(`${(share * 100).toFixed(0).padStart(5)} %  ${thread}\n`);
}

function report(folder: string): void {
  const logs = readdirSync(folder)
    .filter((name) => name.startsWith('isolate'))
    .map((name) => ({ path: join(folder, name), bytes: statSync(join(folder, name)).size }))
    .sort((a, b) => b.bytes - a.bytes);
  for (const { path } of logs) {
    const text = execFileSync(process.execPath, ['--prof-process', path], {
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ticks = Number(/\((\d+) ticks/.exec(text)?.[1] ?? 0);
    if (ticks < 100) continue;
    process.stdout.write(
      `\n==== ${roleOf(readFileSync(path, 'latin1'))} (${path.split('-').at(-2)}), ${ticks} ticks\n`,
    );
    for (const section of ['Shared libraries', 'JavaScript', 'C\\+\\+', 'Summary']) {
      const body = new RegExp(`\\[${section}\\]:\\n([\\s\\S]*?)\\n\\n`).exec(text)?.[1] ?? '';
      process.stdout.write(`-- ${section}\n${body.split('\n').slice(0, Number(values.lines)).join('\n')}\n`);
    }
  }
}

async function main(): Promise<void> {
  const workload = workloadNamed(positionals[0] ?? 'lookup');
  const dataset = await prepareDataset(Number(values.flights));
  const variants = workload.variants(dataset);
  const variant = variants.find(({ name }) => name === values.variant) ?? variants[0];
  if (variant === undefined) throw new Error('no such variant');
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-profile-'));
  try {
    const generator = await startGenerator();
    const target = await startTablegate({
      root: values.root,
      database: dataset.database,
      nodeOptions: values.light ? [] : ['--prof'],
      workFolder: folder,
    });
    const load = (index: number, seconds: number): Promise<{ readonly measured: Measured }> =>
      generator.run({
        workload: workload.name,
        base: target.base,
        dataset,
        load: variant.load,
        slice: { seed: Date.now() % 1e9, index, of: 2 },
        warmMs: 0,
        measureMs: seconds * 1000,
        keep: 0,
        constant: workload.constant ?? false,
        repeats: workload.repeats ?? workload.constant ?? false,
        pids: target.pids,
        looks: true,
      });
    await load(0, Number(values.warm));
    const members = target.pids.flatMap(family);
    const before = threadTimes(members);
    const began = performance.now();
    const { measured } = await load(1, Number(values.seconds));
    const after = threadTimes(members);
    process.stdout.write(
      `${workload.name}, ${variant.name}: ${showRate(measured.requestsPerSecond)}, p50 ${showTime(at(measured.latency, 50))}\n`,
    );
    showProcesses(before, after, measured.requests);
    showThreads(before, after, (performance.now() - began) / 1000);
    await target.stop();
    await generator.stop();
    report(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

stopAllOnSignals();
main()
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  })
  .finally(stopAll);
