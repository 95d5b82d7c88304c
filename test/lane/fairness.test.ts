// Clients that fill a lane with heavy statements, and the others: by events, not by times.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../src/wire/protocol.ts';
import {
  ENDLESS,
  ENDLESS_RECURSION,
  job,
  SCAN_ALONE,
  startTestLanes,
  statement,
  type TestLanes,
  textOf,
  until,
} from './support.ts';

const HEAVY = { deadlineMs: 600_000 };
const PATIENCE_MS = 60_000;

/** Heavy ones of so many clients, and what becomes of them; they are left in the end. */
function hold(given: TestLanes, clients: readonly string[], heavy: (n: number) => Job) {
  const controller = new AbortController();
  const ended: string[] = [];
  const all = clients.map((client, n) =>
    given.lanes.run(heavy(n), { client, signal: controller.signal }).then(
      (reply) => ended.push(reply.ok ? 'answered' : reply.code),
      () => {},
    ),
  );
  return {
    ended,
    async leave() {
      controller.abort('left');
      await Promise.all(all);
    },
  };
}
const stats = (given: TestLanes, kind: string) =>
  given.lanes.stats().filter(({ lane }) => lane.startsWith(kind));
const running = (given: TestLanes, kind: string): number =>
  stats(given, kind).reduce((sum, lane) => sum + lane.running, 0);

const CROWDS = [Array.from({ length: 10 }, () => 'a'), Array.from({ length: 10 }, (_, i) => `a${i}`)];

for (const workers of [1, 2])
  test(`short scans are answered while heavy ones of others run and wait; workers: ${workers}`, async () => {
    const given = await startTestLanes({ config: { scanWorkers: workers }, locks: SCAN_ALONE });
    try {
      for (const clients of CROWDS) {
        const held = hold(given, clients, (n) => job(`${ENDLESS} WHERE i <> ${n}`, HEAVY));
        await until(() => running(given, 'scan') === workers, PATIENCE_MS);
        for (let n = 1; n <= 5; n++) {
          const short = job(`SELECT count(*) AS "n:integer" FROM items_1_1 WHERE id > ${n}`, HEAVY);
          const reply = await given.lanes.run(short, { client: 'b' });
          assert.is(await textOf(reply), `[{"n":${200_000 - n}}]`);
        }
        assert.equal(held.ended, []);
        assert.is(given.deaths(), 0);
        await held.leave();
        // Those that stood in line a second time have left it, too.
        await until(() => stats(given, 'scan').every(({ pending }) => pending === 0), PATIENCE_MS);
      }
    } finally {
      await given.close();
    }
  });

test('a scan that was put back is answered whole when it has its turn', async () => {
  const given = await startTestLanes({ config: { scanWorkers: 1 }, locks: SCAN_ALONE });
  try {
    const SLOW = 'SELECT count(*) AS "n:integer" FROM items_1_1 a, range(2000) r(i) WHERE a.id + i > 0';
    const slow = given.lanes.run(job(SLOW, HEAVY), { client: 'a' });
    // Of ever other clients, as if one went on where another stopped.
    for (let n = 1; n <= 5; n++) {
      await until(() => running(given, 'scan') === 1, PATIENCE_MS);
      const short = job(`SELECT ${n}::BIGINT AS "n:integer"`, HEAVY);
      assert.is(await textOf(await given.lanes.run(short, { client: `b${n}` })), `[{"n":${n}}]`);
    }
    assert.is(await textOf(await slow), '[{"n":400000000}]');
    assert.is(given.deaths(), 0);
  } finally {
    await given.close();
  }
});

test('short statements of long lanes are answered while heavy ones of others run and wait there', async () => {
  const given = await startTestLanes({ config: { longLanes: 2 }, locks: {} });
  try {
    for (const clients of CROWDS) {
      const held = hold(given, clients, (n) =>
        statement(ENDLESS_RECURSION.replace('select 1', `select ${n}`), HEAVY),
      );
      await until(() => running(given, 'long') >= 2, PATIENCE_MS);
      for (let n = 1; n <= 5; n++) {
        const short = `with recursive c(x) as (select ${n} union all select x + 1 from c where x < 20) select max(x) as x from c`;
        const reply = await given.lanes.run(statement(short, HEAVY), { client: 'b' });
        assert.is(await textOf(reply), '[{"x":20}]');
      }
      assert.equal(held.ended, []);
      await held.leave();
      await until(() => stats(given, 'long').every(({ pending }) => pending === 0), PATIENCE_MS);
    }
  } finally {
    await given.close();
  }
});

test('one who sends thousands of look-ups at once does not stand before all others', async () => {
  const given = await startTestLanes({ locks: {} });
  try {
    const ask = (n: number, client: string) =>
      given.lanes.run(
        statement(
          `select count(*) as n from items_1_1 where id between 1 and ${n} and name || name not like '%x%y%z%'`,
          HEAVY,
        ),
        { client },
      );
    const first = await ask(5_000, 'a');
    assert.is(first.ok && first.engine, 'rows');
    const COUNT = 1_500;
    let answered = 0;
    const controller = new AbortController();
    const flood = Array.from({ length: COUNT }, (_, i) =>
      ask(5_000 + i, 'a').then(async (reply) => {
        answered += 1;
        assert.is(await textOf(reply), `[{"n":${5_000 + i}}]`);
      }),
    );
    // What is taken back in line takes nobody's place.
    const left = Array.from({ length: 100 }, () =>
      given.lanes
        .run(statement('select count(*) as n from items_1_1 where id between 1 and 9000', HEAVY), {
          client: 'c',
          signal: controller.signal,
        })
        .catch((reason: unknown) => reason),
    );
    controller.abort('left');
    assert.is(await textOf(await ask(7, 'b')), '[{"n":7}]');
    assert.ok(answered < COUNT / 2, `${answered} of ${COUNT} were answered before`);
    await Promise.all(flood);
    assert.is(answered, COUNT);
    assert.equal([...new Set(await Promise.all(left))], ['left']);
  } finally {
    await given.close();
  }
});

test('what waits for a row lane that is killed is answered, and what waits when all ends is told so', async () => {
  const given = await startTestLanes({ locks: {} });
  let closed = false;
  try {
    const ask = (n: number) =>
      given.lanes.run(statement(`select count(*) as n from items_1_1 where id between 1 and ${n}`, HEAVY));
    await ask(1);
    const flood = Array.from({ length: 500 }, (_, i) => ask(1 + i));
    process.kill(given.pid('rows'), 'SIGKILL');
    const texts = await Promise.all(flood.map(async (reply) => textOf(await reply)));
    assert.equal(
      texts,
      Array.from({ length: 500 }, (_, i) => `[{"n":${1 + i}}]`),
    );
    const last = Array.from({ length: 500 }, () => ask(5_000));
    closed = true;
    await given.close();
    // Of those in the lane, some may be done already.
    const ends = (await Promise.all(last)).map((reply) => (reply.ok ? 'ok' : reply.code));
    assert.equal(
      ends.filter((each) => each !== 'ok' && each !== 'not-ready'),
      [],
    );
    assert.is(ends.at(-1), 'not-ready');
  } finally {
    if (!closed) await given.close();
  }
});

test.run();
