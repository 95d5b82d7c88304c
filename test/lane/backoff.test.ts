// When a lane's process is started again, and when nobody is to wait for it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Backoff, createBackoff, TRIES } from '../../src/lane/backoff.ts';

const test = suite('backoff');

/** It ended by itself as often as counts. */
function failed(): Backoff {
  const backoff = createBackoff();
  for (let i = 0; i < TRIES; i++) {
    assert.is(backoff.down, false);
    backoff.ended(0, true);
  }
  return backoff;
}

test('waits longer after each end by itself, and not at all after that of a statement', () => {
  const backoff = createBackoff();
  const waits = [1, 2, 3, 4].map(() => {
    backoff.ended(0, true);
    return backoff.waitMs;
  });
  assert.equal(
    waits,
    [...waits].sort((a, b) => a - b),
  );
  assert.ok((waits[0] ?? 0) > 0);
  const other = createBackoff();
  other.served();
  other.ended(10, false);
  assert.is(other.waitMs, 0);
});

test('is down after some ends by itself, until it serves', () => {
  const backoff = failed();
  assert.is(backoff.down, true);
  backoff.served();
  assert.is(backoff.down, false);
  // It ended by itself once more: it is not well yet.
  backoff.ended(10, true);
  assert.is(backoff.down, true);
});

test('statements that end a lane which serves again do not make it down', () => {
  const backoff = failed();
  for (let i = 0; i < 5; i++) {
    backoff.served();
    backoff.ended(300, false);
    assert.equal([backoff.down, backoff.waitMs], [false, 0]);
  }
});

test('begins anew where it is to serve something else', () => {
  const backoff = failed();
  backoff.renew();
  assert.equal([backoff.down, backoff.waitMs], [false, 0]);
});

test.run();
