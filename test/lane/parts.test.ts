// When the first part of an answer is handed on: entries of the test's, no processes.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Entry, type LaneRequest, newEntry, overruns } from '../../src/lane/entry.ts';
import { beginParts, endParts, handOn } from '../../src/lane/parts.ts';
import type { Reply } from '../../src/wire/protocol.ts';
import { job } from './support.ts';

interface Given {
  readonly entry: Entry;
  /** What whoever sent it was told. */
  readonly told: string[];
  readonly replies: Reply[];
}
function given(more: Partial<LaneRequest> = {}): Given {
  const told: string[] = [];
  const replies: Reply[] = [];
  const request: LaneRequest = {
    job: job('select 1'),
    client: '',
    snapshot: 'test',
    waitMs: 1_000,
    deadlineMs: 1_000,
    graceMs: 0,
    onReply: (reply) => {
      told.push('reply');
      replies.push(reply);
    },
    onLost: () => told.push('lost'),
    onCut: () => told.push('cut'),
    onWhole: () => told.push('whole'),
    ...more,
  };
  const entry = newEntry(request, 0);
  entry.sent = true;
  entry.startedAt = 0;
  return { entry, told, replies };
}
const begin = ({ entry }: Given): void =>
  beginParts(entry, { ok: true }, 'part', {
    credit: () => {},
    left: () => {
      entry.abandoned = true;
    },
  });
const entriesOf = (...all: readonly Given[]): Map<number, Entry> =>
  new Map(all.map(({ entry }, i) => [i, entry]));

test('an answer waits for the end of what is not proven, whether that has sent a part or not', () => {
  const known = given();
  const stranger = given({ unproven: true });
  const entries = entriesOf(known, stranger);
  begin(known);
  handOn(entries);
  assert.equal(known.told, []);
  begin(stranger);
  handOn(entries);
  // It is run elsewhere: there is nothing for it to wait for.
  assert.equal(stranger.told, ['reply']);
  assert.equal(known.told, []);
  stranger.entry.abandoned = true;
  handOn(entries);
  assert.equal(known.told, []);
  entries.delete(1);
  handOn(entries);
  assert.equal(known.told, ['reply']);
});

test('it has run to its end when its last part came, and not when nobody waits for it any more', () => {
  const known = given();
  begin(known);
  handOn(entriesOf(known));
  assert.equal(known.told, ['reply']);
  endParts(known.entry, { ok: true });
  assert.equal(known.told, ['reply', 'whole']);
  const left = given();
  begin(left);
  handOn(entriesOf(left));
  left.entry.abandoned = true;
  endParts(left.entry, { ok: true });
  assert.equal(left.told, ['reply']);
});

test('what fails before anybody saw of it is answered as it failed: no lane ended', () => {
  const known = given();
  begin(known);
  handOn(entriesOf(known, given({ unproven: true })));
  endParts(known.entry, { ok: false, code: 'limit-rows', message: 'too many rows' });
  assert.equal(known.told, ['reply']);
  assert.equal(known.replies, [{ ok: false, code: 'limit-rows', message: 'too many rows' }]);
});

test('what is left in the middle has its time to stop, though nobody takes what came, or it is held back', () => {
  for (const isHeld of [false, true]) {
    const left = given();
    begin(left);
    const { entry } = left;
    if (!isHeld) handOn(entriesOf(left));
    entry.stream?.push(Buffer.from('part'));
    const late = entry.lastActivity + 1_001;
    assert.is(overruns(entry, late), false);
    entry.abandoned = true;
    assert.is(overruns(entry, late - 1), false);
    assert.is(overruns(entry, late), true);
  }
});

test.run();
