// Indexes of shapes, seen over HTTP with real lanes: when a shape gets one, what it says, how it is seen, what
// becomes of it at a swap, and which shapes never have one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { makeSnapshot } from '../../support/snapshot.ts';

const ROWS = 5_000;
const tables = (factor: number, rows = ROWS) =>
  [
    {
      name: 'numbers_31337_2',
      primaryKey: 'id',
      columns: [
        { name: 'id', type: 'integer' },
        { name: 'n', type: 'integer' },
        { name: 'word', type: 'text' },
      ],
      rows: Array.from({ length: rows }, (_, i) => [i + 1, (i + 1) * factor, `wörd ${i % 100}`]),
    },
  ] as const;

const UNCACHED = ['--result-cache-bytes', '0'];
const LOOKUP = (id: number): string => `select id, n from numbers_31337_2 where id = ${id}`;
const INDEX = 'tablegate; hit; detail=index';
const status = (response: Response): string | null => response.headers.get('cache-status');

/** Asks until an index answers; gives how often it did not. */
async function untilIndexed(
  gateway: TestGateway,
  statement: (n: number) => string,
  most = 500,
): Promise<number> {
  for (let n = 1; n <= most; n++) {
    const answer = await gateway.query(statement(n));
    const text = await answer.text();
    assert.is(answer.status, 200, text);
    if (status(answer) === INDEX) return n - 1;
  }
  throw new Error(`no index after ${most} answers`);
}

let shared: TestGateway;
test.before(async () => {
  shared = await startTestGateway({ tables: tables(7), args: [...UNCACHED, '--metrics-port', '0'] });
});
test.after(() => shared.stop());

async function withGateway(
  args: readonly string[],
  use: (gateway: TestGateway) => Promise<void>,
): Promise<void> {
  const gateway = await startTestGateway({ tables: tables(7), args });
  try {
    await use(gateway);
  } finally {
    await gateway.stop();
  }
}

test('a shape that is asked often gets an index, which gives the same bytes and tags', async () => {
  const gateway = shared;
  const first = await gateway.query(LOOKUP(77));
  const body = await first.text();
  assert.is(status(first), 'tablegate; fwd=miss');
  const before = await untilIndexed(gateway, LOOKUP);
  assert.ok(before > 0, `earned by ${before} answers of the engine`);
  const again = await gateway.query(LOOKUP(77));
  assert.is(status(again), INDEX);
  assert.is(await again.text(), body);
  assert.is(again.headers.get('etag'), first.headers.get('etag'));
  assert.is(again.headers.get('content-type'), first.headers.get('content-type'));
  const tag = again.headers.get('etag') ?? '';
  const search = new URLSearchParams({ statement: LOOKUP(77) });
  const same = await fetch(`${gateway.url}/query?${search}`, { headers: { 'if-none-match': tag } });
  assert.is(same.status, 304);
  const posted = await gateway.post({
    statement: 'select id, n from numbers_31337_2 where id = ?',
    params: [78],
  });
  assert.is(status(posted), INDEX);
  assert.is(await posted.text(), '[{"id":78,"n":546}]');
  const none = await gateway.query(LOOKUP(ROWS + 1));
  assert.is(status(none), INDEX);
  assert.is(await none.text(), '[]');
  const head = await fetch(`${gateway.url}/query?${search}`, { method: 'HEAD' });
  assert.is(head.headers.get('content-length'), String(body.length));
  assert.is(await head.text(), '');
});

test('each form of an answer has an index of its own; nothing to unwrap stays a 404', async () => {
  const gateway = shared;
  await untilIndexed(gateway, LOOKUP);
  assert.is(status(await gateway.query(LOOKUP(5), { unwrap: 'true' })), 'tablegate; fwd=miss');
  for (let n = 0; n < 500; n++) {
    const answer = await gateway.query(LOOKUP(1 + n), { unwrap: 'true' });
    if (status(answer) === INDEX) break;
  }
  const one = await gateway.query(LOOKUP(5), { unwrap: 'true' });
  assert.is(status(one), INDEX);
  assert.is(await one.text(), '{"id":5,"n":35}');
  const none = await gateway.query(LOOKUP(0), { unwrap: 'true' });
  assert.is(none.status, 404);
});

