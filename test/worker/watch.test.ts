// When the functions in JavaScript are told to stop: what the engine is at work on decides, not who waits for a reader.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { monotonicMs } from '../../src/monotonic.ts';
import { CONTROL } from '../../src/protocol.ts';
import { createWatch } from '../../src/worker/watch.ts';

const LATE = -1;
const LONG = 60_000;

function given() {
  const memory = new SharedArrayBuffer(4 * CONTROL.ints * Int32Array.BYTES_PER_ELEMENT);
  const watch = createWatch(memory, LONG);
  const interrupts = [0, 0];
  const start = (slot: number, ms: number) =>
    watch.start(
      {
        interrupt: () => {
          interrupts[slot] = (interrupts[slot] ?? 0) + 1;
        },
      },
      slot,
      monotonicMs() + ms,
    );
  return { watch, start, interrupts };
}
const never = new Promise<void>(() => {});

test('stops what is late, alone', () => {
  const { watch, start, interrupts } = given();
  assert.is(watch.stopping(), false);
  const late = start(0, LATE);
  late.running(never);
  assert.is(watch.stopping(), true);
  assert.is(interrupts[0], 1);
  late.done();
  assert.is(watch.stopping(), false);
});

test('goes on for a neighbour that is in time, and interrupts what is late all the same', async () => {
  const { watch, start, interrupts } = given();
  const inTime = start(0, LONG);
  const late = start(1, LATE);
  late.running(never);
  // Its chunk is there; it only waits for its reader.
  await inTime.running(Promise.resolve());
  assert.is(watch.stopping(), true);
  inTime.running(never);
  assert.is(watch.stopping(), false, 'the call may be for the neighbour');
  assert.equal(interrupts, [0, 2]);
  inTime.done();
  late.done();
});

test.run();
