// Tables that live in Trino: what the gateway adds to Trino's own time for the same SQL, a scan with one worker and with
// two that are held to a share of a core each, and lookups in tables that are here while the coordinator is gone.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { runStatement } from '../../../src/trino/client.ts';
import { type Cluster, startTrino } from '../../../test/support/trino.ts';
import { median } from '../../statistics.ts';
import { type Goal, latencyAtMost, measureAtMost } from '../goals.ts';
import { createQuotas } from '../quota.ts';
import { startTablegate } from '../targets/tablegate.ts';
import type { Target } from '../targets/target.ts';
import { readUsage, totalOf, usedBetween } from '../usage.ts';
import { queryPath } from '../workload.ts';
import { around, askOnce, type Study, type StudyContext, timedLine } from './study.ts';

const run = promisify(execFile);

const USER = 'tablegate';
const PUBLISHER = 'tablegate_publisher';
/** Several, so that both workers have as much to do. */
const FILES = 48;
/**
 * Of each worker: the coordinator and the gateway fit beside both of them on two cores. With half of it two workers
 * are 1.35 times as fast as one, probably because each waits for another that is away for most of the time.
 */
const SHARE = 0.6;
/** As Linux has it by itself: a JVM of many threads is away for the rest of it. */
const PERIOD_US = 100_000;
/** Scans before workers are held: what is compiled once would take one of them several times as long then. */
const WARM = 12;
const HERE_ROWS = 100_000;

interface Scale {
  readonly rows: number;
  readonly repeats: number;
  readonly scans: number;
  readonly lookups: number;
}
/** So many rows that what a scan costs whatever its size is little of it. */
const PATIENT: Scale = { rows: 120_000_000, repeats: 20, scans: 5, lookups: 4_000 };
const SHORT: Scale = { rows: 200_000, repeats: 2, scans: 1, lookups: 50 };

const PRICED: Readonly<Record<string, string>> = {
  'one row': 'select name, regionkey from nation_1_901 where nationkey = 7',
  group: 'select shop, count(*) as n, max(amount) as most from sales_1_902 where id < 2000000 group by shop',
  '20,000 rows': 'select id, shop, amount from sales_1_902 where id < 20000 order by id',
};
const SCAN =
  'select shop, count(*) as n, max(amount) as most, min(id) as first from sales_1_902 group by shop';

const ASKED = (what: string): string => `${what}, asked again and again`;
const WORKERS = (count: number): string =>
  `scan, ${count} ${count === 1 ? 'worker' : 'workers'} of ${SHARE} cores`;
const THERE = 'lookups here, Trino idle';
const GONE = 'lookups here, coordinator gone and asked for';

/** Less than 20 ms, or less than 15 % of Trino's own time. */
const priceGoal = (what: string): Goal => ({
  ...measureAtMost('overPrice', 0, ASKED(what), `${what}: < 20 ms or 15 % added to Trino's time`, 'ms over'),
});

interface Bench {
  readonly context: StudyContext;
  readonly cluster: Cluster;
  readonly target: Target;
  readonly scale: Scale;
}

