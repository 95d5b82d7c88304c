// Visitors who read large results that meet the deadline about as often as not, and compare what they get wholly
// with the truth: an answer may be refused or cut off, but what looks whole must be whole. Each statement is asked
// twice, one after the other (the cache of results) or both at once (single flight).
import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { FLIGHTS } from '../data.ts';
import { queryPath } from '../load/workload.ts';
import { type Random, wholeBetween } from '../random.ts';
import { median } from '../statistics.ts';
import { outcomeOfGood, type Reply, readReply } from './reply.ts';
import type { Scene, Visitor } from './visitor.ts';

/** Rows that are asked for at first. It moves, so that on any machine about half of the answers are in time. */
export const FIRST_ROWS = 40_000;
const LEAST_ROWS = 200;
const AFTER_WHOLE = 1.25;
const AFTER_STOPPED = 0.8;
const ONE_OF = 97;

/** Rows of the large table in the order of their ids, each as the gateway writes it: members by name. */
function rowTexts(scene: Pick<Scene, 'truth'>): readonly string[] {
  return (scene.truth.rows(`select date, id from ${FLIGHTS} order by id`) as object[]).map((row) =>
    JSON.stringify(row),
  );
}

interface Export {
  readonly path: string;
  /** What is wrong with a body of a 200. */
  readonly check: (body: string) => string | undefined;
}

type Form = (all: readonly string[], random: Random, count: number) => Export;

function differing(found: readonly string[], expected: readonly string[]): string | undefined {
  if (found.length !== expected.length) return `${found.length} rows instead of ${expected.length}`;
  const at = found.findIndex((row, index) => row !== expected[index]);
  return at < 0 ? undefined : `row ${at} is ${found[at]} instead of ${expected[at]}`;
}

const asTexts = (body: string): string[] => (JSON.parse(body) as unknown[]).map((row) => JSON.stringify(row));

interface Page {
  readonly rows: readonly string[];
  readonly first: number;
  readonly last: number;
}

/** Rows whose ids follow one another, from anywhere in the table: ids count from 1. */
function pageOf(rows: readonly string[], random: Random, count: number): Page {
  const before = wholeBetween(random, 0, rows.length - count);
  return { rows: rows.slice(before, before + count), first: before + 1, last: before + count };
}

const ordered = ({ rows, first }: Page): string =>
  `select date, id from ${FLIGHTS} where id >= ${first} order by id limit ${rows.length}`;

const FORMS: readonly Form[] = [
  // Streams as it is read.
  (all, random, count) => {
    const page = pageOf(all, random, count);
    return {
      path: queryPath(ordered(page)),
      check: (body) =>
        body === `[${page.rows.join(',')}]` ? undefined : differing(asTexts(body), page.rows),
    };
  },
  // The same one row a line; of no rows it would be 404.
  (all, random, count) => {
    const page = pageOf(all, random, count);
    return {
      path: `${queryPath(ordered(page))}&unwrap=true`,
      check: (body) => (body === page.rows.join('\n') ? undefined : differing(body.split('\n'), page.rows)),
    };
  },
  // Is sorted before its first byte. One condition is true of all rows and differs each time.
  (all, random, count) => {
    const { rows, first, last } = pageOf(all, random, count);
    const always = `coalesce(delay, 0) > -${wholeBetween(random, 1e6, 1e9)}`;
    return {
      path: queryPath(
        `select date, id from ${FLIGHTS} where id between ${first} and ${last} and ${always} order by date, id`,
      ),
      check: (body) => {
        const found = asTexts(body);
        const wanted = new Set(rows);
        const stranger = found.find((row) => !wanted.delete(row));
        if (found.length !== rows.length) return `${found.length} rows instead of ${rows.length}`;
        return stranger === undefined ? undefined : `a row twice or of others: ${stranger}`;
      },
    };
  },
  // Looks at every row of its range and shows few: an answer that is small enough to be cached.
  (all, random, count) => {
    const { rows, first, last } = pageOf(all, random, count);
    const rest = wholeBetween(random, 0, ONE_OF - 1);
    return {
      path: queryPath(
        `select date, id from ${FLIGHTS} where id between ${first} and ${last} and id % ${ONE_OF} = ${rest} ` +
          `and length(replace(date, '-', '${wholeBetween(random, 1e6, 1e9)}')) > 0 order by id`,
      ),
      check: (body) =>
        differing(
          asTexts(body),
          rows.filter((_, index) => (first + index) % ONE_OF === rest),
        ),
    };
  },
];

