// Who runs next at a few places, who keeps out of the last one, and who is stopped for whom. Times are made up.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createTurns } from '../../src/limit/turns.ts';

interface Item {
  readonly client: string;
  readonly name: string;
}
const SLICE = 100;

function place(places: number, spare: 'always' | 'while needed' = 'while needed') {
  const turns = createTurns<Item>({ max: 100, places, sliceMs: SLICE, spare });
  const running = new Set<Item>();
  const free = (): number => places - running.size;
  const start = (item: Item | undefined): string | undefined => {
    if (item !== undefined) running.add(item);
    return item?.name;
  };
  const named = (name: string): Item => [...running].find((each) => each.name === name) as Item;
  return {
    /** They had a short one each. */
    know(clients: string): void {
      for (const client of clients) {
        this.push(`${client}0`, -2_000);
        this.end(this.next(-2_000) ?? '', -1_999);
      }
    },
    push(name: string, now: number): void {
      assert.is(turns.push({ client: name.charAt(0), name }, now), undefined);
    },
    next: (now: number) => start(turns.next(free(), now)),
    stop: (now: number) => turns.stop(free(), now)?.name,
    end(name: string, now: number): void {
      const item = named(name);
      running.delete(item);
      turns.ended(item, now);
    },
    putBack(name: string, now: number): void {
      const item = named(name);
      running.delete(item);
      turns.putBack(item, now);
    },
    sent: (name: string, now: number) => turns.sent(named(name), now),
    get waiting() {
      return turns.waiting;
    },
  };
}
/** Two long ones of client a run, and more of it wait; b and c are known to send short ones. */
function held() {
  const at = place(2);
  at.know('bc');
  for (const name of ['a1', 'a2', 'a3']) at.push(name, 0);
  assert.is(at.next(0), 'a1');
  assert.is(at.next(0), 'a2');
  return at;
}

test('one client alone has all places, and is never stopped for itself', () => {
  const at = held();
  for (const now of [50, 150, 5_000, 60_000]) assert.is(at.stop(now), undefined, String(now));
  at.end('a1', 60_000);
  assert.is(at.next(60_000), 'a3');
});

test('what has run for a slice makes room for a client with short ones, and the other goes on', () => {
  const at = held();
  at.push('b1', 10);
  assert.is(at.stop(50), undefined, 'it may still be a short one');
  assert.is(at.stop(150), 'a2');
  assert.is(at.stop(160), undefined, 'one is stopping');
  at.putBack('a2', 170);
  assert.is(at.next(170), 'b1', 'before those that waited longer');
  at.push('b2', 171);
  assert.is(at.stop(175), undefined, 'b1 has not had its slice');
  at.end('b1', 180);
  assert.is(at.next(180), 'b2');
});

test('who is not known comes after short ones and before long ones, which make room for it later', () => {
  const at = held();
  at.push('x1', 10);
  assert.is(at.stop(300), undefined, 'a may be as short as x');
  at.push('b1', 300);
  assert.is(at.stop(300), 'a2');
  at.putBack('a2', 300);
  assert.is(at.next(300), 'b1');
  at.end('b1', 310);
  assert.is(at.next(310), undefined, 'the place is kept for b');
  assert.is(at.stop(500), 'a1');
  at.putBack('a1', 500);
  assert.is(at.next(500), 'x1');
});

test('the last place is kept while shorter ones come, and given to others when none came for a second', () => {
  const at = held();
  at.push('b1', 100);
  assert.is(at.stop(150), 'a2');
  at.putBack('a2', 150);
  assert.is(at.next(150), 'b1');
  at.end('b1', 155);
  assert.is(at.next(156), undefined);
  at.push('c1', 900);
  assert.is(at.next(900), 'c1', 'without a stop');
  at.end('c1', 905);
  assert.is(at.next(1_800), undefined);
  assert.is(at.next(2_000), 'a2', 'the one that was put back before others of its client');
});