async function writeParquet(lake: string, here: string, rows: number): Promise<void> {
  const folder = join(lake, 'files', 'sales');
  mkdirSync(folder, { recursive: true });
  const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '1GB' });
  const connection = await instance.connect();
  const start = (file: number): number => Math.floor((file * rows) / FILES);
  const columns = 'range AS id, range * 7919 % 1000 AS shop, (range % 1000) / 8 AS amount';
  try {
    for (let i = 0; i < FILES; i++)
      await connection.run(
        `COPY (SELECT ${columns} FROM range(${start(i)}, ${start(i + 1)}))
         TO '${join(folder, `${i}.parquet`)}' (FORMAT parquet)`,
      );
    await connection.run(`COPY (SELECT ${columns} FROM range(${HERE_ROWS})) TO '${here}' (FORMAT parquet)`);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** The same SQL by the client of src/trino/, to its last page. @returns milliseconds */
async function askStraight({ cluster }: Bench, sql: string): Promise<number> {
  const started = performance.now();
  const to = { url: cluster.url, user: USER, password: '' };
  const session = { query_max_run_time: '600s' };
  for await (const _ of runStatement(to, sql, { signal: AbortSignal.timeout(600_000), session }));
  return performance.now() - started;
}

async function measurePrice(bench: Bench, what: string, statement: string): Promise<void> {
  const { context, target, scale } = bench;
  const { body } = await askOnce(target.base, `/explain?${new URLSearchParams({ statement })}`);
  const { sql } = (JSON.parse(body) as { readonly trino: { readonly sql: string } }).trino;
  const own: number[] = [];
  const straight: number[] = [];
  const asks = [
    async () => own.push((await askOnce(target.base, queryPath(statement))).ms),
    async () => straight.push(await askStraight(bench, sql)),
  ];
  const surroundings = around();
  for (let i = 0; i < scale.repeats; i++) {
    for (const ask of i % 2 === 0 ? asks : asks.toReversed()) await ask();
    // Of the first ones Trino compiles much.
    if (context.patient && i < 5) for (const times of [own, straight]) times.pop();
  }
  const [ours, theirs] = [median(own), median(straight)];
  const measures = { addedMs: ours - theirs, overPrice: ours - theirs - Math.max(20, theirs * 0.15) };
  const at = { variant: ASKED(what), round: 1, surroundings: surroundings() };
  const line = (timed: Parameters<typeof timedLine>[2]): void =>
    context.emit(timedLine(remote.name, context.seed, timed));
  line({ ...at, target: 'trino', milliseconds: straight });
  line({ ...at, target: 'tablegate', milliseconds: own, measures });
  context.say(
    `${what}: ${ours.toFixed(0)} ms by the gateway, ${theirs.toFixed(0)} ms straight: ${(ours - theirs).toFixed(1)} ms, ` +
      `${((ours / theirs - 1) * 100).toFixed(0)} %`,
  );
}

async function measureScans({ context, cluster, target, scale }: Bench, workers: number): Promise<void> {
  const surroundings = around();
  const pids = cluster.workers.slice(0, workers).map(({ pid }) => pid);
  const scan = async (): Promise<number> => {
    const { ms, body } = await askOnce(target.base, queryPath(SCAN));
    const rows = JSON.parse(body) as readonly { readonly n: number }[];
    const count = rows.reduce((sum, { n }) => sum + n, 0);
    if (count !== scale.rows) throw new Error(`a scan saw ${count} rows of ${scale.rows}`);
    return ms;
  };
  // Not counted: what comes before it still runs beside it, such as what a JVM compiles.
  await scan();
  const before = readUsage(pids);
  const milliseconds: number[] = [];
  for (let i = 0; i < scale.scans; i++) milliseconds.push(await scan());
  // What they used of their shares says whether they were full or waited.
  const workersSeconds = totalOf(usedBetween(before, readUsage(pids))) / 1e6 / scale.scans;
  const at = { variant: WORKERS(workers), round: 1, surroundings: surroundings() };
  const measures = { workersSeconds };
  context.emit(timedLine(remote.name, context.seed, { ...at, target: 'tablegate', milliseconds, measures }));
}

/** One after the other, a statement that was never asked each. */
async function measureLookups({ context, target, scale }: Bench, variant: string): Promise<void> {
  const surroundings = around();
  const milliseconds: number[] = [];
  for (let i = 0; i < scale.lookups; i++) {
    const id = (i * 7919) % HERE_ROWS;
    const { ms, body } = await askOnce(
      target.base,
      queryPath(`select id, shop, ${i} as n from here_1_903 where rowid = ${id + 1}`),
    );
    if (body !== JSON.stringify([{ id, n: i, shop: (id * 7919) % 1000 }])) throw new Error(`wrong: ${body}`);
    milliseconds.push(ms);
    await sleep(2);
  }
  const at = { variant, round: 1, surroundings: surroundings() };
  context.emit(timedLine(remote.name, context.seed, { ...at, target: 'tablegate', milliseconds }));
}

/** While four clients ask for tables that are not there now, each as soon as it is told so. */
async function measureWithout(bench: Bench): Promise<void> {
  await bench.cluster.killCoordinator();
  let over = false;
  const asking = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!over) {
        const answer = await fetch(bench.target.base + queryPath(PRICED['one row'] ?? ''));
        if (answer.status !== 503) throw new Error(`status ${answer.status}: ${await answer.text()}`);
        await answer.arrayBuffer();
      }
    }),
  );
  // It is told where it is waited for.
  asking.catch(() => {});
  try {
    await measureLookups(bench, GONE);
  } finally {
    over = true;
    await asking;
  }
}

