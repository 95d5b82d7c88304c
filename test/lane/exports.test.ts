// Exports that are sent from the scan lane while strangers send what ends it: real processes.
import { suite } from 'uvu';
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
const suiteOf = (name: string, scanApart: 'on' | 'off') => {
  const test = suite(`lane/exports ${name}`);
  test.before(async () => {
    given = await startTestLanes({ locks: HOSTILE, config: { scanApart } });
  });
  test.after(() => given.close());
  return test;
};
const apart = suiteOf('with a second process', 'on');
const alone = suiteOf('without one', 'off');

const engineOf = (reply: Reply): string | undefined => (reply.ok ? reply.engine : reply.code);
const EXPORT = statement('select id, name from items_1_1 where id > 0', { deadlineMs: 600_000 });
const serves = (name: 'scan' | 'scan2'): Promise<void> =>
  until(() => given.lanes.stats().some(({ lane, serving }) => lane === name && serving), PATIENCE_MS);

/** Its first part is there; the others are not taken yet. */
async function startExport(asked = EXPORT) {
  const reply = await given.lanes.run(asked, { client: 'reader' });
  assert.ok(reply.ok && reply.rest !== undefined, 'it comes in parts');
  const { body, rest, engine } = reply;
  return {
    engine,
    async rows(): Promise<number> {
      const parts = [bodyBytes(body)];
      for await (const part of rest) parts.push(Buffer.from(part));
      return (JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown[]).length;
    },
  };
}

apart(
  'an export begins to be sent when what is not proven beside it has ended: until then it can be run again',
  async () => {
    const hostile = given.lanes.run(deed('hang', { deadlineMs: 300 }), { client: 'stranger' });
    await until(
      () => given.lanes.stats().some(({ lane, running }) => lane === 'scan' && running > 0),
      PATIENCE_MS,
    );
    const { rows } = await startExport();
    assert.is(engineOf(await hostile), 'limit-time');
    assert.is(given.deaths('scan'), 1);
    assert.is(await rows(), ROWS);
    await serves('scan');
  },
);

apart(
  'beside an export, what is not proven runs in a process of its own, whose end cuts nothing',
  async () => {
    const first = await startExport();
    assert.is(first.engine, 'scan');
    // The process is started for it; another engine answers where that takes long.
    const stranger = (n: number) => statement(`select count(*) as stranger${n} from items_1_1 where id > 5`);
    assert.is(await textOf(await given.lanes.run(stranger(1))), '[{"stranger1":199995}]');
    await serves('scan2');
    assert.is(engineOf(await given.lanes.run(stranger(2))), 'scan');
    // It turns to another snapshot as all others do: at one moment.
    await given.lanes.openSnapshot({ ...given.snapshot, id: 'next' });
    const turned = await given.lanes.run(stranger(3));
    assert.is(turned.ok && turned.snapshot, 'next');
    // An export whose shape is new is sent from where nothing ends it, too.
    const second = await startExport(
      statement('select name, id from items_1_1 where id > 1', { deadlineMs: 600_000 }),
    );
    assert.is(second.engine, 'scan');
    for (let n = 1; n <= 3; n++) {
      // A shape of its own each time: none is known to be hostile.
      const reply = await given.lanes.run(deed('crash', {}, `x${n}`), { client: 'stranger' });
      assert.is(await textOf(reply), answerOf('crash'));
      assert.is(engineOf(reply), 'long');
    }
    assert.ok(given.deaths('scan2') > 0);
    assert.is(given.deaths('scan'), 1);
    assert.is(await first.rows(), ROWS);
    assert.is(await second.rows(), ROWS - 1);
  },
);

alone(
  'a lane that has ended of late gets only what is proven while it sends an export, which goes on to its end',
  async () => {
    const known = statement('select count(*) as known from items_1_1 where id > 5');
    assert.is(engineOf(await given.lanes.run(known)), 'scan');
    // The first is a surprise.
    assert.is(engineOf(await given.lanes.run(deed('crash'), { client: 'stranger' })), 'long');
    assert.is(given.deaths('scan'), 1);
    await serves('scan');
    const { rows } = await startExport();
    for (let n = 1; n <= 5; n++) {
      const reply = await given.lanes.run(deed('crash', {}, `x${n}`), { client: 'stranger' });
      assert.is(await textOf(reply), answerOf('crash'));
      assert.is(engineOf(reply), 'long');
    }
    assert.is(engineOf(await given.lanes.run(known)), 'scan');
    assert.is(await rows(), ROWS);
    assert.is(given.deaths('scan'), 1);
  },
);

apart.run();
alone.run();
