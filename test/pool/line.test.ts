// What waits in a lane: turns, places, those who leave and those who have waited too long.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLine, type Waiting } from '../../src/pool/line.ts';

const item = (id: number, client = 'x', waitsUntil = 1_000): Waiting => ({
  id,
  client,
  snapshot: 's1',
  job: { kind: 'probe' },
  waitsUntil,
});
const ids = (items: readonly Waiting[]): readonly number[] => items.map(({ id }) => id);

test('who came just now goes first, then who stands in line, client by client', () => {
  const line = createLine(10);
  for (const [id, client] of [
    [1, 'x'],
    [2, 'x'],
    [3, 'y'],
  ] as const)
    line.come(item(id, client));
  assert.is(line.standing, false);
  assert.equal(line.takePlaces(), []);
  assert.is(line.standing, true);
  line.come(item(4));
  assert.is(line.size, 4);
  const order = Array.from({ length: 4 }, () => line.next()?.id);
  assert.equal(order, [4, 1, 3, 2]);
  assert.is(line.next(), undefined);
  assert.is(line.size, 0);
});

test('those for whom there is no place are given back, of whoever fills the line', () => {
  const line = createLine(3);
  for (const id of [1, 2, 3, 4]) line.come(item(id));
  assert.equal(ids(line.takePlaces()), [4]);
  line.come(item(5, 'y'));
  assert.equal(ids(line.takePlaces()), [3]);
  assert.is(line.leave(3), false, 'it is gone');
  assert.is(line.size, 3);
});

test('who leaves or has waited too long is taken out, wherever it waits', () => {
  const line = createLine(10);
  line.come(item(1, 'x', 10));
  line.come(item(2));
  line.takePlaces();
  line.come(item(4));
  assert.equal(ids(line.late(10)), []);
  assert.equal(ids(line.late(11)), [1]);
  assert.equal([line.leave(2), line.leave(4), line.leave(4), line.leave(1)], [true, true, false, false]);
  assert.is(line.size, 0);
});

test.run();