test('a place that is always kept is for those that are shorter than all that run', () => {
  const at = place(2, 'always');
  at.know('b');
  at.push('a1', 0);
  at.push('a2', 0);
  assert.is(at.next(0), 'a1');
  for (const now of [0, 5_000, 60_000]) assert.is(at.next(now), undefined);
  at.push('b1', 60_000);
  assert.is(at.next(60_000), 'b1');
  at.end('b1', 60_001);
  // Not known, and so as good as some: shorter than what has run for a minute, but b may come again.
  at.push('x1', 60_001);
  assert.is(at.next(60_001), undefined);
  assert.is(at.next(70_000), 'x1');
});

test('a place that is always kept is not for a crowd that nobody knows, while short ones come', () => {
  const at = place(3, 'always');
  at.know('q');
  for (let i = 0; i < 50; i++) at.push(`${String.fromCharCode(0x4e00 + i)}unknown`, 0);
  let now = 0;
  assert.ok(at.next(now));
  assert.ok(at.next(now));
  for (let i = 0; i < 200; i++) {
    at.push(`q${i}`, now);
    assert.is(at.next(now), `q${i}`, 'at once');
    at.end(`q${i}`, now + 5);
    now += 50;
    const stopped = at.stop(now);
    if (stopped === undefined) continue;
    at.putBack(stopped, now);
    assert.ok(at.next(now));
    assert.is(at.next(now), undefined, 'the place is kept');
  }
});

test('fifty clients with long statements cost others no more than the first slices', () => {
  const at = place(2);
  at.know('q');
  for (let i = 0; i < 50; i++) at.push(`${String.fromCharCode(0x4e00 + i)}long`, 0);
  let now = 0;
  at.next(now);
  at.next(now);
  // Until all of them have shown what they are.
  for (let i = 0; i < 48; i++) {
    now += 4 * SLICE + 1;
    const stopped = at.stop(now);
    assert.ok(stopped, String(i));
    at.putBack(stopped, now);
    assert.ok(at.next(now));
  }
  assert.is(at.waiting, 48);
  now += SLICE + 1;
  at.push('q0', now);
  at.putBack(at.stop(now) ?? '', now);
  for (let i = 0; i < 1_000; i++) {
    assert.is(at.next(now), `q${i}`);
    at.end(`q${i}`, now + 5);
    now += 50;
    assert.is(at.next(now), undefined, 'the place is kept');
    at.push(`q${i + 1}`, now);
  }
});

test('on a machine that is so slow that nothing is short, the shorter ones go first all the same', () => {
  const at = held();
  let now = 10_000;
  for (let i = 0; i < 20; i++) {
    at.push(`b${i}`, now);
    const stopped = at.stop(now);
    if (stopped !== undefined) at.putBack(stopped, now);
    assert.is(at.next(now), `b${i}`);
    // Three slices each.
    at.end(`b${i}`, now + 3 * SLICE);
    now += 3 * SLICE;
    assert.is(at.next(now), undefined);
    now += 50;
  }
});

test('on a slow machine, too, known ones go before a crowd that nobody knows', () => {
  const at = place(2);
  at.push('q0', -3_000);
  at.next(-3_000);
  // Two slices.
  at.end('q0', -3_000 + 2 * SLICE);
  for (let i = 0; i < 50; i++) at.push(`${String.fromCharCode(0x4e00 + i)}unknown`, -2_000);
  assert.ok(at.next(-2_000));
  at.push('q1', -1_999);
  let now = -1_999;
  for (let i = 1; i < 20; i++) {
    assert.is(at.next(now), `q${i}`);
    now += 2 * SLICE;
    at.end(`q${i}`, now);
    assert.is(at.next(now), undefined, 'the place is kept');
    now += 50;
    at.push(`q${i + 1}`, now);
  }
});

