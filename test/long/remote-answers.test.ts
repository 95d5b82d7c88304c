// Trino beside SQLite: whatever statement of the written corpora and of the generator is taken for tables that live in
// the distributed engine, a cluster of three processes answers with the same bytes as SQLite's lane over the same rows.
// All else is refused by its code, and how much that is, is bounded.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { openEngine } from '../../src/worker/engine.ts';
import { type Case, nameOf } from '../differential/case.ts';
import type { Reply } from '../differential/compare.ts';
import { BEYOND, CORPUS } from '../differential/corpus.ts';
import type { Client } from '../differential/gateway-client.ts';
import { request } from '../differential/generate/request.ts';
import { BIG_TABLE, NASTY_TABLES } from '../differential/nasty-database.ts';
import { openRemoteSide, type RemoteSide } from '../differential/remote-side.ts';
import { type SideBySide, startSideBySide } from '../differential/side-by-side.ts';
import { MAIN } from '../support/main.ts';
import { referenceBinary } from '../support/reference.ts';
import { type Cluster, type Rows, startTrino, trinoSuite } from '../support/trino.ts';

const SEED = Number(process.env['REMOTE_SEED'] ?? 24);
const GENERATED = Number(process.env['REMOTE_RUNS'] ?? 400);
const AT_ONCE = 6;
/** Of the written statements that SQLite answers, and of all that compile, so many are taken at least. */
const TAKEN = 0.7;

const test = trinoSuite('long/remote-answers');
let cluster: Cluster;
let sides: SideBySide;
let local: Client;
let remote: RemoteSide;

