// Buckets of many clients: who shares one, who is exempt, and how many are kept.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLimiter } from '../../src/limit/limiter.ts';

const options = { perSecond: 1, burst: 2, maxClients: 3, apiKeys: ['first-key', 'second'], now: () => 0 };

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

test.run();
