// The process of the remote lane, with what answers some statements and others never.
import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { laneSettings } from '../../src/lane/lane-settings.ts';
import { type LaneProcess, spawnLane } from '../../src/lane/process.ts';
import { currentSnapshot } from '../../src/snapshot/folder.ts';
import { FRAME, type Frame, parseJson, splitReply } from '../../src/wire/frames.ts';
import type { Limits } from '../../src/wire/protocol.ts';
import { LANE_CONFIG, statement, until } from '../lane/support.ts';
import { tablegate } from '../publish/support.ts';
import { page, startTrinoStub, type TrinoStub } from '../support/trino-stub.ts';

interface Context {
  stub: TrinoStub;
  data: string;
  lane: LaneProcess;
  frames: Frame[];
  ended: string | undefined;
}
const test = suite<Context>('remote/lane');
const LONG = 120_000;

/** What is asked before, beside and instead of a statement of a client. */
function answerOthers(request: string, response: ServerResponse): void {
  if (/CREATE (SCHEMA|TABLE)/.test(request)) page(response, { error: { errorName: 'PERMISSION_DENIED' } });
  else if (request.includes('system.runtime.nodes')) page(response, { data: [[1]] });
  else if (request.endsWith('LIMIT 0')) page(response, { columns: [{ name: 'n', type: 'bigint' }] });
  else page(response, { data: [['7']] });
}

test.before(async (context) => {
  context.stub = await startTrinoStub(answerOthers);
  context.data = mkdtempSync(join(tmpdir(), 'tablegate-remote-'));
  const { code, err } = await tablegate(
    ['import', '--remote', 'cat.sch.numbers', '--table', 'far_1_1', '--data', context.data],
    { TABLEGATE_TRINO: context.stub.url },
  );
  assert.is(code, 0, err);
});
test.after(async ({ stub, data }) => {
  await stub.stop();
  rmSync(data, { recursive: true, force: true });
});

test.before.each(async (context) => {
  const { stub, data } = context;
  stub.answer = answerOthers;
  context.frames = [];
  context.ended = undefined;
  const { remote } = laneSettings({ ...LANE_CONFIG, trino: stub.url }, {});
  context.lane = spawnLane(
    remote,
    { dataBytes: undefined, workers: 1 },
    {
      onFrame: (frame) => void context.frames.push(frame),
      onEnd: (why) => {
        context.ended = why;
      },
      onWords: () => {},
    },
  );
  context.lane.json(FRAME.open, 0, await currentSnapshot(data));
});
test.after.each(async (context) => {
  context.lane.kill();
  await until(() => context.ended !== undefined, LONG);
});

/** To the snapshot that is open. */
async function send(
  { lane, frames }: Context,
  id: number,
  text: string,
  limits: Partial<Limits>,
): Promise<void> {
  await until(() => frames.some(({ kind }) => kind === FRAME.state), LONG);
  const { payload } = frames.find(({ kind }) => kind === FRAME.state) as Frame;
  const { snapshot } = parseJson(payload) as { snapshot: string };
  lane.json(FRAME.run, id, { job: statement(text, limits), client: 'a', snapshot, waitMs: LONG });
}
/** @returns its body, or code and message */
async function replyOf(context: Context, id: number): Promise<string> {
  const found = (): Frame | undefined =>
    context.frames.find((frame) => frame.kind === FRAME.reply && frame.id === id);
  await until(() => {
    assert.is(context.ended, undefined);
    return found() !== undefined;
  }, LONG);
  const { head, body } = splitReply((found() as Frame).payload);
  const { ok, code, message } = head as { ok: boolean; code: string; message: string };
  return ok ? String(body) : `${code}: ${message}`;
}

test('a statement that is never answered ends at its deadline; its process stays, and another goes on', async (context) => {
  const { stub } = context;
  let slow: ServerResponse | undefined;
  // Told by numbers that stand in no port and no digest of a request's head.
  stub.answer = (request, response) => {
    if (request.includes('4100041')) return;
    if (request.includes('4200042')) slow = response;
    else answerOthers(request, response);
  };
  await send(context, 1, 'select max(n) as m from far_1_1 where n > 4200042', { deadlineMs: LONG });
  await stub.has(/^POST .*4200042/s);
  await send(context, 2, 'select max(n) as m from far_1_1 where n > 4100041', { deadlineMs: 1_000 });
  assert.is(await replyOf(context, 2), 'limit-time: the statement ran longer than the limit of 1000 ms');
  // It was not sent again, and nobody waited for its answer.
  assert.ok(stub.came.filter((each) => /^POST .*4100041/s.test(each)).length <= 1);
  page(slow as ServerResponse, { data: [['7']] });
  assert.is(await replyOf(context, 1), '[{"m":7}]');
});

test('a page that is larger than the answer may be ends the statement, and nothing else', async (context) => {
  const { stub } = context;
  stub.answer = (request, response) => {
    if (request.includes('4300043')) page(response, { data: [['7'.repeat(32 * 1024 * 1024)]] });
    else answerOthers(request, response);
  };
  const text = 'select max(n) as m from far_1_1 where n > 4300043';
  await send(context, 1, text, { deadlineMs: LONG, maxBytes: 1_000 });
  assert.match(
    await replyOf(context, 1),
    /^limit-bytes: a part of the result has more than the 16779216 bytes that are taken /,
  );
  assert.is(stub.came.filter((each) => each.includes('4300043')).length, 1);
  await send(context, 2, 'select max(n) as m from far_1_1', { deadlineMs: LONG });
  assert.is(await replyOf(context, 2), '[{"m":7}]');
});

test.run();