/** 404 says that there are no rows: of a statement that has some it is as wrong as a short answer. */
function judge(
  one: Export,
  reply: Reply,
): { readonly outcome: Parameters<Scene['recorder']['add']>[1]; readonly why: string } {
  const told = `${reply.status} ${reply.body.slice(0, 120)}`;
  if (reply.status === 404) return { outcome: 'wrong', why: `404 where there are rows` };
  if (reply.status !== 200) return { outcome: outcomeOfGood(reply), why: told };
  let problem: string | undefined;
  try {
    problem = one.check(reply.body);
  } catch (error) {
    problem = `no whole JSON: ${String(error)}`;
  }
  if (problem === undefined) return { outcome: 'answered', why: '' };
  return { outcome: 'wrong', why: `${problem} (cache-status: ${reply.cacheStatus})` };
}

async function exportLoop(scene: Scene, { kind, pauseMs }: Visitor): Promise<void> {
  const rows = rowTexts(scene);
  const agents = [
    new Agent({ keepAlive: true, maxSockets: 1 }),
    new Agent({ keepAlive: true, maxSockets: 1 }),
  ];
  const sizes = FORMS.map(() => FIRST_ROWS);
  const ask = async (one: Export, agent: Agent | undefined): Promise<boolean> => {
    const started = performance.now();
    let outcome: ReturnType<typeof judge>['outcome'];
    let why: string;
    try {
      const reply = await readReply(scene.base + one.path, agent);
      ({ outcome, why } = judge(one, reply));
    } catch (error) {
      // Stopped after its first byte: the connection is cut, and the client sees it.
      outcome = 'stopped';
      why = String(error);
    }
    scene.recorder.add(kind, outcome, performance.now() - started, `${why} for ${one.path}`);
    return outcome === 'answered';
  };
  while (!scene.over()) {
    const which = Math.floor(scene.random() * FORMS.length);
    const form = FORMS[which];
    const size = sizes[which];
    if (form === undefined || size === undefined) throw new Error('no such form');
    // Never the same number of rows twice: the literals are new.
    const count = Math.max(1, Math.floor(size * (0.7 + 0.6 * scene.random())));
    const one = form(rows, scene.random, Math.min(count, rows.length));
    const inTime =
      scene.random() < 0.5
        ? [await ask(one, agents[0]), await ask(one, agents[0])]
        : await Promise.all(agents.map((agent) => ask(one, agent)));
    const factor = inTime[0] === true ? AFTER_WHOLE : AFTER_STOPPED;
    sizes[which] = Math.min(rows.length, Math.max(LEAST_ROWS, size * factor));
    await wait(pauseMs * (0.5 + scene.random()));
  }
  for (const agent of agents) agent.destroy();
}

/** Milliseconds that exports of that size take where nobody else asks: what a limit of time is to be compared with. */
export async function exportMs(scene: Pick<Scene, 'base' | 'random' | 'truth'>): Promise<number> {
  const rows = rowTexts(scene);
  const times: number[] = [];
  for (const form of [...FORMS, ...FORMS]) {
    const one = form(rows, scene.random, Math.min(FIRST_ROWS, rows.length));
    const started = performance.now();
    const problem = judge(one, await readReply(scene.base + one.path));
    if (problem.outcome !== 'answered')
      throw new Error(`an export alone: ${problem.outcome}, ${problem.why}`);
    times.push(performance.now() - started);
  }
  return median(times);
}

export const EXPORT: Visitor = { kind: 'export', count: 3, pauseMs: 40, visit: exportLoop };
