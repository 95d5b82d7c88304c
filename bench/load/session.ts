// One workload from start to end: its targets up, their answers checked, every round measured in turn with the
// order of the targets flipped, its targets down. Prints nothing and writes no file: lines go to a callback.
import { setTimeout as wait } from 'node:timers/promises';
import type { LoadLine } from '../results.ts';
import { createLatencyRecorder } from '../statistics.ts';
import type { Own } from './custom.ts';
import type { Dataset } from './dataset.ts';
import type { Generator } from './generator-process.ts';
import { keyHeaders } from './http-client.ts';
import type { LoadJob, Measured } from './job.ts';
import { watchMemory } from './memory.ts';
import type { EngineTarget } from './targets/engine.ts';
import { startNull } from './targets/null.ts';
import type { StartContext, Target } from './targets/target.ts';
import type { Truth } from './truth.ts';
import { watchSurroundings } from './usage.ts';
import type { Kept } from './verify.ts';
import {
  FIRST_CONTACT,
  type Load,
  type Slice,
  type TargetName,
  type Variant,
  type Workload,
} from './workload.ts';

/** Slices beyond the rounds': for first contact, loads beside others, and the check before the load. */
const OTHER_SLICES = 3;
const BESIDE_HEAD_START_MS = 300;
const MB = 1024 * 1024;

export interface SessionOptions {
  readonly dataset: Dataset;
  readonly seed: number;
  readonly rounds: number;
  readonly warmMs: number;
  readonly measureMs: number;
  /** The variants marked extra: never, in the first round, or in all. */
  readonly extras: 'none' | 'first' | 'all';
  /** As long as the variants' minSeconds say and with all their connections; quick runs are not. */
  readonly patient: boolean;
  readonly template?: string | Own;
}

export interface SessionTools {
  readonly start: (name: TargetName, context: StartContext) => Promise<Target | undefined>;
  readonly generators: readonly [Generator, Generator];
  /** Undefined where the gateway serves other data than the bench's. */
  readonly truth: Truth | undefined;
  readonly onLine: (line: Omit<LoadLine, 'run' | 'date' | 'commit' | 'dirty' | 'node' | 'machine'>) => void;
}

type Line = Parameters<SessionTools['onLine']>[0];

export async function runSession(
  workload: Workload,
  wanted: readonly TargetName[],
  options: SessionOptions,
  tools: SessionTools,
): Promise<void> {
  const { dataset, seed } = options;
  const targets: Target[] = [];
  try {
    for (const name of wanted) {
      const target = await tools.start(name, { dataset, workload, seed, running: targets });
      if (target !== undefined) targets.push(target);
    }
    const variants = differing(workload.variants(dataset), options);
    const slices = variants.length * options.rounds + OTHER_SLICES;
    const slice = (index: number): Slice => ({ seed, index, of: slices });
    await firstContact(workload, variants, targets, options, tools, slice(slices - 3));
    for (const target of targets) await checkFirst(target, workload, options, tools, slice(slices - 1));
    const collapsed = new Set<TargetName>();
    const lines: Line[] = [];
    const ceilings = await findCeilings(workload, variants, targets, options, tools, slice(slices - 1));
    for (let round = 1; round <= options.rounds; round++) {
      collapsed.clear();
      const order = round % 2 === 1 ? targets : targets.toReversed();
      for (const [index, variant] of variants.entries()) {
        if (
          variant.extra === true &&
          (options.extras === 'none' || (options.extras === 'first' && round > 1))
        )
          continue;
        for (const target of order) {
          if (variant.targets !== undefined && !variant.targets.includes(nameOf(target, variant))) continue;
          if (collapsed.has(target.name)) continue;
          const load = withRate(options.patient ? variant.load : modest(variant.load), lines, round);
          if (load === undefined) continue;
          const base: Base = {
            workload,
            variant,
            load,
            target,
            round,
            slice: slice((round - 1) * variants.length + index),
          };
          const line =
            target.name === 'engine'
              ? await runEngine(target as EngineTarget, base, options)
              : await runLoad(base, options, tools, slice(slices - 2));
          const ceiling = line.mode === 'closed' ? ceilings.get(line.connections) : undefined;
          lines.push(line);
          tools.onLine(ceiling === undefined ? line : { ...line, ceiling });
          if (workload.untilCollapse === true && hasCollapsed(line)) collapsed.add(target.name);
        }
      }
    }
  } finally {
    for (const target of targets) await target.stop();
  }
}

