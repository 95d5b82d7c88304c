// `make bench` and `make bench-smoke`: reads the command line, runs the load bench, prints its tables.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { baseOf, runBench } from './load/bench.ts';
import { customWorkload, type Own, readAccessLog } from './load/custom.ts';
import { KEY_VARIABLE, keyHeaders } from './load/http-client.ts';
import { addressText, goalTable, progressLine, rateTable, verdicts } from './load/print.ts';
import { ALL, measuredNamed } from './load/studies.ts';
import { stopReferences } from './load/targets/reference.ts';
import { busyBefore } from './load/usage.ts';
import type { TargetName } from './load/workload.ts';
import { readOrigin } from './origin.ts';
import { stopAll, stopAllOnSignals } from './processes.ts';
import { reportPage } from './report/page.ts';
import { RESULTS_FOLDER, resultFile } from './results.ts';

const ROOT = join(import.meta.dirname, '..');
const HELP = `node --import tsx bench/run.ts [options]

  --only a,b           workloads: ${ALL.map((workload) => workload.name).join(', ')}
  --targets a,b        of tablegate, reference, naive, bare, engine
  --preset NAME        quick: five workloads in a minute or two; full: all of them, five rounds;
                       peers: beside the reference, Datasette and ROAPI (from PyPI)
  --target URL         put the load on a gateway that runs already (it must serve the bench's tables; see
                       bench/README.md), instead of starting Tablegate; given twice: two gateways side by side
  --statement SQL      with --target: a statement of your own; {int:1:3000} is a random whole number, {new} one
                       that was never used; given again: several, each as often as --weights says
  --weights a,b        with several: how often each is asked (1,1,...)
  --log FILE           with --target: the requests of an access log (nginx, Apache), in their order, over and over
  --connections a,b    with --statement or --log: closed loops of so many connections (1,16,64)
  --api-key KEY        sent as Api-Key; better in the variable BENCH_API_KEY, which no list of processes shows
  --rounds N           rounds (3)
  --seconds N          seconds of a measurement (2)
  --warm N             seconds before it, on the same load (1)
  --extras WHEN        the variants that only charts need: none, first (round), all (first)
  --flights N          rows of the large table (3000000)
  --seed N             makes the same statements again
  --root DIR           folder whose dist/ is measured (this project's)
  --quick              one short round without the charts' variants: a figure in about a minute
  --smoke              seconds instead of minutes: tiny data, one round; shows that it works, not how fast it is
`;

/** A word that makes no sense ends the bench before anything starts. */
function refuse(message: string): never {
  process.stderr.write(`${message}; --help lists the options\n`);
  process.exit(1);
}

function readArguments<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    return refuse((error as Error).message.split('. ')[0] ?? '');
  }
}

const { values } = readArguments({
  options: {
    only: { type: 'string' },
    targets: { type: 'string' },
    preset: { type: 'string' },
    target: { type: 'string', multiple: true, default: [] },
    statement: { type: 'string', multiple: true, default: [] },
    weights: { type: 'string' },
    log: { type: 'string' },
    'api-key': { type: 'string' },
    connections: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    warm: { type: 'string' },
    extras: { type: 'string' },
    flights: { type: 'string' },
    seed: { type: 'string' },
    root: { type: 'string', default: ROOT },
    quick: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
} as const);

const list = (text: string | undefined): string[] | undefined =>
  text?.split(',').filter((word) => word !== '');
const { smoke, quick } = values;

type Numbered = 'rounds' | 'seconds' | 'warm' | 'flights' | 'seed';

function number(name: Numbered, usual: number, least: number): number {
  const text = values[name];
  const value = Number(text);
  const isWhole = name === 'seconds' || name === 'warm' || Number.isSafeInteger(value);
  if (text === undefined) return usual;
  if (text.trim() !== '' && Number.isFinite(value) && value >= least && isWhole) return value;
  throw new Error(`--${name} must be a number from ${least}, not ${JSON.stringify(text)}`);
}

function connectionsOf(text: string | undefined): number[] | undefined {
  const counts = list(text)?.map(Number);
  if (
    counts?.every((count) => Number.isInteger(count) && count >= 1 && count <= 4096) !== false &&
    counts?.length !== 0
  )
    return counts;
  throw new Error(
    `--connections must be whole numbers from 1 to 4096, such as 1,16,64, not ${JSON.stringify(text)}`,
  );
}

function oneOf<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  throw new Error(`--${name} must be one of ${choices.join(', ')}, not ${JSON.stringify(text)}`);
}
const EXTRAS = ['none', 'first', 'all'] as const;
const TARGETS: readonly TargetName[] = [
  ...(['tablegate', 'reference', 'naive', 'bare', 'engine'] as const),
  // Of studies.
  ...(['sqlite', 'datasette', 'roapi', 'trino'] as const),
];

