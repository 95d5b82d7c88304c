// Which state of the data an answer is of: what its shape reads, and when that changed last.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createReads, type DataState } from '../../src/answer/reads.ts';

const data = (snapshotId: string, versions: Readonly<Record<string, string>>): DataState => ({
  snapshotId,
  versions: new Map(Object.entries(versions)),
});
const FIRST = data('1', { a_1_1: '1', b_1_2: '1' });
/** b changed. */
const SECOND = data('2', { a_1_1: '1', b_1_2: '2' });

test('the state of a shape changes with the tables that it reads, and with no others', () => {
  const reads = createReads();
  assert.is(reads.state('of a', FIRST), undefined, 'nobody has run it');
  reads.learn('of a', ['a_1_1']);
  reads.learn('of a', ['a_1_1']);
  reads.learn('of b', ['b_1_2']);
  reads.learn('of both', ['b_1_2', 'a_1_1']);
  for (const [shape, stays] of [
    ['of a', true],
    ['of b', false],
    ['of both', false],
  ] as const) {
    const before = reads.state(shape, FIRST);
    assert.type(before, 'string');
    assert.is(reads.state(shape, SECOND) === before, stays, shape);
    assert.is(reads.state(shape, FIRST), before, 'back again: what still runs on the old one');
  }
});

test('states of different tables differ, also where their versions are the same', () => {
  const reads = createReads();
  reads.learn('of a', ['a_1_1']);
  reads.learn('of b', ['b_1_2']);
  reads.learn('of nothing', []);
  const states = ['of a', 'of b', 'of nothing'].map((shape) => reads.state(shape, FIRST));
  assert.is(new Set(states).size, 3);
  assert.is(reads.state('of nothing', SECOND), states[2], 'select 1 is the same for ever');
});

test('what has no version changes with every snapshot: block numbers, and a table that is gone', () => {
  const reads = createReads();
  reads.learn('blocks', ['a_1_1', 'blocks']);
  assert.is.not(reads.state('blocks', FIRST), reads.state('blocks', SECOND));
  reads.learn('gone', ['c_1_3']);
  assert.is.not(reads.state('gone', FIRST), reads.state('gone', SECOND));
});

test('a shape whose values decide what it reads counts with all that it was seen to read', () => {
  const reads = createReads();
  reads.learn('shape', ['a_1_1']);
  const before = reads.state('shape', FIRST);
  reads.learn('shape', ['b_1_2']);
  const both = reads.state('shape', FIRST);
  assert.is.not(both, before);
  reads.learn('shape', ['a_1_1']);
  assert.is(reads.state('shape', FIRST), both);
  assert.is.not(reads.state('shape', SECOND), both);
});

test.run();
