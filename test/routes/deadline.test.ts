// Answers that meet the deadline, with cache and single flight: whole or an error, and what was cut is answered to
// nobody else.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createRandom, wholeBetween } from '../../bench/random.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { times } from '../support/ring.ts';
import { makeSnapshot } from '../support/snapshot.ts';

const ROWS = 300_000;
/** Of an answer: as many are small as are large. */
const MOST = 200_000;
const T = 'flights_31337_3';
const SEED = Number(process.env['SEED'] ?? 20_261_122);

interface Context {
  folder: string;
  gateway: TestGateway;
}
const test = suite<Context>('routes/deadline');

const rowsAfter = (id: number, limit: number): string =>
  `select id, date from ${T} where id > ${id} order by id limit ${limit}`;

/** What half of the answers take on this machine as it is now: about as many meet it as do not. */
async function measured(data: string): Promise<number> {
  const gateway = await startTestGateway({ data, args: ['--deadline-ms', '60000'] });
  try {
    const tries: number[] = [];
    for (let i = 0; i < 7; i++) {
      const before = performance.now();
      await (await gateway.query(rowsAfter(i, MOST / 2))).arrayBuffer();
      tries.push(performance.now() - before);
    }
    // The first ones start what the others find.
    return Math.max(20, Math.round(Math.min(...tries)));
  } finally {
    await gateway.stop();
  }
}

test.before(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tablegate-deadline-'));
  await makeSnapshot(context.folder, [
    {
      name: T,
      primaryKey: 'id',
      columns: [
        { name: 'id', type: 'integer' },
        { name: 'date', type: 'text' },
      ],
      select: `select range, 'day ' || range from range(${ROWS})`,
    },
  ]);
  const deadline = await measured(context.folder);
  process.stdout.write(`NOTE the deadline is ${deadline} ms\n`);
  context.gateway = await startTestGateway({
    data: context.folder,
    args: ['--deadline-ms', String(deadline)],
  });
});
test.after(async ({ folder, gateway }) => {
  await gateway?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('statements that meet the deadline are answered whole or not at all', async ({ gateway }) => {
  const random = createRandom(SEED);
  let whole = 0;
  let late = 0;
  const ask = async (statement: string, rows: number, unwrap: boolean): Promise<void> => {
    let text: string;
    let status: number;
    try {
      const answer = await gateway.query(statement, unwrap ? { unwrap: 'true' } : {});
      status = answer.status;
      text = await answer.text();
    } catch {
      // A body in parts that is cut ends its connection.
      late += 1;
      return;
    }
    if (status === 400 || status === 503) {
      assert.match(text, /limit-time|overloaded|not-ready/);
      late += 1;
      return;
    }
    assert.is(status, 200, `${statement}: ${text.slice(0, 200)}, seed ${SEED}`);
    const got = unwrap ? text.split('\n').length : (JSON.parse(text) as unknown[]).length;
    assert.is(got, rows, `${statement}, seed ${SEED}`);
    whole += 1;
  };
  for (let i = 0; i < times(40, 120); i++) {
    const from = wholeBetween(random, 0, ROWS - 2);
    const limit = Math.ceil(MOST ** random());
    const statement = rowsAfter(from, limit);
    const rows = Math.min(limit, ROWS - 1 - from);
    const unwrap = i % 3 === 0;
    // Two at once share one run; the one after them finds what was remembered.
    await Promise.all([ask(statement, rows, unwrap), ask(statement, rows, unwrap)]);
    await ask(statement, rows, unwrap);
  }
  assert.ok(whole > 0 && late > 0, `${whole} whole, ${late} late: nothing shown`);
});

test.run();
