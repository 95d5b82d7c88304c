// One worker's way of a statement: limits, deadline, parts, the gate, failures.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createCompiler } from '../../src/dialect/compile.ts';
import { readStatement } from '../../src/statement/statement.ts';
import { FRAME, MORE, POISONED, parseJson } from '../../src/wire/frames.ts';
import { CONTROL, type Failed, type Limits } from '../../src/wire/protocol.ts';
import { rawJob } from '../support/passthrough.ts';
import { openTestWorker, type Ran, type TestWorker } from './support.ts';

const TABLES = [
  {
    name: 'items_1_1',
    primaryKey: 'id',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'name', type: 'text' },
    ],
    select: "select i, 'item ' || i from range(1, 100001) t(i)",
  },
] as const;
const LIMITS: Limits = { deadlineMs: 10_000, maxRows: 1_000_000, maxBytes: 100_000_000 };

let worker: TestWorker;
test.before(async () => {
  worker = await openTestWorker({ tables: TABLES });
});
test.after(() => worker.close());
test.before.each(() => {
  worker.control[CONTROL.stop] = 0;
  worker.control[CONTROL.credit] = 1024 * 1024 * 1024;
});

const run = (sql: string, limits: Partial<Limits> = {}): Promise<Ran> =>
  worker.run(rawJob(sql, [], { limits: { ...LIMITS, ...limits } }));
const failure = (ran: Ran): Failed => {
  if (ran.outcome.ok) throw new Error(`it was answered: ${ran.text.slice(0, 100)}`);
  return ran.outcome;
};

const ALL = 'SELECT id AS "id:integer", name AS "name:text" FROM items_1_1';

test('answers a lookup, first as a stream and then in one go', async () => {
  const job = rawJob(`${ALL} WHERE id = ?i`, [{ kind: 'integer', text: '7' }]);
  for (let i = 0; i < 3; i++) {
    const { outcome, text } = await worker.run(job);
    assert.is(text, '[{"id":7,"name":"item 7"}]');
    assert.is(outcome.ok && outcome.rows, 1);
    assert.is(outcome.ok && outcome.columns, 2);
  }
});

test('answers a shape whose answer grew after it was small', async () => {
  const shape = `${ALL} WHERE id <= ?i ORDER BY id`;
  const at = (text: string) => worker.run(rawJob(shape, [{ kind: 'integer', text }]));
  await at('3');
  for (const rows of [1024, 1025, 1026, 5000, 3]) {
    const ids = (JSON.parse((await at(String(rows))).text) as { id: number }[]).map(({ id }) => id);
    assert.equal(
      ids,
      Array.from({ length: rows }, (_, i) => i + 1),
    );
  }
});

test('sends a large body in parts that make one whole', async () => {
  const ran = await run(`${ALL} ORDER BY id`);
  const [first, ...rest] = ran.frames;
  assert.is(first?.flags, MORE);
  assert.ok(rest.length > 5);
  assert.ok(rest.slice(0, -1).every(({ kind, id }) => kind === FRAME.data && id === 7));
  const end = rest.at(-1);
  assert.is(end?.kind, FRAME.end);
  assert.is((parseJson(end?.payload as Buffer) as { rows: number }).rows, 100_000);
  assert.is((JSON.parse(ran.text) as unknown[]).length, 100_000);
});

test('what is not to be sent in parts is answered whole, as long as it is not too large for that', async () => {
  const unproven = (sql: string): Promise<Ran> => worker.run(rawJob(sql, [], { limits: LIMITS }), {}, true);
  const ran = await unproven(`${ALL} ORDER BY id`);
  assert.is(ran.frames.length, 1);
  assert.is((JSON.parse(ran.text) as unknown[]).length, 100_000);
  const wide = await unproven('SELECT repeat(name, 10) AS "a:text" FROM items_1_1');
  assert.is(wide.frames[0]?.flags, MORE);
  assert.is((JSON.parse(wide.text) as unknown[]).length, 100_000);
});