test('pages and texts are found, too, and compressed for who asks for it', async () => {
  const gateway = shared;
  const page = (after: number): string =>
    `select * from numbers_31337_2 where id > ${after} order by id limit 1000`;
  await untilIndexed(gateway, page);
  const answer = await gateway.query(page(3_500));
  assert.is(status(answer), INDEX);
  assert.ok(answer.headers.get('content-encoding'), 'fetch asks for it');
  const rows = (await answer.json()) as { id: number; n: number; word: string }[];
  assert.is(rows.length, 1_000);
  assert.equal([rows[0], rows[999]?.id], [{ id: 3_501, n: 24_507, word: 'wörd 0' }, 4_500]);
  const word = (n: number): string => `select id from numbers_31337_2 where word = 'wörd ${n % 100}'`;
  await untilIndexed(gateway, word);
  const found = (await (await gateway.query(word(7))).json()) as { id: number }[];
  assert.equal(
    found.map(({ id }) => id),
    Array.from({ length: 50 }, (_, i) => 8 + i * 100),
  );
});

test('a large answer comes in parts, also for who takes the head alone or leaves half-way', async () => {
  await withGateway([...UNCACHED, '--stream-bytes', '32768'], async (gateway) => {
    const after = (id: number): string => `select * from numbers_31337_2 where id > ${id}`;
    await untilIndexed(gateway, (n) => after(ROWS - 300 - n));
    const search = new URLSearchParams({ statement: after(0) });
    const whole = await gateway.query(after(0));
    assert.is(status(whole), INDEX);
    const rows = (await whole.json()) as { id: number; n: number }[];
    assert.is(rows.length, ROWS);
    assert.ok(rows.every(({ id, n }, i) => id === i + 1 && n === id * 7));
    const head = await fetch(`${gateway.url}/query?${search}`, { method: 'HEAD' });
    assert.is(status(head), INDEX);
    const leaver = new AbortController();
    const left = await fetch(`${gateway.url}/query?${search}`, { signal: leaver.signal });
    await left.body?.getReader().read();
    leaver.abort();
    // Large ones earn an index by what they are, not by how soon they begin.
    const large = (n: number): string =>
      `select word || word || word as w, id from numbers_31337_2 where id > ${n}`;
    await untilIndexed(gateway, large);
    const again = await gateway.query(after(ROWS - 2));
    assert.is(
      await again.text(),
      '[{"id":4999,"n":34993,"word":"wörd 98"},{"id":5000,"n":35000,"word":"wörd 99"}]',
    );
  });
});

test('what depends on more than its literals and the snapshot is run each time', async () => {
  const { query } = shared;
  for (const statement of [
    'select id, random() as r from numbers_31337_2 where id = 3',
    'select count(*) as n from numbers_31337_2 where id > 3',
    'select max(n) as n from numbers_31337_2 where id = 3',
  ])
    for (let n = 0; n < 60; n++) {
      const answer = await query(statement);
      await answer.text();
      assert.is(status(answer), 'tablegate; fwd=miss', statement);
    }
});

test('limits of an answer hold for those of an index', async () => {
  await withGateway([...UNCACHED, '--max-result-rows', '60'], async (gateway) => {
    const after = (id: number): string => `select id from numbers_31337_2 where id > ${id}`;
    await untilIndexed(gateway, (n) => after(ROWS - (n % 50)));
    const fits = await gateway.query(after(ROWS - 60));
    assert.is(((await fits.json()) as unknown[]).length, 60);
    const more = await gateway.query(after(ROWS - 61));
    assert.is(more.status, 400);
    assert.is(((await more.json()) as { code: string }).code, 'limit-rows');
  });
});

