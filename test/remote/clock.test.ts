// The time of a statement of the remote lane, by timers of the test's.
import { mock } from 'node:test';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClock } from '../../src/remote/clock.ts';

/** @returns why it ended, each time that it did */
function withClock(run: (clock: ReturnType<typeof createClock>) => void): readonly string[] {
  const ends: string[] = [];
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const clock = createClock({ leftMs: 60_000, stallMs: 1_000 }, (why) => ends.push(why));
    run(clock);
    clock.stop();
    mock.timers.tick(600_000);
  } finally {
    mock.timers.reset();
  }
  return ends;
}

test('a reader that takes nothing for its time ends it', () => {
  assert.equal(
    withClock((clock) => {
      clock.pause();
      mock.timers.tick(1_000);
    }),
    ['stalled'],
  );
});

test('a reader that is slow and takes something again and again does not, however long it takes', () => {
  assert.equal(
    withClock((clock) => {
      clock.pause();
      for (let part = 0; part < 100; part++) {
        mock.timers.tick(900);
        clock.taken();
      }
      clock.resume();
      mock.timers.tick(59_000);
      // What was sent before may be taken while the next is made.
      clock.taken();
    }),
    [],
  );
});

test('the time of the engine ends it, whatever is taken meanwhile', () => {
  assert.equal(
    withClock((clock) => {
      for (let second = 0; second < 60; second++) {
        clock.taken();
        mock.timers.tick(1_000);
      }
    }),
    ['time'],
  );
});

test.run();