test('waits for the reader of a body in parts, and gives up one that takes nothing', async () => {
  const slow = await openTestWorker({ tables: TABLES, stallMs: 300 });
  try {
    slow.control[CONTROL.credit] = 400_000;
    const ran = await slow.run(rawJob(ALL, [], { limits: { ...LIMITS, deadlineMs: 200 } }));
    const end = ran.frames.at(-1);
    assert.is(end?.kind, FRAME.end);
    assert.match((parseJson(end?.payload as Buffer) as Failed).message, 'nobody waits');
    // The worker is as good as before.
    slow.control[CONTROL.credit] = 1024 * 1024 * 1024;
    assert.is((await slow.run(rawJob('SELECT 1::BIGINT AS "a:integer"'))).text, '[{"a":1}]');
  } finally {
    slow.close();
  }
});

test('goes on when the reader takes again, and does not count its pauses', async () => {
  worker.control[CONTROL.credit] = 300_000;
  const timer = setInterval(() => {
    Atomics.add(worker.control, CONTROL.credit, 300_000);
    Atomics.notify(worker.control, CONTROL.credit);
  }, 60);
  try {
    const ran = await run(ALL, { deadlineMs: 500 });
    assert.is((JSON.parse(ran.text) as unknown[]).length, 100_000);
  } finally {
    clearInterval(timer);
  }
});

test('stops at the limit of rows and of bytes, with an error that names it', async () => {
  assert.is((await run(`${ALL} LIMIT 5`, { maxRows: 5 })).outcome.ok, true);
  assert.match(failure(await run(`${ALL} LIMIT 6`, { maxRows: 5 })).message, '5');
  assert.is(failure(await run(`${ALL} LIMIT 6`, { maxRows: 5 })).code, 'limit-rows');
  assert.is(failure(await run(`${ALL} LIMIT 100`, { maxBytes: 1000 })).code, 'limit-bytes');
  assert.match(failure(await run(`${ALL} LIMIT 100`, { maxBytes: 1000 })).message, '1000');
});

test('ends a large answer that passes a limit half-way with an error, never as if it were whole', async () => {
  const ran = await run(ALL, { maxRows: 50_000 });
  const end = ran.frames.at(-1);
  assert.is(end?.kind, FRAME.end);
  assert.is((parseJson(end?.payload as Buffer) as Failed).code, 'limit-rows');
});

test('interrupts what runs past its deadline, again and again', async () => {
  const endless = [
    'SELECT count(*) AS "n:integer" FROM range(10000000000) a(i)',
    'SELECT count(*) AS "n:integer" FROM items_1_1 a, items_1_1 b WHERE a.id + b.id = -1',
    'WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) AS "n:integer" FROM t',
    'SELECT i AS "n:integer" FROM range(1000000000) a(i) ORDER BY hash(i) DESC LIMIT 3',
  ];
  for (const sql of endless) {
    const failed = failure(await run(sql, { deadlineMs: 150 }));
    assert.is(failed.code, 'limit-time', failed.detail);
    assert.match(failed.message, '150 ms');
  }
  assert.is((await run(`${ALL} WHERE id = 1`)).text, '[{"id":1,"name":"item 1"}]');
});

test('stops what nobody waits for any more', async () => {
  setTimeout(() => Atomics.store(worker.control, CONTROL.stop, 1), 50);
  const failed = failure(await run('SELECT count(*) AS "n:integer" FROM range(10000000000) a(i)'));
  assert.match(failed.message, 'nobody waits');
});

test('names the memory limit where a statement passes it', async () => {
  const failed = failure(
    await run(
      'SELECT count(*) AS "n:integer" FROM (SELECT DISTINCT i, repeat(i::VARCHAR, 20) FROM range(20000000) t(i))',
    ),
  );
  assert.is(failed.code, 'limit-memory', failed.detail);
});

