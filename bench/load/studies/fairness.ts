// What others feel of clients that keep lanes busy: short statements of new shapes, one after the other, while so many
// addresses each have two connections with statements that end at their time limit and not before.
import { Agent, get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { latencyAtMost } from '../goals.ts';
import { startTablegate } from '../targets/tablegate.ts';
import { queryPath } from '../workload.ts';
import { around, askOnce, type Study, type StudyContext, timedLine } from './study.ts';

const ADDRESSES = [0, 1, 2, 10, 50] as const;
const CONNECTIONS = 2;
const PAUSE_MS = 40;
/** Until the lanes have seen what kind of clients they have. */
const SETTLE_MS = 8_000;
const HEAVY_MS = 10_000;

type Lane = 'scan' | 'long';
const LANES: readonly Lane[] = ['scan', 'long'];
const variantOf = (lane: Lane, addresses: number): string =>
  addresses === 0 ? `${lane}, quiet` : `${lane}, beside ${addresses}`;

interface Texts {
  readonly short: (name: string) => string;
  readonly heavy: (n: number) => string;
}
function textsOf({ dataset: { flights, rigs } }: StudyContext): Readonly<Record<Lane, Texts>> {
  return {
    scan: {
      short: (name) => `select count(*) as ${name} from ${flights.name} where delay > 30`,
      heavy: (n) =>
        `select count(*) from ${flights.name} a, ${flights.name} b where a.delay + b.delay + a.distance * b.distance = -${n}`,
    },
    long: {
      short: (name) =>
        `with recursive c(x) as (select 1 union all select x + 1 from c where x < 3000) select max(x) as ${name} from c, ${rigs.name} where id = 1`,
      heavy: (n) =>
        `with recursive c(x) as (select ${n} union all select x + 1 from c) select max(x) as n${n} from c`,
    },
  };
}

/** Sends heavy statements from addresses of their own, without pause, until it is told to stop. */
function startHeavy(base: string, addresses: number, heavy: (n: number) => string): () => void {
  const target = new URL(base);
  let stopped = false;
  let n = 0;
  const agents = Array.from(
    { length: addresses },
    (_, i) => new Agent({ keepAlive: true, localAddress: `127.0.1.${i + 1}` }),
  );
  const askOn = (agent: Agent): void => {
    if (stopped) return;
    n += 1;
    const path = target.pathname + queryPath(heavy(n));
    const again = (): void => void wait(10).then(() => askOn(agent));
    get({ host: target.hostname, port: target.port, path, agent, timeout: 3 * HEAVY_MS }, (answer) => {
      answer.resume().on('close', again);
    }).on('error', again);
  };
  for (const agent of agents) for (let i = 0; i < CONNECTIONS; i++) askOn(agent);
  return () => {
    stopped = true;
    for (const agent of agents) agent.destroy();
  };
}

export const fairness: Study = {
  name: 'fairness',
  title: "others' new shapes while clients hold the lanes",
  about: `Short statements of new shapes, while addresses hold a lane with ${CONNECTIONS} statements without end each.`,
  goals: LANES.flatMap((lane) =>
    ADDRESSES.slice(1).map((addresses) =>
      latencyAtMost(
        3,
        { target: 'tablegate', variant: variantOf(lane, 0) },
        99,
        variantOf(lane, addresses),
        `${variantOf(lane, addresses)}: p99 <= 3 x the quiet one`,
      ),
    ),
  ),
  async run(context) {
    const { seed, rounds, patient } = context;
    const texts = textsOf(context);
    const measureMs = patient ? Math.max(20_000, context.measureMs) : 500;
    const target = await startTablegate({ root: context.root, database: context.dataset.database });
    let number = seed * 10_000;
    const short = async (lane: Lane): Promise<number> => {
      const { ms } = await askOnce(target.base, queryPath(texts[lane].short(`n${(number++).toString(36)}`)));
      return ms;
    };
    try {
      for (const lane of LANES) for (let i = 0; i < 20; i++) await short(lane);
      for (let round = 1; round <= rounds; round++)
        for (const lane of LANES)
          for (const addresses of ADDRESSES) {
            const stop = startHeavy(target.base, addresses, texts[lane].heavy);
            try {
              if (addresses > 0) await wait(patient ? SETTLE_MS : 100);
              const surroundings = around();
              const milliseconds: number[] = [];
              const until = performance.now() + measureMs;
              while (performance.now() < until) {
                milliseconds.push(await short(lane));
                await wait(PAUSE_MS);
              }
              context.emit(
                timedLine(fairness.name, seed, {
                  variant: variantOf(lane, addresses),
                  target: 'tablegate',
                  round,
                  milliseconds,
                  surroundings: surroundings(),
                }),
              );
            } finally {
              stop();
            }
            // What was left is stopped.
            await wait(patient ? 1_000 : 50);
          }
    } finally {
      await target.stop();
    }
  },
};
