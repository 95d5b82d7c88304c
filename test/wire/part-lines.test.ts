// Bodies that leave a lane's process in parts: frames of the test's own writer, no sockets.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FrameWriter } from '../../src/wire/frame-writer.ts';
import { createFrameReader, FRAME, MORE, PART_BYTES, WHOLE_BYTES } from '../../src/wire/frames.ts';
import { createPartLines } from '../../src/wire/part-lines.ts';
import type { Outcome } from '../../src/wire/protocol.ts';

const OUTCOME: Outcome = {
  snapshot: 's1',
  rows: 1,
  columns: 1,
  deterministic: true,
  planMs: 0,
  engineMs: 0,
  encodeMs: 0,
};

interface Sent {
  readonly kind: 'whole' | 'first' | 'data' | 'end';
  readonly bytes: Uint8Array;
}

function given() {
  const sent: Sent[] = [];
  const bytesOf = (body: string | Uint8Array): Uint8Array =>
    typeof body === 'string' ? Buffer.from(body) : Buffer.from(body);
  const read = createFrameReader(({ kind, payload }) => {
    assert.is(kind, FRAME.data);
    sent.push({ kind: 'data', bytes: Buffer.from(payload) });
  });
  const writer: FrameWriter = {
    send: (bytes) => read(Buffer.from(bytes)),
    data: () => assert.unreachable('a lane sends whole frames'),
    json: (kind) => {
      assert.is(kind, FRAME.end);
      sent.push({ kind: 'end', bytes: new Uint8Array(0) });
    },
    reply: (_id, _head, body, flags = 0) =>
      sent.push({ kind: (flags & MORE) === 0 ? 'whole' : 'first', bytes: bytesOf(body) }),
  };
  return { sent, lines: createPartLines(writer) };
}
const body = (bytes: number): Buffer => Buffer.alloc(bytes, 'abcdefg');
/** Whatever is not waiting for credit has happened. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a body that may be whole is one frame, and one byte more makes parts of it', async () => {
  for (const [bytes, kinds] of [
    [0, ['whole']],
    [WHOLE_BYTES, ['whole']],
    [WHOLE_BYTES + 1, ['first', 'data', 'data', 'data', 'data', 'end']],
  ] as const) {
    const { sent, lines } = given();
    lines.credit(7, 1);
    const line = lines.open(7);
    const ended = line.end(OUTCOME, body(bytes));
    for (let i = 0; i < 10; i++) {
      lines.credit(7, PART_BYTES);
      await settled();
    }
    await ended;
    assert.equal(
      sent.map(({ kind }) => kind),
      kinds,
      `${bytes}`,
    );
    assert.ok(Buffer.concat(sent.map((each) => each.bytes)).equals(body(bytes)));
    assert.ok(sent.every((each) => each.kind === 'whole' || each.bytes.byteLength <= PART_BYTES));
    assert.is(lines.size, 0);
  }
});

test('no more is under way than was taken, and what is taken is told', async () => {
  const { sent, lines } = given();
  let taken = 0;
  const line = lines.open(7, { onTaken: () => taken++ });
  const ended = line.end(OUTCOME, body(8 * PART_BYTES));
  await settled();
  const before = sent.length;
  assert.ok(before < 4, `${before} parts that nobody took`);
  lines.credit(7, PART_BYTES);
  await settled();
  assert.is(sent.length, before + 1);
  assert.is(taken, 1);
  for (let i = 0; i < 8; i++) {
    lines.credit(7, PART_BYTES);
    await settled();
  }
  await ended;
  assert.is(sent.at(-1)?.kind, 'end');
});

test('who leaves in the middle of the end is sent no more of it, and nothing waits for him', async () => {
  const { sent, lines } = given();
  let left = 0;
  const line = lines.open(7, { onLeft: () => left++ });
  const ended = line.end(OUTCOME, body(8 * PART_BYTES));
  await settled();
  const parts = sent.length;
  lines.cancel(7);
  lines.cancel(7);
  await ended;
  assert.equal(
    sent.slice(parts).map(({ kind }) => kind),
    ['end'],
  );
  assert.is(left, 1);
  assert.is(lines.size, 0);
});

test.run();
