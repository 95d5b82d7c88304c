// The token bucket alone: arithmetic over a time that the test gives.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Bucket, take } from '../../src/limit/bucket.ts';

const rate = { perSecond: 2, burst: 3 };

function drain(
  bucket: Bucket | undefined,
  nowMs: number,
  times: number,
): { allowed: boolean[]; bucket: Bucket } {
  const allowed: boolean[] = [];
  let current = bucket;
  for (let i = 0; i < times; i++) {
    const taken = take(current, rate, nowMs);
    allowed.push(taken.allowed);
    current = taken.bucket;
  }
  return { allowed, bucket: current as Bucket };
}

test('a rested client may send its burst at once and not one more', () => {
  assert.equal(drain(undefined, 0, 4).allowed, [true, true, true, false]);
});

test('tokens come back at the rate, and never above the burst', () => {
  const { bucket } = drain(undefined, 0, 3);
  assert.equal(take(bucket, rate, 499).allowed, false);
  assert.equal(take(bucket, rate, 500).allowed, true);
  assert.equal(drain(bucket, 3_600_000, 4).allowed, [true, true, true, false]);
});

test('a refusal costs nothing and says when the next token is there', () => {
  const { bucket } = drain(undefined, 0, 3);
  const refused = take(bucket, rate, 100);
  assert.is(refused.allowed, false);
  assert.is(refused.retryAfterMs, 400);
  assert.is(refused.remaining, 0);
  assert.is(refused.fullAfterMs, 1400);
  assert.is(take(refused.bucket, rate, 500).allowed, true);
});

test('a clock that goes back neither refills nor empties a bucket', () => {
  const { bucket } = drain(undefined, 10_000, 3);
  const back = take(bucket, rate, 0);
  assert.is(back.allowed, false);
  assert.is(take(back.bucket, rate, 10_499).allowed, false);
  assert.is(take(back.bucket, rate, 10_500).allowed, true);
});

test.run();
