// The lanes of SQLite: row lanes that are killed or stand still, and long lanes, which can be stopped only with their
// process. Real processes; nothing may be lost but the statement that did it.
import { chmodSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rowsPath } from '../../src/snapshot/layout.ts';
import type { Failed, Reply } from '../../src/wire/protocol.ts';
import { makeSnapshot } from '../support/snapshot.ts';
import {
  alive,
  ENDLESS_RECURSION,
  HOSTILE,
  ITEMS,
  startTestLanes,
  statement,
  type TestLanes,
  textOf,
  until,
} from './support.ts';

let given: TestLanes;
test.before(async () => {
  given = await startTestLanes({ locks: HOSTILE, config: { maxQueue: 4, spareLanes: 2 } });
  await allIdle();
});
test.after(() => given.close());

const ask = (text: string, client = ''): Promise<Reply> => given.lanes.run(statement(text), { client });
const lookup = async (id: number): Promise<string> =>
  textOf(await ask(`select name from items_1_1 where id = ${id}`));
/** It is recursive, so it runs in a long lane, and it ends. */
const short = (n: number): string =>
  `with recursive c(x) as (select 1 union all select x + 1 from c where x < ${n}) select max(x) as x from c`;
const runningLong = (): number =>
  given.lanes.stats().filter(({ lane, running }) => lane.startsWith('long') && running > 0).length;
const allIdle = (): Promise<void> =>
  until(() => given.lanes.stats().every(({ serving, pending }) => serving && pending === 0), 30_000);
/** Statements that never end, of one client, and how to leave them. */
function endless(count: number): {
  readonly replies: readonly Promise<unknown>[];
  readonly leave: () => void;
} {
  const controller = new AbortController();
  const replies = Array.from({ length: count }, (_, i) =>
    given.lanes
      .run(statement(`${ENDLESS_RECURSION} where x <> ${i}`), {
        signal: controller.signal,
        client: 'endless',
      })
      .catch(() => 'left'),
  );
  return { replies, leave: () => controller.abort() };
}

test('answers what the snapshot keeps', async () => {
  const ask = async (kind: 'probe' | 'snapshot'): Promise<unknown> =>
    JSON.parse(await textOf(await given.lanes.run({ kind })));
  assert.is(await ask('probe'), true);
  assert.equal(await ask('snapshot'), {
    id: given.snapshot.id,
    chains: [1],
    blocks: [],
    createdAt: 1_700_000_000,
  });
  const table = JSON.parse(await textOf(await given.lanes.run({ kind: 'table', chainId: 1, tableId: '1' })));
  assert.is(table.name, 'items_1_1');
  assert.equal(table.columns[0], { name: 'id', type: 'integer', constraints: ['primary key autoincrement'] });
  const none = [
    { kind: 'table', chainId: 1, tableId: '2' },
    { kind: 'table', chainId: 1, tableId: "1' OR '1'='1" },
    { kind: 'receipt', chainId: 1, transactionHash: `0x${'0'.repeat(64)}` },
  ] as const;
  for (const each of none) assert.is(await textOf(await given.lanes.run(each)), 'null');
});

test('a statement that was looked at before goes where it belongs, past the row lane', async () => {
  const lookedAt = statement('select name from items_1_1 where id = 7');
  const [row] = given.lanes.stats();
  assert.is(row?.lane, 'rows');
  process.kill(row?.pid as number, 'SIGSTOP');
  try {
    const elsewhere: Failed = {
      ok: false,
      code: 'elsewhere',
      message: 'it was looked at',
      elsewhere: 'long',
      reason: 'small',
      visits: 1,
    };
    const reply = await given.lanes.run(lookedAt, { elsewhere });
    assert.is(await textOf(reply), '[{"name":"item 7"}]');
    assert.ok(reply.ok);
    assert.equal([reply.engine, reply.reason, reply.why], ['long', 'small', 'it was looked at']);
  } finally {
    process.kill(row?.pid as number, 'SIGCONT');
  }
});

test('a row lane that is killed loses no request', async () => {
  for (let round = 0; round < 3; round++) {
    const pid = given.pid('rows');
    const asked = Array.from({ length: 50 }, (_, i) => lookup(i + 1));
    process.kill(pid, 'SIGKILL');
    asked.push(...Array.from({ length: 50 }, (_, i) => lookup(i + 51)));
    const names = Array.from({ length: 100 }, (_, i) => `[{"name":"item ${i + 1}"}]`);
    assert.equal(await Promise.all(asked), names);
    await until(() =>
      given.lanes.stats().some((each) => each.lane === 'rows' && each.serving && each.pid !== pid),
    );
  }
});

