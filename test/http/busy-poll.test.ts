// When a process looks for the next request, and when it sleeps: by a clock of the test's own.
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createBusyPoll } from '../../src/http/busy-poll.ts';

const SOON_MS = 0.05;
/** Soon enough for a process that was asleep, and later than one looks. */
const TOO_LATE_MS = 0.15;
const LATE_MS = 5;

function setUp(): {
  request: (afterMs: number, together?: number) => void;
  pass: (ms: number) => void;
  looks: () => boolean;
  under: { way: boolean };
} {
  let nowMs = 1_000;
  const under = { way: false };
  const poll = createBusyPoll(
    () => !under.way,
    () => nowMs,
  );
  return {
    under,
    request(afterMs, together = 1) {
      nowMs += afterMs;
      poll.came();
      poll.rest(together);
    },
    pass: (ms) => {
      nowMs += ms;
    },
    // What is looked for keeps the event loop turning.
    looks: () => process.getActiveResourcesInfo().includes('Immediate'),
  };
}

test('one request after the other: it looks for the next one, for a while', async () => {
  const { request, pass, looks } = setUp();
  for (let i = 0; i < 10; i += 1) request(SOON_MS);
  for (let i = 0; i < 20; i += 1) {
    await turn();
    assert.ok(looks());
  }
  pass(LATE_MS);
  await turn();
  await turn();
  assert.not(looks());
});

test('it sleeps between the first requests, between those with pauses, and between those that come together', () => {
  const { request, looks } = setUp();
  request(SOON_MS);
  assert.not(looks(), 'the first');
  for (let i = 0; i < 20; i += 1) request(LATE_MS);
  assert.not(looks(), 'each after a pause');
  for (let i = 0; i < 20; i += 1) request(SOON_MS, 2);
  assert.not(looks(), 'two at once');
  for (let i = 0; i < 20; i += 1) request(i % 2 === 0 ? SOON_MS : LATE_MS);
  assert.not(looks(), 'every other one after a pause');
});

test('after a look in vain it wants to see more of them', async () => {
  const { request, pass, looks } = setUp();
  for (let i = 0; i < 10 && !looks(); i += 1) request(TOO_LATE_MS);
  assert.ok(looks(), 'they seem to come soon enough');
  pass(TOO_LATE_MS);
  await turn();
  await turn();
  assert.not(looks(), 'it was in vain');
  for (let i = 0; i < 5; i += 1) {
    request(SOON_MS);
    assert.not(looks());
  }
  for (let i = 0; i < 10; i += 1) request(SOON_MS);
  assert.ok(looks());
  pass(LATE_MS);
  await turn();
});

test('it does not look while something is under way', async () => {
  const { request, looks, under } = setUp();
  under.way = true;
  for (let i = 0; i < 10; i += 1) request(SOON_MS);
  await turn();
  await turn();
  assert.not(looks());
});

test.run();
