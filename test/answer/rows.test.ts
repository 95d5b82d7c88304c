// The result cache and single flight, seen over HTTP with real lanes.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const TABLES = [
  {
    name: 'numbers_31337_2',
    columns: [
      { name: 'id', type: 'integer', primaryKey: true },
      { name: 'n', type: 'integer' },
    ],
    select: 'select i, (i * 7919) % 1000 from range(1, 50001) t(i)',
  },
] as const;

async function withGateway(args: readonly string[], use: (gateway: TestGateway) => Promise<void>) {
  const gateway = await startTestGateway({ tables: TABLES, args });
  try {
    await use(gateway);
  } finally {
    await gateway.stop();
  }
}

const status = (response: Response): string | null => response.headers.get('cache-status');

test('the second answer of a statement is the first one kept, however it is spaced', async () => {
  await withGateway([], async ({ query }) => {
    const first = await query('select n from numbers_31337_2 where id = 7');
    assert.is(status(first), 'tablegate; fwd=miss');
    const body = await first.text();
    const second = await query('select n  from numbers_31337_2\nwhere id=7 -- again');
    assert.is(status(second), 'tablegate; hit');
    assert.is(await second.text(), body);
    assert.is(second.headers.get('etag'), first.headers.get('etag'));
    const other = await query('select n from numbers_31337_2 where id = 8');
    assert.is(status(other), 'tablegate; fwd=miss');
    assert.is.not(await other.text(), body);
  });
});

test('the form of the answer, the params and their kinds are part of what is asked', async () => {
  await withGateway([], async ({ query, post }) => {
    const statement = 'select typeof(?) as t, n from numbers_31337_2 where id = 7';
    const asked = [
      () => query(statement, { params: '1' }),
      () => query(statement, { params: "'1'" }),
      () => query(statement, { params: '1', format: 'table' }),
      () => query('select n from numbers_31337_2 where id = 7', { unwrap: 'true' }),
      () => query('select n from numbers_31337_2 where id = 7', { extract: 'true' }),
    ];
    const bodies: string[] = [];
    for (const ask of asked) {
      const response = await ask();
      assert.is(response.status, 200);
      assert.is(status(response), 'tablegate; fwd=miss');
      bodies.push(await response.text());
    }
    assert.is(new Set(bodies).size, bodies.length);
    for (const [i, ask] of asked.entries()) {
      const response = await ask();
      assert.is(status(response), 'tablegate; hit');
      assert.is(await response.text(), bodies[i]);
    }
    const posted = await post({ statement, params: [1] });
    assert.is(status(posted), 'tablegate; hit');
    assert.is(await posted.text(), bodies[0]);
  });
});

test('an answer that depends on more than the snapshot is neither kept nor shared nor tagged', async () => {
  await withGateway([], async ({ query }) => {
    const statement = 'select random() as r from numbers_31337_2 where id = 1';
    const answers = await Promise.all(Array.from({ length: 8 }, () => query(statement)));
    for (const answer of answers) {
      assert.is(answer.status, 200);
      assert.is(status(answer), 'tablegate; fwd=miss');
      assert.is(answer.headers.get('etag'), null);
    }
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    assert.is(new Set(bodies).size, 8);
  });
});

test('many who ask the same at the same time share one run, and errors too', async () => {
  await withGateway([], async ({ query }) => {
    // Long enough that others come while it runs, however slow the machine is: it is slower then, too.
    const heavy =
      'select count(*) as c from numbers_31337_2 a join numbers_31337_2 b on a.n + b.n < 0 where a.id < 300';
    const answers = await Promise.all(Array.from({ length: 20 }, () => query(heavy)));
    const states = answers.map(status);
    assert.is(states.filter((state) => state === 'tablegate; fwd=miss').length, 1);
    const shared = states.filter((state) => state === 'tablegate; fwd=miss; collapsed').length;
    // Whoever comes late finds it kept.
    const kept = states.filter((state) => state === 'tablegate; hit').length;
    assert.is(shared + kept, 19, states.join(', '));
    assert.ok(shared > 0, states.join(', '));
    assert.is(new Set(await Promise.all(answers.map((answer) => answer.text()))).size, 1);
    const wrong = await Promise.all(
      Array.from({ length: 5 }, () => query('select nope from numbers_31337_2')),
    );
    for (const answer of wrong) {
      assert.is(answer.status, 400);
      assert.is(((await answer.json()) as { code: string }).code, 'unknown-column');
    }
  });
});

test('both are switched off by their settings, and the answers are the same', async () => {
  await withGateway(['--result-cache-bytes', '0', '--single-flight', 'off'], async ({ query }) => {
    const ask = () => query('select sum(n) as s from numbers_31337_2');
    const answers = [...(await Promise.all([ask(), ask(), ask()])), await ask()];
    for (const answer of answers) assert.is(status(answer), 'tablegate; fwd=miss');
    assert.is(new Set(await Promise.all(answers.map((answer) => answer.text()))).size, 1);
  });
});

test('an answer sent in parts is whole for each of those who asked at the same time', async () => {
  await withGateway(['--stream-bytes', '4096'], async ({ query }) => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => query('select id, n from numbers_31337_2 where id <= 20000')),
    );
    for (const answer of answers) assert.is(((await answer.json()) as unknown[]).length, 20_000);
  });
});

test.run();
