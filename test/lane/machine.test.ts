// Faults of the machine, injected for real: memory, clock, disk, files, children that do not start, a stop under
// load. No wrong answer, the others answered, the service back, and every fault seen in what is observed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { columnsPath } from '../../src/snapshot/layout.ts';
import { startTestGateway } from '../support/gateway.ts';
import { MAIN } from '../support/main.ts';
import { PASSTHROUGH } from '../support/passthrough.ts';
import { times } from '../support/ring.ts';
import { makeSnapshot } from '../support/snapshot.ts';
import {
  answerOf,
  deed,
  HOSTILE,
  ITEMS,
  job,
  lookup,
  newLookup,
  SCAN_ALONE,
  startTestLanes,
  type TestLanes,
  textOf,
  until,
} from './support.ts';

const MIB = 1024 * 1024;
const DEATHS = times(5, 8);
async function withLanes(
  options: Parameters<typeof startTestLanes>[0],
  run: (given: TestLanes) => Promise<void>,
): Promise<void> {
  const given = await startTestLanes(options);
  try {
    await run(given);
  } finally {
    await given.close();
  }
}
const slow = (rows: number): string =>
  `SELECT count(*) AS "n:integer" FROM items_1_1 a, (SELECT * FROM items_1_1 LIMIT ${rows}) b WHERE a.id + b.id > 0`;

test('kills a lane whose memory passes its budget, and answers all that ran there', async () => {
  // Without the limits of the operating system: only the watch is left.
  const locks = { ...HOSTILE, unlocked: ['gate', 'process'] as const };
  const config = { scanMemoryBytes: 128 * MIB, laneSpareBytes: 256 * MIB };
  await withLanes({ config, locks }, async (given) => {
    const neighbour = given.lanes.run(deed('endless'));
    await until(() => given.lanes.stats().some(({ lane, running }) => lane === 'scan' && running > 0));
    const reply = await given.lanes.run(deed('greedy'), { client: 'greedy' });
    // Two ran: which of them it was does not matter to either.
    assert.is(await textOf(reply), answerOf('greedy'));
    assert.is(await textOf(await neighbour), answerOf('endless'));
    assert.ok(given.seen.some((event) => event.type === 'lane-killed' && /memory/.test(event.why)));
    assert.ok(given.seen.some(({ type }) => type === 'shape-barred'));
    const deaths = given.deaths('scan');
    assert.is(await textOf(await given.lanes.run(deed('greedy'))), answerOf('greedy'));
    assert.is(given.deaths('scan'), deaths);
  });
});

