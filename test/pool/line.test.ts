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
  unproven: false,
});
const ids = (items: readonly Waiting[]): readonly number[] => items.map(({ id }) => id);

test('who came just now may begin before it takes a place; who stands in line goes client by client', () => {
  const line = createLine(10, 2);
  line.come(item(4));
  assert.is(line.size, 1);
  assert.is(line.next(2, 0)?.id, 4);
  for (const [id, client] of [
    [1, 'x'],
    [2, 'x'],
    [3, 'y'],
  ] as const)
    line.come(item(id, client));
  assert.is(line.standing, false);
  assert.equal(line.takePlaces(0), []);
  assert.is(line.standing, true);
  assert.is(line.size, 3);
  const order = Array.from({ length: 3 }, () => line.next(2, 0)?.id);
  assert.equal(order, [1, 3, 2]);
  assert.is(line.next(2, 0), undefined);
  assert.is(line.size, 0);
});

test('those for whom there is no place are given back, of whoever fills the line', () => {
  const line = createLine(3, 2);
  for (const id of [1, 2, 3, 4]) line.come(item(id));
  assert.equal(ids(line.takePlaces(0)), [4]);
  line.come(item(5, 'y'));
  assert.equal(ids(line.takePlaces(0)), [3]);
  assert.is(line.leave(3, 0), false, 'it is gone');
  assert.is(line.size, 3);
});

test('who leaves or has waited too long is taken out, wherever it waits', () => {
  const line = createLine(10, 2);
  line.come(item(1, 'x', 10));
  line.come(item(2));
  line.takePlaces(0);
  line.come(item(4));
  assert.equal(ids(line.late(10)), []);
  assert.equal(ids(line.late(11)), [1]);
  assert.equal(
    [line.leave(2, 0), line.leave(4, 0), line.leave(4, 0), line.leave(1, 0)],
    [true, true, false, false],
  );
  assert.is(line.size, 0);
});

test.run();
