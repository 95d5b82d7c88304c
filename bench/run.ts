// `make bench` and `make bench-smoke`: reads the command line, runs the load bench, prints its tables.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runBench } from './load/bench.ts';
import { customWorkload } from './load/custom.ts';
import { goalTable, progressLine, rateTable, verdicts } from './load/print.ts';
import { ALL, measuredNamed } from './load/studies.ts';
import { stopReferences } from './load/targets/reference.ts';
import type { TargetName } from './load/workload.ts';
import { readOrigin } from './origin.ts';
import { stopAll, stopAllOnSignals } from './processes.ts';
import { resultFile } from './results.ts';

const ROOT = join(import.meta.dirname, '..');
const HELP = `node --import tsx bench/run.ts [options]

  --only a,b           workloads: ${ALL.map((workload) => workload.name).join(', ')}
  --targets a,b        of tablegate, reference, naive, bare, engine
  --target URL         put the load on a gateway that runs already (it must serve the bench's tables; see
                       bench/README.md), instead of starting Tablegate
  --statement SQL      with --target: a statement of your own; {int:1:3000} is a random whole number, {new} one
                       that was never used
  --connections a,b    with --statement: closed loops of so many connections (1,16,64)
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

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    targets: { type: 'string' },
    target: { type: 'string' },
    statement: { type: 'string' },
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
});

const list = (text: string | undefined): string[] | undefined =>
  text?.split(',').filter((word) => word !== '');
const { smoke, quick } = values;
const number = (text: string | undefined, usual: number): number =>
  text === undefined ? usual : Number(text);

async function main(): Promise<void> {
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  if (values.statement !== undefined && values.target === undefined)
    throw new Error('--statement needs --target URL');
  const file = resultFile(smoke ? 'smoke' : 'load', new Date());
  const workloads =
    values.statement === undefined
      ? (list(values.only)?.map(measuredNamed) ?? ALL)
      : [customWorkload(values.statement, list(values.connections)?.map(Number))];
  const targets = list(values.targets) as TargetName[] | undefined;
  const lines = await runBench({
    root: values.root,
    origin: readOrigin(values.root),
    workloads,
    ...(targets === undefined ? {} : { targets }),
    ...(values.target === undefined ? {} : { url: values.target }),
    ...(values.statement === undefined ? {} : { template: values.statement }),
    flights: number(values.flights, smoke ? 20_000 : 3_000_000),
    seed: number(values.seed, Date.now() % 1_000_000_000),
    rounds: number(values.rounds, smoke || quick ? 1 : 3),
    warmMs: number(values.warm, smoke ? 0 : 1) * 1000,
    measureMs: number(values.seconds, smoke ? 1 : 2) * 1000,
    extras: (values.extras as 'none' | 'first' | 'all' | undefined) ?? (smoke || quick ? 'none' : 'first'),
    patient: !smoke,
    file,
    say: (text) => process.stderr.write(`${text}\n`),
    onLine: (line) => process.stderr.write(`${progressLine(line)}\n`),
  });
  process.stdout.write(`\n${rateTable(lines)}\n`);
  const judged = verdicts(workloads, lines);
  if (smoke) process.stdout.write('\nA smoke run: it shows that the bench works; its times mean nothing.\n');
  else if (judged.length > 0) process.stdout.write(`\n${goalTable(judged)}\n`);
  process.stdout.write(`\n${lines.length} runs, every answer checked; ${file}\n`);
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