test('indexes are counted and bounded', async () => {
  const metrics = async (): Promise<(name: string) => number> => {
    const text = await (await fetch(shared.metricsAddress ?? '')).text();
    return (name) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1] ?? 0);
  };
  const before = await metrics();
  await untilIndexed(shared, (id) => `select word, n from numbers_31337_2 where id = ${id}`);
  const after = await metrics();
  const rose = (name: string): number => after(name) - before(name);
  assert.is(rose('tablegate_index_entries'), 1);
  const bytes = rose('tablegate_index_bytes');
  assert.ok(bytes > ROWS * 20 && bytes < ROWS * 200, `${bytes} bytes`);
  assert.ok(after('tablegate_index_limit_bytes') > after('tablegate_index_bytes'));
  assert.is(rose('tablegate_cache_requests_total\\{state="index"\\}'), 1);
  assert.is(rose('tablegate_runs_total\\{job="index",outcome="ok"\\}'), 1);
  await withGateway([...UNCACHED, '--index-bytes', '100000'], async (gateway) => {
    for (let id = 1; id < 120; id++) {
      const answer = await gateway.query(LOOKUP(id));
      await answer.text();
      assert.is(status(answer), 'tablegate; fwd=miss', 'rows of 300 KB have no room');
    }
  });
});

test('an index that has no answer is not made again and again', async () => {
  const before = shared.seen.filter((event) => event.type === 'run' && event.job === 'index').length;
  const past = (n: number): string =>
    `select n, word from numbers_31337_2 where id >= ${n % 10} and n >= 34990 limit 3`;
  for (let n = 0; n < 300; n++) assert.is((await shared.query(past(n))).status, 200);
  const after = shared.seen.filter((event) => event.type === 'run' && event.job === 'index').length;
  assert.ok(after - before <= 1, `${after - before} builds`);
});

test('a row index of large texts neither breaks the wire nor the front', async () => {
  const big = {
    name: 'big_31337_3',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'x', type: 'text' },
    ],
    select: `select i, repeat('x', 100000) || (i % 3) from range(1000) t(i)`,
  } as const;
  const gateway = await startTestGateway({ tables: [big], args: UNCACHED });
  try {
    const lookup = (n: number): string =>
      `select id from big_31337_3 where id >= ${n} and x = 'none of them' limit 1`;
    for (let n = 0; n < 120; n++) {
      const answer = await gateway.query(lookup(n));
      assert.is(`${answer.status} ${await answer.text()}`, '200 []');
    }
    assert.ok(gateway.seen.every(({ type }) => type !== 'lane-killed'));
  } finally {
    await gateway.stop();
  }
});

test('a swap leaves the old snapshot’s indexes behind', async () => {
  const data = mkdtempSync(join(tmpdir(), 'tablegate-indexes-'));
  try {
    const first = await makeSnapshot(data, tables(7));
    const gateway = await startTestGateway({ data, args: [...UNCACHED, '--watch-every', '50ms'] });
    try {
      await untilIndexed(gateway, LOOKUP);
      const second = await makeSnapshot(data, tables(11));
      assert.is.not(second.id, first.id);
      const seen = new Set<string>();
      for (let n = 0; n < 200_000; n++) {
        const id = 1 + (n % ROWS);
        const answer = await gateway.query(LOOKUP(id));
        const snapshot = answer.headers.get('tablegate-snapshot')?.split(';')[0] ?? '';
        const factor = snapshot === first.id ? 7 : 11;
        assert.is(await answer.text(), `[{"id":${id},"n":${id * factor}}]`, `${snapshot} ${status(answer)}`);
        seen.add(`${snapshot} ${status(answer)}`);
        if (seen.has(`${second.id} ${INDEX}`)) break;
      }
      assert.ok(seen.has(`${second.id} tablegate; fwd=miss`), [...seen].join(', '));
      assert.ok(seen.has(`${second.id} ${INDEX}`), [...seen].join(', '));
    } finally {
      await gateway.stop();
    }
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
});

test.run();
