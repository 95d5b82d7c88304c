// The waiting line of lanes: turns, bound, and who pays for a full line.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createFairQueue, type FairQueue } from '../../src/limit/fair-queue.ts';

function fill(max: number, items: readonly string[]) {
  const queue = createFairQueue<string>(max);
  for (const item of items) assert.is(queue.push(item.charAt(0), item), undefined, item);
  return queue;
}
function drain(queue: FairQueue<string>, weigh = (_: string): number => 0): string[] {
  const order: string[] = [];
  for (let client = queue.first(weigh); client !== undefined; client = queue.first(weigh))
    order.push(queue.shift(client) ?? '');
  return order;
}

test('serves clients in turn, each in its own order', () => {
  const queue = fill(10, ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']);
  assert.equal(drain(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  assert.is(queue.size, 0);
});

test('serves those first that weigh least, and what comes back before the others of its client', () => {
  const queue = fill(3, ['a1', 'b1', 'c1']);
  queue.unshift('c', 'c0');
  assert.is(queue.size, 4);
  assert.equal(
    drain(queue, (client) => (client === 'c' ? 0 : 1)),
    ['c0', 'c1', 'a1', 'b1'],
  );
});

test('makes room in a full line at the cost of whoever fills it', () => {
  const queue = fill(4, ['a1', 'a2', 'a3', 'b1']);
  assert.is(queue.push('c', 'c1'), 'a3');
  assert.is(queue.push('c', 'c2'), 'c2', 'as many as the greediest');
  assert.is(queue.push('a', 'a4'), 'a4', 'the greediest itself');
  assert.is(queue.size, 4);
  assert.equal(drain(queue), ['a1', 'b1', 'c1', 'a2']);
});

test('one client alone may fill the line, and no more', () => {
  const queue = fill(
    256,
    Array.from({ length: 256 }, (_, i) => `a${i}`),
  );
  assert.is(queue.push('a', 'a256'), 'a256');
  assert.is(drain(queue).length, 256);
});

test('forgets what is taken out', () => {
  const queue = fill(4, ['a1', 'a2', 'b1']);
  assert.is(queue.remove('a', 'a1'), true);
  assert.is(queue.remove('a', 'a1'), false);
  assert.is(queue.remove('x', 'x1'), false);
  assert.equal(drain(queue), ['a2', 'b1']);
});

test('a line of no length takes nothing', () => {
  assert.is(createFairQueue<string>(0).push('a', 'a1'), 'a1');
});

test.run();
