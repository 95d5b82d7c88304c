// Who is sent to the row lanes, and who waits in front of them: with lanes that only count.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRowLine } from '../../src/lane/row-line.ts';
import type { Ticket } from '../../src/lane/ticket.ts';

function given(count = 1) {
  const lanes = Array.from({ length: count }, () => ({ serving: true, pending: 0 }));
  const sent: string[] = [];
  const answered: string[] = [];
  const line = createRowLine({
    lanes,
    send(ticket, at) {
      const lane = lanes[at];
      if (lane !== undefined) lane.pending += 1;
      sent.push(ticket.client);
    },
    answer: (ticket, { code }) => answered.push(`${ticket.client} ${code}`),
  });
  const ticketOf = (client: string, until = Number.POSITIVE_INFINITY): Ticket => ({
    job: { kind: 'probe' },
    client,
    snapshot: '',
    until,
    resolve: () => {},
    elsewhere: undefined,
    losses: 0,
    gone: false,
    at: undefined,
    why: undefined,
    visits: undefined,
    outOfMemory: false,
    told: undefined,
    fell: undefined,
  });
  return {
    lanes,
    line,
    sent,
    answered,
    ticketOf,
    add: (client: string) => line.add(ticketOf(client)),
    /** So much was done there. */
    done(times = 1): void {
      for (let i = 0; i < times; i++) {
        const lane = lanes.find(({ pending }) => pending > 0);
        if (lane !== undefined) lane.pending -= 1;
        line.next();
      }
    },
    slow(client: string): void {
      for (let i = 0; i < 100; i++) line.ran(client, 5);
    },
  };
}

test('a client whose statements are heavy has few of them in a lane, and others go past its line', () => {
  const at = given();
  at.slow('a');
  for (let i = 0; i < 1_000; i++) at.add('a');
  assert.is(at.sent.length, 10);
  assert.is(at.line.waiting, 990);
  at.add('b');
  assert.is(at.sent.at(-1), 'b');
  at.done(2);
  assert.is(at.sent.length, 12);
  assert.is(at.line.waiting, 989);
  at.line.close();
  assert.equal([...new Set(at.answered)], ['a not-ready']);
});

test('those who wait are served in turn, and each lane has its share', () => {
  const at = given(2);
  for (const client of 'abc') at.slow(client);
  for (let i = 0; i < 20; i++) at.add('a');
  assert.equal(
    at.lanes.map(({ pending }) => pending),
    [10, 10],
  );
  for (const client of 'aaabbbc') at.add(client);
  at.done(7);
  assert.equal(at.sent.slice(20).join(''), 'abcabab');
  at.line.close();
});

test('what was taken back, or has waited too long, is not sent', () => {
  const at = given();
  at.slow('a');
  for (let i = 0; i < 10; i++) at.add('a');
  const gone = at.ticketOf('a');
  at.line.add(gone);
  at.line.add(at.ticketOf('a', performance.now() - 1));
  at.add('a');
  gone.gone = true;
  at.done();
  assert.is(at.sent.length, 11);
  assert.equal(at.answered, ['a overloaded']);
  assert.is(at.line.waiting, 0);
});

test('what is done without a word makes room, too', async () => {
  const at = given();
  at.slow('a');
  for (let i = 0; i < 11; i++) at.add('a');
  const [lane] = at.lanes;
  if (lane !== undefined) lane.pending = 0;
  const deadline = performance.now() + 60_000;
  while (at.line.waiting > 0 && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 10));
  assert.is(at.sent.length, 11);
});

test.run();
