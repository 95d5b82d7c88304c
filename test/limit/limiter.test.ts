// Buckets of many clients: who shares one, who is exempt, and how many are kept.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLimiter } from '../../src/limit/limiter.ts';

const options = {
  perSecond: 1,
  burst: 2,
  maxClients: 3,
  apiKeys: ['first-key', 'second'],
  engineMsPerToken: 0,
  now: () => 0,
};

test('each client has a bucket of its own', () => {
  const limiter = createLimiter(options);
  assert.is(limiter.admit('1.1.1.1', undefined)?.allowed, true);
  assert.is(limiter.admit('1.1.1.1', undefined)?.remaining, 0);
  assert.is(limiter.admit('1.1.1.1', undefined)?.allowed, false);
  assert.is(limiter.admit('2.2.2.2', undefined)?.allowed, true);
});

test('a valid Api-Key is exempt, any other value is not', () => {
  const limiter = createLimiter(options);
  for (let i = 0; i < 10; i++) assert.is(limiter.admit('1.1.1.1', 'second'), undefined);
  for (const key of ['', 'secon', 'second ', 'first-keysecond'])
    assert.is.not(limiter.admit(`key-${key}`, key), undefined, key);
  assert.is.not(createLimiter({ ...options, apiKeys: [] }).admit('1.1.1.1', ''), undefined);
});

test('the number of buckets is bounded', () => {
  const limiter = createLimiter(options);
  for (let i = 0; i < 100; i++) limiter.admit(`1.1.1.${i}`, undefined);
  assert.is(limiter.clients, 3);
});

test('a rate of 0 limits nobody', () => {
  const limiter = createLimiter({ ...options, perSecond: 0 });
  for (let i = 0; i < 100; i++) assert.is(limiter.admit('1.1.1.1', undefined), undefined);
});

test('engine time costs what requests cost, down to a debt of a whole bucket', () => {
  let now = 0;
  const limiter = createLimiter({ ...options, engineMsPerToken: 100, now: () => now });
  assert.is(limiter.admit('1.1.1.1', undefined)?.remaining, 1);
  limiter.charge('1.1.1.1', 100);
  assert.is(limiter.admit('1.1.1.1', undefined)?.allowed, false);
  limiter.charge('1.1.1.1', 1_000_000);
  const refused = limiter.admit('1.1.1.1', undefined);
  assert.is(refused?.remaining, 0);
  assert.is(refused?.retryAfterMs, 3_000);
  now = 3_000;
  assert.is(limiter.admit('1.1.1.1', undefined)?.allowed, true);
  // Who holds a key has no bucket, and another client pays nothing.
  limiter.charge('9.9.9.9', 1_000_000);
  assert.is(limiter.admit('9.9.9.9', undefined)?.remaining, 1);
  assert.is(limiter.admit('2.2.2.2', undefined)?.remaining, 1);
});

test('engine time costs nothing unless it is switched on', () => {
  const limiter = createLimiter(options);
  limiter.admit('1.1.1.1', undefined);
  limiter.charge('1.1.1.1', 1_000_000);
  assert.is(limiter.admit('1.1.1.1', undefined)?.allowed, true);
});

test.run();
