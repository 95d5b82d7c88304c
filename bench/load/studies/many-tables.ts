// What a validator's database is: tens of thousands of small tables. Import, its memory and its files; how soon one changed
// row is served; and statements over all of them.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { benchFolder, CHAIN_ID } from '../../data.ts';
import { family, residentBytes, start } from '../../processes.ts';
import { median } from '../../statistics.ts';
import { createTable, createValidatorDatabase } from '../../validator-database.ts';
import { type Goal, latencyAtMost, rateOfOwn } from '../goals.ts';
import type { Measured } from '../job.ts';
import { startFollowing } from '../targets/tablegate.ts';
import type { Target } from '../targets/target.ts';
import { queryPath } from '../workload.ts';
import { loadManyTables } from './many-tables-load.ts';
import { around, askOnce, rateLine, type Study, type StudyContext, timedLine } from './study.ts';

const TABLES = 20_000;
const FEW_TABLES = 300;
const ROWS = 3;
const CHANGES = 5;
const COMMIT_EVERY_MS = 500;
const CONNECTIONS = 64;
const FEW_CONNECTIONS = 4;
/** Of load before it is measured, and of each measurement at least. */
const WARM_SECONDS = 6;
const MB = 1024 * 1024;
const VERSION = 1;

const nameOf = (number: number): string => `things_${CHAIN_ID}_${number}`;