async function importAll(root: string, data: string, cluster: Cluster, here: string): Promise<void> {
  await cluster.query(PUBLISHER, 'CREATE SCHEMA lake_publish.s000001');
  await cluster.query(
    PUBLISHER,
    `CREATE TABLE lake_publish.s000001.sales (id BIGINT, shop BIGINT, amount DOUBLE)
     WITH (external_location = 'local:///files/sales', format = 'PARQUET')`,
  );
  for (const args of [
    ['--remote=tpch.tiny.nation', '--table', 'nation_1_901', '--rowid', 'nationkey'],
    ['--remote=lake.s000001.sales', '--table', 'sales_1_902'],
    [here, '--table', 'here_1_903'],
  ])
    await run(process.execPath, [join(root, 'dist/main.js'), 'import', ...args, '--data', data], {
      env: { ...process.env, TABLEGATE_TRINO: cluster.url },
    });
}

export const remote: Study = {
  name: 'remote',
  title: 'tables that live in Trino',
  about: `A coordinator and two workers on this machine: the same SQL by the gateway and straight, by turns; a scan of ${PATIENT.rows / 1e6} M rows.`,
  goals: [
    ...Object.keys(PRICED).map(priceGoal),
    {
      ...latencyAtMost(
        1 / 1.7,
        { target: 'tablegate', variant: WORKERS(1) },
        50,
        WORKERS(2),
        '2 workers at least 1.7 times as fast as 1',
      ),
      show: (value) => `${(1 / value).toFixed(2)} x`,
    },
    latencyAtMost(
      1.5,
      { target: 'tablegate', variant: THERE },
      99,
      GONE,
      'p99 of lookups without a coordinator <= 1.5 x',
    ),
  ],
  async run(context) {
    const scale = context.patient ? PATIENT : SHORT;
    const folder = mkdtempSync(join(tmpdir(), 'tablegate-remote-bench-'));
    const quotas = createQuotas();
    let cluster: Cluster | undefined;
    let target: Target | undefined;
    try {
      cluster = await startTrino({ workers: 2, heapMB: 1500 });
      const data = join(folder, 'data');
      const here = join(folder, 'here.parquet');
      await writeParquet(cluster.lake, here, scale.rows);
      await importAll(context.root, data, cluster, here);
      target = await startTablegate({
        root: context.root,
        data,
        settings: ['--trino', cluster.url, '--result-cache-bytes', '0', '--deadline-ms', '600000'],
      });
      const bench: Bench = { context, cluster, target, scale };
      for (const [what, statement] of Object.entries(PRICED)) await measurePrice(bench, what, statement);
      await measureLookups(bench, THERE);
      if (quotas === undefined)
        context.say('remote: no control groups here (root is needed): no worker is held');
      for (let i = 0; i < (context.patient ? WARM : 0); i++) await askOnce(target.base, queryPath(SCAN));
      for (const { pid } of cluster.workers) quotas?.holdTogether([pid], SHARE, PERIOD_US);
      await measureScans(bench, 2);
      await cluster.workers[1]?.kill();
      await untilAnswered(target.base);
      await measureScans(bench, 1);
      await measureWithout(bench);
    } finally {
      await target?.stop();
      quotas?.close();
      await cluster?.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** The cluster takes a while to see that a worker is gone. */
async function untilAnswered(base: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const answered = await askOnce(base, queryPath(SCAN)).then(
      () => true,
      () => false,
    );
    if (answered) return;
    if (tries > 120) throw new Error('one worker alone answers nothing');
    await sleep(1_000);
  }
}