test('does not spin where a child keeps ending, says that it is not ready, and comes back', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tablegate-children-'));
  const bad = join(dir, 'bad');
  const compiler = join(dir, 'compiler.mjs');
  writeFileSync(
    compiler,
    `import { existsSync } from 'node:fs';
     if (existsSync(${JSON.stringify(bad)})) process.kill(process.pid, 'SIGKILL');
     export * from ${JSON.stringify(PASSTHROUGH)};`,
  );
  try {
    await withLanes({ locks: { ...SCAN_ALONE, compiler: pathToFileURL(compiler).href } }, async (given) => {
      for (let id = 1; id <= 5; id++) await given.lanes.run(lookup(id));
      writeFileSync(bad, '');
      process.kill(given.pid('scan'), 'SIGKILL');
      const deaths = (): number => given.lanes.stats().reduce((sum, each) => sum + each.deaths, 0);
      await until(() => deaths() >= DEATHS, 60_000);
      assert.is(given.lanes.healthy(), false);
      const reply = await given.lanes.run(newLookup(1));
      assert.match(await textOf(reply), /^not-ready: /);
      // Each start waits longer than the one before: in a second without back-off there would be dozens.
      const before = deaths();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      assert.ok(deaths() - before <= 6, `${deaths() - before} starts in a second`);
      rmSync(bad);
      await until(() => given.lanes.healthy(), 30_000);
      assert.match(await textOf(await given.lanes.run(newLookup(2))), 'item 2');
      assert.ok(given.seen.filter(({ type }) => type === 'lane-ended').length >= DEATHS);
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

test('is not moved by a clock that jumps', async () => {
  await withLanes({}, async (given) => {
    const { now } = Date;
    const running = given.lanes.run(job(slow(300), { deadlineMs: 60_000 }));
    try {
      for (const days of [1, -30, 365]) {
        Date.now = () => now() + days * 86_400_000;
        assert.match(await textOf(await given.lanes.run(newLookup(days + 40))), `item ${days + 40}`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      assert.is(await textOf(await running), '[{"n":60000000}]');
      assert.not.ok(given.seen.some(({ type }) => type === 'lane-killed' || type === 'lane-ended'));
    } finally {
      Date.now = now;
    }
  });
  // In another process no test can set the clock: what keeps deadlines must not look at it.
  const folders = ['lane', 'pool', 'rowstore', 'worker', 'limit', 'answer'];
  const { readdirSync } = await import('node:fs');
  for (const folder of folders)
    for (const name of readdirSync(join(import.meta.dirname, '../../src', folder)))
      if (name.endsWith('.ts'))
        assert.not.match(
          readFileSync(join(import.meta.dirname, '../../src', folder, name), 'utf8'),
          /Date\.now|new Date\(\)/,
          `${folder}/${name}`,
        );
});

test('gives no wrong answer from a snapshot that is damaged while it is served', async () => {
  await withLanes({ tables: [ITEMS] }, async (given) => {
    assert.match(await textOf(await given.lanes.run(lookup(150_000))), 'item 150000');
    // In place, under the open file: what a broken disk or a careless copy does.
    const file = openSync(columnsPath(given.snapshot.path), 'r+');
    writeSync(file, Buffer.alloc(1024 * 1024, 0xa5), 0, 1024 * 1024, 256 * 1024);
    process.kill(given.pid('scan'), 'SIGKILL');
    for (let i = 0; i < 5; i++) {
      const text = await textOf(
        await given.lanes.run(
          job(`SELECT count(name) AS "n:integer", sum(id) AS "s${i}:integer" FROM items_1_1`),
        ),
      );
      // No 500: it is nobody's bug.
      const told = /^(not-ready|overloaded): /.test(text);
      assert.ok(told || text === `[{"n":200000,"s${i}":20000100000}]`, text);
    }
  });
});

test('serves on where the log cannot be written: a full disk', async () => {
  if (!existsSync('/dev/full')) return;
  const data = mkdtempSync(join(tmpdir(), 'tablegate-full-'));
  try {
    await makeSnapshot(data, [ITEMS]);
    const child = spawn(
      process.execPath,
      [MAIN, 'serve', '--data', data, '--port', '0', '--log-level', 'debug'],
      { stdio: ['ignore', 'pipe', openSync('/dev/full', 'w')] },
    );
    const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
    const url = line.toString().trim().replace('listening on ', '');
    const answer = await fetch(
      `${url}/query?statement=${encodeURIComponent('select name from items_1_1 where id = 9')}`,
    );
    assert.is(await answer.text(), '[{"name":"item 9"}]');
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number];
    assert.is(code, 0);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
});

test('a stop under load cuts no request', async () => {
  const gateway = await startTestGateway({
    tables: [ITEMS],
    args: ['--result-cache-bytes', '0', '--deadline-ms', '60000', '--drain-ms', '60000'],
  });
  const statement = (n: number): string =>
    `select count(*) as n from items_1_1 a, items_1_1 b where a.id < 100 and a.id + b.id > ${n} - 1000000`;
  const asked = Array.from({ length: 32 }, (_, n) =>
    gateway.query(statement(n)).then((answer) => answer.text()),
  );
  // All of them have arrived by then.
  await Promise.race(asked);
  const stopped = gateway.stop();
  const texts = await Promise.all(asked);
  await stopped;
  assert.equal(new Set(texts), new Set(['[{"n":19800000}]']));
  assert.ok(gateway.seen.some((event) => event.type === 'draining' && event.running > 0));
});

test.run();