test('a short one that took long once is forgiven after some that were short again', () => {
  const at = place(2);
  // As on a machine that others overran: longer than a crowd's are thought to be.
  at.push('b1', 1_000);
  at.next(1_000);
  at.end('b1', 1_000 + 4 * SLICE + 50);
  const others = 'defghijklmnopqrstuvwxyz';
  for (let n = 0; n < 40; n++) {
    const now = 1_500 + 20 * n;
    at.push('b', now);
    assert.is(at.next(now), 'b');
    at.end('b', now + 15);
  }
  for (const name of others) at.push(`${name}1`, 2_500);
  assert.is(at.next(2_500), 'd1');
  at.push('b2', 2_510);
  assert.is(at.next(2_510), 'b2', 'it is no longer than those that nobody knows');
});

test('who sends short ones beside long ones has a long one stopped, however many short ones there were', () => {
  const at = place(2);
  at.know('bc');
  for (let n = 0; n < 40; n++) {
    at.push('a', 10 * n);
    assert.is(at.next(10 * n), 'a');
    at.end('a', 10 * n + 5);
  }
  for (const name of ['a1', 'a2']) {
    at.push(name, 500);
    assert.is(at.next(500), name);
  }
  at.push('b1', 550);
  assert.is(at.stop(550), undefined, 'within the slice');
  assert.is(at.stop(500 + SLICE + 1), 'a2');
});

/**
 * One who sends some short statements, then two without end that it takes back after a while, over and over; beside three
 * clients with statements of 14 ms, every 40 ms.
 * @returns milliseconds that most of these wait at most, and the share of the time in which the one had both places
 */
function beside(short: number, holdMs: number): { readonly p90: number; readonly held: number } {
  interface Sent extends Item {
    readonly cost: number;
    readonly at: number;
  }
  const turns = createTurns<Sent>({ max: 1_000, places: 2, sliceMs: SLICE, spare: 'while needed' });
  const innocents = ['x', 'y', 'z'];
  const sent = (client: string, cost: number, at: number): Sent => ({ client, name: client, cost, at });
  for (const client of innocents) {
    const known = sent(client, 14, 0);
    turns.begin(known, 2, 0);
    turns.ended(known, 14);
  }
  const running = new Map<Sent, { readonly end: number; stopAt?: number }>();
  const waits: number[] = [];
  const nextAt = new Map(innocents.map((client, i) => [client, 100 + 17 * i]));
  let held = 0;
  let left = short;
  let since = 0;
  let small: Sent | undefined;
  let endless: Sent[] = [];
  const END = 60_000;
  for (let now = 20; now < END; now++) {
    for (const [item, { end, stopAt = Number.POSITIVE_INFINITY }] of running) {
      if (now < stopAt && now < end) continue;
      running.delete(item);
      if (now >= stopAt) turns.putBack(item, now);
      else {
        turns.ended(item, now);
        if (item === small) {
          small = undefined;
          left -= 1;
        } else if (item.client !== 'e') {
          waits.push(now - item.at - item.cost);
          nextAt.set(item.client, item.at + 40);
        }
      }
    }
    if (endless.length > 0 && now - since > holdMs) {
      for (const item of endless)
        if (running.delete(item)) turns.ended(item, now);
        else turns.remove(item, now);
      endless = [];
      left = short;
    } else if (endless.length === 0 && left <= 0) {
      since = now;
      endless = [1, 2].map(() => sent('e', END, now));
      for (const item of endless) turns.push(item, now);
    } else if (endless.length === 0 && small === undefined) {
      small = sent('e', 1, now);
      turns.push(small, now);
    }
    for (const [client, at] of nextAt) {
      if (now < at) continue;
      nextAt.set(client, Number.POSITIVE_INFINITY);
      turns.push(sent(client, 14, now), now);
    }
    for (;;) {
      const item = turns.next(2 - running.size, now);
      if (item === undefined) break;
      running.set(item, { end: now + item.cost });
    }
    const stopped = turns.stop(2 - running.size, now);
    const run = stopped === undefined ? undefined : running.get(stopped);
    if (run !== undefined) run.stopAt = now + 5;
    if ([...running.keys()].filter(({ client, cost }) => client === 'e' && cost === END).length === 2)
      held += 1;
  }
  waits.sort((a, b) => a - b);
  return { p90: waits[Math.floor(waits.length * 0.9)] ?? Number.NaN, held: held / END };
}

