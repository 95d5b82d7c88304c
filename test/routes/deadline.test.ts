// Answers that meet the deadline, with cache and single flight: whole or an error, and what was cut is answered to
// nobody else.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createRandom, wholeBetween } from '../../bench/random.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { times } from '../support/ring.ts';

const ROWS = 300_000;
const T = 'flights_31337_3';
const SEED = Number(process.env['SEED'] ?? 20_261_122);

const test = suite<{ gateway: TestGateway }>('routes/deadline');

test.before(async (context) => {
  context.gateway = await startTestGateway({
    tables: [
      {
        name: T,
        primaryKey: 'id',
        columns: [
          { name: 'id', type: 'integer' },
          { name: 'date', type: 'text' },
        ],
        select: `select range, 'day ' || range from range(${ROWS})`,
      },
    ],
    args: ['--deadline-ms', '60'],
  });
});
test.after(({ gateway }) => gateway.stop());

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
    const limit = wholeBetween(random, 1, 120_000);
    const statement = `select id, date from ${T} where id > ${from} order by id limit ${limit}`;
    const rows = Math.min(limit, ROWS - 1 - from);
    const unwrap = i % 3 === 0;
    // Two at once share one run; the one after them finds what was remembered.
    await Promise.all([ask(statement, rows, unwrap), ask(statement, rows, unwrap)]);
    await ask(statement, rows, unwrap);
  }
  assert.ok(whole > 0 && late > 0, `${whole} whole, ${late} late: nothing shown`);
});

test.run();
