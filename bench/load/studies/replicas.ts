// Answers a second with one gateway and with several behind the shipped nginx, each held to a share of a core with all its
// processes; the proxy and the generator are not. It shows what machines add where gateways are what is full.
import { NGINX, startReplicaProxy } from '../../../test/support/nginx.ts';
import { family } from '../../processes.ts';
import { type Goal, rateOfOwn } from '../goals.ts';
import type { Measured } from '../job.ts';
import { createQuotas, type Quotas } from '../quota.ts';
import { startTablegate } from '../targets/tablegate.ts';
import type { Target } from '../targets/target.ts';
import { lookup } from '../workloads/lookup.ts';
import { around, rateLine, type Study, type StudyContext } from './study.ts';

/** Of each replica: enough that those which wait for one that is away leave enough for the others. */
const CONNECTIONS = 60;
const FEW_CONNECTIONS = 4;
/** Four of them, the proxy and the generator fit on two cores. */
const SHARE = 0.15;
/** Long enough that what the system does at its ends is little of it. */
const PERIOD_US = 50_000;
/** Of each replica, before it is held. */
const WARM_MS = 3_000;
/** As a gateway sizes itself that finds its quota at its start. */
const ONE_CORE = ['--fronts', '1', '--row-lanes', '1', '--spare-lanes', '0'];
const COUNTS = [1, 2, 3, 4];

const variantOf = (count: number): string =>
  `${count} ${count === 1 ? 'replica' : 'replicas'} of ${SHARE} cores`;
const goalOf = (count: number, factor: number): Goal =>
  rateOfOwn(factor, variantOf(1), variantOf(count), `${variantOf(count)}: rate >= ${factor} x one's`);

async function measure(
  context: StudyContext,
  count: number,
  round: number,
  index: number,
  quotas: Quotas,
): Promise<void> {
  const { dataset, seed, patient, root, rounds } = context;
  const targets: Target[] = [];
  let proxy: Awaited<ReturnType<typeof startReplicaProxy>> | undefined;
  try {
    for (let i = 0; i < count; i++)
      targets.push(
        await startTablegate({
          root,
          database: dataset.database,
          settings: [...ONE_CORE, '--scan-warm', 'off', '--log-level', 'warn'],
        }),
      );
    const connections = count * (patient ? CONNECTIONS : FEW_CONNECTIONS);
    proxy = await startReplicaProxy({
      gateways: targets.map(({ base }) => new URL(base).host),
      // And one for the client that looks at answers.
      connections: connections + 1,
    });
    const { origin } = proxy;
    const load = (part: number, measureMs: number): Promise<{ readonly measured: Measured }> =>
      context.generator.run({
        workload: lookup.name,
        base: `${origin}/api/v1`,
        dataset,
        load: { mode: 'closed', connections },
        slice: { seed, index: 2 * index + part, of: 2 * rounds * COUNTS.length },
        warmMs: 0,
        measureMs,
        keep: 0,
        constant: false,
        repeats: false,
        looks: true,
        pids: targets.flatMap(({ pids }) => pids),
      });
    // What is compiled once a process would take a replica several times as long then.
    await load(0, patient ? WARM_MS * count : 200);
    for (const { pids } of targets) quotas.holdTogether(pids.flatMap(family), SHARE, PERIOD_US);
    const surroundings = around();
    const { measured } = await load(1, patient ? Math.max(10_000, context.measureMs) : context.measureMs);
    const at = { variant: variantOf(count), round, surroundings: surroundings() };
    context.emit(rateLine(replicas.name, seed, at, connections, measured));
  } finally {
    await proxy?.stop();
    await Promise.all(targets.map((each) => each.stop()));
  }
}

export const replicas: Study = {
  name: 'replicas',
  title: 'one gateway and several behind nginx',
  about: `Lookups that were never seen, on ${CONNECTIONS} connections a replica, at 1 to 4 replicas of ${SHARE} cores each.`,
  goals: [goalOf(2, 1.8), goalOf(4, 3.5)],
  async run(context) {
    const quotas = NGINX === undefined ? undefined : createQuotas();
    if (quotas === undefined) {
      const why = NGINX === undefined ? 'no nginx' : 'no control groups here (root is needed)';
      context.say(`SKIPPED replicas: ${why}`);
      return;
    }
    let index = 0;
    try {
      for (let round = 1; round <= context.rounds; round++)
        for (const count of round % 2 === 1 ? COUNTS : COUNTS.toReversed())
          await measure(context, count, round, index++, quotas);
    } finally {
      quotas.close();
    }
  },
};
