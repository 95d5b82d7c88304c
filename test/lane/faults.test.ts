// What strangers and machines do to lanes, done for real: crashes, hangs, poison, kills. Nothing may be lost but
// the statement that did it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Reply } from '../../src/protocol.ts';
import { BROKEN_WIRE } from '../support/compilers/broken-wire.ts';
import { compiled } from '../support/compilers/compiled.ts';
import {
  alive,
  CRASH,
  HANG,
  job,
  lookup,
  newLookup,
  startTestLanes,
  type TestLanes,
  textOf,
  until,
} from './support.ts';

let given: TestLanes;
test.before.each(async () => {
  given = await startTestLanes();
});
test.after.each(() => given.close());

const SLOW =
  'SELECT count(*) AS "n:integer" FROM items_1_1 a, (SELECT * FROM items_1_1 LIMIT 1000) b WHERE a.id + b.id > 0';
const SLOW_ANSWER = '[{"n":200000000}]';
const started = (lane: string, count: number): Promise<void> =>
  until(() => given.lanes.stats().some((each) => each.lane === lane && each.running >= count));

test('answers what was running in a lane that was killed', async () => {
  const before = given.pid('scan');
  const running = given.lanes.run(job(SLOW, { deadlineMs: 60_000 }));
  await started('scan', 1);
  await new Promise((resolve) => setTimeout(resolve, 100));
  process.kill(before, 'SIGKILL');
  assert.is(await textOf(await running), SLOW_ANSWER);
  await until(() => given.lanes.stats().every(({ serving }) => serving));
  assert.is.not(given.pid('scan'), before);
  assert.ok(given.seen.some((event) => event.type === 'lane-ended' && event.lane === 'scan'));
});

test('finds the statement that ends a lane, answers its neighbours, and refuses its shape from then on', async () => {
  const neighbour = given.lanes.run(job(SLOW, { deadlineMs: 60_000 }));
  await started('scan', 1);
  const guilty = given.lanes.run(job(CRASH, { deadlineMs: 60_000 }));
  assert.match(await textOf(await guilty), /^statement-refused: /);
  assert.is(await textOf(await neighbour), SLOW_ANSWER);
  const deaths = given.lanes.stats().reduce((sum, each) => sum + each.deaths, 0);
  assert.match(await textOf(await given.lanes.run(job(CRASH))), /^statement-refused: /);
  assert.is(
    given.lanes.stats().reduce((sum, each) => sum + each.deaths, 0),
    deaths,
  );
  assert.ok(given.seen.some((event) => event.type === 'shape-refused'));
  assert.match(await textOf(await given.lanes.run(newLookup(5))), 'item 5');
});

test('kills a lane for a statement that cannot be stopped, soon after its deadline, and answers the others', async () => {
  const deadlineMs = 400;
  const neighbour = given.lanes.run(job(SLOW, { deadlineMs: 60_000 }));
  await started('scan', 1);
  const before = performance.now();
  const reply = await given.lanes.run(job(HANG, { deadlineMs }));
  const took = performance.now() - before;
  assert.match(await textOf(reply), /^limit-time: .*400 ms/);
  // Not a measure of speed: a hang lasts ten seconds and more.
  assert.ok(took < 8_000, `${took} ms`);
  assert.is(await textOf(await neighbour), SLOW_ANSWER);
  assert.match(await textOf(await given.lanes.run(job(HANG, { deadlineMs }))), /^statement-refused: /);
});

test('a lane that sends no frames is ended, and only it: its neighbours are answered', async () => {
  const other = await startTestLanes({ locks: { compiler: compiled('broken-wire.ts') } });
  try {
    const neighbour = other.lanes.run(job(SLOW, { deadlineMs: 60_000 }));
    await until(() => other.lanes.stats().some(({ lane, running }) => lane === 'scan' && running > 0));
    assert.match(await textOf(await other.lanes.run(job(BROKEN_WIRE))), /^statement-refused: /);
    assert.is(await textOf(await neighbour), SLOW_ANSWER);
    assert.match(await textOf(await other.lanes.run(newLookup(5))), 'item 5');
    assert.ok(other.seen.some(({ type }) => type === 'lane-ended'));
  } finally {
    await other.close();
  }
});

test('kills a lane for a hang whose caller has left', async () => {
  const controller = new AbortController();
  const gone = given.lanes
    .run(job(HANG, { deadlineMs: 500 }), { signal: controller.signal })
    .catch(() => 'gone');
  await started('scan', 1);
  // Into the midst of the run: before it, there is nothing to be killed for.
  await new Promise((resolve) => setTimeout(resolve, 200));
  controller.abort();
  assert.is(await gone, 'gone');
  await until(() => given.seen.some((event) => event.type === 'lane-killed'));
  await until(() => given.lanes.stats().every(({ serving, pending }) => serving && pending === 0));
});