test('short statements do not buy the places for long ones', () => {
  for (const [short, holdMs] of [
    [8, 150],
    [20, 150],
    [20, 130],
    [60, 200],
    [40, 300],
  ] as const) {
    const { p90, held } = beside(short, holdMs);
    assert.ok(held < 0.02, `${short} short ones, ${holdMs} ms: both places for ${held} of the time`);
    assert.ok(p90 <= 14, `${short} short ones, ${holdMs} ms: others wait ${p90} ms`);
  }
});

test('who used least goes first, so that clients are served in turn; none is stopped for ones as long', () => {
  const at = place(1);
  for (const name of ['a1', 'a2', 'b1', 'b2', 'c1']) at.push(name, 0);
  const order: (string | undefined)[] = [];
  let now = 0;
  for (let i = 0; i < 5; i++) {
    const name = at.next(now);
    order.push(name);
    now += 90;
    assert.is(at.stop(now), undefined);
    at.end(name ?? '', now);
  }
  assert.equal(order, ['a1', 'b1', 'c1', 'a2', 'b2']);
});

test('a flood of short ones holds nobody up', () => {
  const at = place(2);
  at.know('f');
  for (let i = 1; i < 90; i++) at.push(`f${i}`, 0);
  const running = new Map<string, number>();
  let lasts = -1;
  for (let now = 0; now < 2_000 && lasts < 0; now += 10) {
    if (now === 100) at.push('y1', now);
    for (const [name, end] of running)
      if (now >= end) {
        at.end(name, now);
        running.delete(name);
      }
    for (let name = at.next(now); name !== undefined; name = at.next(now)) {
      running.set(name, now + 30);
      if (name === 'y1') lasts = now - 100;
    }
  }
  assert.ok(lasts >= 0 && lasts <= 30, `waited ${lasts} ms`);
});

test('what was used is forgotten, so that nobody stays last for long', () => {
  const at = place(1);
  at.push('a1', 0);
  at.push('b1', 0);
  assert.is(at.next(0), 'a1');
  at.end('a1', 80);
  assert.is(at.next(80), 'b1');
  at.end('b1', 100);
  at.push('a2', 100);
  at.push('b2', 100);
  assert.is(at.next(100), 'b2');
  at.end('b2', 100_110);
  at.push('b3', 100_110);
  assert.is(at.next(100_110), 'a2');
});

test('what is being sent is not stopped, nor does the time of its reader count', () => {
  const at = place(1);
  at.know('b');
  at.push('a1', 0);
  assert.is(at.next(0), 'a1');
  at.sent('a1', 10);
  at.push('b1', 20);
  assert.is(at.stop(5_000), undefined);
  at.end('a1', 9_000);
  at.push('a2', 9_000);
  assert.is(at.next(9_000), 'b1');
  at.end('b1', 9_050);
  at.push('b2', 9_050);
  assert.is(at.next(9_050), 'a2');
});

test('a full line makes room as before, and what is put back always finds room', () => {
  const turns = createTurns<Item>({ max: 2, places: 1, sliceMs: SLICE, spare: 'while needed' });
  const item = (name: string): Item => ({ client: name.charAt(0), name });
  turns.push(item('a1'), 0);
  const running = turns.next(1, 0) as Item;
  turns.push(item('a2'), 0);
  turns.push(item('a3'), 0);
  assert.is(turns.push(item('b1'), 500)?.name, 'a3');
  assert.is(turns.stop(0, 500)?.name, 'a1');
  turns.putBack(running, 500);
  assert.is(turns.waiting, 3);
});

test.run();