async function importReals(data: string): Promise<void> {
  const path = join(data, 'numbers.parquet');
  const engine = await openEngine(':memory:', { threads: '1' });
  const connection = await engine.connect();
  await connection.query(`${REALS} '${path}' (format parquet)`);
  connection.close();
  engine.close();
  const args = ['import', path, '--table', 'numbers_31337_40', '--data', data, '--columnar-rows', '0'];
  execFileSync(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
}

interface Told {
  /** What SQLite answers. */
  answered: number;
  /** Of these, the dialect has words for. */
  compiles: number;
  same: number;
  refused: number;
  /** Compiled, but not exact at a value, or beyond what Trino plans. */
  late: number;
  readonly wrong: string[];
}

async function compare(cases: readonly Case[], known: boolean): Promise<Told> {
  const told: Told = { answered: 0, compiles: 0, same: 0, refused: 0, late: 0, wrong: [] };
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let asked = cases[next++]; asked !== undefined; asked = cases[next++]) {
      const answer = await remote.ask(asked, known);
      if (answer === undefined) continue;
      // No rows may be 404, which is the API's to say and not the engine's.
      const expected = await patiently(asked);
      if (expected.status !== 200) continue;
      told.answered++;
      if (remote.compiles(asked)) told.compiles++;
      if ('refused' in answer) {
        if (answer.late) told.late++;
        else told.refused++;
        if (!CODES.has(answer.code))
          told.wrong.push(`${nameOf(asked)}\n    ${answer.code} ${answer.refused}`);
      } else if ('failed' in answer) {
        told.wrong.push(`${nameOf(asked)}\n    ${answer.failed}\n    ${answer.sql}`);
      } else if (answer.body === expected.body) told.same++;
      else told.wrong.push(`${nameOf(asked)}\n    ${shown(expected.body, answer.body)}\n    ${answer.sql}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return told;
}

/** A statement that SQLite answers is refused for what Trino cannot say; the others are words of DuckDB's compilation. */
const CODES: ReadonlySet<string> = new Set(['unsupported', 'unknown-function', 'run-failed']);

/** A machine that has much else to do answers later. */
async function patiently(asked: Case): Promise<Reply> {
  let reply = await local.ask(asked);
  for (let tries = 0; reply.status === 503 && tries < 60; tries++) {
    await sleep(1_000);
    reply = await local.ask(asked);
  }
  return reply;
}

/** What a cluster on a loaded machine says of itself, and not of the statement. */
const OF_THE_CLUSTER =
  /^(?:TypeError: fetch failed|REMOTE_|PAGE_T|TOO_MANY_|NO_NODES|SERVER_|WORKER_|ABANDONED|EXCEEDED_TIME|CLUSTER_)/;

async function heldUp(sql: string): Promise<Rows> {
  for (let tries = 1; ; tries++) {
    try {
      return await cluster.query('tablegate', sql);
    } catch (error) {
      const text = String(error).replace(/^Error: /, '');
      if (tries > 30 || !OF_THE_CLUSTER.test(text)) throw error;
      await sleep(1_000);
    }
  }
}

/** Both from a little before the first difference. */
function shown(expected: string, got: string): string {
  let at = 0;
  while (at < expected.length && expected[at] === got[at]) at++;
  const from = Math.max(0, at - 60);
  return `SQLite ${expected.slice(from, from + 300)}\n    Trino  ${got.slice(from, from + 300)}`;
}

function report(name: string, { answered, compiles, same, refused, late, wrong }: Told): void {
  process.stdout.write(
    `${name}: SQLite answers ${answered}, of which ${compiles} compile; Trino the same ${same}, refused ${refused}, refused at a value ${late}\n`,
  );
  assert.is(wrong.length, 0, `${wrong.length} differ\n${wrong.join('\n')}`);
}

/** Another answer each time, or none of a statement. */
function isOther(one: Case): boolean {
  return (
    /random|'now'|current_|'subsec/i.test(nameOf(one)) || (typeof one !== 'string' && one.path !== undefined)
  );
}

/** Tables of validators have no reals, but those of files and of other systems have. */
const REALS = `
  copy (select i as id, i % 5 as g,
      case when i % 11 = 0 then null else (i * 7919 % 100000) / 100 end :: double as price,
      case when i % 13 = 0 then null else (i * 31 % 977) / 7.0 - 60 end :: double as ratio,
      [null, 0.0, -0.0, 1e300, -1e300, 5e-324, 0.1, 2.5, -2.5, 9007199254740993, 9223372036854775807, 1e22][1 + i % 12] :: double as wild,
      case when i % 7 = 0 then null else i * i * 1000003 % 9007199254740993 end :: bigint as whole
    from range(1, 400) r(i)) to`;
const OF_REALS: readonly string[] = [
  ...['price', 'ratio', 'wild', 'price + ratio', '- wild', 'price * ratio', 'whole + price'].map(
    (x) => `select id, ${x} as x from numbers_31337_40`,
  ),
  ...['price / ratio', 'wild / 0', 'wild - wild', 'whole / 7', 'whole % 7', 'price % 7', 'whole / 0'].map(
    (x) => `select id, ${x} as x from numbers_31337_40`,
  ),
  ...['round(price)', 'round(price, 1)', 'round(ratio, 2)', 'floor(ratio)', 'ceil(ratio)', 'abs(wild)'].map(
    (x) => `select id, ${x} as x from numbers_31337_40`,
  ),
  ...['sqrt(price)', 'coalesce(price, 0)', 'cast(price as integer)', 'trunc(ratio)', 'typeof(wild)'].map(
    (x) => `select id, ${x} as x from numbers_31337_40`,
  ),
  // Zeros with a sign come of these.
  ...[
    'wild * -1.0',
    'abs(wild * -1.0)',
    'sqrt(wild * -1.0)',
    'ceil(wild / -1e300)',
    'round(ratio / -200, 1)',
  ].map((x) => `select id, ${x} as x from numbers_31337_40`),
  ...[
    'max(wild * -1.0, -3.0)',
    'max(0.0, wild * -1.0)',
    'min(wild * -1.0, 3.0)',
    'min(wild * -1.0, 0.0)',
  ].map((x) => `select id, ${x} as x from numbers_31337_40`),
  'select max(wild * -1.0), min(wild * -1.0) from numbers_31337_40 where wild = 0',
  'select g, max(wild * -1.0) as x, min(wild * -1.0) as y from numbers_31337_40 group by g',
  ...[
    'wild = id',
    'whole < wild',
    'whole >= price',
    'wild = 0',
    'wild is null',
    'price between 10 and 500',
  ].map((x) => `select id, ${x} as x from numbers_31337_40`),
  ...['sum(price)', 'avg(price)', 'total(ratio)', 'sum(ratio)', 'avg(whole)', 'sum(whole)', 'max(wild)'].map(
    (x) => `select g, ${x} as x from numbers_31337_40 group by g`,
  ),
  ...[
    'sum(price * (1 - 0.05))',
    'sum(price * ratio)',
    'min(price)',
    'count(distinct wild)',
    'count(ratio)',
  ].map((x) => `select ${x} as x from numbers_31337_40`),
  'select id, wild from numbers_31337_40 order by wild, id desc limit 100',
  'select id, price from numbers_31337_40 order by price desc limit 50 offset 20',
  'select distinct wild from numbers_31337_40',
  'select wild, count(*) from numbers_31337_40 group by wild',
  'select g, max(price), id, ratio from numbers_31337_40 group by g',
  'select id, sum(whole) over (partition by g order by id) from numbers_31337_40 where id < 100',
  'select a.id, b.id from numbers_31337_40 a join numbers_31337_40 b on a.price = b.price + 0.01',
  'select id, max(price, ratio) as m, min(wild, price) as n from numbers_31337_40',
  'select g, group_concat(whole) from numbers_31337_40 group by g',
  'select case when ratio > 0 then price else 0 end as x, sum(case when ratio > 0 then price else 0 end) from numbers_31337_40 group by id',
];

const WRITTEN = [...Object.values(CORPUS).flat(), ...BEYOND].filter((one) => !isOther(one));

if (referenceBinary() === undefined) {
  test.skip('the reference has no program for this machine', () => {});
} else {
  test.before(async () => {
    cluster = await startTrino({ workers: 2 });
    // Small as the tables are, they have columns: with facts, as large ones.
    sides = await startSideBySide(['--columnar-rows', '0']);
    await importReals(sides.data);
    local = await sides.oursWith(['--engine', 'long']);
    remote = await openRemoteSide(
      sides.data,
      [...[...NASTY_TABLES, BIG_TABLE].map(({ name }) => name), 'numbers_31337_40'],
      {
        folder: cluster.lake,
        read: async (sql) => (await heldUp(sql)).rows,
        write: (sql) => cluster.query('tablegate_publisher', sql),
      },
    );
  });
  test.after(async () => {
    await remote?.close();
    await sides?.stop();
    await cluster?.stop();
  });

  test('the written corpora have the same answers, and most of them are taken', async () => {
    const told = await compare(WRITTEN, true);
    report('written', told);
    assert.ok(told.same >= told.answered * TAKEN, `only ${told.same} of ${told.answered} are taken`);
  });

  test('the same of tables of which only the types are known, where that makes other SQL', async () => {
    const told = await compare(WRITTEN, false);
    report('written, without facts', told);
    assert.ok(told.same > 0);
  });

  test('so have statements over reals, with facts of them and without', async () => {
    for (const known of [true, false]) {
      const told = await compare(OF_REALS, known);
      report(`of reals, ${known ? 'with' : 'without'} facts`, told);
      assert.ok(told.same > told.answered * 0.6, `only ${told.same} of ${told.answered} are taken`);
    }
  });

  test(`${GENERATED} generated statements have the same answers (seed ${SEED})`, async () => {
    const told = await compare(fc.sample(request, { seed: SEED, numRuns: GENERATED }), true);
    report(`generated, seed ${SEED}`, told);
    assert.ok(told.same >= told.compiles * TAKEN, `only ${told.same} of ${told.compiles} are taken`);
  });
}

test.run();
