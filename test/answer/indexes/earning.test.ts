// When an index is worth making, and how long it may take.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createIndexEarning } from '../../../src/answer/indexes/earning.ts';

const ROWS = 100_000;

/** How often a lookup of so many ms is asked for until an index is earned, and how long making it may take. */
function earn(
  earning: ReturnType<typeof createIndexEarning>,
  ms: number,
  now = 0,
): readonly [number, number] {
  for (let n = 1; n < 1_000_000; n++) {
    earning.spent('a', ms);
    const allowed = earning.allowance('a', ROWS, now);
    if (allowed !== undefined) return [n, allowed];
  }
  throw new Error('never');
}

test('the more rows, the more has to be spent before', () => {
  const earning = createIndexEarning();
  earning.spent('few', 10);
  earning.spent('many', 10);
  assert.ok(earning.allowance('few', 1_000, 0) !== undefined);
  assert.is(earning.allowance('many', 1_000_000, 0), undefined);
  assert.is(earning.allowance('other', 1_000, 0), undefined);
});

test('nobody gets much for little: what making one may take is bounded by what was spent', () => {
  const [lookups, allowedMs] = earn(createIndexEarning(), 1);
  assert.ok(lookups >= 40 && lookups <= 60, `${lookups} lookups`);
  assert.ok(allowedMs > lookups && allowedMs < 1_000, `${allowedMs} ms`);
});

test('one that took too long has to be earned anew, and then has more time', () => {
  const earning = createIndexEarning();
  const [first, allowed] = earn(earning, 1);
  earning.failed('a', 'slow', 0);
  const [second, more] = earn(earning, 1);
  assert.ok(first + second > allowed / 2, `${first} and ${second} lookups for ${allowed} ms`);
  assert.ok(more > allowed * 2, `${more} ms`);
});

test('rows that cannot be had are not asked for again at once, and a busy engine is left alone for a moment', () => {
  const earning = createIndexEarning();
  earn(earning, 1);
  earning.failed('a', 'busy', 1_000);
  assert.is(earning.allowance('a', ROWS, 1_500), undefined);
  assert.ok(earning.allowance('a', ROWS, 2_000) !== undefined);
  earning.failed('a', 'none', 2_000);
  assert.is(earning.allowance('a', ROWS, 61_000), undefined);
  assert.ok(earning.allowance('a', ROWS, 62_000) !== undefined);
  earning.failed('a', 'none', 62_000);
  assert.is(earning.allowance('a', ROWS, 181_000), undefined, 'twice as long');
  assert.ok(earning.allowance('a', ROWS, 182_000) !== undefined);
});

test('what was made, and what another snapshot is, has to be earned anew', () => {
  for (const forget of ['made', 'newSnapshot'] as const) {
    const earning = createIndexEarning();
    const [lookups] = earn(earning, 1);
    earning[forget]('a');
    assert.is(earning.allowance('a', ROWS, 0), undefined);
    assert.is(earn(earning, 1)[0], lookups);
  }
});

test.run();
