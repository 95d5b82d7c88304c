// When the process of a lane is replaced because of the engines that stay with it, and what is said of what it ran.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createBlame } from '../../src/lane/blame.ts';
import { createBodyStream } from '../../src/lane/body-stream.ts';
import { type Entry, lossesOf, newEntry } from '../../src/lane/entry.ts';
import type { Lane } from '../../src/lane/lane.ts';
import { createQuarantine } from '../../src/lane/quarantine.ts';
import { Wear } from '../../src/lane/wear.ts';
import { MOST_WORN, type StatementJob } from '../../src/wire/protocol.ts';
import { job } from './support.ts';

const asked = job('SELECT 1') as StatementJob;
function entry(more: Partial<Entry>): Entry {
  const request = {
    job: asked,
    client: '',
    snapshot: '',
    waitMs: 1_000,
    deadlineMs: 1_000,
    graceMs: 0,
    onReply: () => {},
    onLost: () => {},
  };
  return Object.assign(newEntry(request, 0), { sent: true, ...more });
}
const queued = (): Entry => entry({});
const running = (more: Partial<Entry> = {}): Entry => entry({ startedAt: 1, ...more });
const stream = createBodyStream({ onTaken: () => {}, onLeft: () => {} });
/** Its first part is at the client. */
const seen = (): Entry => running({ stream });
/** Nobody has seen anything of it. */
const held = (): Entry => running({ stream, held: () => {} });
const byId = (entries: readonly Entry[]): Map<number, Entry> => new Map(entries.map((each, i) => [i, each]));

/** After so many engines it is ended. */
function endsAfter(entries: readonly Entry[], opening = false): number {
  const wear = new Wear();
  for (let n = 0; n <= 2 * MOST_WORN; n++, wear.add()) if (wear.ends(byId(entries), opening)) return n;
  return Number.POSITIVE_INFINITY;
}

test('a process with many is ended when it is idle, later when all can be run again, and at last in any case', () => {
  assert.is(endsAfter([]), 8);
  assert.is(endsAfter([running(), queued(), held()]), 32);
  assert.is(endsAfter([running(), seen()]), 64);
  assert.is(endsAfter([], true), Number.POSITIVE_INFINITY);
});

test('what it ran is not the cause of its end, not even the only statement', () => {
  const lost = [running(), queued(), held(), running({ abandoned: true })];
  assert.is(endsAfter(lost), 32);
  assert.equal(lossesOf(lost), ['beside', 'queued', 'beside', 'beside']);
  // Its client has left: nobody is told.
  assert.is(lost[3]?.loss, undefined);
  const only = running();
  endsAfter([only]);
  assert.equal(lossesOf([only]), ['beside']);
});

test('it is said once, and not of the next process', () => {
  const wear = new Wear();
  for (let n = 0; n < 8; n++) wear.add();
  assert.is(wear.spent, false);
  assert.is(wear.ends(new Map(), false), true);
  assert.is(wear.spent, true);
  assert.is(wear.ends(new Map(), false), false);
  wear.begin();
  assert.is(wear.spent, false);
  assert.is(wear.ends(new Map(), false), false);
});

for (const spent of [false, true])
  test(`the end of a process that was ${spent ? '' : 'not '}worn is ${spent ? 'no' : 'a'} death`, () => {
    const quarantine = createQuarantine('scan', () => {});
    const blame = createBlame(() => quarantine);
    const lane = { wear: { spent } } as Lane;
    blame.ended(lane, 10);
    assert.is(quarantine.endedLately(11), !spent);
    blame.lost(asked, lane, 'beside', 'worn', 10);
    assert.is(quarantine.barred(asked, 11), false);
  });

test.run();
