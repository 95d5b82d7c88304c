// Tablegate beside what else serves tables over HTTP: the reference, Datasette and ROAPI, over the same tables. Each answers
// in its own form, so rows are compared before the load.
import { permutation } from '../../random.ts';
import type { Dataset } from '../dataset.ts';
import { type Peer, startDatasette, startRoapi } from '../targets/python-peers.ts';
import { hasReference, startReferenceTarget } from '../targets/reference.ts';
import { startTablegate } from '../targets/tablegate.ts';
import { readUsage, usedBetween } from '../usage.ts';
import { queryPath } from '../workload.ts';
import { hasWrk, measuredOf, NO_WRK, runWrk } from '../wrk.ts';
import { around, type Study, type StudyContext } from './study.ts';

interface Task {
  readonly variant: string;
  readonly connections: number;
  /** A second of it at most: how many statements are made. */
  readonly most: number;
  readonly statement: (dataset: Dataset, index: number) => string;
}

const TASKS: readonly Task[] = [
  {
    variant: 'lookup by key, closed 16',
    connections: 16,
    most: 20_000,
    statement: ({ flights }, index) =>
      `select id, date, delay, distance, origin, destination from ${flights.name} where id = ${index + 1}`,
  },
  {
    variant: 'grouped aggregate, closed 2',
    connections: 2,
    most: 500,
    statement: ({ flights }, index) =>
      `select origin, count(*) as flights, avg(delay) as delay from ${flights.name} ` +
      `where delay > -${2_000_000 + index} group by origin order by origin`,
  },
];

/** Numbers to 9 digits: everybody writes reals in a way of their own. */
function shown(body: string): string {
  return JSON.stringify(JSON.parse(body), (_, value) =>
    typeof value === 'number' ? Number(value.toPrecision(9)) : sorted(value),
  );
}

const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;

async function askPeer({ target, say }: Peer, statement: string): Promise<string> {
  const [path = '', body] = say(statement).split('\t');
  const answer = await fetch(target.base + path, body === undefined ? {} : { method: 'POST', body });
  const text = await answer.text();
  if (answer.status !== 200)
    throw new Error(`${target.name}: status ${answer.status}: ${text.slice(0, 300)}`);
  return text;
}

async function startAll({ root, dataset, wants, say }: StudyContext, peers: Peer[]): Promise<void> {
  const own = await startTablegate({ root, database: dataset.database });
  peers.push({ target: own, say: queryPath });
  if (wants('reference') && hasReference())
    peers.push({ target: await startReferenceTarget(dataset.database), say: queryPath });
  for (const [name, start] of [
    ['datasette', startDatasette],
    ['roapi', startRoapi],
  ] as const) {
    if (!wants(name)) continue;
    try {
      peers.push(await start(dataset));
    } catch (error) {
      say(`SKIPPED ${name}: ${(error as Error).message.slice(0, 300)}`);
    }
  }
}

export const peers: Study = {
  name: 'peers',
  title: 'beside the reference, Datasette and ROAPI',
  about:
    'Lookups by primary key, and a grouped aggregate over all flights. A sample is compared among all before the load; under it, status alone.',
  goals: [],
  async run(context) {
    if (!hasWrk()) throw new Error(NO_WRK);
    const { dataset, seed, rounds, measureMs, emit } = context;
    const all: Peer[] = [];
    try {
      await startAll(context, all);
      const key = permutation(dataset.flights.rows, seed);
      let next = 0;
      for (const { variant, connections, most, statement } of TASKS) {
        const sample = statement(dataset, key(next++ % dataset.flights.rows));
        const answers = await Promise.all(all.map((peer) => askPeer(peer, sample)));
        answers.forEach((body, i) => {
          if (shown(body) !== shown(answers[0] ?? ''))
            throw new Error(`${all[i]?.target.name} answers otherwise: ${body.slice(0, 300)}`);
        });
        for (let round = 1; round <= rounds; round++)
          for (const { target, say } of round % 2 === 1 ? all : all.toReversed()) {
            const seconds = Math.max(1, Math.round(measureMs / 1000));
            const statements = Array.from({ length: most * seconds }, () =>
              say(statement(dataset, key(next++ % dataset.flights.rows))),
            );
            const surroundings = around();
            const before = readUsage(target.pids);
            const done = await runWrk(target.base, statements, connections, seconds);
            const used = usedBetween(before, readUsage(target.pids));
            const { kept: _, ...measured } = measuredOf(done, used);
            emit({
              suite: 'load',
              seed,
              workload: peers.name,
              target: target.name,
              variant,
              mode: 'closed',
              connections,
              round,
              ...measured,
              generatorCpu: done.cpu,
              memory: [],
              surroundings: surroundings(),
            });
          }
      }
    } finally {
      for (const { target } of all) await target.stop();
    }
  },
};
