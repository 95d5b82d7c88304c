// `make bench-compare REF=...`: HEAD against another commit, each built in a git work tree of its own in a
// temporary folder. The user's tree is neither read nor changed: what is not committed does not count.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { prepareDataset } from './load/dataset.ts';
import { startGenerator } from './load/generator-process.ts';
import { progressLine, showRate, showTime } from './load/print.ts';
import { runSession } from './load/session.ts';
import { SUITE, workloadNamed } from './load/suite.ts';
import { startTablegate } from './load/targets/tablegate.ts';
import { openTruth } from './load/truth.ts';
import type { TargetName } from './load/workload.ts';
import { type Origin, readOrigin } from './origin.ts';
import { stopAll, stopAllOnSignals } from './processes.ts';
import { appendLine, type LoadLine, resultFile } from './results.ts';
import { at, median } from './statistics.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');
/** Sides stand where the suite knows two targets; in results they have names of their own. */
const SIDES = { before: 'reference', after: 'tablegate' } as const satisfies Record<string, TargetName>;
type Side = keyof typeof SIDES;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    warm: { type: 'string', default: '1' },
    flights: { type: 'string', default: '3000000' },
    /** The later commit. */
    head: { type: 'string', default: 'HEAD' },
  },
});

const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

interface Tree {
  readonly side: Side;
  readonly commit: string;
  readonly folder: string;
}

const folders: string[] = [];

function removeTrees(): void {
  for (const folder of folders.splice(0)) {
    try {
      git('worktree', 'remove', '--force', folder);
    } catch {
      // Not made yet.
    }
    rmSync(join(folder, '..'), { recursive: true, force: true });
  }
  git('worktree', 'prune');
}

async function makeTree(side: Side, commit: string): Promise<Tree> {
  const folder = join(mkdtempSync(join(tmpdir(), `tablegate-compare-${side}-`)), 'tree');
  folders.push(folder);
  git('worktree', 'add', '--detach', folder, commit);
  process.stderr.write(`${side}: building ${commit.slice(0, 12)}\n`);
  await run('make', ['build'], { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
  if (!existsSync(join(folder, 'dist/main.js'))) throw new Error(`${commit} builds no dist/main.js`);
  return { side, commit, folder };
}

function ratios(lines: readonly LoadLine[]): string {
  const loads = new Map<string, LoadLine[]>();
  for (const line of lines) {
    const key = `${line.workload}\t${line.variant}`;
    loads.set(key, [...(loads.get(key) ?? []), line]);
  }
  const rows = [...loads].map(([key, group]) => {
    const pairs = group
      .filter((line) => line.target === 'after')
      .flatMap((after) => {
        const before = group.find((line) => line.target === 'before' && line.round === after.round);
        return before === undefined ? [] : [{ before, after }];
      });
    const rates = pairs.map(({ before, after }) => after.requestsPerSecond / before.requestsPerSecond);
    const p50 = pairs.map(({ before, after }) => at(after.latency, 50) / at(before.latency, 50));
    const p99 = pairs.map(({ before, after }) => at(after.latency, 99) / at(before.latency, 99));
    const ratio = (values: number[]): string =>
      `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)}-${Math.max(...values).toFixed(2)})`;
    const side = (name: Side): LoadLine[] => group.filter((line) => line.target === name);
    return [
      ...key.split('\t'),
      showRate(median(side('before').map((line) => line.requestsPerSecond))),
      showRate(median(side('after').map((line) => line.requestsPerSecond))),
      ratio(rates),
      showTime(median(side('after').map((line) => at(line.latency, 50)))),
      ratio(p50),
      ratio(p99),
    ];
  });
  const table = [['workload', 'load', 'before', 'after', 'rate x', 'p50 after', 'p50 x', 'p99 x'], ...rows];
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  );
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

async function main(): Promise<void> {
  const [reference] = positionals;
  if (reference === undefined)
    throw new Error('give a commit to compare with: make bench-compare REF=HEAD~1');
  const commits: Record<Side, string> = {
    before: git('rev-parse', `${reference}^{commit}`),
    after: git('rev-parse', `${values.head}^{commit}`),
  };
  const trees = [await makeTree('before', commits.before), await makeTree('after', commits.after)];
  const workloads = values.only?.split(',').map(workloadNamed) ?? SUITE;
  const dataset = await prepareDataset(Number(values.flights));
  const truth = openTruth(dataset.database);
  const generators = [await startGenerator(), await startGenerator()] as const;
  const file = resultFile('compare', new Date());
  const origin: Origin = { ...readOrigin(ROOT), dirty: false };
  const stamp = new Date().toISOString();
  const lines: LoadLine[] = [];
  const nameOf = (target: string): Side => (target === SIDES.before ? 'before' : 'after');
  try {
    for (const workload of workloads) {
      await runSession(
        { ...workload, variants: (data) => workload.variants(data).map(({ targets: _, ...rest }) => rest) },
        [SIDES.before, SIDES.after],
        {
          dataset,
          seed: Date.now() % 1_000_000_000,
          rounds: Number(values.rounds),
          warmMs: Number(values.warm) * 1000,
          measureMs: Number(values.seconds) * 1000,
          extras: 'none',
          patient: true,
        },
        {
          generators,
          truth,
          async start(name) {
            const tree = trees.find(({ side }) => side === nameOf(name));
            if (tree === undefined) return undefined;
            const started = await startTablegate({ root: tree.folder, database: dataset.database });
            return { ...started, name };
          },
          onLine(measured) {
            const side = nameOf(measured.target);
            const line: LoadLine = {
              ...origin,
              commit: commits[side],
              run: stamp,
              date: new Date().toISOString(),
              ...measured,
              target: side,
            };
            lines.push(line);
            appendLine(file, line);
            process.stderr.write(`${progressLine(line)}\n`);
          },
        },
      );
    }
  } finally {
    truth.close();
    for (const generator of generators) await generator.stop();
  }
  process.stdout.write(
    `\nbefore ${commits.before.slice(0, 12)}, after ${commits.after.slice(0, 12)}; ratios are after / before,\n`,
  );
  process.stdout.write(`the median of the rounds (and their range)\n\n${ratios(lines)}\n\n${file}\n`);
}

stopAllOnSignals(async () => removeTrees());
main()
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  })
  .finally(async () => {
    await stopAll();
    removeTrees();
  });
