// Which answers in parts count as running, and which is given up for others.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createStreams } from '../../src/pool/streams.ts';

test('lets so many wait for their readers, and counts the others as running until a place is free', () => {
  const streams = createStreams(2);
  assert.is(streams.began(1), 1);
  assert.is(streams.began(1), 0);
  assert.is(streams.began(2), 1);
  assert.is(streams.began(3), 0);
  assert.is(streams.began(4), 0);
  // 1 ends, and 3 takes its place: one fewer runs.
  assert.is(streams.ended(1), 1);
  // 4 counted as running.
  assert.is(streams.ended(4), 1);
  assert.is(streams.ended(2), 0);
  assert.is(streams.ended(3), 0);
  // A task without parts.
  assert.is(streams.ended(9), 1);
  assert.is(streams.began(5), 1);
});

test('gives up the slowest of those that wait for their readers and have had their time', () => {
  const streams = createStreams(9);
  for (const id of [1, 2, 3, 4, 5]) streams.began(id);
  streams.taken(1, 1_000_000, 0);
  streams.taken(2, 1_000, 0);
  streams.taken(3, 10_000, 0);
  streams.taken(4, 0, 9_500);
  // The fifth is held back by the front: no reader has it.
  const all = (): boolean => true;
  assert.is(streams.slowest(999, all), undefined);
  assert.is(streams.slowest(10_000, all), 2);
  assert.is(
    streams.slowest(10_000, (id) => id !== 2),
    3,
  );
  streams.ended(2);
  assert.is(streams.slowest(10_000, all), 3);
  assert.is(
    streams.slowest(10_000, () => false),
    undefined,
  );
});

test.run();
