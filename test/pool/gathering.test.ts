// Lookups that wait together are run together: which ones may, and that a gateway's answers are the same with
// and without, to the byte.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { GATHER } from '../../src/frames.ts';
import { createFairQueue } from '../../src/limit/fair-queue.ts';
import { createGathering } from '../../src/pool/gathering.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { job, waiting } from './support.ts';

test('only shapes whose last answer said so have partners, and only of the same snapshot', () => {
  const gathering = createGathering(8);
  assert.is(gathering.partners(waiting('a')), undefined);
  gathering.answered(job('a'), GATHER);
  const fits = gathering.partners(waiting('a'));
  assert.is(fits?.(waiting('a')), true);
  assert.is(fits?.(waiting('b')), false);
  assert.is(fits?.(waiting('a', { snapshot: 's2' })), false);
  assert.is(fits?.(waiting('a', { alone: true })), false);
  assert.is(gathering.partners(waiting('a', { alone: true })), undefined);
  gathering.answered(job('a'), 0);
  assert.is(gathering.partners(waiting('a')), undefined);
});

test('one lookup a statement is none gathered', () => {
  const gathering = createGathering(1);
  gathering.answered(job('a'), GATHER);
  assert.is(gathering.partners(waiting('a')), undefined);
});

test('a lookup waits while a quick round of its shape runs, and for nothing else', () => {
  const gathering = createGathering(8);
  const none = gathering.begins(job('a'), 0);
  assert.is(gathering.waits(waiting('a'), 1, 1), false, 'a shape of which nothing is known');
  none(1);
  gathering.answered(job('a'), GATHER);
  assert.is(gathering.waits(waiting('a'), 1, 2), false, 'nothing runs');
  const ended = gathering.begins(job('a'), 10);
  assert.is(gathering.waits(waiting('a'), 1, 11), true);
  assert.is(gathering.waits(waiting('b'), 1, 11), false, 'another shape');
  assert.is(gathering.waits(waiting('a', { alone: true }), 1, 11), false, 'one that goes alone');
  assert.is(gathering.waits(waiting('a'), 8, 11), false, 'enough for a round of their own');
  assert.is(gathering.waits(waiting('a'), 1, 100), false, 'the round takes long');
  ended(100);
  assert.is(gathering.waits(waiting('a'), 1, 101), false, 'it has ended');
  const slow = gathering.begins(job('a'), 200);
  assert.is(gathering.waits(waiting('a'), 1, 201), false, 'the last one was slow');
  slow(202);
  gathering.begins(job('a'), 300);
  assert.is(gathering.waits(waiting('a'), 1, 301), true, 'the last one was quick again');
  const narrow = createGathering(8, 2);
  narrow.answered(job('a'), GATHER);
  narrow.begins(job('a'), 0);
  assert.is(narrow.waits(waiting('a'), 1, 1), true);
  assert.is(narrow.waits(waiting('a'), 2, 1), false, 'the line is full');
});

test('partners are taken out of the line in turns of their clients, and the rest keeps its order', () => {
  const queue = createFairQueue<string>(100);
  for (const [client, item] of [
    ['x', 'a1'],
    ['x', 'b1'],
    ['x', 'a2'],
    ['x', 'a3'],
    ['y', 'a4'],
    ['z', 'b2'],
  ] as const)
    queue.push(client, item);
  assert.equal(
    queue.take((item) => item.startsWith('a'), 3),
    ['a1', 'a4', 'a2'],
  );
  assert.is(queue.size, 3);
  assert.equal(
    queue.take((item) => item.startsWith('a'), 10),
    ['a3'],
  );
  assert.equal([queue.shift(), queue.shift(), queue.shift()], ['b1', 'b2', undefined]);
  assert.is(queue.size, 0);
});

const TABLES = [
  {
    name: 'items_1_1',
    primaryKey: 'id',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'name', type: 'text' },
      { name: 'size', type: 'integer' },
    ],
    select:
      "select i, 'item ' || i, case when i = 77 then 9223372036854775807 else i * 10 end from range(1, 1001) t(i)",
  },
] as const;

interface Told {
  readonly status: number;
  readonly body: string;
  /** The engine's share, as Server-Timing says. */
  readonly engine: string;
}

async function burst(gateway: TestGateway, from: number, count: number): Promise<Told[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const id = from + i;
      // One of them overflows, one is refused, some find nothing.
      const statement =
        id % 50 === 49
          ? `select name from items_1_1 where id = ${id} and nothing`
          : `select id, name, size + ${id} as n from items_1_1 where id = ${id} and size < 9${id}`;
      const reply = await gateway.query(statement);
      const engine = /engine;dur=([\d.]+)/.exec(reply.headers.get('server-timing') ?? '')?.[1] ?? '';
      return { status: reply.status, body: await reply.text(), engine };
    }),
  );
}

test('a gateway answers a crowd of lookups the same with gathering on and off', async () => {
  const on = await startTestGateway({ tables: TABLES });
  const off = await startTestGateway({ tables: TABLES, args: ['--gather', '1'] });
  try {
    for (const gateway of [on, off]) for (let i = 0; i < 6; i++) await burst(gateway, 2000 + i, 1);
    const together = await burst(on, 1, 300);
    const apart = await burst(off, 1, 300);
    together.forEach(({ status, body }, i) => {
      assert.is(status, apart[i]?.status, `lookup ${i + 1}`);
      if (status === 200) assert.is(body, apart[i]?.body);
    });
    assert.is(together.filter(({ status }) => status === 200).length, 294);
    const shares = (told: readonly Told[]): number => new Set(told.map(({ engine }) => engine)).size;
    assert.ok(shares(together) < 200, `${shares(together)} statements of the engine for 300 lookups`);
  } finally {
    await on.stop();
    await off.stop();
  }
});

test.run();