/** A quick run has few connections: what differed in their number alone is one variant. */
function differing(variants: readonly Variant[], options: SessionOptions): readonly Variant[] {
  if (options.patient) return variants;
  const seen = new Set<string>();
  return variants.filter((variant) => {
    const { name: _, ...rest } = variant;
    const key = JSON.stringify({ ...rest, load: modest(variant.load) });
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}

/**
 * The first load of the workload on targets that were just started and asked nothing: no warm-up, no check before.
 * The check comes after it; a wrong answer ends the bench then.
 */
async function firstContact(
  workload: Workload,
  variants: readonly Variant[],
  targets: readonly Target[],
  options: SessionOptions,
  tools: SessionTools,
  slice: Slice,
): Promise<void> {
  const model = variants.find(({ load }) => load.mode === 'closed');
  if (model === undefined || workload.constant === true || options.template !== undefined) return;
  const load = options.patient ? model.load : modest(model.load);
  for (const target of targets) {
    if (target.name === 'engine' || target.name === 'bare' || target.name === 'naive') continue;
    if (model.targets !== undefined && !model.targets.includes(nameOf(target, model))) continue;
    const variant: Variant = { ...model, name: FIRST_CONTACT };
    const base: Base = { workload, variant, load, target, round: 1, slice };
    const ms = workload.large === true ? 0 : options.measureMs;
    tools.onLine(await runLoad(base, { ...options, warmMs: 0, measureMs: ms }, tools, slice));
  }
}

/** What the generator gets from a server that does nothing, by connections, with answers of the workload's size. */
async function findCeilings(
  workload: Workload,
  variants: readonly Variant[],
  targets: readonly Target[],
  options: SessionOptions,
  tools: SessionTools,
  slice: Slice,
): Promise<ReadonlyMap<number, number>> {
  const ceilings = new Map<number, number>();
  const model = targets.find(({ base }) => base !== '');
  if (workload.large === true || model === undefined) return ceilings;
  const answer = await fetch(model.base + workload.asks(options.dataset, slice)().path, {
    headers: keyHeaders(),
  });
  const server = await startNull(new Uint8Array(await answer.arrayBuffer()));
  try {
    for (const variant of variants) {
      if (variant.extra === true && options.extras === 'none') continue;
      const load = options.patient ? variant.load : modest(variant.load);
      if (load.mode !== 'closed' || ceilings.has(load.connections)) continue;
      const { measured } = await tools.generators[0].run({
        ...jobOf({ workload, variant, load, target: model, round: 1, slice }, options),
        base: server.base,
        pids: [],
        warmMs: 0,
        measureMs: 1_000,
        looks: false,
        repeats: true,
      });
      ceilings.set(load.connections, Math.round(measured.requestsPerSecond));
    }
  } finally {
    await server.stop();
  }
  return ceilings;
}

function jobOf(base: Base, options: SessionOptions): LoadJob {
  const { workload, variant, target } = base;
  return {
    workload: workload.name,
    ...(options.template === undefined ? {} : { template: options.template }),
    base: target.base,
    dataset: options.dataset,
    load: base.load,
    slice: base.slice,
    warmMs: options.warmMs,
    measureMs: measureMs(variant, options),
    keep: workload.checks ?? 8,
    constant: workload.constant ?? false,
    repeats: workload.repeats ?? workload.constant ?? false,
    pids: target.pids,
    looks: true,
  };
}

/** Variants name Tablegate; a gateway given by its address stands in its place. */
const nameOf = (target: Target, variant: Variant): TargetName =>
  (target.name === 'url' || target.name === 'url2') && variant.targets?.includes('tablegate')
    ? 'tablegate'
    : target.name;

/** Under nine tenths of the intended rate. */
const hasCollapsed = (line: Line): boolean =>
  line.rate !== undefined && line.requestsPerSecond < 0.9 * line.rate;

interface Base {
  readonly workload: Workload;
  readonly variant: Variant;
  readonly load: Load;
  readonly target: Target;
  readonly round: number;
  readonly slice: Slice;
}

/** For runs that only show that all works: a busy machine must not turn them into overload. */
const MODEST_CONNECTIONS = 16;
const MODEST_RATE = 200;
function modest(load: Load): Load {
  if (load.mode === 'read') return load;
  const connections = Math.min(MODEST_CONNECTIONS, load.connections);
  return load.mode === 'open' ? { ...load, connections, rate: MODEST_RATE } : { ...load, connections };
}

/** Turns a rate that is a share of another's into a number; undefined where nothing is known to share. */
function withRate(load: Load, lines: readonly Line[], round: number): Load | undefined {
  if (load.mode !== 'open' || typeof load.rate === 'number') return load;
  const { share, of } = load.rate;
  const closed = lines.filter((line) => line.mode === 'closed' && line.round === round);
  const known = closed.find((line) => line.target === of) ?? closed[0];
  if (known === undefined) return undefined;
  return { ...load, rate: Math.max(1, Math.round(known.requestsPerSecond * share)) };
}

/** The answers to some questions, compared with the truth, before any load. */
async function checkFirst(
  target: Target,
  workload: Workload,
  options: SessionOptions,
  tools: SessionTools,
  slice: Slice,
): Promise<void> {
  if (target.name === 'engine') return;
  const next = workload.asks(options.dataset, slice);
  const asks = workload.first?.(slice) ?? Array.from({ length: workload.checks ?? 8 }, next);
  for (const one of asks) {
    const answer = await fetch(`${target.base}${one.path}`, { headers: keyHeaders() });
    const body = await answer.text();
    const missing = one.proof.find((proof) => !body.includes(proof));
    const problem =
      answer.status !== 200
        ? statusText(answer.status, body)
        : missing !== undefined
          ? `no ${missing} in ${body.slice(0, 300)}`
          : tools.truth?.compare({ ...one, body });
    if (problem !== undefined) throw new Error(`${target.name}, ${workload.name}: ${problem}`);
  }
}

function statusText(status: number, body: string): string {
  const limited =
    status === 429
      ? ' (it limits the rate of its clients: start it with --rate-limit 0, or give a key that is exempt)'
      : '';
  return `status ${status}: ${body.slice(0, 300)}${limited}`;
}

/** What a gateway says after a load that it did not answer: its clients may be asking too much of it. */
async function afterFailure({ base }: Target, path: string): Promise<string> {
  try {
    const answer = await fetch(base + path, { headers: keyHeaders() });
    const body = await answer.text();
    return answer.status === 200 ? '' : `; now ${statusText(answer.status, body)}`;
  } catch {
    return '';
  }
}

function compareKept(kept: readonly Kept[], base: Base, tools: SessionTools): void {
  for (const answer of kept) {
    const problem = tools.truth?.compare(answer);
    if (problem !== undefined) throw new Error(`${base.target.name}, ${base.workload.name}: ${problem}`);
  }
}

function measureMs(variant: Variant, options: SessionOptions): number {
  return options.patient ? Math.max(options.measureMs, (variant.minSeconds ?? 0) * 1000) : options.measureMs;
}

async function runLoad(
  base: Base,
  options: SessionOptions,
  tools: SessionTools,
  besideSlice: Slice,
): Promise<Line> {
  const { target, variant, workload, slice } = base;
  const [main, second] = tools.generators;
  const memory = watchMemory(target.pids);
  // This process, the generators and the targets descend from it, but for those that were given by their address.
  const surroundings = watchSurroundings([process.pid]);
  const failed = async (error: unknown): Promise<never> => {
    const why = error instanceof Error ? error.message : String(error);
    const [first] = workload.first?.(slice) ?? [];
    const now = first === undefined ? '' : await afterFailure(target, first.path);
    throw new Error(`${target.name}, ${workload.name}, ${variant.name}: ${why}${now}`);
  };
  let besideRun: Promise<unknown> | undefined;
  try {
    if (variant.beside !== undefined) {
      const { workload: name, load } = variant.beside;
      // Ended by finish(), not by its time. Its failure is noticed below.
      besideRun = second.run({
        ...jobOf(base, options),
        workload: name,
        load,
        slice: { ...besideSlice, index: besideSlice.index + slice.index },
        measureMs: 3_600_000,
        keep: 0,
        constant: false,
        lasting: true,
      });
      besideRun.catch(() => {});
      await wait(BESIDE_HEAD_START_MS);
    }
    const { measured, cpu } = await main.run(jobOf(base, options)).catch(failed);
    if (besideRun !== undefined) {
      second.finish();
      await besideRun.catch(failed);
      besideRun = undefined;
    }
    compareKept(measured.kept, base, tools);
    const { samples, grownBytes } = memory.stop();
    return lineOf(base, measured, {
      generatorCpu: Math.round((measured.generatorCpu ?? cpu) * 100) / 100,
      memory: samples,
      surroundings: surroundings(),
      grownMB: target.pids.length === 0 ? undefined : Math.round(grownBytes / MB),
    });
  } finally {
    memory.stop();
    if (besideRun !== undefined) {
      second.finish();
      await besideRun.catch(() => {});
    }
  }
}

function lineOf(
  base: Base,
  measured: Measured,
  more: Pick<Line, 'generatorCpu' | 'memory' | 'surroundings'> & { readonly grownMB: number | undefined },
): Line {
  const { load } = base;
  const { kept: _, measures, service, generatorCpu: __, processorUs, ...numbers } = measured;
  // Of processes that somebody else started, nothing is known.
  const isOwn = base.target.pids.length > 0;
  return {
    suite: 'load',
    seed: base.slice.seed,
    workload: base.workload.name,
    ...(base.workload.name === 'custom' ? { about: base.workload.about } : {}),
    target: base.target.name,
    ...(/^url2?$/.test(base.target.name) ? { address: base.target.base } : {}),
    variant: base.variant.name,
    mode: load.mode,
    connections: load.mode === 'read' ? 1 : load.connections,
    ...(load.mode === 'open' && typeof load.rate === 'number' ? { rate: load.rate } : {}),
    round: base.round,
    ...numbers,
    ...(processorUs === undefined || !isOwn ? {} : { processorUs }),
    ...(service === undefined ? {} : { service }),
    measures: { ...measures, ...(more.grownMB === undefined ? {} : { grownMB: more.grownMB }) },
    generatorCpu: more.generatorCpu,
    memory: isOwn ? more.memory : [],
    ...(more.surroundings === undefined ? {} : { surroundings: more.surroundings }),
  };
}

/** The engine alone answers no HTTP: it gets the statements in batches and says how long each took. */
async function runEngine(engine: EngineTarget, base: Base, options: SessionOptions): Promise<Line> {
  const next = base.workload.asks(options.dataset, base.slice);
  const how = base.workload.engine ?? 'rows';
  const batch = (): string[] => Array.from({ length: 3 }, () => next().statement);
  await engine.run({ statements: batch(), how });
  const memory = watchMemory(engine.pids);
  const latency = createLatencyRecorder();
  let spent = 0;
  let count = 0;
  while (spent < options.measureMs) {
    const { milliseconds } = await engine.run({ statements: batch(), how });
    for (const each of milliseconds) {
      latency.record(each);
      spent += each;
      count++;
    }
  }
  return lineOf(
    { ...base, load: { mode: 'closed', connections: 1 } },
    {
      seconds: spent / 1000,
      requests: count,
      refused: 0,
      requestsPerSecond: (count * 1000) / spent,
      bytesPerSecond: 0,
      latency: latency.read(),
      measures: {},
      kept: [],
    },
    { generatorCpu: 0, memory: memory.stop().samples, grownMB: undefined },
  );
}
