// What waits in a lane: turns, places, those who came back, those who leave and those who have waited too long.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { GATHER } from '../../src/frames.ts';
import { createGathering } from '../../src/pool/gathering.ts';
import { createLine, type Waiting } from '../../src/pool/line.ts';
import { job, waiting } from './support.ts';

const item = (id: number, client = 'x', shape = 'a', more: Partial<Waiting> = {}): Waiting =>
  waiting(shape, { id, client, ...more });
const ids = (items: readonly Waiting[]): readonly number[] => items.map(({ id }) => id);

test('who came back goes first, then who came just now, then who stands in line, client by client', () => {
  const line = createLine(createGathering(1), 10, 1);
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
  line.comeBack(item(5));
  assert.is(line.size, 5);
  const order = Array.from({ length: 5 }, () => line.next(0)?.id);
  assert.equal(order, [5, 4, 1, 3, 2]);
  assert.is(line.next(0), undefined);
  assert.is(line.size, 0);
});

test('those for whom there is no place are given back, of whoever fills the line', () => {
  const line = createLine(createGathering(1), 3, 1);
  for (const id of [1, 2, 3, 4]) line.come(item(id));
  assert.equal(ids(line.takePlaces()), [4]);
  line.come(item(5, 'y'));
  assert.equal(ids(line.takePlaces()), [3]);
  assert.is(line.leave(3), false, 'it is gone');
  assert.is(line.size, 3);
});

test('partners are taken from wherever they wait, and no more than fit', () => {
  const gathering = createGathering(4);
  gathering.answered(job('a'), GATHER);
  const line = createLine(gathering, 10, 4);
  for (const id of [1, 2]) line.come(item(id));
  line.come(item(3, 'x', 'b'));
  line.takePlaces();
  line.come(item(4));
  line.comeBack(item(5));
  line.comeBack(item(6, 'x', 'a', { alone: true }));
  const first = line.next(0) as Waiting;
  assert.is(first.id, 5);
  assert.equal(ids(line.partners(first)), [4, 1, 2]);
  assert.equal([line.next(0)?.id, line.next(0)?.id, line.next(0)?.id], [6, 3, undefined]);
});

test('a lookup waits for a round of its shape while others pass it', () => {
  const gathering = createGathering(4);
  gathering.answered(job('a'), GATHER);
  const line = createLine(gathering, 10, 4);
  const ended = gathering.begins(job('a'), 0);
  line.come(item(1));
  line.come(item(2, 'x', 'b'));
  line.takePlaces();
  assert.equal([line.next(1)?.id, line.next(1)?.id], [2, undefined]);
  ended(2);
  assert.is(line.next(2)?.id, 1);
});

test('who leaves or has waited too long is taken out, wherever it waits', () => {
  const line = createLine(createGathering(1), 10, 1);
  line.come(item(1, 'x', 'a', { waitsUntil: 10 }));
  line.come(item(2));
  line.takePlaces();
  line.comeBack(item(3, 'x', 'a', { waitsUntil: 10 }));
  line.come(item(4));
  assert.equal(ids(line.late(10)), []);
  assert.equal(ids(line.late(11)), [1, 3]);
  assert.equal([line.leave(2), line.leave(4), line.leave(4), line.leave(1)], [true, true, false, false]);
  assert.is(line.size, 0);
});

test.run();
