// What strangers and machines do to the scan lane, done for real: crashes, hangs, poison, kills. Each statement here is
// hostile to that lane's engine alone, so each has a right answer: nothing may be lost, and the lane must stand again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Reply } from '../../src/wire/protocol.ts';
import { REGISTER } from '../runner/places.ts';
import { inLong, times } from '../support/ring.ts';
import {
  alive,
  answerOf,
  deed,
  HOSTILE,
  startTestLanes,
  statement,
  type TestLanes,
  textOf,
  until,
} from './support.ts';

const longTest = inLong(test);

let given: TestLanes;
test.before.each(async () => {
  given = await startTestLanes({ locks: HOSTILE });
});
test.after.each(() => given.close());

const engineOf = (reply: Reply): string | undefined => (reply.ok ? reply.engine : reply.code);
const scanning = (count = 1): Promise<void> =>
  until(() => given.lanes.stats().some((each) => each.lane === 'scan' && each.running >= count));
const scanServes = (): Promise<void> =>
  until(() => given.lanes.stats().some(({ lane, serving }) => lane === 'scan' && serving));
/** A scan that only ends with its lane. */
async function neighbour(): Promise<{ readonly reply: Promise<Reply> }> {
  const reply = given.lanes.run(deed('endless'));
  await scanning();
  return { reply };
}
async function assertAnswered(reply: Reply, text: string, engine: string): Promise<void> {
  assert.is(await textOf(reply), text);
  assert.is(engineOf(reply), engine);
}
let scans = 0;
/** Each call a shape of its own. */
async function assertScans(): Promise<void> {
  scans += 1;
  const reply = await given.lanes.run(statement(`select count(*) as n${scans} from items_1_1 where id > 5`));
  await assertAnswered(reply, `[{"n${scans}":199995}]`, 'scan');
}
const lookup = (id: number): Promise<Reply> =>
  given.lanes.run(statement(`select name from items_1_1 where id = ${id}`));

test('sends each statement to the engine that is made for it', async () => {
  await assertAnswered(await lookup(7), '[{"name":"item 7"}]', 'rows');
  await assertScans();
  const recursive =
    'with recursive c(x) as (select 1 union all select x + 1 from c where x < 9) select max(x) as x from c';
  await assertAnswered(await given.lanes.run(statement(recursive)), '[{"x":9}]', 'long');
});

test('answers what was running in a lane that was killed', async () => {
  const before = given.pid('scan');
  const { reply } = await neighbour();
  process.kill(before, 'SIGKILL');
  await assertAnswered(await reply, answerOf('endless'), 'long');
  await scanServes();
  assert.is.not(given.pid('scan'), before);
  assert.ok(given.seen.some((event) => event.type === 'lane-ended' && event.lane === 'scan'));
});

// To the front, all of these are a lane that is gone.
for (const [name, what] of [
  ['crash', 'ends the lane'],
  ['poison', 'breaks its engine'],
  ['wire', 'makes it send no frames'],
] as const)
  (name === 'crash' ? test : longTest)(
    `a statement that ${what} is answered, as are its neighbours, and is kept out of that lane`,
    async () => {
      const beside = await neighbour();
      await assertAnswered(await given.lanes.run(deed(name)), answerOf(name), 'long');
      await assertAnswered(await beside.reply, answerOf('endless'), 'long');
      await scanServes();
      const deaths = given.deaths('scan');
      assert.is(deaths, 1);
      for (let i = 0; i < 3; i++)
        await assertAnswered(await given.lanes.run(deed(name)), answerOf(name), 'long');
      await assertScans();
      assert.is(given.deaths('scan'), deaths);
      assert.ok(given.seen.some((event) => event.type === 'shape-barred' && event.from === 'scan'));
    },
  );

test('kills a lane for a statement that cannot be stopped, soon after its deadline, and answers the others', async () => {
  const beside = await neighbour();
  const before = performance.now();
  const reply = await given.lanes.run(deed('hang', { deadlineMs: 400 }));
  const took = performance.now() - before;
  assert.match(await textOf(reply), /^limit-time: .*400 ms/);
  // Not a measure of speed: a hang lasts ten seconds and more.
  assert.ok(took < 8_000, `${took} ms`);
  // It is known without the end of the process, which takes its time where others want the processor.
  assert.ok(given.seen.some((event) => event.type === 'lane-killed' && event.lane === 'scan'));
  assert.not.ok(given.seen.some((event) => event.type === 'lane-ended' && event.lane === 'scan'));
  await assertAnswered(await beside.reply, answerOf('endless'), 'long');
  await scanServes();
  // From now on the engine runs it that can be stopped.
  await assertAnswered(await given.lanes.run(deed('hang', { deadlineMs: 20_000 })), answerOf('hang'), 'long');
  await assertScans();
  assert.is(given.deaths('scan'), 1);
});

