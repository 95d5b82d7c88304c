// When a statement that waits for its reader is given up: the control memory is the test's.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CONTROL } from '../../src/wire/protocol.ts';
import { createWatch } from '../../src/worker/watch.ts';

/** A reader that takes nothing has stalled at the first look. */
const AT_ONCE = -1;
function given() {
  const memory = new SharedArrayBuffer(CONTROL.ints * Int32Array.BYTES_PER_ELEMENT);
  const control = new Int32Array(memory);
  const watch = createWatch(memory, AT_ONCE);
  const watched = watch.start({ interrupt: () => {} }, 0, Number.POSITIVE_INFINITY);
  return { control, watched };
}

test('a reader that takes nothing is given up', async () => {
  const { control, watched } = given();
  control[CONTROL.hasReader] = 1;
  assert.is(await watched.takeCredit(10), false);
  assert.is(watched.stopped, 'stalled');
  watched.done();
});

test('what the front holds back has no reader that could be slow', async () => {
  const { control, watched } = given();
  let answered = false;
  const taken = watched.takeCredit(10).finally(() => {
    answered = true;
  });
  for (let look = 0; look < 20; look++) {
    Atomics.notify(control, CONTROL.credit);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.is(answered, false);
  // It is handed on.
  Atomics.store(control, CONTROL.hasReader, 1);
  Atomics.add(control, CONTROL.credit, 100);
  Atomics.notify(control, CONTROL.credit);
  assert.is(await taken, true);
  assert.is(watched.stopped, undefined);
  assert.is(control[CONTROL.credit], 90);
  watched.done();
});

test.run();
