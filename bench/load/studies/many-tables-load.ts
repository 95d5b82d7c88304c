// Statements over all tables of a database that has tens of thousands of them, none twice: while nothing is written, and
// while one row changes twice a second.
import { setTimeout as wait } from 'node:timers/promises';
import { createRandom, type Random, wholeBetween } from '../../random.ts';
import type { Measured } from '../job.ts';
import { openTruth } from '../truth.ts';
import { readUsage, usedBetween } from '../usage.ts';
import { queryPath } from '../workload.ts';
import { measuredOf, runWrk, type WrkRun } from '../wrk.ts';
import { askOnce } from './study.ts';

export interface ManyTables {
  readonly tables: number;
  /** Rows of each, by ids from 1. */
  readonly rows: number;
  readonly nameOf: (number: number) => string;
}

export interface LoadOptions extends ManyTables {
  readonly base: string;
  /** Of the gateway and all that it started. */
  readonly pids: readonly number[];
  /** The source, in which the right answers are. */
  readonly database: string;
  readonly connections: number;
  readonly seconds: number;
  readonly seed: number;
}

/** More than can be asked in a run: none is to come again. */
const STATEMENTS_A_SECOND = 30_000;
const LOOK_EVERY_MS = 100;
/** The first of them is the one that changes. */
const FIRST_ASKED = 2;
const MILLION = 1_000_000;

/** @throws Error where an answer is wrong, or more was answered than there were statements */
export async function loadManyTables(options: LoadOptions): Promise<Measured> {
  const { base, pids, connections, seconds, seed } = options;
  const random = createRandom(seed);
  const statements = new Set<string>();
  while (statements.size < STATEMENTS_A_SECOND * seconds) statements.add(statementOf(options, random));
  const looks = lookAlong(options, createRandom(seed + 1));
  const before = readUsage(pids);
  let done: WrkRun;
  try {
    done = await runWrk(base, [...statements].map(queryPath), connections, seconds);
  } finally {
    await looks.stop();
  }
  const used = usedBetween(before, readUsage(pids));
  if (done.ranOut) throw new Error(`more than ${statements.size} statements were answered in ${seconds} s`);
  return measuredOf(done, used);
}

/** A row by its key, a short list, an aggregate and JSON, of any table; each has a number that makes it new. */
function statementOf({ tables, rows, nameOf }: ManyTables, random: Random): string {
  const table = nameOf(wholeBetween(random, FIRST_ASKED, tables));
  const id = wholeBetween(random, 1, rows);
  const large = rows + wholeBetween(random, 1, MILLION);
  switch (wholeBetween(random, 1, 4)) {
    case 1:
      return `select * from ${table} where id = ${id} and value >= -${large}`;
    case 2:
      return `select name, value from ${table} where value > -${large} order by id desc limit 2`;
    case 3:
      return `select count(*) as n, max(value) as m from ${table} where id < ${large}`;
    default:
      return `select json_object('name', name, 'value', value) as j from ${table} where id = ${id} and id < ${large}`;
  }
}

/** Asks beside the load and compares each answer with SQLite's. */
function lookAlong(options: LoadOptions, random: Random): { stop(): Promise<void> } {
  const truth = openTruth(options.database);
  let isOver = false;
  let looked = 0;
  const look = async (): Promise<void> => {
    while (!isOver) {
      const statement = statementOf(options, random);
      const path = queryPath(statement);
      const { body } = await askOnce(options.base, path);
      const problem = truth.compare({ statement, path, body });
      if (problem !== undefined) throw new Error(`a wrong answer: ${problem}`);
      looked += 1;
      await wait(LOOK_EVERY_MS);
    }
  };
  // Its failure is thrown when the load has ended.
  const looking = look().then(
    () => undefined,
    (error: unknown) => error,
  );
  return {
    async stop() {
      isOver = true;
      const failure = await looking;
      truth.close();
      if (failure !== undefined) throw failure;
      if (looked === 0) throw new Error('no answer was looked at');
    },
  };
}
