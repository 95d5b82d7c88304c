// Exports that are sent from the scan lane while strangers send what ends it: real processes.
import { mock } from 'node:test';
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
    // However long a reader takes on a busy machine, it is not given up.
    given = await startTestLanes({ locks: HOSTILE, config: { scanApart, stallMs: 600_000 } });
    // Its shape is known from then on.
    for (let engine = ''; engine !== 'scan'; ) {
      const known = await startExport();
      await known.rows();
      engine = known.engine ?? 'scan';
    }
  });
  test.after(() => given.close());
  return test;
};
const quiet = suite('lane/exports before the first of them');
quiet.before(async () => {
  given = await startTestLanes({ locks: HOSTILE, config: { scanApart: 'on' } });
});
quiet.after(() => given.close());
const apart = suiteOf('with a second process', 'on');
const fresh = suiteOf('with a second process, from the start', 'on');
const ended = suiteOf('with a second process that is ended', 'on');
const alone = suiteOf('without one', 'off');

const engineOf = (reply: Reply): string | undefined => (reply.ok ? reply.engine : reply.code);
const EXPORT = statement('select id, name from items_1_1 where id > 0', { deadlineMs: 600_000 });
/** Its first part is good; it can only be stopped by the end of its process. */
const hangsLater = (alias: string) =>
  statement(`select name as sends from items_1_1 ${alias} where id > 0`, { deadlineMs: 1_000 });
async function assertCut(reply: Reply): Promise<void> {
  try {
    await textOf(reply);
  } catch {
    return;
  }
  assert.unreachable('it is cut');
}
/** Its shape is new. */
const stranger = (n: number) => statement(`select count(*) as stranger${n} from items_1_1 where id > 5`);
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
    assert.is(await textOf(await given.lanes.run(stranger(1))), '[{"stranger1":199995}]');
    await serves('scan2');
    assert.is(engineOf(await given.lanes.run(stranger(2))), 'scan');
    // It turns to another snapshot as all others do: at one moment.
    await given.lanes.openSnapshot({ ...given.snapshot, id: 'next' });
    const turned = await given.lanes.run(stranger(3));
    assert.is(turned.ok && turned.snapshot, 'next');
    for (let n = 1; n <= 3; n++) {
      // A shape of its own each time: none is known to be hostile.
      const reply = await given.lanes.run(deed('crash', {}, `x${n}`), { client: 'stranger' });
      assert.is(await textOf(reply), answerOf('crash'));
      assert.is(engineOf(reply), 'long');
    }
    assert.ok(given.deaths('scan2') > 0);
    assert.is(given.deaths('scan'), 1);
    assert.is(await first.rows(), ROWS);
  },
);

fresh(
  'what is new and sends in parts is sent from the second process, and holds others until it has left the first',
  async () => {
    const hostile = await given.lanes.run(hangsLater('a'), { client: 'stranger' });
    assert.is(engineOf(hostile), 'scan');
    const { rows } = await startExport();
    await assertCut(hostile);
    assert.is(await rows(), ROWS);
    assert.is(given.deaths('scan2'), 1);
    // It has left the process that it began in, whether by an interrupt or by the end of that.
    await until(
      () => given.lanes.stats().some(({ lane, running }) => lane === 'scan' && running === 0),
      PATIENCE_MS,
    );
  },
);

fresh(
  'that a first part was sent proves nothing: what hangs after it does so in the second process, and cuts nothing',
  async () => {
    await serves('scan');
    await serves('scan2');
    const { rows } = await startExport();
    const before = given.deaths('scan');
    const hostile = await given.lanes.run(hangsLater('b'), { client: 'stranger' });
    assert.is(engineOf(hostile), 'scan');
    await assertCut(hostile);
    assert.is(given.deaths('scan2'), 2);
    assert.is(await rows(), ROWS);
    assert.is(given.deaths('scan'), before);
  },
);

ended(
  'a second process that is ended while it opens a snapshot refuses it to nobody, and the next one reads it',
  async () => {
    const { rows } = await startExport();
    assert.is(await textOf(await given.lanes.run(stranger(1))), '[{"stranger1":199995}]');
    await serves('scan2');
    const before = given.pid('scan2');
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      assert.is(engineOf(await given.lanes.run(stranger(2))), 'scan');
      const prepared = given.lanes.prepareSnapshot({ ...given.snapshot, id: 'next' });
      // A minute without a statement, before any process can have said that it has opened it.
      mock.timers.tick(60_000);
      assert.is(given.pid('scan2'), 0);
      await prepared;
    } finally {
      mock.timers.reset();
    }
    given.lanes.useSnapshot({ ...given.snapshot, id: 'next' });
    const turned = await given.lanes.run(stranger(3));
    assert.is(turned.ok && turned.snapshot, 'next');
    await serves('scan2');
    assert.is.not(given.pid('scan2'), before);
    const next = await given.lanes.run(stranger(4));
    assert.is(engineOf(next), 'scan');
    assert.is(next.ok && next.snapshot, 'next');
    assert.is(await rows(), ROWS);
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

quiet('what is new and of a few megabytes at most is sent from where it ran', async () => {
  const reply = await given.lanes.run(statement('select id, name as n from items_1_1 where id < 100000'));
  assert.ok(reply.ok && reply.rest === undefined && reply.body.length > 2_500_000, 'it is whole');
  assert.is(reply.engine, 'scan');
  assert.not(given.lanes.stats().some(({ lane }) => lane === 'scan2'));
});

quiet.run();
apart.run();
fresh.run();
ended.run();
alone.run();
