// `make soak MINUTES=...`: the shipped gateway follows a database that keeps changing, while people read and
// strangers attack. Ends with a report, and with 1 where an answer was wrong, a request failed or something grew.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { benchDatabase } from './data.ts';
import { isHealthy } from './load/targets/target.ts';
import { openTruth, type Truth } from './load/truth.ts';
import { readOrigin } from './origin.ts';
import { type Started, start, stopAll, stopAllOnSignals, untilReady } from './processes.ts';
import { createRandom, type Random } from './random.ts';
import { RESULTS_FOLDER } from './results.ts';
import { exportMs } from './soak/exports.ts';
import { judge } from './soak/judge.ts';
import { type SoakResult, soakPage } from './soak/page.ts';
import { createRecorder } from './soak/record.ts';
import { type Source, startSource } from './soak/source.ts';
import { VISITORS } from './soak/visitors.ts';
import { watchProcesses } from './soak/watch.ts';

const ROOT = join(import.meta.dirname, '..');
const HELP = `node --import tsx bench/soak.ts [options]

  --minutes N    how long (10)
  --flights N    rows of the large table (300000)
  --every T      how often the gateway looks for changes (2s)
  --deadline N   the gateway's limit of time in ms (found out): so low that exports meet it
  --seed N       makes the same choices again
  --judge WHAT   what decides the exit code: all, or only the answers, as on a machine that others use too (all)
`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    flights: { type: 'string', default: '300000' },
    every: { type: 'string', default: '2s' },
    deadline: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    judge: { type: 'string', default: 'all' },
    help: { type: 'boolean', default: false },
  },
});
if (values.judge !== 'all' && values.judge !== 'answers') throw new Error('--judge is all or answers');

/** Exports alone take this share of the deadline: beside the others about half of them meet it. */
const EXPORT_SHARE = 0.15;
const LEAST_DEADLINE_MS = 300;
/** On a machine that is slower still, exports get smaller by themselves. */
const MOST_DEADLINE_MS = 1_500;

interface Gateway {
  readonly started: Started;
  readonly base: string;
}

async function startGateway(folder: string, source: Source, settings: readonly string[]): Promise<Gateway> {
  const started = start({
    name: 'tablegate',
    command: process.execPath,
    args: [
      join(ROOT, 'dist/main.js'),
      'serve',
      ...['--follow', source.path, '--every', values.every, '--data', join(folder, 'data')],
      ...['--port', '0', '--rate-limit', '0', '--log-level', 'warn', ...settings],
    ],
    cwd: folder,
  });
  let base = '';
  await untilReady(started, async () => {
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(started.output())?.[0];
    if (address === undefined) return false;
    base = `${address}/api/v1`;
    return isHealthy(base);
  });
  return { started, base };
}

/** As this machine is fast now: a limit of time that some exports meet and lookups do not. */
async function findDeadline(folder: string, source: Source, truth: Truth, random: Random): Promise<number> {
  const { started, base } = await startGateway(folder, source, []);
  try {
    const ms = await exportMs({ base, random, truth });
    return Math.min(MOST_DEADLINE_MS, Math.max(LEAST_DEADLINE_MS, Math.round(ms / EXPORT_SHARE)));
  } finally {
    await started.stop();
  }
}

async function soak(folder: string, database: string, source: Source): Promise<SoakResult> {
  const durationMs = Number(values.minutes) * 60_000;
  if (!(durationMs > 0)) throw new Error('--minutes must be a number over 0');
  const truth = openTruth(database);
  const random = createRandom(Number(values.seed));
  const deadline = values.deadline ?? String(await findDeadline(folder, source, truth, random));
  process.stderr.write(`the limit of time is ${deadline} ms\n`);
  const { started: gateway, base } = await startGateway(folder, source, ['--deadline-ms', deadline]);

  const recorder = createRecorder(Math.max(1_000, durationMs / 120));
  const watch = watchProcesses(gateway.pid, Math.max(250, durationMs / 600));
  const began = performance.now();
  let over = false;
  const scene = { base, recorder, random, truth, newestValue: () => source.value, over: () => over };
  const visits = VISITORS.flatMap((visitor) =>
    Array.from({ length: visitor.count }, () => visitor.visit(scene, visitor)),
  );
  const snapshots = new Set<string>();
  while (performance.now() - began < durationMs && gateway.child.exitCode === null) {
    await wait(Math.min(500, durationMs));
    const answer = await fetch(`${base}/health`).catch(() => undefined);
    const id = answer?.headers.get('tablegate-snapshot');
    if (id !== null && id !== undefined) snapshots.add(id);
    const left = Math.max(0, Math.round((durationMs - (performance.now() - began)) / 1000));
    if (process.stderr.isTTY) process.stderr.write(`\r${left} s left, ${recorder.faults.length} faults  `);
  }
  over = true;
  watch.stop();
  recorder.stop();
  if (gateway.child.exitCode !== null) throw new Error(`the gateway ended:\n${gateway.output()}`);
  await Promise.race([Promise.all(visits), wait(20_000)]);
  const seconds = (performance.now() - began) / 1000;
  await gateway.stop();
  truth.close();
  const kinds = recorder.read();
  const swaps = snapshots.size - 1;
  return {
    title: `${readOrigin(ROOT).commit}, seed ${values.seed}, ${values.flights} flights`,
    seconds,
    kinds,
    samples: watch.samples,
    swaps,
    faults: recorder.faults,
    verdicts: judge(kinds, watch.samples, swaps),
  };
}

async function main(): Promise<void> {
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  process.stderr.write(`seed ${values.seed}\n`);
  const { path: database } = await benchDatabase(Number(values.flights));
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-soak-'));
  const source = startSource(database, join(folder, 'validator.db'), 250);
  try {
    const result = await soak(folder, database, source);
    mkdirSync(RESULTS_FOLDER, { recursive: true });
    const name = join(RESULTS_FOLDER, `soak-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`);
    writeFileSync(`${name}.json`, JSON.stringify(result));
    writeFileSync(`${name}.html`, soakPage(result));
    for (const { kind, outcomes } of result.kinds)
      process.stdout.write(`${kind.padEnd(24)} ${JSON.stringify(outcomes)}\n`);
    for (const fault of result.faults.slice(0, 40)) process.stdout.write(`${fault}\n`);
    for (const { text, met } of result.verdicts)
      process.stdout.write(`${met ? 'kept  ' : 'BROKEN'} ${text}\n`);
    process.stdout.write(`${name}.html\n`);
    const judged = result.verdicts.filter(({ about }) => values.judge === 'all' || about === 'answers');
    if (judged.some(({ met }) => !met)) process.exitCode = 1;
  } finally {
    source.stop();
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