async function database(tables: number): Promise<string> {
  const path = join(benchFolder(), `many-tables-v${VERSION}-${tables}.db`);
  if (existsSync(path)) return path;
  mkdirSync(benchFolder(), { recursive: true });
  const building = `${path}.building-${process.pid}`;
  try {
    await createValidatorDatabase(building, (made) => {
      for (let number = 1; number <= tables; number++) {
        createTable(made, {
          name: nameOf(number),
          columns: 'id integer primary key, name text not null, value integer',
          createdAt: 1_667_000_000 + number,
        });
        const rows = Array.from({ length: ROWS }, (_, row) => `(${row + 1}, 'thing ${number}.${row}', 0)`);
        made.exec(`insert into ${nameOf(number)} values ${rows.join(', ')}`);
      }
      made.exec(`insert into system_txn_processor values (${CHAIN_ID}, 1)`);
    });
    renameSync(building, path);
  } finally {
    rmSync(building, { force: true });
  }
  return path;
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

interface Imported {
  readonly seconds: number;
  readonly peakMB: number;
  readonly snapshotTimes: number;
}

async function importAll(root: string, source: string, data: string): Promise<Imported> {
  const began = performance.now();
  const started = start({
    name: 'import',
    command: process.execPath,
    args: [join(root, 'dist/main.js'), 'import', source, '--data', data],
    cwd: root,
  });
  let peak = 0;
  const look = setInterval(() => {
    peak = Math.max(peak, residentBytes(family(started.pid)));
  }, 50);
  await new Promise((resolve) => started.child.once('exit', resolve));
  clearInterval(look);
  const seconds = (performance.now() - began) / 1000;
  const code = started.child.exitCode;
  const said = started.output();
  await started.stop();
  if (code !== 0) throw new Error(`import ended with ${code}:\n${said}`);
  return {
    seconds,
    peakMB: peak / MB,
    snapshotTimes: bytesIn(join(data, 'snapshots')) / statSync(source).size,
  };
}

interface Followed extends Pick<Target, 'base' | 'pids'> {
  /** Commits a row of one table, and the block that it is of. */
  readonly change: (table: string, value: number) => void;
}

/** A gateway that follows the source while it is used. */
async function followed(
  root: string,
  source: string,
  data: string,
  use: (followed: Followed) => Promise<void>,
): Promise<void> {
  const writer = new DatabaseSync(source);
  // Changed before the follower reads: it takes the database for itself alone.
  writer.exec('pragma busy_timeout=30000; pragma journal_mode=wal');
  let gateway: Target | undefined;
  let block = 1;
  try {
    gateway = await startFollowing(root, source, data);
    await use({
      ...gateway,
      change(table, value) {
        block += 1;
        writer.exec(
          `begin immediate; update ${table} set value = ${value} where id = 2; update system_txn_processor set block_number = ${block}; commit`,
        );
      },
    });
  } finally {
    writer.close();
    await gateway?.stop();
  }
}

/** Seconds from a commit until its value is served. */
async function publish({ base, change }: Followed, table: string, value: number): Promise<number> {
  change(table, value);
  const committed = performance.now();
  const path = queryPath(`select value from ${table} where id = 2`);
  for (;;) {
    const { body } = await askOnce(base, path);
    if ((JSON.parse(body) as { value: number }[])[0]?.value === value) break;
    if (performance.now() - committed > 300_000) throw new Error('a change was not served within 300 s');
    await wait(20);
  }
  return (performance.now() - committed) / 1000;
}

/** Of each change, while nothing else is asked. */
async function publishAll(on: Followed, tables: number): Promise<number[]> {
  const seconds: number[] = [];
  // The first change is not counted: the follower may still look at the whole source once.
  for (let value = 1; value <= CHANGES + 1; value++) {
    const took = await publish(on, nameOf(1 + ((value * 7_919) % tables)), value);
    if (value > 1) seconds.push(took);
    await wait(500);
  }
  return seconds;
}

/** Changes a row of the first table, which no statement of the load reads, twice a second or as often as it is served. */
function startChanging(on: Followed): { stop(): Promise<number[]> } {
  const seconds: number[] = [];
  let isOver = false;
  const changing = (async () => {
    for (let value = 1_000; !isOver; value++) {
      const took = await publish(on, nameOf(1), value);
      seconds.push(took);
      await wait(Math.max(0, COMMIT_EVERY_MS - took * 1000));
    }
  })().then(
    () => undefined,
    (error: unknown) => error,
  );
  return {
    async stop() {
      isOver = true;
      const failure = await changing;
      if (failure !== undefined) throw failure;
      return seconds;
    },
  };
}

const atMost = (measure: string, most: number, text: string, show: (value: number) => string): Goal => ({
  text,
  measure: (lines) => {
    const values = lines.flatMap(({ measures }) => measures[measure] ?? []);
    return values.length === 0 ? undefined : median(values);
  },
  met: (value) => value <= most,
  show,
});

export const manyTables: Study = {
  name: 'many-tables',
  title: 'a database of 20,000 tables',
  about: `${TABLES} tables with ${ROWS} rows each: import, one changed row until it is served by --follow, and statements over all tables, calm and while a row changes twice a second.`,
  goals: [
    atMost('importSeconds', 15, 'import <= 15 s', (value) => `${value.toFixed(1)} s`),
    atMost('peakMB', 400, 'memory of the import <= 400 MB', (value) => `${value.toFixed(0)} MB`),
    atMost('snapshotTimes', 3, 'snapshot <= 3 x the source', (value) => `${value.toFixed(2)} x`),
    atMost('publishSeconds', 1.5, 'a changed row is served in <= 1.5 s', (value) => `${value.toFixed(2)} s`),
    rateOfOwn(0.8, 'calm', 'following', 'rate while a row changes >= 0.8 x the calm one'),
    latencyAtMost(3, { target: 'tablegate', variant: 'calm' }, 99, 'following', 'p99 <= 3 x the calm one'),
  ],
  async run(context: StudyContext) {
    const { root, seed, patient } = context;
    const tables = patient ? TABLES : FEW_TABLES;
    const made = await database(tables);
    const folder = mkdtempSync(join(tmpdir(), 'tablegate-many-'));
    try {
      const source = join(folder, 'validator.db');
      copyFileSync(made, source);
      const data = join(folder, 'data');
      let surroundings = around();
      const { seconds, peakMB, snapshotTimes } = await importAll(root, source, data);
      const emit = (variant: string, milliseconds: number[], measures: Record<string, number>): void =>
        context.emit(
          timedLine(manyTables.name, seed, {
            variant,
            target: 'tablegate',
            round: 1,
            milliseconds,
            measures,
            surroundings: surroundings(),
          }),
        );
      emit('import', [seconds * 1000], { importSeconds: seconds, peakMB, snapshotTimes });
      await followed(root, source, data, async (on) => {
        surroundings = around();
        const published = await publishAll(on, tables);
        const milliseconds = published.map((each) => each * 1000);
        emit('publish', milliseconds, { publishSeconds: median(published) });
        await load(context, on, source, tables);
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function load(context: StudyContext, on: Followed, source: string, tables: number): Promise<void> {
  const { patient, rounds, measureMs } = context;
  const connections = patient ? CONNECTIONS : FEW_CONNECTIONS;
  let { seed } = context;
  const measure = (seconds: number): Promise<Measured> =>
    loadManyTables({
      ...{ tables, rows: ROWS, nameOf, connections, seconds },
      base: on.base,
      pids: on.pids,
      database: source,
      seed: seed++,
    });
  if (patient) await measure(WARM_SECONDS);
  // Several commits must fall into it.
  const seconds = patient ? Math.max(WARM_SECONDS, Math.round(measureMs / 1000)) : 1;
  const states = ['calm', 'following'] as const;
  for (let round = 1; round <= rounds; round++)
    for (const variant of round % 2 === 1 ? states : states.toReversed()) {
      const surroundings = around();
      const changing = variant === 'following' ? startChanging(on) : undefined;
      let served: readonly number[] = [];
      let measured: Measured;
      try {
        measured = await measure(seconds);
      } finally {
        served = (await changing?.stop()) ?? [];
      }
      const at = { variant, round, surroundings: surroundings() };
      context.emit(rateLine(manyTables.name, context.seed, at, connections, measured));
      if (served.length > 0)
        context.emit(
          timedLine(manyTables.name, context.seed, {
            ...{ variant: 'publish while following', target: 'tablegate', round },
            milliseconds: served.map((each) => each * 1000),
            measures: { servedSeconds: median([...served]) },
          }),
        );
    }
}