test('hands over to SQLite what fails before it is answered, without the words of the engine', async () => {
  const failed = failure(await run('SELECT CAST(\'x\' AS BIGINT) AS "a:integer" FROM items_1_1'));
  assert.is(failed.code, 'elsewhere');
  assert.is(failed.message, 'conversion error');
  const hidden = failure(await run('SELECT nosuch AS "a:integer" FROM items_1_1'));
  assert.is(hidden.code, 'elsewhere');
  assert.not.match(hidden.message, 'nosuch');
  assert.match(hidden.detail ?? '', 'nosuch');
});

test('refuses what the gate does not know, before it runs', async () => {
  const failed = failure(await run('SELECT content AS "a:text" FROM read_text(\'/etc/hostname\')'));
  assert.is(failed.code, 'unsupported');
  assert.match(failed.message, 'read_text');
});

test('says that the engine is broken where it says so itself', async () => {
  const broken = await openTestWorker({ tables: TABLES });
  try {
    const ran = await broken.run(rawJob("FROM force_checkpoint('system')"), { gate: false });
    // Whether the first call fails or only what follows it depends on the engine's version.
    const after = await broken.run(rawJob('SELECT count(*) AS "n:integer" FROM items_1_1'), { gate: false });
    const failed = [ran, after].find(({ outcome }) => !outcome.ok);
    if (failed !== undefined && !failed.outcome.ok) {
      assert.is(failed.outcome.poisoned, true, failed.outcome.detail);
      assert.is(failed.frames[0]?.flags, POISONED);
      assert.not.match(failed.outcome.message, 'FATAL');
    }
  } finally {
    broken.close();
  }
});

test('cuts huge rows into frames that the front can read', async () => {
  const FRAME_BYTES = 16 * 1024 * 1024;
  for (const [rows, bytes] of [
    [1, 40_000_000],
    [3, 18_000_000],
  ] as const) {
    const huge = rawJob(`SELECT repeat('x', ${bytes}) AS "t:text" FROM range(${rows})`);
    const { outcome, body, frames } = await worker.run({ ...huge, limits: LIMITS }, { gate: false });
    assert.ok(outcome.ok);
    assert.is(body.length, rows * (bytes + '{"t":""},'.length) + 1);
    assert.is(body.toString('latin1', body.length - 5), 'xx"}]');
    assert.ok(frames.length > (rows * bytes) / FRAME_BYTES);
    for (const { payload } of frames) assert.ok(payload.length <= FRAME_BYTES + 1_000, `${payload.length}`);
  }
});

test('says why SQLite is to run a statement of the dialect', async () => {
  const dialect = await openTestWorker({ tables: TABLES, createCompiler });
  const ask = async (sql: string): Promise<string> => {
    const { shape, literals } = readStatement(sql, [], 35_000);
    const { outcome, text } = await dialect.run({ ...rawJob(shape, literals), limits: LIMITS });
    return outcome.ok ? text : `${outcome.code}: ${outcome.message}`;
  };
  try {
    assert.is(
      await ask("SELECT typeof(1) AS a, typeof('x') AS b, typeof(NULL) AS c, typeof(x'00') AS d"),
      '[{"a":"integer","b":"text","c":"null","d":"blob"}]',
    );
    assert.is(await ask('SELECT block_num(1) AS a'), '[{"a":77}]');
    assert.is(
      await ask('SELECT 9223372036854775807 + id AS a FROM items_1_1 WHERE id < 3 ORDER BY id'),
      'elsewhere: out of range error',
    );
    assert.is(await ask('SELECT soundex(name) AS a FROM items_1_1'), 'elsewhere: function soundex');
    assert.is(
      await ask("SELECT name + 1 AS a FROM items_1_1 WHERE name = 'item 2'"),
      'elsewhere: a value without native form',
    );
  } finally {
    dialect.close();
  }
});

test.run();