test('a row lane that stands still is ended, and loses no request', async () => {
  const pid = given.pid('rows');
  process.kill(pid, 'SIGSTOP');
  const asked = Array.from({ length: 20 }, (_, i) => lookup(i + 1));
  const names = Array.from({ length: 20 }, (_, i) => `[{"name":"item ${i + 1}"}]`);
  assert.equal(await Promise.all(asked), names);
  assert.is.not(given.pid('rows'), pid);
});

test('ends a long statement at its deadline, and the lane stands again', async () => {
  const reply = await given.lanes.run(statement(ENDLESS_RECURSION, { deadlineMs: 500 }));
  assert.match(await textOf(reply), /^limit-time: .*500 ms/);
  assert.is(await textOf(await ask(short(5))), '[{"x":5}]');
  // It had its time: that is no reason to refuse it.
  const again = await given.lanes.run(statement(ENDLESS_RECURSION, { deadlineMs: 100 }));
  assert.match(await textOf(again), /^limit-time: .*100 ms/);
});

test('ends a long statement soon after its client has left', async () => {
  await allIdle();
  const { replies, leave } = endless(1);
  await until(() => runningLong() === 1);
  const pid = given.pid('long');
  await new Promise((resolve) => setTimeout(resolve, 100));
  const before = performance.now();
  leave();
  assert.is(await replies[0], 'left');
  await until(() => !alive(pid));
  // Some 40 ms on an idle machine.
  assert.ok(performance.now() - before < 2_000, `${performance.now() - before} ms`);
  await allIdle();
  assert.is(await textOf(await ask(short(6))), '[{"x":6}]');
});

test('refuses a statement that ends its long lane by itself, with these values alone', async () => {
  await allIdle();
  const condemned = ask(`${ENDLESS_RECURSION} where x <> 77`);
  await until(() => runningLong() === 1);
  for (const { lane, running, pid } of given.lanes.stats())
    if (lane.startsWith('long') && running > 0) process.kill(pid ?? 0, 'SIGSEGV');
  assert.match(await textOf(await condemned), /^statement-refused: /);
  assert.match(await textOf(await ask(`${ENDLESS_RECURSION} where x <> 77`)), /^statement-refused: /);
  const elsewhere: Failed = { ok: false, code: 'elsewhere', message: 'it was looked at', elsewhere: 'long' };
  const again = statement(`${ENDLESS_RECURSION} where x <> 77`);
  assert.match(await textOf(await given.lanes.run(again, { elsewhere })), /^statement-refused: /);
  const other = statement(`${ENDLESS_RECURSION} where x <> 78`, { deadlineMs: 4_000 });
  assert.match(await textOf(await given.lanes.run(other)), /^limit-time: /);
  assert.ok(given.seen.some((event) => event.type === 'shape-barred' && event.from === 'all'));
});

test('bounds the line of long statements, and serves clients in turn', async () => {
  await allIdle();
  const busy = endless(2);
  await until(() => runningLong() === 2);
  const order: string[] = [];
  const wait = (client: string, n: number): Promise<unknown> =>
    ask(short(n), client).then((reply) => order.push(reply.ok ? client : reply.code));
  const waiting = [wait('a', 1), wait('a', 2), wait('a', 3), wait('b', 4)];
  // They are in line when the row lane has said that they do not belong there.
  await lookup(1_000);
  // The line is full: whoever fills it pays, not whoever comes last.
  waiting.push(wait('c', 5));
  await until(() => order.length === 1);
  assert.equal(order, ['overloaded']);
  busy.leave();
  await Promise.all([...waiting, ...busy.replies]);
  assert.equal(order.slice(1).sort(), ['a', 'a', 'b', 'c']);
  assert.not.equal(order.slice(1, 3), ['a', 'a']);
});

test('lookups do not wait for long statements', async () => {
  await allIdle();
  const busy = endless(4);
  await until(() => runningLong() === 2);
  for (let id = 1_001; id <= 1_100; id++) assert.is(await lookup(id), `[{"name":"item ${id}"}]`);
  busy.leave();
  await Promise.all(busy.replies);
});

