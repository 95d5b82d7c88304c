// What is held against statements, and for how long: pure, on a clock of the test's.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Observation } from '../../src/base/observe.ts';
import { createQuarantine, createRefusals } from '../../src/lane/quarantine.ts';
import { integer, job } from './support.ts';

const WHY = 'SIGSEGV';
const FORGIVEN = 10 * 60_000;
const nothing = (): void => {};
const of = (shape: string, value = 1) => job(shape, {}, [integer(value)]);

test('keeps a statement out with its values, and forgives it in time', () => {
  const seen: Observation[] = [];
  const quarantine = createQuarantine('scan', (event) => seen.push(event));
  assert.is(quarantine.barred(of('a'), 0), false);
  quarantine.strike(of('a'), WHY, 0);
  assert.is(quarantine.barred(of('a'), 1), true);
  assert.is(quarantine.barred(of('a', 2), 1), false);
  assert.is(quarantine.barred(of('b'), 1), false);
  assert.is(quarantine.barred(of('a'), FORGIVEN - 1), true);
  assert.is(quarantine.barred(of('a'), FORGIVEN), false);
  assert.equal(seen, [{ type: 'shape-barred', from: 'scan', shape: 'a', why: WHY }]);
});

test('keeps a shape out that did so with other values too: later, where it is known to run cleanly', () => {
  const strikes = (known: boolean): number => {
    const quarantine = createQuarantine('scan', nothing);
    if (known) quarantine.ran(of('a', 0));
    for (let count = 1; ; count++) {
      quarantine.strike(of('a', count), WHY, 0);
      if (quarantine.barred(of('a', 1_000), 1)) return count;
    }
  };
  assert.is(strikes(false), 2);
  assert.is(strikes(true), 5);
});

test('of several that ran when a lane ended, those that never ran cleanly are kept out', () => {
  const quarantine = createQuarantine('scan', nothing);
  quarantine.ran(of('known', 7));
  for (const shape of ['known', 'stranger']) quarantine.suspect(of(shape), WHY, 0);
  assert.is(quarantine.barred(of('stranger'), 1), true);
  assert.is(quarantine.barred(of('stranger', 2), 1), false);
  assert.is(quarantine.barred(of('known'), 1), false);
  // Once may be chance.
  quarantine.suspect(of('known'), WHY, 2);
  assert.is(quarantine.barred(of('known'), 3), true);
  assert.is(quarantine.barred(of('known', 7), 3), false);
});

test('a statement of a row lane is kept out when it was lost twice', () => {
  const quarantine = createQuarantine('rows', nothing);
  quarantine.suspect(of('lookup'), WHY, 0);
  assert.is(quarantine.barred(of('lookup'), 1), false);
  quarantine.suspect(of('lookup'), WHY, 2);
  assert.is(quarantine.barred(of('lookup'), 3), true);
  assert.is(quarantine.barred(of('lookup', 2), 3), false);
});

test('a lane ends often with three ends in half a minute, and ended lately for ten', async () => {
  const quarantine = createQuarantine('scan', nothing);
  for (let at = 0; at < 3; at++) {
    assert.is(quarantine.endsOften(at), false);
    assert.is(quarantine.endedLately(at), at > 0);
    // Of one death, all that is lost tells.
    for (let i = 0; i < 5; i++) quarantine.death(at);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.is(quarantine.endsOften(30_000), true);
  assert.is(quarantine.endsOften(30_001), false);
  assert.is(quarantine.endedLately(600_002), true);
  assert.is(quarantine.endedLately(600_003), false);
});

test('a shape that ran cleanly is proven, whatever its values', () => {
  const quarantine = createQuarantine('scan', nothing);
  assert.is(quarantine.proven(of('known')), false);
  quarantine.ran(of('known'));
  assert.is(quarantine.proven(of('known', 2)), true);
  assert.is(quarantine.proven(of('stranger')), false);
});

test('refuses what ended a process alone, with these values and for a time', () => {
  const refusals = createRefusals(nothing);
  assert.is(refusals.refused(of('a'), 0), false);
  refusals.convict(of('a'), WHY, 0);
  assert.is(refusals.refused(of('a'), FORGIVEN - 1), true);
  assert.is(refusals.refused(of('a', 2), 1), false);
  assert.is(refusals.refused(of('a'), FORGIVEN), false);
});

test.run();