test('keeps a shape that others use when one of its values hangs, and refuses that one', async () => {
  const shape = `SELECT levenshtein(repeat('a', ?i), repeat('b', ?i)) AS "n:integer"`;
  const ask = (n: number, deadlineMs = 400): Promise<Reply> =>
    given.lanes.run(
      job(shape, { deadlineMs }, [
        { kind: 'integer', text: String(n) },
        { kind: 'integer', text: String(n) },
      ]),
    );
  assert.is(await textOf(await ask(3)), '[{"n":3}]');
  assert.match(await textOf(await ask(60_000)), /^limit-time/);
  assert.match(await textOf(await ask(60_000)), /^statement-refused/);
  assert.is(await textOf(await ask(4, 30_000)), '[{"n":4}]');
});

test('replaces a lane whose engine says that it is broken, and answers what it would have lost', async () => {
  const pid = given.pid('scan');
  const breaking = given.lanes.run(job('SELECT count(*) AS "n:integer" FROM force_checkpoint(\'system\')'));
  const replies = await Promise.all([1, 2, 3].map((id) => given.lanes.run(newLookup(id))));
  const names = (await Promise.all(replies.map(textOf))).map((text) => /"(item \d)"/.exec(text)?.[1] ?? text);
  assert.equal(names, ['item 1', 'item 2', 'item 3']);
  const broke = await breaking;
  assert.is(broke.ok ? 'answered' : broke.code, 'statement-refused');
  assert.ok(given.seen.some((event) => event.type === 'lane-ended' && event.lane === 'scan'));
  assert.ok(given.seen.some((event) => event.type === 'shape-refused'));
  await until(() => given.lanes.stats().some((each) => each.lane === 'scan' && each.serving));
  assert.is.not(given.pid('scan'), pid);
});

test('answers lookups of known shapes while strangers crash lanes again and again', async () => {
  for (let id = 1; id <= 10; id++) await given.lanes.run(lookup(id));
  let stop = false;
  const attack = (async () => {
    // A shape of its own each time: none is known to be guilty.
    for (let i = 0; !stop; i++)
      await given.lanes.run(job(CRASH.replace('"n:', `"n${i}:`), { deadlineMs: 60_000 }), {
        client: 'attacker',
      });
  })();
  try {
    for (let id = 1; id <= 200; id++) {
      const reply = await given.lanes.run(lookup(id));
      assert.is(await textOf(reply), `[{"name":"item ${id}"}]`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    // Strangers that mean no harm are answered too.
    for (let id = 1; id <= 3; id++)
      assert.match(await textOf(await given.lanes.run(newLookup(id))), `:"item ${id}"}]`);
  } finally {
    stop = true;
    await attack;
  }
  assert.ok(given.lanes.stats().reduce((sum, { deaths }) => sum + deaths, 0) > 1);
});

test('gives memory back: a statement over its share gets an error, and the lane lives', async () => {
  const reply = await given.lanes.run(
    job(
      'SELECT count(*) AS "n:integer" FROM (SELECT DISTINCT i, repeat(i::VARCHAR, 30) FROM range(30000000) t(i))',
      { deadlineMs: 60_000 },
    ),
  );
  assert.match(await textOf(reply), /^limit-memory: /);
  assert.ok((await given.lanes.run(newLookup(1))).ok);
});

test('comes back from every signal', async () => {
  for (const signal of ['SIGSEGV', 'SIGABRT', 'SIGKILL'] as const) {
    const pid = given.pid('scan');
    process.kill(pid, signal);
    await until(() =>
      given.lanes.stats().some((each) => each.lane === 'scan' && each.serving && each.pid !== pid),
    );
    assert.ok((await given.lanes.run(lookup(1))).ok);
  }
});

test('keeps serving through a lane that stands still', async () => {
  process.kill(given.pid('scan'), 'SIGSTOP');
  const reply = await given.lanes.run(job(SLOW, { deadlineMs: 60_000 }));
  assert.is(await textOf(reply), SLOW_ANSWER);
});

test('takes its lanes with it, even when it is killed', async () => {
  const support = new URL('./support.ts', import.meta.url).href;
  const script = `import { startTestLanes, job, ENDLESS } from ${JSON.stringify(support)};
    const { lanes } = await startTestLanes();
    lanes.run(job(ENDLESS, { deadlineMs: 600000 }));
    setTimeout(() => console.log(JSON.stringify(lanes.stats().map((each) => each.pid))), 300);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const pids = JSON.parse(line.toString()) as number[];
  assert.is(pids.length, 1);
  for (const pid of pids) assert.ok(alive(pid));
  child.kill('SIGKILL');
  await until(() => pids.every((pid) => !alive(pid)), 5_000);
});

test.run();
