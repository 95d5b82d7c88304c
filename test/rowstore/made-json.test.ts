// What SQLite writes as JSON itself is embedded without a look at it: the same bytes as after one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { textCell } from '../../src/encode/json-text.ts';
import { runBounded } from '../../src/rowstore/run.ts';
import { openStore, type RowStore } from '../../src/rowstore/store.ts';
import { readStatement } from '../../src/statement/statement.ts';
import type { QueryJob } from '../../src/wire/protocol.ts';
import { makeSnapshot } from '../support/snapshot.ts';
import { storeOptions } from './support.ts';

const TEXTS = [
  ...['plain', '', 'a "quoted" \\ text', '\b\f\n\r\t\u0001\u001f\u007f', 'ünï 🚀 \u2028 <&>', "it's"],
  ...[
    '{"a": 1}',
    ' [1, 2 ] ',
    '{no json',
    '[',
    '\ufffd',
    '"text"',
    'null',
    '5',
    '[1,{"b":[]}]',
    '\u0001 [x]',
  ],
  ...[
    '{a:1,}',
    '[.5, 5., +5, 0x10, Infinity]',
    String.raw`["\u0041\\\/\n"]`,
    String.raw`['\x41\v\'']`,
    '/* c */ [1]',
  ],
];
const REALS = [0, -0, 1.5, 1e308, -1e-320, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 123456789.125];

const test = suite<{ store: RowStore; folder: string }>('rowstore/made-json');
test.before(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tablegate-made-json-'));
  const snapshot = await makeSnapshot(context.folder, [
    {
      name: 'things_1_1',
      primaryKey: 'id',
      columns: [
        { name: 'id', type: 'integer' },
        { name: 'text', type: 'text' },
        { name: 'real', type: 'real' },
        { name: 'whole', type: 'integer' },
      ],
      rows: Array.from({ length: 60 }, (_, i) => [
        i + 1,
        i % 13 === 12 ? null : (TEXTS[i % TEXTS.length] as string),
        i % 7 === 6 ? null : (REALS[i % REALS.length] as number),
        i % 5 === 4 ? null : (-1n) ** BigInt(i) * 2n ** BigInt(i),
      ]),
    },
    {
      name: 'blobs_1_2',
      columns: [
        { name: 'id', type: 'integer' },
        { name: 'data', type: 'blob' },
      ],
      // As SQLite's own form of JSON, a text with an open quotation mark in it.
      rows: [[1, Buffer.from('4b37612262', 'hex')]],
    },
  ]);
  context.store = openStore(snapshot, storeOptions());
});
test.after(({ store, folder }) => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

function jobOf(text: string, format: 'objects' | 'table'): QueryJob {
  const { shape, literals } = readStatement(text, [], 35_000);
  const limits = { deadlineMs: 1_000, maxRows: 1_000, maxBytes: 1_000_000 };
  return { kind: 'query', shape, literals, output: { format, extract: false, unwrap: false }, limits };
}

/** Which columns are taken for JSON, and the body beside what a look at each text makes of it. */
function jsonColumns(store: RowStore, text: string): readonly number[] {
  const job = jobOf(text, 'table');
  const { statement, ...read } = store.statements.read(job.shape, job.literals);
  const { prepared } = store.statements.prepare({ ...read, statement });
  prepared.setReturnArrays(true);
  const rows = prepared.all(...read.filled.values) as unknown as (string | number | null)[][];
  const answer = runBounded(store, job);
  if (!('outcome' in answer)) throw new Error(answer.message);
  const { rows: got } = JSON.parse(Buffer.from(answer.body).toString()) as { rows: unknown[] };
  const written = Buffer.from(answer.body).toString();
  for (const column of statement.json)
    for (const row of rows)
      if (typeof row[column] === 'string')
        assert.ok(written.includes(textCell(row[column])), `${text}: ${row[column]}`);
  assert.is(got.length, rows.length);
  return statement.json;
}

test('is what a look at it would give, in every function that makes JSON', ({ store }) => {
  for (const text of [
    "select json_object('t', text, 'r', real, 'w', whole) as a from things_1_1",
    "select id, JSON_OBJECT('t', text, 'j', json_array(text, json_object('a', real))), json_array(id) from things_1_1",
    'select json_array(text, real, whole, null, 1.0, 9e999) from things_1_1 order by id',
    'select json_group_array(text) as a, json_group_object(id, real) as b from things_1_1 group by id % 7',
    "select json_group_array(json_object('t', text)) filter (where id > 30) from things_1_1",
    'select json(text) as a from things_1_1 where json_valid(text)',
    "select json_object('o', json(text)) as a from things_1_1 where json_valid(text)",
    "select json_array(json_extract(text, '$'), text -> '$', text ->> '$') as a from things_1_1 where json_valid(text)",
    "select json_object('a', 1, 'a', 2) as a, json_array() as b, json_object() as c",
    'select json_group_array(whole) from things_1_1 where id < 0',
  ]) {
    const found = jsonColumns(store, text);
    assert.ok(found.length > 0, text);
    const objects = runBounded(store, jobOf(text, 'objects'));
    assert.ok('outcome' in objects);
    JSON.parse(Buffer.from('outcome' in objects ? objects.body : '').toString());
  }
});

test('is looked at wherever else it may come from', ({ store }) => {
  const none = (text: string): void => assert.equal(jsonColumns(store, text), [], text);
  none('select text, json_array(id) as a from things_1_1 union select text, text from things_1_1');
  none('select *, json_array(id) as a from things_1_1 where id < 20');
  none("select json_array(id) || '' as a from things_1_1");
  none('select a from (select json_array(id) as a from things_1_1)');
  none('select json_array(cast(id as blob)) as a from things_1_1 where id < 0');
  none("select json_array(x'11') as a from things_1_1 where id < 0");
  none('select json_array(data) as a from blobs_1_2 where id < 0');
  none('select json_array(d) as a from (select data as d from blobs_1_2 where id < 0)');
  none('with w(i, x) as (select * from blobs_1_2) select json_array(x) as a from w where i < 0');
  none('select json_array((select * from (select data from blobs_1_2))) as a from things_1_1 where id < 0');
  none('select json(json) as a from json_each((select data from blobs_1_2 where id < 0))');
  none("select json(substr(jsonb_array(';#1+'), 3)) as a");
  none("select json_object('k', substr(jsonb_array(';#1+'), 3)) as a");
  none("select json_extract(text, '$') as a from things_1_1 where json_valid(text)");
});

test.run();
