// How soon the gateway is itself again: by how much statements that never end pass their time limit, and how long the
// slowest of others' lookups waits when a lane is killed.
//   node --import tsx bench/recovery.ts [--deadline 2000] [--kills 6]
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { FLIGHTS, RIGS } from './data.ts';
import { prepareDataset } from './load/dataset.ts';
import { startTablegate } from './load/targets/tablegate.ts';
import { queryPath } from './load/workload.ts';
import { family, stopAll, stopAllOnSignals } from './processes.ts';
import { median } from './statistics.ts';

const { values } = parseArgs({
  options: {
    deadline: { type: 'string', default: '2000' },
    kills: { type: 'string', default: '6' },
    root: { type: 'string', default: new URL('..', import.meta.url).pathname },
  },
});

/** None ends by itself; `n` makes each another statement. */
const ENDLESS: Readonly<Record<string, (n: number) => string>> = {
  'hash join': (n) => `select count(*) from ${FLIGHTS} a, ${FLIGHTS} b where a.delay + b.delay = ${n}`,
  'nested loops': (n) => `select count(*) from ${FLIGHTS} a, ${FLIGHTS} b where a.id + b.id < ${n}`,
  'join and group': (n) =>
    `select a.origin, b.origin, count(*) from ${FLIGHTS} a join ${FLIGHTS} b on a.distance = b.distance where a.delay > ${n % 7} group by 1, 2`,
  recursion: (n) => `with recursive c(x) as (select ${n} union all select x + 1 from c) select max(x) from c`,
  sort: (n) =>
    `select * from ${FLIGHTS} a, ${RIGS} b order by a.destination, b.name, a.date desc, a.delay + ${n} limit 10`,
  distinct: (n) => `select count(distinct a.date || b.name || ${n}) from ${FLIGHTS} a, ${RIGS} b`,
  like: (n) =>
    `select a.name from ${RIGS} a, ${RIGS} b, ${RIGS} c where a.name like '%' || b.name || '%${n}%' limit 1`,
  glob: (n) => `select count(*) from ${FLIGHTS} a, ${RIGS} b where a.date || b.name glob '*a*b*c*${n}*'`,
  printf: (n) => `select max(printf('%.500f%1000d', a.id * 1.1, b.id + ${n})) from ${FLIGHTS} a, ${RIGS} b`,
  'huge text': (n) => `select length(replace(hex(zeroblob(50000000)), '0', 'ab${n}'))`,
};

interface Asked {
  readonly status: number;
  readonly ms: number;
}
async function ask(base: string, statement: string): Promise<Asked> {
  const began = performance.now();
  const answer = await fetch(base + queryPath(statement));
  await answer.arrayBuffer();
  return { status: answer.status, ms: performance.now() - began };
}

async function overDeadline(base: string, deadlineMs: number): Promise<void> {
  process.stdout.write(`time over the limit of ${deadlineMs} ms:\n`);
  for (const [name, statement] of Object.entries(ENDLESS)) {
    const { status, ms } = await ask(base, statement(Date.now() % 1_000));
    const over = ms < deadlineMs * 0.9 ? 'ended before' : `${Math.max(0, ms - deadlineMs).toFixed(0)} ms`;
    process.stdout.write(`  ${name.padEnd(16)} ${over} (${status})\n`);
  }
}

/** The gateway's children that run the pool. */
function lanesOf(pid: number): number[] {
  return family(pid).filter(
    (each) => each !== pid && readFileSync(`/proc/${each}/cmdline`, 'latin1').includes('pool'),
  );
}

async function killLanes(base: string, pid: number, kills: number): Promise<void> {
  const slowest: number[] = [];
  const statuses = new Map<number, number>();
  let n = 0;
  const lookup = async (): Promise<number> => {
    const { status, ms } = await ask(
      base,
      `select name from ${RIGS} where id = ${1 + (n % 3000)} and minted_at < ${2e12 + n++}`,
    );
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    return ms;
  };
  for (let i = 0; i < 300; i++) await lookup();
  for (let kill = 0; kill < kills; kill++) {
    const lanes = lanesOf(pid);
    process.kill(lanes[kill % 2] ?? lanes[0] ?? 0, 'SIGKILL');
    const until = performance.now() + 2_000;
    let worst = 0;
    while (performance.now() < until) worst = Math.max(worst, await lookup());
    slowest.push(worst);
    await wait(500);
  }
  const counts = [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ');
  process.stdout.write(
    `slowest lookup after a lane was killed: ${slowest.map((ms) => ms.toFixed(0)).join(', ')} ms, median ${median(slowest).toFixed(0)} ms; answers: ${counts}\n`,
  );
}

stopAllOnSignals();
try {
  const dataset = await prepareDataset(3_000_000);
  const target = await startTablegate({
    root: values.root,
    database: dataset.database,
    settings: ['--deadline-ms', values.deadline],
  });
  await overDeadline(target.base, Number(values.deadline));
  await killLanes(target.base, target.pids[0] ?? 0, Number(values.kills));
  await target.stop();
} finally {
  await stopAll();
}
