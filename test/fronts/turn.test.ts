// A swap turns all fronts at one moment: whoever asks one front and then another never sees a newer snapshot and then an
// older one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  nextOf,
  type ServedSnapshot,
  servingAfter,
  stateOf,
  type ToFront,
} from '../../src/fronts/messages.ts';
import { createServed } from '../../src/fronts/served.ts';
import { createTurn } from '../../src/fronts/turn.ts';
import type { GatewayProcess } from '../support/gateway-process.ts';
import { times } from '../support/ring.ts';
import { makeSnapshot, type TestTable } from '../support/snapshot.ts';
import { clientsOf, type FrontClient, startFronts } from './support.ts';

const test = suite<{ data: string; gateway: GatewayProcess }>('fronts/turn');
const FRONTS = 3;
const SWAPS = times(6, 50);

const tables = (n: number): readonly TestTable[] => [
  { name: 'counter_31337_2', columns: [{ name: 'n', type: 'integer' }], rows: [[n]] },
  { name: 'calm_31337_3', columns: [{ name: 'n', type: 'integer' }], rows: [[7]] },
];

function at(clients: readonly FrontClient[], i: number): FrontClient {
  const client = clients[i % clients.length];
  if (client === undefined) throw new Error('no client');
  return client;
}

test.before(async (context) => {
  context.data = mkdtempSync(join(tmpdir(), 'tablegate-turn-'));
  await makeSnapshot(context.data, tables(0));
  context.gateway = await startFronts(FRONTS, { data: context.data, args: ['--watch-every', '50ms'] });
});
test.after(async ({ gateway, data }) => {
  await gateway.stop();
  rmSync(data, { recursive: true, force: true });
});

test('a client that goes from front to front sees snapshots in their order, and each whole', async ({
  data,
  gateway,
}) => {
  const clients = await clientsOf(gateway, FRONTS);
  let done = false;
  let asked = 0;
  const seen = new Set<string>();
  /** One client: each answer is whole before it asks the next front. */
  const wander = async (mine: number): Promise<void> => {
    const own = await clientsOf(gateway, FRONTS);
    let newest = 0;
    let last = '';
    for (let i = mine; !done; i++) {
      asked += 1;
      // Kept answers, others' runs, new statements, and what is of no table.
      const statement =
        ['select n from counter_31337_2', `select n, ${i} as i from counter_31337_2`][i % 2] ?? '';
      const answer = await at(own, i).query(statement);
      assert.is(answer.status, 200, answer.body);
      const { n } = (JSON.parse(answer.body) as { n: number }[])[0] ?? { n: -1 };
      const id = answer.headers['tablegate-snapshot']?.split(';')[0] ?? '';
      assert.ok(n >= newest, `${n} after ${newest}`);
      assert.ok(id >= last, `${id} after ${last}`);
      const calm = await at(own, i + 1).query('select n from calm_31337_3');
      assert.ok(
        (calm.headers['tablegate-snapshot'] ?? '') >= id,
        `${calm.headers['tablegate-snapshot']} after ${id}`,
      );
      newest = n;
      last = calm.headers['tablegate-snapshot']?.split(';')[0] ?? '';
      seen.add(id);
    }
    for (const client of own) client.close();
  };
  const wanderers = [0, 1, 2].map(wander);
  // So that none is left unlooked at while the swaps go on.
  const failed = Promise.all(wanderers);
  failed.catch(() => {});
  for (let n = 1; n <= SWAPS; n++) {
    const { id } = await makeSnapshot(data, tables(n));
    for (;;) {
      const answers = await Promise.all(
        clients.map((client) => client.query('select n from counter_31337_2')),
      );
      if (answers.every(({ headers }) => headers['tablegate-snapshot']?.startsWith(id))) break;
      assert.ok(gateway.running, gateway.log);
    }
  }
  done = true;
  await failed;
  for (const client of clients) client.close();
  assert.ok(seen.size > SWAPS / 2, `${seen.size} snapshots seen`);
  assert.ok(asked > SWAPS * 10, `${asked} asked`);
  assert.not.match(gateway.log, /is not served|ended|in time/);
});

const state = (id: string, versions: readonly (readonly [string, string])[] = []): ServedSnapshot => ({
  ref: { id, path: `/nowhere/${id}` },
  serving: { snapshotId: id, versions: new Map(versions), chains: new Set([1]), blocks: [], createdMs: 0 },
});