test('streams a long answer, and gives the lane back when its reader leaves', async () => {
  await allIdle();
  const many = (n: number): string => short(n).replace('max(x) as x', 'x');
  const whole = await ask(many(300_000));
  assert.ok(whole.ok && whole.rest !== undefined);
  assert.is((JSON.parse(await textOf(whole)) as unknown[]).length, 300_000);
  const left = await ask(many(3_000_000));
  assert.ok(left.ok && left.rest !== undefined);
  for await (const _ of left.rest) break;
  await allIdle();
  assert.is(await textOf(await ask(short(7))), '[{"x":7}]');
});

test('swaps the snapshot in all lanes while a long statement finishes on the old one', async () => {
  await allIdle();
  const next = await makeSnapshot(given.dir, [
    { ...ITEMS, select: "select i, 'new ' || i from range(1, 11) t(i)" },
  ]);
  const slow = ask(
    'with recursive c(x) as (select 1 union all select x + 1 from c where x < 2000000) select count(*) + (select count(*) from items_1_1) as n from c',
  );
  await until(() => runningLong() === 1);
  await given.lanes.openSnapshot(next);
  assert.is(await lookup(3), '[{"name":"new 3"}]');
  const old = await slow;
  assert.is(await textOf(old), '[{"n":2200000}]');
  assert.is(old.ok && old.snapshot, given.snapshot.id);
  const reply = await ask(short(8));
  assert.is(reply.ok && reply.snapshot, next.id);
  // Nobody waits for a lane whose statement never ends.
  const held = endless(1);
  await until(() => runningLong() === 1);
  await given.lanes.openSnapshot(given.snapshot);
  assert.is(await lookup(3), '[{"name":"item 3"}]');
  assert.is(runningLong(), 1);
  held.leave();
  await Promise.all(held.replies);
});

test('says so where the file that long statements map is cut short, and answers when it is whole again', async () => {
  const other = await startTestLanes({ locks: HOSTILE, tables: [ITEMS] });
  try {
    let asked = 0;
    const scan = (): Promise<Reply> =>
      other.lanes.run(
        statement(`select length(group_concat(name)) as n from items_1_1 where id > -${++asked}`),
      );
    const whole = await textOf(await scan());
    assert.match(whole, /^\[\{"n":\d+\}\]$/);
    const path = rowsPath(other.snapshot.path);
    const bytes = readFileSync(path);
    chmodSync(path, 0o600);
    truncateSync(path, 64 * 1024);
    assert.match(await textOf(await scan()), /^not-ready: the snapshot cannot be read at the moment/);
    assert.is(other.deaths('long'), 1);
    // No process comes to serve: nobody waits for that until the end of his time.
    assert.match(await textOf(await scan()), /^not-ready: the engine is being started/);
    writeFileSync(path, bytes);
    await until(async () => (await textOf(await scan())) === whole);
    // Whoever is stopped by the end of the process leaves others what they had.
    for (let round = 0; round < 3; round++) {
      const controller = new AbortController();
      const left = other.lanes
        .run(statement(`${ENDLESS_RECURSION} where x <> ${round}`), { signal: controller.signal })
        .catch(() => 'left');
      await until(() =>
        other.lanes.stats().some(({ lane, running }) => lane.startsWith('long') && running > 0),
      );
      controller.abort();
      assert.is(await left, 'left');
      assert.is(await textOf(await scan()), whole);
    }
    truncateSync(path, 64 * 1024);
    // Each lane that maps the file ends once.
    await until(async () => {
      const said = await textOf(await scan());
      assert.match(said, /^not-ready: /);
      return said.includes('the engine is being started');
    });
    await other.lanes.openSnapshot(await makeSnapshot(join(other.dir, 'next'), [ITEMS]));
    assert.is(await textOf(await scan()), whole, 'nobody waits for what failed with another snapshot');
  } finally {
    await other.close();
  }
});

test('leaves no process behind when it is closed', async () => {
  const other = await startTestLanes({ locks: HOSTILE });
  const running = other.lanes.run(statement(ENDLESS_RECURSION));
  await until(() => other.lanes.stats().some(({ lane, running: n }) => lane === 'long' && n > 0));
  const pids = other.lanes.stats().map(({ pid }) => pid ?? 0);
  assert.ok(pids.length >= 3);
  await other.close();
  assert.not.ok((await running).ok);
  for (const pid of pids) assert.is(alive(pid), false);
  assert.match(await textOf(await other.lanes.run(statement(short(1)))), /^not-ready/);
});

test.run();