test('kills a lane for a hang whose caller has left', async () => {
  const controller = new AbortController();
  const gone = given.lanes
    .run(deed('hang', { deadlineMs: 500 }), { signal: controller.signal })
    .catch(() => 'gone');
  await scanning();
  // Into the midst of the run: before it, there is nothing to be killed for.
  await new Promise((resolve) => setTimeout(resolve, 200));
  controller.abort();
  assert.is(await gone, 'gone');
  await until(() => given.seen.some((event) => event.type === 'lane-killed' && event.lane === 'scan'));
  await until(() => given.lanes.stats().every(({ serving, pending }) => serving && pending === 0));
});

test('answers lookups and known scans while strangers crash the lane again and again', async () => {
  for (let id = 1; id <= 10; id++) await lookup(id);
  await assertScans();
  const known = (): Promise<Reply> =>
    given.lanes.run(statement('select count(*) as known from items_1_1 where id > 5'));
  await known();
  let stop = false;
  const attack = (async () => {
    // A shape of its own each time: none is known to be hostile.
    for (let i = 0; !stop; i++)
      await assertAnswered(
        await given.lanes.run(deed('crash', {}, `x${i}`), { client: 'a' }),
        answerOf('crash'),
        'long',
      );
  })();
  try {
    for (let id = 1; id <= times(60, 200); id++) {
      await assertAnswered(await lookup(id), `[{"name":"item ${id}"}]`, 'rows');
      if (id % 20 === 0) assert.is(await textOf(await known()), '[{"known":199995}]');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  } finally {
    stop = true;
    await attack;
  }
  // Shapes that never ran cleanly are not tried any more.
  const deaths = given.deaths('scan');
  assert.ok(deaths >= 1 && deaths <= 8, `${deaths} deaths`);
});

test('what outgrows the memory of the scan lane or its numbers is answered all the same, and the lane lives', async () => {
  for (const name of ['memory', 'overflow'])
    await assertAnswered(await given.lanes.run(deed(name)), answerOf(name), 'long');
  await assertScans();
  assert.is(given.deaths(), 0);
});

test('comes back from every signal', async () => {
  for (const signal of ['SIGSEGV', 'SIGABRT', 'SIGKILL'].slice(0, times(1, 3)) as NodeJS.Signals[]) {
    const pid = given.pid('scan');
    process.kill(pid, signal);
    await until(() =>
      given.lanes.stats().some((each) => each.lane === 'scan' && each.serving && each.pid !== pid),
    );
    assert.ok((await given.lanes.run(statement('select count(*) as n from items_1_1'))).ok);
  }
});

test('keeps serving through a scan lane that stands still', async () => {
  process.kill(given.pid('scan'), 'SIGSTOP');
  const reply = await given.lanes.run(statement('select count(*) as n from items_1_1'));
  assert.is(await textOf(reply), '[{"n":200000}]');
});

test('takes its lanes with it, even when it is killed', async () => {
  const support = new URL('./support.ts', import.meta.url).href;
  const script = `import { startTestLanes, deed, statement, HOSTILE, ENDLESS_RECURSION } from ${JSON.stringify(support)};
    const { lanes } = await startTestLanes({ locks: HOSTILE });
    lanes.run(deed('endless', { deadlineMs: 600000 }));
    lanes.run(statement(ENDLESS_RECURSION, { deadlineMs: 600000 }));
    const tell = setInterval(() => {
      if (lanes.stats().some(({ lane, running }) => lane === 'long' && running > 0)) {
        clearInterval(tell);
        console.log(JSON.stringify(lanes.stats().map((each) => each.pid)));
      }
    }, 50);`;
  const child = spawn(process.execPath, ['--import', REGISTER, '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const pids = JSON.parse(line.toString()) as number[];
    assert.ok(pids.length >= 3);
    for (const pid of pids) assert.ok(alive(pid));
    child.kill('SIGKILL');
    await until(() => pids.every((pid) => !alive(pid)), 5_000);
  } finally {
    child.kill('SIGKILL');
  }
});

test.run();
