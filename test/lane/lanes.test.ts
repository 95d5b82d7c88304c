// The front's way to the scan lane: answers, parts, cancel, bounds, swapping snapshots.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Reply } from '../../src/wire/protocol.ts';
import { makeSnapshot } from '../support/snapshot.ts';
import { ENDLESS, ITEMS, job, lookup, startTestLanes, type TestLanes, textOf, until } from './support.ts';

let given: TestLanes;
test.before(async () => {
  given = await startTestLanes({ config: { maxQueue: 4 } });
});
test.after(() => given.close());

const ALL = 'SELECT id AS "id:integer", name AS "name:text" FROM items_1_1 ORDER BY id';

test('answers a lookup with the id of the snapshot it read', async () => {
  const reply = await given.lanes.run(lookup(7));
  assert.ok(reply.ok);
  assert.is(await textOf(reply), '[{"name":"item 7"}]');
  assert.is(reply.ok && reply.snapshot, given.snapshot.id);
  assert.is(given.lanes.healthy(), true);
});

test('streams a large body, and gives the worker back when its reader leaves', async () => {
  const whole = await given.lanes.run(job(ALL));
  assert.ok(whole.ok && whole.rest !== undefined && whole.rows > 1);
  const rows = JSON.parse(await textOf(whole)) as { id: number; name: string }[];
  assert.is(rows.length, 200_000);
  assert.equal(rows[199_999], { id: 200_000, name: 'item 200000' });

  for (let i = 0; i < 20; i++) {
    const reply = await given.lanes.run(job(ALL));
    assert.ok(reply.ok && reply.rest !== undefined);
    if (i % 2 === 0) {
      // Leaves before it has begun.
      await reply.rest[Symbol.asyncIterator]().return?.();
      continue;
    }
    for await (const part of reply.rest) {
      assert.ok(part.byteLength > 0);
      break;
    }
  }
  await until(() => given.lanes.stats().every(({ pending }) => pending === 0));
  assert.is(await textOf(await given.lanes.run(lookup(1))), '[{"name":"item 1"}]');
});

test('lets slow readers hold up nobody', async () => {
  const slow: Reply[] = [];
  // One after the other: each has begun while those before it wait for their readers.
  for (let i = 0; i < 6; i++) slow.push(await given.lanes.run(job(ALL)));
  for (const reply of slow) assert.ok(reply.ok && reply.rest !== undefined, reply.ok ? 'whole' : reply.code);
  const other = await given.lanes.run(job('SELECT count(*) AS "n:integer" FROM items_1_1'));
  assert.is(await textOf(other), '[{"n":200000}]');
  for (const reply of slow) assert.is((JSON.parse(await textOf(reply)) as unknown[]).length, 200_000);
});

test('stops a statement at its deadline by interrupt, without a death', async () => {
  const deaths = (): number => given.lanes.stats().reduce((sum, each) => sum + each.deaths, 0);
  // A machine that others keep busy may take too long once: then the lane dies, as it must.
  for (let attempt = 1; ; attempt++) {
    const before = deaths();
    const reply = await given.lanes.run(job(`${ENDLESS} WHERE i <> ${attempt}`, { deadlineMs: 200 }));
    assert.match(await textOf(reply), /^limit-time: .*200 ms/);
    if (deaths() === before) return;
    assert.ok(attempt < 5, 'no interrupt came in time');
    await until(() => given.lanes.stats().some(({ lane, serving }) => lane === 'scan' && serving));
  }
});

test('stops a statement whose caller left, running or waiting', async () => {
  const controllers = Array.from({ length: 5 }, () => new AbortController());
  const gone = controllers.map(({ signal }, i) =>
    given.lanes.run(job(`${ENDLESS} WHERE i <> ${i}`), { signal }).then(
      () => 'answered',
      (reason: unknown) => String(reason),
    ),
  );
  await until(() => given.lanes.stats().some(({ pending }) => pending === 5));
  for (const controller of controllers) controller.abort('left');
  assert.equal(
    await Promise.all(gone),
    Array.from({ length: 5 }, () => 'left'),
  );
  await until(() => given.lanes.stats().every(({ pending }) => pending === 0));
  await given.lanes.run(lookup(1), { signal: AbortSignal.abort('before') }).then(
    () => assert.unreachable(),
    (reason: unknown) => assert.is(reason, 'before'),
  );
});

