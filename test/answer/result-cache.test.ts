import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createResultCache } from '../../src/answer/result-cache.ts';

const answer = (bytes: number) => ({ body: new Uint8Array(bytes) });

test('gives back what was set', () => {
  const cache = createResultCache(100_000);
  const first = answer(10);
  cache.set('a', first);
  assert.is(cache.get('a'), first);
  assert.is(cache.get('b'), undefined);
});

test('stays within its bytes and drops what was not used for longest', () => {
  const cache = createResultCache(100_000);
  for (let i = 0; i < 40; i++) {
    cache.set(`k${i}`, answer(9_000));
    assert.ok(cache.get('k0') !== undefined, 'an entry in use stays');
    assert.ok(cache.bytes <= 100_000);
  }
  assert.is(cache.get('k1'), undefined);
  assert.ok(cache.get('k39') !== undefined);
});

test('does not keep an answer larger than an eighth of it', () => {
  const cache = createResultCache(80_000);
  cache.set('small', answer(5_000));
  cache.set('large', answer(20_000));
  assert.ok(cache.get('small') !== undefined);
  assert.is(cache.get('large'), undefined);
});

test('keeps nothing when its size is 0', () => {
  const off = createResultCache(0);
  off.set('a', answer(1));
  assert.is(off.get('a'), undefined);
});

test.run();
