// Caches have a bound of what they really take: entries, characters of their keys, bytes.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createByteCache, createCache, createShapeCache, createSightings } from '../src/base/cache.ts';

test('short shapes are bounded by their number, long ones by their characters, the oldest go first', () => {
  const short = createShapeCache<number>(3);
  for (let i = 0; i < 5; i++) short.set(`shape ${i}`, i);
  assert.equal([...short.keys()].sort(), ['shape 2', 'shape 3', 'shape 4']);
  const long = createShapeCache<true>(10_000);
  for (let i = 0; i < 2_000; i++) long.set(String(i).padEnd(35_000, 'x'), true);
  assert.ok(long.size > 100 && long.size < 125, String(long.size));
  assert.ok(long.has('1999'.padEnd(35_000, 'x')));
  assert.not(long.has('0'.padEnd(35_000, 'x')));
});

test('what makes room for others is told of, what is replaced or deleted is not', () => {
  const evicted: string[] = [];
  const cache = createCache<number>(2, (value, key) => evicted.push(`${key}=${value}`));
  cache.set('a', 1).set('b', 2).set('a', 3);
  cache.delete('b');
  assert.equal(evicted, []);
  cache.set('c', 4).set('d', 5);
  assert.equal(evicted, ['a=3']);
});

test('bytes of all entries are bounded, and a large one is not kept', () => {
  const cache = createByteCache<string>({
    maxBytes: 100,
    maxEntryBytes: 40,
    bytesOf: (text, key) => text.length + key.length,
  });
  for (const key of ['a', 'b', 'c', 'd']) cache.set(key, 'x'.repeat(29));
  assert.equal([...cache.keys()], ['d', 'c', 'b']);
  cache.set('e', 'x'.repeat(40));
  assert.not(cache.has('e'));
  assert.is(cache.size, 3);
});

test('what was seen is known for a while, bounded by number and by characters', () => {
  const few = createSightings(2);
  const seen = (keys: string): string => [...keys].map((key) => (few.again(key) ? '+' : '-')).join('');
  assert.is(seen('aab'), '-+-');
  assert.is(seen('ca'), '-+', 'the half before is known, too');
  assert.is(seen('da'), '-+', 'what is asked again stays');
  assert.is(seen('efg'), '---');
  assert.is(seen('a'), '-', 'the half before that is not known');
  const long = createSightings(1_000, 100);
  const text = (name: string): string => name.padEnd(60, 'x');
  assert.not(long.again(text('a')));
  assert.not(long.again(text('b')));
  assert.ok(long.again(text('a')));
  for (const other of ['c', 'd', 'e']) assert.not(long.again(text(other)));
  assert.not(long.again(text('a')), 'so many of them have too many characters');
});

test.run();
