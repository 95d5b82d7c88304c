// What is remembered by shape has a bound in characters, not only in shapes.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createShapeCache } from '../src/base/shape-cache.ts';

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

test.run();
