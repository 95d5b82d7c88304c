// Real lanes that turn to a snapshot at the moment that it names, by a clock of the test's.
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ask, createAsk } from '../../src/answer/engine.ts';
import type { Observation } from '../../src/base/observe.ts';
import { type Swap, startSwap } from '../../src/gateway/swap.ts';
import { type Lanes, startLanes } from '../../src/lane/lanes.ts';
import { currentSnapshot } from '../../src/snapshot/folder.ts';
import { activationPath } from '../../src/snapshot/layout.ts';
import { LANE_CONFIG, until } from '../lane/support.ts';
import { makeSnapshot } from '../support/snapshot.ts';

interface Context {
  dir: string;
  lanes: Lanes;
  ask: Ask;
  swap: Swap;
  seen: Observation[];
  clock: { ms: number };
}
const test = suite<Context>('follow/activation');

const START = Date.parse('2026-01-01T00:00:00Z');

/** As a puller does it: whole before it has its name. @param at its activation.json */
async function pull(dir: string, n: number, at?: number | string): Promise<string> {
  const aside = mkdtempSync(join(tmpdir(), 'tablegate-pull-'));
  const rows = [[n]] as const;
  const made = await makeSnapshot(aside, [
    { name: 'n_1_1', columns: [{ name: 'n', type: 'integer' }], rows },
  ]);
  const text = typeof at === 'number' ? JSON.stringify({ activeAt: new Date(at).toISOString() }) : at;
  if (text !== undefined) writeFileSync(activationPath(made.path), text);
  mkdirSync(join(dir, 'snapshots'), { recursive: true });
  renameSync(made.path, join(dir, 'snapshots', basename(made.path)));
  rmSync(aside, { recursive: true });
  return made.id;
}

test.before.each(async (context) => {
  context.dir = mkdtempSync(join(tmpdir(), 'tablegate-turn-'));
  context.seen = [];
  context.clock = { ms: START };
  await pull(context.dir, 1);
  const observe = (event: Observation): void => void context.seen.push(event);
  context.lanes = startLanes({ ...LANE_CONFIG, scanWarm: 'off' }, observe);
  context.ask = createAsk(context.lanes, observe);
  const first = await currentSnapshot(context.dir, START);
  await context.lanes.openSnapshot(first);
  context.swap = await startSwap({
    config: { data: context.dir, chains: [], watchEvery: 100 },
    lanes: context.lanes,
    ask: context.ask,
    observe,
    first,
    now: () => context.clock.ms,
  });
});
test.after.each(async ({ swap, lanes, dir }) => {
  await swap.close();
  await lanes.close();
  rmSync(dir, { recursive: true, force: true });
});

const notes = ({ seen }: Context, text: RegExp): readonly string[] =>
  seen.flatMap((event) => (event.type === 'note' && text.test(event.text) ? [event.text] : []));
const isReady = (context: Context, id: string): Promise<void> =>
  until(() => notes(context, new RegExp(`snapshot ${id} is ready`)).length === 1, 30_000);
const opened = ({ seen }: Context): readonly string[] =>
  seen.flatMap((event) => (event.type === 'snapshot-opened' ? [event.id] : []));

test('it is ready before its moment, and from then on whoever asks reads it, however late the timer is', async (context) => {
  const { dir, swap, ask, clock } = context;
  const { snapshotId: first } = swap.serving();
  let turns = 0;
  swap.onTurn(() => {
    turns += 1;
  });
  const id = await pull(dir, 2, START + 30_000);
  await isReady(context, id);
  clock.ms = START + 29_999;
  assert.is(swap.serving().snapshotId, first);
  assert.is((await ask({ kind: 'probe' }, { requestId: 'a' })).snapshot, first);
  clock.ms = START + 30_000;
  assert.is(swap.serving().snapshotId, id, 'in the same turn of the event loop');
  assert.is((await ask({ kind: 'probe' }, { requestId: 'b' })).snapshot, id);
  assert.is(swap.known(first)?.snapshotId, first);
  assert.is(turns, 1);
  assert.equal(opened(context), [first, id]);
});

test('where nobody asks, time alone turns', async (context) => {
  const { dir, clock } = context;
  const id = await pull(dir, 2, START + 30_000);
  await isReady(context, id);
  clock.ms = START + 30_000;
  await until(() => opened(context).includes(id), 30_000);
});

test('several that wait are turned to one after the other', async (context) => {
  const { dir, swap, clock } = context;
  const { snapshotId: first } = swap.serving();
  const second = await pull(dir, 2, START + 10_000);
  await isReady(context, second);
  const third = await pull(dir, 3, START + 20_000);
  swap.look();
  clock.ms = START + 9_999;
  assert.is(swap.serving().snapshotId, first);
  clock.ms = START + 10_000;
  assert.is(swap.serving().snapshotId, second);
  await isReady(context, third);
  assert.is(swap.serving().snapshotId, second);
  clock.ms = START + 20_000;
  assert.is(swap.serving().snapshotId, third);
});

test('one that is late is turned to when it is ready, and the log says how late it was', async (context) => {
  const { dir, clock } = context;
  clock.ms = START + 5_000;
  const id = await pull(dir, 2, START + 1_000);
  await until(() => opened(context).includes(id), 30_000);
  assert.match(notes(context, /was ready/)[0] ?? '', `snapshot ${id} was ready 4000 ms after`);
});

test('what is no moment, or one that is too far away, counts for nothing, and the log says so', async (context) => {
  const { dir } = context;
  for (const [n, at] of [
    [2, '{"activeAt": "soo'],
    [3, START + 3_600_001],
  ] as const) {
    const id = await pull(dir, n, at);
    await until(() => opened(context).includes(id), 30_000);
    assert.is(
      notes(context, new RegExp(`snapshot ${id} is turned to at once: its activation.json`)).length,
      1,
    );
  }
});

test('one that is taken away before its moment is forgotten, and one that comes at once passes it by', async (context) => {
  const { dir, swap, clock } = context;
  const { snapshotId: first } = swap.serving();
  const second = await pull(dir, 2, START + 10_000);
  await isReady(context, second);
  rmSync(join(dir, 'snapshots', second), { recursive: true });
  const leases = (): number =>
    readdirSync(join(dir, 'snapshots')).filter((name) => name.startsWith('.reading-')).length;
  await until(() => leases() === 1, 30_000);
  clock.ms = START + 10_000;
  assert.is(swap.serving().snapshotId, first);

  const third = await pull(dir, 3, START + 20_000);
  await isReady(context, third);
  const fourth = await pull(dir, 4);
  await until(() => opened(context).includes(fourth), 30_000);
  clock.ms = START + 20_000;
  assert.is(swap.serving().snapshotId, fourth);
  assert.equal(opened(context), [first, fourth]);
});

test('who starts before the moment begins with what the others serve', async ({ dir, swap }) => {
  const { snapshotId: first } = swap.serving();
  const second = await pull(dir, 2, START + 10_000);
  assert.is((await currentSnapshot(dir, START + 9_999)).id, first);
  assert.is((await currentSnapshot(dir, START + 10_000)).id, second);
  rmSync(join(dir, 'snapshots', first), { recursive: true });
  assert.is((await currentSnapshot(dir, START)).id, second, 'there is nothing else');
});

test.run();
