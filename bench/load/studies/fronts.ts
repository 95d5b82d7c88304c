// Answers a second with one front and with several: on the machine as it is, and with each front held to a share of a
// core, which shows what a machine of more cores would gain where fronts are what is full, and nothing of the rest.
import { readFileSync } from 'node:fs';
import { family } from '../../processes.ts';
import { type Goal, rateOfOwn } from '../goals.ts';
import { createQuotas, type Quotas } from '../quota.ts';
import { startTablegate } from '../targets/tablegate.ts';
import type { Workload } from '../workload.ts';
import { hot } from '../workloads/hot.ts';
import { lookup } from '../workloads/lookup.ts';
import { around, rateLine, type Study, type StudyContext } from './study.ts';

const CONNECTIONS = 64;
const FEW_CONNECTIONS = 16;
/** Four of them and a generator fit on two cores. */
const SHARE = 0.2;
const WORKLOADS: readonly Workload[] = [hot, lookup];

interface Case {
  readonly fronts: number;
  readonly isHeld: boolean;
}
const CASES: readonly Case[] = [
  { fronts: 1, isHeld: false },
  { fronts: 2, isHeld: false },
  ...[1, 2, 4].map((fronts) => ({ fronts, isHeld: true })),
];
const variantOf = ({ name }: Workload, { fronts, isHeld }: Case): string =>
  `${name}, ${fronts} ${fronts === 1 ? 'front' : 'fronts'}${isHeld ? ` of ${SHARE} cores` : ''}`;

const goal = (share: number, workload: Workload, fronts: number, isHeld: boolean): Goal => {
  const [one, several] = [1, fronts].map((count) => variantOf(workload, { fronts: count, isHeld }));
  return rateOfOwn(share, one ?? '', several ?? '', `${several}: rate >= ${share} x one front's`);
};

/** The one process that answers, or all fronts. */
function frontsOf(pid: number): readonly number[] {
  const fronts = family(pid).filter((each) => {
    try {
      return readFileSync(`/proc/${each}/cmdline`, 'latin1').includes('/fronts/main.');
    } catch {
      return false;
    }
  });
  return fronts.length === 0 ? [pid] : fronts;
}

async function measure(
  context: StudyContext,
  workload: Workload,
  one: Case,
  round: number,
  index: number,
  quotas: Quotas | undefined,
): Promise<void> {
  const { dataset, seed, patient } = context;
  const target = await startTablegate({
    root: context.root,
    database: dataset.database,
    settings: ['--fronts', String(one.fronts), '--scan-warm', 'off', '--log-level', 'warn'],
  });
  try {
    const [pid = 0] = target.pids;
    if (one.isHeld) quotas?.hold(frontsOf(pid), SHARE);
    const connections = patient ? CONNECTIONS : FEW_CONNECTIONS;
    const surroundings = around();
    const { measured } = await context.generator.run({
      workload: workload.name,
      base: target.base,
      dataset,
      load: { mode: 'closed', connections },
      slice: { seed, index, of: context.rounds * CASES.length * WORKLOADS.length },
      warmMs: patient ? 2_000 : 0,
      measureMs: patient ? Math.max(4_000, context.measureMs) : context.measureMs,
      keep: 0,
      constant: workload.constant ?? false,
      repeats: workload.constant ?? false,
      looks: true,
      pids: [pid],
    });
    const at = { variant: variantOf(workload, one), round, surroundings: surroundings() };
    context.emit(rateLine(fronts.name, seed, at, connections, measured));
  } finally {
    await target.stop();
  }
}

export const fronts: Study = {
  name: 'fronts',
  title: 'one front and several',
  about: `Kept answers and new lookups on ${CONNECTIONS} connections, with --fronts 1, 2 and 4.`,
  goals: WORKLOADS.flatMap((workload) => [
    goal(0.95, workload, 2, false),
    ...(workload === hot ? [goal(3.5, workload, 4, true)] : []),
  ]),
  async run(context) {
    const quotas = createQuotas();
    if (quotas === undefined)
      context.say(
        'fronts: no control groups here (root is needed): without the cases of fronts that are held',
      );
    let index = 0;
    // What only shows that it works starts few gateways.
    const cases = context.patient ? CASES : CASES.filter(({ fronts }) => fronts === 2);
    try {
      for (let round = 1; round <= context.rounds; round++)
        for (const workload of context.patient ? WORKLOADS : [hot])
          for (const one of round % 2 === 1 ? cases : cases.toReversed())
            if (!one.isHeld || quotas !== undefined)
              await measure(context, workload, one, round, index++, quotas);
    } finally {
      quotas?.close();
    }
  },
};
