// By how much answers pass the time limit while clients fill every lane: scans, rows, long statements and exports, each
// client with an address of its own. Says of the worst what they were and where their time went.
//   node --import tsx bench/overshoot.ts [--deadline 2000] [--clients 8] [--seconds 60] [--flights 3000000]
import { parseArgs } from 'node:util';
import { ATTRIBUTES, FLIGHTS, RIGS } from './data.ts';
import { prepareDataset } from './load/dataset.ts';
import { startTablegate } from './load/targets/tablegate.ts';
import { queryPath } from './load/workload.ts';
import { stopAll, stopAllOnSignals } from './processes.ts';
import { HEAVY } from './soak/attacks.ts';

const { values } = parseArgs({
  options: {
    deadline: { type: 'string', default: '2000' },
    clients: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '60' },
    flights: { type: 'string', default: '3000000' },
    root: { type: 'string', default: new URL('..', import.meta.url).pathname },
  },
});
const deadlineMs = Number(values.deadline);

/** The first answers are slow as everything is: processes start, code is compiled. */
const WARM_UP_MS = 10_000;

type Make = (n: number) => string;
/** A client sends those of one kind, one after the other. */
const KINDS: Readonly<Record<string, readonly Make[]>> = {
  scans: [
    (n) => `select origin, count(*), sum(delay) from ${FLIGHTS} where id > ${n} group by origin`,
    (n) => `select count(distinct date) from ${FLIGHTS} where delay > ${n % 50}`,
    (n) => `select * from ${FLIGHTS} order by destination, date desc, delay + ${n} limit 20`,
  ],
  rows: [
    (n) => `select * from ${FLIGHTS} where id = ${1 + (n % 1_000_000)}`,
    (n) =>
      `select r.name, a.value from ${RIGS} r join ${ATTRIBUTES} a on a.rig_id = r.id where r.id = ${1 + (n % 3_000)}`,
  ],
  long: [
    (n) =>
      `with recursive c(x) as (select 1 union all select x + 1 from c where x < ${1_000_000 + n}) select sum(x) from c`,
    (n) => `select group_concat(name || ${n}) from (select name from ${RIGS} order by name)`,
    (n) => `with recursive c(x) as (select ${n} union all select x + 1 from c) select max(x) from c`,
  ],
  heavy: HEAVY,
};

interface Asked {
  readonly kind: string;
  readonly status: number;
  readonly ms: number;
  readonly timing: string;
  readonly statement: string;
}

async function ask(base: string, kind: string, statement: string, address: string): Promise<Asked> {
  const began = performance.now();
  const answer = await fetch(base + queryPath(statement), { headers: { 'X-Forwarded-For': address } });
  const text = await answer.text();
  const ms = performance.now() - began;
  const said = answer.ok ? '' : ` ${text.slice(0, 120)}`;
  return {
    kind,
    status: answer.status,
    ms,
    timing: (answer.headers.get('server-timing') ?? '') + said,
    statement,
  };
}

stopAllOnSignals();
try {
  const dataset = await prepareDataset(Number(values.flights));
  const target = await startTablegate({
    root: values.root,
    database: dataset.database,
    settings: ['--deadline-ms', values.deadline, '--trust-proxy', '1'],
  });
  const all: Asked[] = [];
  const from = performance.now() + WARM_UP_MS;
  const until = from + Number(values.seconds) * 1000;
  const kinds = Object.entries(KINDS);
  await Promise.all(
    Array.from({ length: Number(values.clients) }, async (_, client) => {
      const [kind, makes] = kinds[client % kinds.length] as (typeof kinds)[number];
      for (let n = client * 1_000; performance.now() < until; n++) {
        const make = makes[n % makes.length] as Make;
        const asked = await ask(target.base, kind, make(n), `10.0.0.${1 + client}`);
        if (performance.now() > from) all.push(asked);
      }
    }),
  );
  const over = all.filter(({ ms }) => ms > deadlineMs).sort((a, b) => b.ms - a.ms);
  process.stdout.write(`${all.length} answers, ${over.length} later than the limit of ${deadlineMs} ms\n`);
  for (const [kind] of kinds) {
    const its = all
      .filter((each) => each.kind === kind)
      .map(({ ms }) => ms)
      .sort((a, b) => a - b);
    const p = (share: number): string => (its[Math.floor(its.length * share)] ?? 0).toFixed(0);
    process.stdout.write(
      `  ${kind.padEnd(6)} ${its.length} answers, median ${p(0.5)}, p99 ${p(0.99)}, worst ${p(0.99999)} ms\n`,
    );
  }
  const late = over.map(
    ({ ms, timing }) => [ms, Number(/total;dur=([\d.]+)/.exec(timing)?.[1] ?? 0)] as const,
  );
  const worst = (at: 0 | 1): string => Math.max(0, ...late.map((each) => each[at] - deadlineMs)).toFixed(0);
  process.stdout.write(
    `worst: ${worst(0)} ms over it for the client, ${worst(1)} ms until the answer was made\n`,
  );
  process.stdout.write('the latest:\n');
  for (const { ms, status, timing, statement } of over.slice(0, 15))
    process.stdout.write(
      `  +${(ms - deadlineMs).toFixed(0)} ms: ${status} ${timing}\n      ${statement.slice(0, 110)}\n`,
    );
  await target.stop();
} finally {
  await stopAll();
}
