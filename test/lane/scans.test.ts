// Which process of the scan lane a statement goes to: lanes that only say how they are, and timers of the test's.
import { mock } from 'node:test';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Lane } from '../../src/lane/lane.ts';
import { createQuarantine } from '../../src/lane/quarantine.ts';
import { createScans } from '../../src/lane/scans.ts';
import { job } from './support.ts';

type Fake = Lane & { streaming: boolean; serving: boolean; down: boolean; pending: number; closed: boolean };
function fake(): Fake {
  const lane = {
    ...{ streaming: false, serving: true, down: false, pending: 0, closed: false },
    close: async () => {},
  };
  lane.close = async () => {
    lane.closed = true;
  };
  return lane as unknown as Fake;
}
function given(withApart = true, prefersApart = false) {
  const main = fake();
  const started: Fake[] = [];
  const quarantine = createQuarantine('scan', () => {});
  quarantine.ran(job('known'));
  const start = (): Fake => {
    const lane = fake();
    started.push(lane);
    return lane;
  };
  const scans = createScans({
    main,
    startApart: withApart ? start : undefined,
    prefersApart,
    quarantine,
  });
  return {
    main,
    started,
    quarantine,
    scans,
    place: (shape: string, now = 0) => scans.placeOf(job(shape), now),
  };
}

test('all goes to one process while no answer is sent in parts', () => {
  const { main, started, place } = given();
  assert.is(place('known'), main);
  assert.is(place('stranger'), main);
  assert.is(started.length, 0);
});

test('beside answers in parts, and for a minute after one began, only what is proven goes there', () => {
  const { main, started, scans, place } = given();
  main.streaming = true;
  assert.is(place('known'), main);
  assert.is(place('stranger'), started[0]);
  assert.is(place('another'), started[0]);
  assert.is(started.length, 1);
  main.streaming = false;
  assert.is(place('stranger'), main);
  scans.streams(1_000);
  assert.is(place('stranger', 61_000), started[0]);
  assert.is(place('stranger', 61_001), main);
  scans.close();
});

test('where the second process does not start, or the lane ends often, strangers are kept out', async () => {
  const { main, started, quarantine, scans, place } = given();
  main.streaming = true;
  place('stranger');
  (started[0] as Fake).down = true;
  assert.is(place('stranger'), undefined);
  main.streaming = false;
  for (let n = 0; n < 3; n++) {
    quarantine.death(0);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.is(place('stranger'), undefined);
  assert.is(place('known'), main);
  main.down = true;
  assert.is(place('known'), undefined);
  scans.close();
});

test('without a second process, strangers are kept out beside answers in parts once the lane has ended', () => {
  const { main, quarantine, place } = given(false);
  main.streaming = true;
  assert.is(place('stranger'), main);
  quarantine.death(0);
  assert.is(place('stranger', 1), undefined);
  assert.is(place('known', 1), main);
  main.streaming = false;
  assert.is(place('stranger', 1), main);
});

test('the second process is ended when nothing came for a minute, and nothing runs there', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const { main, started, scans, place } = given();
    main.streaming = true;
    place('stranger');
    const [first] = started;
    if (first === undefined) throw new Error('it was not started');
    first.pending = 1;
    mock.timers.tick(60_000);
    assert.is(first.closed, false);
    first.pending = 0;
    mock.timers.tick(60_000);
    assert.is(first.closed, true);
    assert.is(scans.apart, undefined);
    place('stranger');
    assert.is(started.length, 2);
    scans.close();
  } finally {
    mock.timers.reset();
  }
});

test('one that stands by is never ended, and has what is new while nothing else runs there', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const { main, started, scans, place } = given(true, true);
    scans.standBy();
    const [second] = started;
    if (second === undefined) throw new Error('it was not started');
    assert.is(place('stranger'), second);
    assert.is(place('known'), main);
    second.pending = 1;
    assert.is(place('stranger'), main);
    main.streaming = true;
    assert.is(place('stranger'), second);
    main.streaming = false;
    second.pending = 0;
    second.serving = false;
    assert.is(place('stranger'), main);
    mock.timers.tick(600_000);
    assert.is(second.closed, false);
    assert.is(started.length, 1);
  } finally {
    mock.timers.reset();
  }
});

test.run();
