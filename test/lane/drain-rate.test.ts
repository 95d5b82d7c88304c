// When a full line has room again, and when an ended process is started again: pure, on a clock of the test's.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createBackoff } from '../../src/lane/backoff.ts';
import { createDrainRate } from '../../src/lane/drain-rate.ts';

test('says how long the line takes at the rate of the last seconds', () => {
  const drain = createDrainRate();
  for (let ms = 0; ms < 5_000; ms += 10) drain.answered(ms);
  assert.is(drain.retryAfterS(1_000, 4_999), 10);
  assert.is(drain.retryAfterS(10, 4_999), 1);
  assert.is(drain.retryAfterS(0, 4_999), 1);
  // Nothing was answered for a while: as long as one is ever told to wait.
  assert.is(drain.retryAfterS(1_000, 60_000), 60);
  for (let ms = 60_000; ms < 61_000; ms += 1) drain.answered(ms);
  assert.is(drain.retryAfterS(1_000, 61_000), 5);
});

test('starts at once what a statement ended, and ever later what ends by itself', () => {
  const backoff = createBackoff();
  backoff.served();
  for (let i = 0; i < 20; i++) backoff.ended(100, false);
  assert.is(backoff.waitMs, 0);
  assert.is(backoff.down, false);
  const waits: number[] = [];
  for (let i = 0; i < 10; i++) {
    backoff.ended(0, true);
    waits.push(backoff.waitMs);
  }
  assert.equal(waits, [100, 200, 400, 800, 1600, 3000, 3000, 3000, 3000, 3000]);
  assert.is(backoff.down, true);
  backoff.served();
  assert.is(backoff.down, false);
  // Well for a while: the next end is the first again.
  backoff.ended(60_000, true);
  assert.is(backoff.waitMs, 100);
});

test.run();
