// The whole load bench: data, generators, every wanted workload, a result file. Used by the command line, by the
// comparison of commits and by the tests.
import type { Origin } from '../origin.ts';
import { appendLine, type LoadLine } from '../results.ts';
import { type Dataset, prepareDataset } from './dataset.ts';
import { type Generator, startGenerator } from './generator-process.ts';
import { runSession, type SessionOptions } from './session.ts';
import type { Study, StudyContext, StudyLine } from './studies/study.ts';
import { isStudy } from './studies.ts';
import { startBare } from './targets/bare.ts';
import { startEngine } from './targets/engine.ts';
import { startNaive } from './targets/naive.ts';
import { hasReference, startReferenceTarget } from './targets/reference.ts';
import { isBuilt, startTablegate } from './targets/tablegate.ts';
import { isHealthy, type StartContext, type Target } from './targets/target.ts';
import { openTruth } from './truth.ts';
import type { TargetName, Workload } from './workload.ts';

export interface BenchOptions extends Omit<SessionOptions, 'dataset'> {
  readonly root: string;
  readonly origin: Origin;
  readonly workloads: readonly (Workload | Study)[];
  /** Only these of each workload's targets. */
  readonly targets?: readonly TargetName[];
  /** Instead of Tablegate, a gateway that runs already. */
  readonly url?: string;
  /** Another one, measured beside it in turn. */
  readonly url2?: string;
  readonly flights: number;
  /** What others did on the machine before the start, where it was too much. */
  readonly busyBefore?: string;
  /** Result file; none: lines are only returned. */
  readonly file?: string;
  readonly say: (text: string) => void;
  readonly onLine?: (line: LoadLine) => void;
}

/** `http://host:port` stands for `http://host:port/api/v1`. */
export function baseOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:')
    throw new Error(`--target must be an address such as http://127.0.0.1:8080, not ${JSON.stringify(url)}`);
  return parsed.origin + (parsed.pathname === '/' ? '/api/v1' : parsed.pathname.replace(/\/+$/, ''));
}

async function startTarget(
  name: TargetName,
  context: StartContext,
  options: BenchOptions,
): Promise<Target | undefined> {
  const { dataset } = context;
  switch (name) {
    case 'tablegate':
      if (isBuilt(options.root))
        return startTablegate({
          root: options.root,
          database: dataset.database,
          name,
        });
      options.say(`SKIPPED ${name}: it is not built (make build)`);
      return undefined;
    case 'reference':
      if (hasReference()) return startReferenceTarget(dataset.database);
      options.say(`SKIPPED reference: there is none for ${process.platform}-${process.arch}`);
      return undefined;
    case 'naive':
      return startNaive(dataset);
    case 'sqlite':
    case 'datasette':
    case 'roapi':
    case 'trino':
      // Only studies start it.
      return undefined;
    case 'bare':
      return startBare(context);
    case 'engine':
      return startEngine(dataset);
    case 'url':
    case 'url2': {
      const base = baseOf((name === 'url' ? options.url : options.url2) ?? '');
      if (!(await isHealthy(base)))
        throw new Error(`${base}/health does not answer 200: is a gateway there?`);
      return { name, base, pids: [], stop: async () => {} };
    }
  }
}

/** The workload's targets as far as they are wanted; a gateway given by its address takes Tablegate's place. */
function targetsOf(workload: Workload, options: BenchOptions): TargetName[] {
  const given: readonly TargetName[] = options.url2 === undefined ? ['url'] : ['url', 'url2'];
  const names = workload.targets.flatMap((name) =>
    name === 'tablegate' && options.url !== undefined ? given : [name],
  );
  if (options.targets === undefined) return options.url === undefined ? names : [...given];
  return names.filter((name) => given.includes(name) || options.targets?.includes(name));
}

function studyContext(
  options: BenchOptions,
  dataset: Dataset,
  generator: Generator,
  emit: (line: StudyLine) => void,
): StudyContext {
  const { root, seed, rounds, measureMs, patient, say, targets } = options;
  return {
    ...{ root, seed, rounds, measureMs, patient, say, dataset, generator, emit },
    wants: (target) => targets?.includes(target) ?? true,
  };
}

export async function runBench(options: BenchOptions): Promise<LoadLine[]> {
  options.say(`seed ${options.seed}`);
  const dataset = await prepareDataset(options.flights);
  // The user's own statement may ask for tables that only the user has.
  const truth = options.template === undefined ? openTruth(dataset.database) : undefined;
  const generators = [await startGenerator(), await startGenerator()] as const;
  const lines: LoadLine[] = [];
  const said = new Set<string>();
  const sayOnce = (text: string): void => {
    if (!said.has(text)) options.say(text);
    said.add(text);
  };
  const run = new Date().toISOString();
  const onLine = (measured: StudyLine): void => {
    const { busyBefore } = options;
    const line: LoadLine = {
      ...options.origin,
      run,
      date: new Date().toISOString(),
      ...(busyBefore === undefined ? {} : { busyBefore }),
      ...measured,
    };
    lines.push(line);
    if (options.file !== undefined) appendLine(options.file, line);
    options.onLine?.(line);
  };
  try {
    for (const workload of options.workloads) {
      if (isStudy(workload)) {
        if (options.url !== undefined) sayOnce(`SKIPPED ${workload.name}: it starts its own gateway`);
        else if (isBuilt(options.root))
          await workload.run(studyContext(options, dataset, generators[0], onLine));
        else sayOnce('SKIPPED tablegate: it is not built (make build)');
        continue;
      }
      const targets = targetsOf(workload, options);
      if (targets.length === 0) continue;
      await runSession(
        workload,
        targets,
        { ...options, dataset },
        {
          generators,
          truth,
          start: (name, context) => startTarget(name, context, { ...options, say: sayOnce }),
          onLine,
        },
      );
    }
  } finally {
    truth?.close();
    for (const generator of generators) await generator.stop();
  }
  return lines;
}