test('a front is told what changed, and knows all; what comes after another snapshot is refused', () => {
  const first = state('1', [
    ['a', '1'],
    ['b', '1'],
    ['c', '1'],
  ]);
  const second = state('2', [
    ['a', '1'],
    ['b', '2'],
    ['d', '2'],
  ]);
  const next = nextOf(first, second);
  assert.equal(next.versions, [
    ['b', '2'],
    ['d', '2'],
    ['c', null],
  ]);
  assert.equal(servingAfter(first.serving, JSON.parse(JSON.stringify(next))), second.serving);
  assert.throws(() => servingAfter(second.serving, next), /1 is not served, but 2/);
});

/** A front that says what it is told to say. */
function frontOf(name: string) {
  const told: string[] = [];
  return {
    name,
    told,
    killed: '',
    tell(message: ToFront) {
      told.push(message.type);
    },
    kill(why: string) {
      this.killed = why;
    },
  };
}

/** Prepares and turns to the second state. */
function turnOf() {
  const turn = createTurn<ReturnType<typeof frontOf>>(state('1'));
  const to = async (commit: () => void): Promise<void> => {
    await turn.prepare(state('2'), 0);
    await turn.turn(commit);
  };
  return Object.assign(turn, { to });
}

test('what comes at the moment of a turn or later is held, however late the turn is', async () => {
  let nowMs = 1_000;
  const served = createServed(stateOf(state('1')), () => nowMs);
  const turned: string[] = [];
  served.onTurn(() => turned.push(served.serving().snapshotId));
  served.prepare(nextOf(state('1'), state('2')), 2_000);
  assert.is(served.held(), undefined, 'it is still to come');
  assert.is(served.serving().snapshotId, '1');
  assert.is(served.known('2')?.snapshotId, '2', 'what is under way may be answered from it');
  nowMs = 2_000;
  const held = served.held();
  assert.ok(held instanceof Promise);
  assert.equal(turned, []);
  served.hold();
  served.go('2');
  await held;
  assert.equal(turned, ['2']);
  assert.is(served.held(), undefined);

  // At once, or taken back: nothing is held before all are told to.
  served.prepare(nextOf(state('2'), state('3')), 0);
  assert.is(served.held(), undefined);
  served.hold();
  assert.ok(served.held() instanceof Promise);
  served.drop('3');
  assert.is(served.held(), undefined);
  assert.is(served.serving().snapshotId, '2');
});

test('nothing goes before all have held, and one that is gone holds nobody up', async () => {
  const turn = turnOf();
  const [a, b] = [frontOf('a'), frontOf('b')];
  turn.joined(a);
  turn.joined(b);
  let committed = false;
  const turned = turn.to(() => {
    assert.equal(
      [a.told, b.told],
      [
        ['prepare', 'hold'],
        ['prepare', 'hold'],
      ],
    );
    committed = true;
  });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  turn.prepared(a, '2', undefined);
  await settle();
  assert.equal(a.told, ['prepare'], 'one is not ready');
  turn.prepared(b, '2', undefined);
  await settle();
  assert.equal(b.told, ['prepare', 'hold']);
  turn.held(a, '1');
  turn.held(b, '2');
  await settle();
  assert.not.ok(committed, 'what was held for another one does not count');
  turn.left(a);
  await turned;
  assert.ok(committed);
  assert.is(turn.current.ref.id, '2');
  assert.is(b.told.at(-1), 'go');
  assert.is(a.told.at(-1), 'hold');
});

test('one that comes while others turn takes part, and one that cannot make ready keeps all on the old one', async () => {
  const turn = turnOf();
  const [a, late] = [frontOf('a'), frontOf('late')];
  turn.joined(a);
  const turned = turn.to(() => assert.unreachable('nobody turns'));
  turn.joined(late);
  assert.equal(late.told, ['prepare']);
  turn.prepared(a, '2', undefined);
  turn.prepared(late, '2', 'no room');
  const why = await turned.then(
    () => '',
    (error: Error) => error.message,
  );
  assert.is(why, 'late: no room');
  assert.equal([a.told.at(-1), late.told.at(-1)], ['drop', 'drop']);
  assert.is(turn.current.ref.id, '1');
});

test('one that does not hold in time is ended, and its end is waited for', async () => {
  const turn = turnOf();
  const [a, stuck] = [frontOf('a'), frontOf('stuck')];
  turn.joined(a);
  turn.joined(stuck);
  let committed = false;
  const turned = turn.to(() => {
    committed = true;
  });
  for (const front of [a, stuck]) turn.prepared(front, '2', undefined);
  turn.held(a, '2');
  while (stuck.killed === '') await new Promise((resolve) => setTimeout(resolve, 20));
  assert.match(stuck.killed, 'in time');
  assert.not.ok(committed, 'it may still answer');
  turn.left(stuck);
  await turned;
  assert.ok(committed);
});

test.run();