test('bounds its line, and serves all who have a place in it', async () => {
  const controller = new AbortController();
  const busy = Array.from({ length: 2 }, (_, i) =>
    given.lanes.run(job(`${ENDLESS} WHERE i <> ${10 + i}`), { signal: controller.signal }).catch(() => {}),
  );
  await until(() => given.lanes.stats().some(({ lane, pending }) => lane === 'scan' && pending === 2));
  const order: string[] = [];
  const ask = (client: string, n: number) =>
    given.lanes
      .run(job(`SELECT ${n}::BIGINT AS "${client}${n}:integer"`, { deadlineMs: 20_000 }), { client })
      .then((reply) => order.push(reply.ok ? client : reply.code));
  const waiting = [ask('a', 1), ask('a', 2), ask('a', 3), ask('b', 4)];
  await until(() => given.lanes.stats().some(({ lane, pending }) => lane === 'scan' && pending === 6));
  // The line is full: whoever fills it pays, not whoever comes last.
  waiting.push(ask('c', 5));
  await until(() => order.length === 1);
  assert.equal(order, ['overloaded']);
  // One who has as many as the greediest is refused itself.
  await ask('a', 6);
  assert.equal(order, ['overloaded', 'overloaded']);
  controller.abort();
  await Promise.all([...waiting, ...busy]);
  // In whose turn they are begun, test/limit/turns shows; which of two workers is done first nobody can say.
  assert.equal(order.slice(2).sort(), ['a', 'a', 'b', 'c']);
});

test('swaps the snapshot while statements finish on the old one', async () => {
  const next = await makeSnapshot(given.dir, [
    { ...ITEMS, select: "select i, 'new ' || i from range(1, 11) t(i)" },
  ]);
  const slow = given.lanes.run(
    job(
      'SELECT count(*) AS "n:integer" FROM items_1_1 a, (SELECT * FROM items_1_1 LIMIT 1000) b WHERE a.id + b.id > 0',
    ),
  );
  await until(() => given.lanes.stats().some(({ lane, pending }) => lane === 'scan' && pending === 1));
  await given.lanes.openSnapshot(next);
  const reply = await given.lanes.run(lookup(3));
  assert.is(await textOf(reply), '[{"name":"new 3"}]');
  assert.is(reply.ok && reply.snapshot, next.id);
  const old = await slow;
  assert.is(await textOf(old), '[{"n":200000000}]');
  assert.is(old.ok && old.snapshot, given.snapshot.id);
  await given.lanes.openSnapshot({ id: 'nothing', path: join(given.dir, 'nothing.duckdb') }).then(
    () => assert.unreachable(),
    () => {},
  );
  assert.is(await textOf(await given.lanes.run(lookup(3))), '[{"name":"new 3"}]');
  assert.is(given.lanes.healthy(), true);
  await given.lanes.openSnapshot(given.snapshot);
});

test('a prepared snapshot is read by name only, until it is used; then by all who ask', async () => {
  const next = await makeSnapshot(given.dir, [
    { ...ITEMS, select: "select i, 'next ' || i from range(1, 11) t(i)" },
  ]);
  await given.lanes.prepareSnapshot(next);
  assert.is(await textOf(await given.lanes.run(lookup(3))), '[{"name":"item 3"}]');
  assert.is(await textOf(await given.lanes.run(lookup(3), { snapshot: next.id })), '[{"name":"next 3"}]');
  const before = given.lanes.run(lookup(4));
  given.lanes.useSnapshot(next);
  const after = given.lanes.run(lookup(4));
  assert.is(await textOf(await before), '[{"name":"item 4"}]');
  assert.is(await textOf(await after), '[{"name":"next 4"}]');
  // The old one is closed by now or soon: whoever still names it reads the one in use.
  await until(async () => {
    const reply = await given.lanes.run(lookup(5), { snapshot: given.snapshot.id });
    return reply.ok && reply.snapshot === next.id;
  });
  await given.lanes.openSnapshot(given.snapshot);
});

test('never loads an engine into the front', () => {
  const lanes = new URL('../../dist/lane/lanes.js', import.meta.url).href;
  const script = `import ${JSON.stringify(lanes)}; import { readFileSync } from 'node:fs';
    console.log(/duckdb|sqlite/.test(readFileSync('/proc/self/maps', 'utf8')) ? 'loaded' : 'not loaded')`;
  const ran = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  assert.is(ran.stdout.trim(), 'not loaded', ran.stderr);
});

test.run();