interface Preset {
  readonly only?: readonly string[];
  readonly rounds: number;
  /** Loads of a second with few connections. */
  readonly short: boolean;
}
const PRESETS: Readonly<Record<string, Preset>> = {
  usual: { rounds: 3, short: false },
  quick: { only: ['hot', 'lookup', 'page', 'aggregate', 'join-lookup'], rounds: 1, short: true },
  full: { rounds: 5, short: false },
  peers: { only: ['peers'], rounds: 3, short: false },
};

function presetOf(name = 'usual'): Preset {
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (preset === undefined)
    throw new Error(`--preset must be quick, full or peers, not ${JSON.stringify(name)}`);
  return preset;
}

/** What the command line says is to be asked; undefined where it is the bench's own workloads. */
function ownAsks(gateways: 1 | 2): Own | undefined {
  const { statement, weights, log } = values;
  if (log !== undefined) {
    if (statement.length > 0) throw new Error('give --statement or --log, not both');
    if (!existsSync(log)) throw new Error(`--log: there is no file ${log}`);
    const { paths, left } = readAccessLog(log);
    process.stderr.write(`${log}: ${paths.length} requests are replayed, ${left} lines are not\n`);
    return { statements: [], paths, gateways };
  }
  if (statement.length === 0) return undefined;
  const shares = (list(weights) ?? statement.map(() => '1')).map(Number);
  if (shares.length !== statement.length || !shares.every((share) => share > 0 && Number.isFinite(share)))
    throw new Error(`--weights must be ${statement.length} numbers above 0, one for each --statement`);
  return { statements: statement.map((text, i) => ({ text, weight: shares[i] ?? 1 })), gateways };
}

async function main(): Promise<void> {
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const [url, url2, ...more] = values.target;
  if (more.length > 0) throw new Error('--target can be given twice, not more often');
  const preset = presetOf(values.preset);
  if (values['api-key'] !== undefined) process.env[KEY_VARIABLE] = values['api-key'];
  keyHeaders();
  const own = ownAsks(url2 === undefined ? 1 : 2);
  if (own !== undefined && url === undefined) throw new Error('--statement and --log need --target URL');
  const file = resultFile(smoke ? 'smoke' : 'load', new Date());
  const workloads =
    own === undefined
      ? ((list(values.only) ?? preset.only)?.map(measuredNamed) ?? ALL)
      : [customWorkload(own, connectionsOf(values.connections))];
  const targets = list(values.targets)?.map((name) => oneOf('targets', name, TARGETS));
  const extras = values.extras === undefined ? undefined : oneOf('extras', values.extras, EXTRAS);
  for (const given of values.target) baseOf(given);
  const short = smoke || quick || preset.short;
  const numbers = {
    flights: number('flights', smoke ? 20_000 : 3_000_000, 1_000),
    seed: number('seed', Date.now() % 1_000_000_000, 0),
    rounds: number('rounds', smoke || quick ? 1 : preset.rounds, 1),
    warmMs: number('warm', smoke ? 0 : 1, 0) * 1000,
    measureMs: number('seconds', smoke || preset.short ? 1 : 2, 0.1) * 1000,
  };
  const busy = busyBefore();
  if (busy !== undefined) process.stderr.write(`${busy}\n`);
  const lines = await runBench({
    root: values.root,
    origin: readOrigin(values.root),
    workloads,
    ...(targets === undefined ? {} : { targets }),
    ...(url === undefined ? {} : { url }),
    ...(url2 === undefined ? {} : { url2 }),
    ...(own === undefined ? {} : { template: own }),
    ...(busy === undefined ? {} : { busyBefore: busy }),
    ...numbers,
    extras: extras ?? (short ? 'none' : 'first'),
    patient: !smoke && !preset.short,
    file,
    say: (text) => process.stderr.write(`${text}\n`),
    onLine: (line) => process.stderr.write(`${progressLine(line)}\n`),
  });
  process.stdout.write(`\n${rateTable(lines)}\n`);
  const addresses = addressText(lines);
  if (addresses !== '') process.stdout.write(`\n${addresses}\n`);
  const judged = verdicts(workloads, lines);
  if (smoke) process.stdout.write('\nA smoke run: it shows that the bench works; its times mean nothing.\n');
  else if (judged.length > 0) process.stdout.write(`\n${goalTable(judged)}\n`);
  if (busy !== undefined) process.stdout.write(`\n${busy}\n`);
  const page = join(RESULTS_FOLDER, 'report.html');
  if (!smoke) writeFileSync(page, reportPage(lines, []));
  process.stdout.write(
    `\n${lines.length} runs, every answer checked; ${file}${smoke ? '' : `, drawn in ${page}`}\n`,
  );
}

stopAllOnSignals(stopReferences);
main()
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  })
  .finally(async () => {
    await stopReferences();
    await stopAll();
  });
