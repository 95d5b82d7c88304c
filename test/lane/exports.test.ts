// Exports that are sent from the scan lane while strangers send what ends it: real processes.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Reply } from '../../src/wire/protocol.ts';
import { bodyBytes } from '../support/body.ts';
import {
  answerOf,
  deed,
  HOSTILE,
  startTestLanes,
  statement,
  type TestLanes,
  textOf,
  until,
} from './support.ts';

const ROWS = 200_000;
const PATIENCE_MS = 60_000;

let given: TestLanes;
test.before.each(async () => {
  given = await startTestLanes({ locks: HOSTILE });
});
test.after.each(() => given.close());

const engineOf = (reply: Reply): string | undefined => (reply.ok ? reply.engine : reply.code);
const EXPORT = statement('select id, name from items_1_1 where id > 0', { deadlineMs: 600_000 });
const scanServes = (): Promise<void> =>
  until(() => given.lanes.stats().some(({ lane, serving }) => lane === 'scan' && serving), PATIENCE_MS);

/** Its first part is there; the others are not taken yet. */
async function startExport() {
  const reply = await given.lanes.run(EXPORT, { client: 'reader' });
  assert.ok(reply.ok && reply.rest !== undefined, 'it comes in parts');
  assert.is(reply.engine, 'scan');
  const { body, rest } = reply;
  return {
    async rows(): Promise<number> {
      const parts = [bodyBytes(body)];
      for await (const part of rest) parts.push(Buffer.from(part));
      return (JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown[]).length;
    },
  };
}

test('a lane that has ended of late gets no new shapes while it sends an export, which goes on to its end', async () => {
  // The first is a surprise.
  assert.is(engineOf(await given.lanes.run(deed('crash'), { client: 'stranger' })), 'long');
  assert.is(given.deaths('scan'), 1);
  await scanServes();
  const { rows } = await startExport();
  for (let n = 1; n <= 5; n++) {
    // A shape of its own each time: none is known to be hostile.
    const reply = await given.lanes.run(deed('crash', {}, `x${n}`), { client: 'stranger' });
    assert.is(await textOf(reply), answerOf('crash'));
    assert.is(engineOf(reply), 'long');
  }
  assert.is(await rows(), ROWS);
  assert.is(given.deaths('scan'), 1);
});

test('what has run cleanly in the lane runs there beside an export all the same', async () => {
  const known = statement('select count(*) as known from items_1_1 where id > 5');
  assert.is(engineOf(await given.lanes.run(known)), 'scan');
  await given.lanes.run(deed('crash'), { client: 'stranger' });
  await scanServes();
  const { rows } = await startExport();
  assert.is(engineOf(await given.lanes.run(known)), 'scan');
  const reply = await given.lanes.run(statement('select count(*) as stranger from items_1_1 where id > 5'));
  assert.is(await textOf(reply), '[{"stranger":199995}]');
  assert.is(engineOf(reply), 'long');
  assert.is(await rows(), ROWS);
});

test.run();
