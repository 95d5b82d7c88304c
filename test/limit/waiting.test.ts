// Who waits for something to come: woken when it is there, bounded in all and by client, and let go of.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Aborter } from '../../src/base/abort.ts';
import { createWaiting } from '../../src/limit/waiting.ts';

const LONG_MS = 600_000;
const no = (): boolean => false;

test('a wake ends those whose thing is there, and leaves the others', async () => {
  const waiting = createWaiting(100);
  let number = 1;
  const two = waiting.wait('a', LONG_MS, () => number >= 2, new Aborter());
  const three = waiting.wait('a', LONG_MS, () => number >= 3, new Aborter());
  waiting.wake();
  assert.is(waiting.count, 2);
  number = 2;
  waiting.wake();
  assert.is(await two, 'came');
  assert.is(waiting.count, 1);
  number = 3;
  waiting.wake();
  assert.is(await three, 'came');
  assert.is(waiting.count, 0);
});

test('time ends it', async () => {
  const waiting = createWaiting(100);
  assert.is(await waiting.wait('a', 1, no, new Aborter()), 'late');
  assert.is(waiting.count, 0);
});

test('one client has a tenth of the room, and all have all of it; the networks of one IPv6 customer are one client', async () => {
  const waiting = createWaiting(20);
  const waits = (client: string) => waiting.wait(client, LONG_MS, no, new Aborter());
  waits('2001:db8::1');
  waits('2001:db8::2');
  assert.is(await waits('2001:db8::3'), 'full');
  for (let i = 0; i < 18; i++) waits(`10.0.0.${i % 9}`);
  assert.is(waiting.count, 20);
  assert.is(await waits('10.0.0.99'), 'full');
  waiting.close();
  assert.is(waiting.count, 0);
  // Each place is given back, and a client's count with it.
  const again = createWaiting(10);
  for (let i = 0; i < 3; i++) {
    const aborter = new Aborter();
    const wait = again.wait('a', LONG_MS, no, aborter);
    aborter.abort(new Error('left'));
    await wait.then(assert.unreachable, (error: Error) => assert.is(error.message, 'left'));
  }
  assert.is(again.count, 0);
});

test('there is room for one where there is any, and for none where there is none', async () => {
  assert.is(await createWaiting(0).wait('a', LONG_MS, no, new Aborter()), 'full');
  const one = createWaiting(1);
  const wait = one.wait('a', LONG_MS, no, new Aborter());
  assert.is(await one.wait('b', LONG_MS, no, new Aborter()), 'full');
  one.close();
  assert.is(await wait, 'closed');
});

test('closing lets go of all, and holds nobody who comes later', async () => {
  const waiting = createWaiting(100);
  const waits = [1, 2, 3].map((i) => waiting.wait(`c${i}`, LONG_MS, no, new Aborter()));
  waiting.close();
  assert.equal(await Promise.all(waits), ['closed', 'closed', 'closed']);
  assert.is(await waiting.wait('a', LONG_MS, no, new Aborter()), 'closed');
});

test.run();
