// One statement, every engine: whatever the row lane, the scan lane and the long lane each take of the written corpus
// and of generated statements, they answer with the same bytes. Beside the reference stands the gateway that chooses
// (corpus.test.ts, generated.test.ts); what the engines agree on is therefore its answer.
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { referenceBinary } from '../support/reference.ts';
import { times } from '../support/ring.ts';
import { type Case, nameOf } from './case.ts';
import type { Reply } from './compare.ts';
import { BEYOND, CORPUS } from './corpus.ts';
import type { Client } from './gateway-client.ts';
import { request } from './generate/request.ts';
import { type SideBySide, startSideBySide } from './side-by-side.ts';

const SEED = Number(process.env['ENGINES_SEED'] ?? 24);
const GENERATED = times(120, 3_000);
/** Of the written corpus every so many-th. */
const STEP = times(8, 1);
const ENGINES = ['rows', 'scan', 'long'] as const;
type Engine = (typeof ENGINES)[number];
const AT_ONCE = 2;

/** What the engines said differently once. */
const FOUND: readonly Case[] = [
  'select x - -5 from one_31337_16',
  'select block_num(99) from one_31337_16',
  'select id A, id a from vals_31337_2 union select id, n from vals_31337_2 order by 1 collate nocase limit 3',
  'select id, max(i), min(i) from vals_31337_2 order by max(i)',
];

/** DuckDB does not know the order of the rows that ORDER BY leaves open: of some there are none, of some there are. */
const OPEN: readonly Case[] = [
  'select a.id, b.id from rigs_31337_11 a right join vals_31337_2 b on a.id = b.n order by b.id',
  'select b.id, b.n from rigs_31337_11 a right join vals_31337_2 b on a.id = b.n order by b.n, b.id desc limit 4 offset 2',
  'select b.id, b.n from rigs_31337_11 a right join vals_31337_2 b on a.id = b.n order by b.n limit 3',
  'select b.t from rigs_31337_11 a right join vals_31337_2 b on a.id = b.n order by b.t',
  'select b.t, count(*) from rigs_31337_11 a right join vals_31337_2 b on a.id = b.n group by b.t order by 2, 1',
  'select n from (select b.n, b.id from rigs_31337_11 a full join vals_31337_2 b on a.id = b.n order by b.id limit 5) order by n, 1',
];

let sides: SideBySide;
const clients = new Map<Engine, Client>();

/**
 * It is not the engine's to answer: it says so, or it is the scan lane that refuses, after which SQLite is asked in
 * any case.
 */
function declined(engine: Engine, { status, body }: Reply): boolean {
  return status === 400 && (engine === 'scan' || body.includes('this engine does not run the statement'));
}

/** A machine that has much else to do answers later. */
async function patiently(client: Client, asked: Case): Promise<Reply> {
  let reply = await client.ask(asked);
  for (let tries = 0; reply.status === 503 && tries < 60; tries++) {
    await sleep(1_000);
    reply = await client.ask(asked);
  }
  return reply;
}

interface Taken {
  readonly by: Record<Engine, number>;
  readonly compared: number;
  readonly wrong: readonly string[];
}

async function compare(cases: readonly Case[]): Promise<Taken> {
  const by: Record<Engine, number> = { rows: 0, scan: 0, long: 0 };
  const wrong: string[] = [];
  let compared = 0;
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let one = cases[next++]; one !== undefined; one = cases[next++]) {
      const asked = one;
      const auto = await patiently(sides.ours, asked);
      let engines = 0;
      for (const engine of ENGINES) {
        const reply = await patiently(clients.get(engine) as Client, asked);
        if (declined(engine, reply)) continue;
        by[engine]++;
        engines++;
        if (auto.status !== reply.status || (auto.status === 200 && auto.body !== reply.body))
          wrong.push(
            `${nameOf(asked)}\n    auto ${auto.status} ${clip(auto.body)}\n    ${engine} ${reply.status} ${clip(reply.body)}`,
          );
      }
      if (engines > 1) compared++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { by, compared, wrong };
}

const clip = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}...` : text);

function check(name: string, { by, compared, wrong }: Taken): void {
  process.stdout.write(`${name}: rows ${by.rows}, scan ${by.scan}, long ${by.long}, compared ${compared}\n`);
  assert.is(wrong.length, 0, `${wrong.length} differ\n${wrong.join('\n')}`);
}

if (referenceBinary() === undefined) {
  test.skip('the reference has no program for this machine', () => {});
} else {
  test.before(async () => {
    // Small as the tables are, they have columns: with facts, as large ones.
    sides = await startSideBySide(['--columnar-rows', '0']);
    for (const engine of ENGINES) clients.set(engine, await sides.oursWith(['--engine', engine]));
  });
  test.after(() => sides.stop());

  test('the written corpus has the same answers from every engine', async () => {
    const all = [...Object.values(CORPUS).flat(), ...BEYOND].filter((one) => !isClock(one));
    const cases = [...all.filter((_, i) => i % STEP === 0), ...FOUND, ...OPEN];
    const taken = await compare(cases);
    check('written', taken);
    assert.ok(taken.compared > cases.length / 2, `only ${taken.compared} were taken by two engines`);
  });

  test(`${GENERATED} generated statements have the same answers from every engine (seed ${SEED})`, async () => {
    const taken = await compare(fc.sample(request, { seed: SEED, numRuns: GENERATED }));
    check('generated', taken);
    assert.ok(taken.compared > GENERATED / 2, `only ${taken.compared} were taken by two engines`);
  });
}

/** Another answer each time. */
function isClock(one: Case): boolean {
  return /random|'now'|current_|'subsec/i.test(nameOf(one));
}

test.run();
