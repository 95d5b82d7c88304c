// Pages that SQLite writes as JSON itself: the same bytes as cell by cell, or not taken.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runBounded } from '../../src/rowstore/run.ts';
import { openStore, type RowStore } from '../../src/rowstore/store.ts';
import { readStatement } from '../../src/statement/statement.ts';
import type { Output, QueryJob } from '../../src/wire/protocol.ts';
import { makeSnapshot, type TestTable } from '../support/snapshot.ts';
import { storeOptions } from './support.ts';

/** What JSON escapes, and what it does not. */
const TEXTS = ['plain', '', 'a "quoted" \\ text', '\b\f\n\r\t\u0001\u001f\u007f', 'ünï 🚀 \u2028 <&>', 'x{'];
/** What is not written as a string, or may not be. */
const OTHER_TEXTS = ['{"a": 1}', '  [1, 2]', '{no json', '[', '\ufffd'];
const ROWS = 300;

const texts = (name: string, some: readonly string[]): TestTable => ({
  name,
  primaryKey: 'id',
  columns: [
    { name: 'id', type: 'integer' },
    { name: 'text', type: 'text' },
    { name: 'number', type: 'integer' },
  ],
  rows: Array.from({ length: ROWS }, (_, i) => [
    i + 1,
    i % 11 === 0 ? null : (some[i % some.length] as string),
    i % 5 === 0 ? null : (-1n) ** BigInt(i) * 2n ** BigInt(i % 63),
  ]),
});
const TABLES: readonly TestTable[] = [
  texts('texts_1_1', TEXTS),
  ...OTHER_TEXTS.map((text, i) => texts(`other_1_${i + 10}`, ['plain', text])),
  {
    name: 'reals_1_2',
    columns: [{ name: 'real', type: 'real' }],
    rows: Array.from({ length: ROWS }, (_, i) => [i === 150 ? Number.POSITIVE_INFINITY : i * 1.5]),
  },
  {
    name: 'blobs_1_3',
    columns: [{ name: 'data', type: 'blob' }],
    rows: Array.from({ length: ROWS }, (_, i) => [i === 150 ? new Uint8Array([255, 0]) : null]),
  },
];

const test = suite<{ store: RowStore; folder: string }>('rowstore/json-page');
test.before(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tablegate-pages-'));
  // Less than a page has bytes: its text may be larger than any value.
  const options = { ...storeOptions(), valueBytes: 4_096 };
  context.store = openStore(await makeSnapshot(context.folder, TABLES), options);
});
test.after(({ store, folder }) => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const OBJECTS: Output = { format: 'objects', extract: false, unwrap: false };

function jobOf(text: string, output: Output, maxBytes = 1_000_000): QueryJob {
  const { shape, literals } = readStatement(text, [], 35_000);
  return { kind: 'query', shape, literals, output, limits: { deadlineMs: 1_000, maxRows: 1_000, maxBytes } };
}

function bodyOf(store: RowStore, job: QueryJob): string {
  const answer = runBounded(store, job);
  if (!('outcome' in answer)) throw new Error(answer.message);
  return `${answer.outcome.rows} ${answer.outcome.columns} ${Buffer.from(answer.body).toString()}`;
}

/** Asked for often. @returns whether SQLite writes it by now */
function isPage(store: RowStore, text: string, output: Output = OBJECTS, times = 3): boolean {
  const job = jobOf(text, output);
  const byCells = bodyOf(store, job);
  for (let again = 0; again < times; again++) assert.is(bodyOf(store, job), byCells, text);
  const statement = store.statements.read(job.shape, job.literals);
  const { run } = store.statements.choose(statement, job.literals);
  return store.statements.page(run, store.statements.prepare(run), output) !== undefined;
}

test('are the same bytes as cell by cell', ({ store }) => {
  for (const text of [
    'select * from texts_1_1 order by id limit 200',
    'select * from texts_1_1 where id > 7 order by id desc limit 150 offset 3',
    'select number, text from texts_1_1 order by number, text, id limit 200',
    'select text as b, id as "a b", number as a from texts_1_1 limit 200',
    "select id as ':', text as 'it''s' from texts_1_1 limit 200",
    'select text, text, id as text from texts_1_1 limit 200',
    'select * from texts_1_1',
    'select * from texts_1_1 where number > 0 or number is null',
    'select a.id, b.text from texts_1_1 a join texts_1_1 b on b.id = a.id where a.id < 250 order by b.text, a.id',
    'select distinct text, id from texts_1_1 order by 2 desc',
    'select id from texts_1_1 union all select number from texts_1_1 limit 500',
  ])
    assert.ok(isPage(store, text), text);
  for (const unwrap of [false, true])
    assert.ok(isPage(store, 'select * from texts_1_1 limit 200', { ...OBJECTS, unwrap }), `unwrap ${unwrap}`);
});

test('are read cell by cell where SQLite would write something else', ({ store }) => {
  for (const text of [
    'select * from reals_1_2 limit 200',
    'select * from blobs_1_3 limit 200',
    ...OTHER_TEXTS.map((_, i) => `select * from other_1_${i + 10} limit 200`),
    // What such a function gives would be taken for JSON.
    'select json_extract(\'{"a":"b"}\', \'$.a\') as x, json_quote(text) as y from texts_1_1 limit 200',
    'select text, id from texts_1_1 where length(text) > 1 limit 200',
    `select id as "a""b" from texts_1_1 limit 200`,
    `select id as "ü" from texts_1_1 limit 200`,
    "select id as ':-' from texts_1_1 limit 200",
  ])
    assert.not.ok(isPage(store, text), text);
  for (const output of [
    { ...OBJECTS, format: 'table' },
    { ...OBJECTS, format: 'csv' },
  ] as const)
    assert.not.ok(isPage(store, 'select * from texts_1_1 limit 201', output), output.format);
  assert.not.ok(isPage(store, 'select id from texts_1_1 limit 202', { ...OBJECTS, extract: true }));
});

test('pay for their plan where a statement gives several rows, and gives them often', ({ store }) => {
  assert.not.ok(isPage(store, 'select id, text from texts_1_1 order by 1 limit 20', OBJECTS, 3));
  assert.ok(isPage(store, 'select id, text from texts_1_1 order by id limit 20', OBJECTS, 5));
  assert.not.ok(isPage(store, 'select id, text from texts_1_1 order by 2, 1 limit 7', OBJECTS, 30));
});

test('may be empty, and keep the limits of an answer', ({ store }) => {
  const page = (after: number): string =>
    `select id, text from texts_1_1 where id > ${after} order by id limit 250`;
  assert.ok(isPage(store, page(5)));
  assert.is(bodyOf(store, jobOf(page(7_000), OBJECTS)), '0 2 []');
  assert.throws(() => runBounded(store, jobOf(page(6), OBJECTS, 2_000)), /bytes/);
});

test.run();
