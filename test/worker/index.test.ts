// What an index of a shape says is byte for byte what the engine says: shapes made of parts at random on real
// tables, values that are there, missing and hostile, in each form of an answer.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRandom } from '../../bench/random.ts';
import { createRowIndex, type RowIndex } from '../../src/answer/indexes/row-index.ts';
import { createCompiler } from '../../src/dialect/compile.ts';
import type { IndexDefinition, Output, QueryJob } from '../../src/protocol.ts';
import type { ParamValue } from '../../src/statement/param.ts';
import { bodyBytes } from '../support/body.ts';
import {
  HUGE,
  statementJob as job,
  LIMITS,
  OBJECTS,
  openTestWorker,
  TEXTS,
  type TestWorker,
} from './support.ts';

const PART_BYTES = 1_000_000;
const FORMS: readonly Output[] = [
  OBJECTS,
  { format: 'table', extract: false, unwrap: false },
  { format: 'objects', extract: false, unwrap: true },
  { format: 'ndjson', extract: false, unwrap: false },
];

const TABLES = [
  {
    name: 'things_1_1',
    primaryKey: 'id',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'name', type: 'text' },
      { name: 'size', type: 'integer' },
      { name: 'colour', type: 'text', collation: 'nocase' },
    ],
    rows: Array.from({ length: 3_000 }, (_, i) => [
      i,
      i % 9 === 0 ? null : `${TEXTS[i % TEXTS.length]}`,
      i % 4 === 0 ? null : (i * 1_000) % 7_000,
      i % 2 === 0 ? 'Red' : 'blue',
    ]),
  },
  {
    name: 'parts_1_2',
    unique: [['thing', 'label']],
    columns: [
      { name: 'thing', type: 'integer' },
      { name: 'kind', type: 'text' },
      { name: 'weight', type: 'integer' },
      { name: 'data', type: 'blob' },
      { name: 'label', type: 'text' },
    ],
    rows: Array.from({ length: 5_000 }, (_, i) => [
      (i * 37) % 500,
      i % 11 === 0 ? null : TEXTS[(i * 7) % TEXTS.length],
      i % 7 === 0 ? null : (i * 13) % 20,
      i % 5 === 0 ? null : Buffer.from([i % 256, 0, 255]),
      `part ${i}`,
    ]),
  },
  {
    name: 'wide_1_3',
    primaryKey: 'id',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'far', type: 'integer' },
    ],
    rows: [
      [1, 1],
      [2, HUGE],
    ],
  },
] as const;

let worker: TestWorker;
test.before(async () => {
  worker = await openTestWorker({ tables: TABLES as never, createCompiler });
});
test.after(() => worker.close());

/** What the rows are not looked up by: an index is of those statements alone that have the same there. */
function others({ terms, limit, offset }: IndexDefinition, { literals }: QueryJob): string {
  const varying = [limit, offset, ...terms.map(({ literal }) => literal)];
  return JSON.stringify(literals.map((literal, place) => (varying.includes(place) ? null : literal)));
}

interface Indexed {
  readonly definition: IndexDefinition;
  readonly index: RowIndex | undefined;
}

/** As the front makes it, of whole or cut bodies; undefined where the shape can have none. */
async function indexOf(asked: QueryJob, streamBytes = 4_096): Promise<Indexed | undefined> {
  const { outcome, parts } = await worker.run({ ...asked, kind: 'index' }, { streamBytes });
  if (!outcome.ok || outcome.index === undefined) return undefined;
  const builder = createRowIndex(outcome.index);
  for (const part of parts) builder.add(part);
  return { definition: outcome.index, index: await builder.finish() };
}

/** How many of the statements the index had an answer to. */
async function compare(
  statement: string,
  values: readonly (readonly ParamValue[])[],
  output = OBJECTS,
): Promise<number> {
  const jobs = values.map((params) => job(statement, params, output));
  const made = await indexOf(jobs[0] as QueryJob);
  assert.ok(made, `there is an index: ${statement}`);
  let said = 0;
  for (const each of jobs) {
    if (made === undefined || others(made.definition, each) !== others(made.definition, jobs[0] as QueryJob))
      continue;
    const found = made.index?.find(each.literals, LIMITS, PART_BYTES);
    if (found === undefined) continue;
    said++;
    const { outcome, text } = await worker.run(each);
    const what = `${statement} ${JSON.stringify(each.literals)}`;
    assert.ok(outcome.ok, what);
    assert.is(bodyBytes(found.body).toString(), text, what);
    assert.is(outcome.ok && outcome.rows, found.rows, what);
    assert.is(outcome.ok && outcome.columns, made?.definition.columns, what);
  }
  return said;
}

const each = (...values: readonly ParamValue[]): ParamValue[][] => values.map((value) => [value]);

test('lookups by a key that rises, by one that does not, by several', async () => {
  assert.is(await compare('select * from things_1_1 where id = ?', each(0, 1, 2_999, 3_000)), 4);
  assert.is(await compare('select * from parts_1_2 where thing = ?', each(0, 1, 499, 500)), 4);
  assert.is(
    await compare('select * from parts_1_2 where kind = ? and thing = ?', [
      ['red', 1],
      ['日本', 2],
    ]),
    2,
  );
  assert.is(await compare('select * from parts_1_2 where ? = label', each('part 7', 'part 8', 'x')), 3);
  const beside = 'select id, name from things_1_1 where id = ? and size < ?';
  assert.is(
    await compare(beside, [
      [1, 5_000],
      [2, 5],
      [4, 5_000],
    ]),
    3,
  );
});

test('pages: after a key, by OFFSET, by both bounds, backwards', async () => {
  const pages = [[0], [10], [2_995], [5_000]];
  assert.is(await compare('select id, name from things_1_1 where id > ? order by id limit 10', pages), 4);
  assert.is(await compare('select id from things_1_1 where id < ? order by id desc limit 7', pages), 4);
  assert.is(await compare('select * from things_1_1 limit 5 offset ?', pages), 4);
  assert.is(await compare('select * from things_1_1 limit ?', [[0], [3], [-1]]), 2, '-1 is no limit');
  const both = [
    [0, 10],
    [10, 0],
    [2_990, 4_000],
  ];
  assert.is(await compare('select id from things_1_1 where id between ? and ?', both), 3);
  assert.is(await compare('select id from things_1_1 where ? <= id and id < ?', both), 3);
});

test('rows of one key keep their order, with and without ORDER BY and LIMIT', async () => {
  for (const order of [
    '',
    ' order by weight',
    ' order by kind desc, weight',
    ' order by length(label), 1 desc',
  ])
    for (const limit of ['', ' limit 3', ' limit 2 offset 4']) {
      const statement = `select kind, weight, label from parts_1_2 where thing = ?${order}${limit}`;
      assert.is(await compare(statement, each(1, 2, 77, 1_000)), 4, statement);
    }
});

test('joins', async () => {
  for (const [from, order] of [
    ['things_1_1 t join parts_1_2 p on p.thing = t.id', ''],
    ['things_1_1 t join parts_1_2 p on p.thing = t.id', ' order by p.kind'],
    ['things_1_1 t left join parts_1_2 p on p.thing = t.id', ' order by p.label desc'],
    ['parts_1_2 p join things_1_1 t on p.thing = t.id', ''],
  ]) {
    const statement = `select t.id, t.name, p.* from ${from} where t.id = ? and t.size < ?${order}`;
    const values = [1, 2, 3, 499, 500, 2_999].map((id) => [id, id % 2 === 0 ? 99_999 : 3_000]);
    assert.is(await compare(statement, values), 6, statement);
  }
});

test('each form of an answer is written as the engine’s rows are', async () => {
  for (const output of FORMS) {
    assert.is(await compare('select * from parts_1_2 where thing = ?', each(1, 2, 700), output), 3);
    assert.is(await compare('select name from things_1_1 where id > ? limit 3', each(1, 2_999), output), 2);
  }
  const extract: Output = { format: 'objects', extract: true, unwrap: false };
  assert.is(await compare('select name from things_1_1 where id = ?', each(1, 9, 4_000), extract), 3);
  assert.is(await indexOf(job('select * from things_1_1 where id = ?', [1], extract)), undefined);
  const csv: Output = { format: 'csv', extract: false, unwrap: false };
  assert.is(await indexOf(job('select * from things_1_1 where id = ?', [1], csv)), undefined);
});

test('literals that rows are not looked up by may be anything, as long as they stay', async () => {
  for (const statement of [
    'select id, 7 as n from things_1_1 where id = ?',
    "select json_object('id', id, 'name', name, 'kind', 'thing') as j from things_1_1 where id = ?",
    "select id, 'it''s', 1.5, x'00ff', -3 from things_1_1 where id = ?",
    "select id from things_1_1 where id = ? and name like 'r%'",
    'select id from things_1_1 where size != 5000 and id = ?',
    "select json_extract(name, '$.a') as a from things_1_1 where id = ? and json_valid(name)",
    "select printf('%05d', id) as p from things_1_1 where id = ? order by 1",
    'select id + 1, case when size > 10 then 1 else 0 end as big from things_1_1 where id = ?',
  ])
    assert.is(await compare(statement, each(1, 2, 5, 9_999)), 4, statement);
  const n = 'select id, ? as n from things_1_1 where id = ?';
  assert.is(
    await compare(n, [
      [7, 1],
      [7, 2],
      [8, 1],
      [7, 3],
    ]),
    3,
    'of the same',
  );
});

test('scalar subqueries', async () => {
  for (const statement of [
    'select id, (select max(weight) from parts_1_2 where thing = t.id) as m from things_1_1 t where id = ?',
    `select json_object('name', name, 'parts', (select json_group_array(json_object('label', label, 'weight', weight))
       from parts_1_2 p where p.thing = t.id)) as j from things_1_1 t where id = ?`,
    'select id from things_1_1 t where id > ? and exists (select 1 from parts_1_2 p where p.thing = t.id and p.weight = 3) limit 9',
    'select id from things_1_1 where id = ? and id in (select thing from parts_1_2 where weight > 5)',
    'select id, (select count(*) from parts_1_2) as n from things_1_1 where id = ?',
  ])
    assert.is(await compare(statement, each(1, 2, 14, 499, 2_000)), 5, statement);
});

test('groups by what is compared', async () => {
  for (const [statement, said = 4] of [
    ['select thing, max(weight), count(*) from parts_1_2 where thing = ? group by thing'],
    [
      `select json_object('id', t.id, 'parts', json_group_array(json_object('label', p.label, 'weight', p.weight))) as j
       from things_1_1 t join parts_1_2 p on p.thing = t.id where t.id = ? group by t.id`,
    ],
    [
      "select t.id, group_concat(p.label, ' ') as l from things_1_1 t left join parts_1_2 p on p.thing = t.id where t.id = ? group by t.id",
    ],
    ['select thing, kind, sum(weight) as s from parts_1_2 where thing = ? group by thing, kind'],
    [
      'select thing, kind, sum(weight) as s from parts_1_2 where thing = ? group by kind, thing order by s desc limit 3',
    ],
    [
      'select thing, sum(weight) from parts_1_2 where thing > ? group by thing having count(*) > 3 order by thing limit 10',
    ],
    ['select thing as x, min(label), label from parts_1_2 where thing = ? group by x'],
    ['select kind, thing % 3 as m, max(weight) from parts_1_2 where thing = ? group by 1, m, thing'],
    ['select thing, kind, count(*) from parts_1_2 where thing = ? group by thing, kind collate nocase'],
  ] as const)
    assert.is(await compare(statement, each(1, 2, 14, 499)), said, statement);
});

test('a shape whose rows are not the same for all has no index', async () => {
  for (const [statement, ...params] of [
    ['select id from things_1_1 where id = ? or id = ?', 1, 2],
    ['select id from things_1_1 where id != ?', 1],
    ['select id from things_1_1 where size + 0 = ?', 1],
    ['select id from things_1_1 where name > ?', 'a'],
    ['select id from things_1_1 where colour = ?', 'red'],
    ['select id from things_1_1 where id = ?', '1'],
    ['select id from things_1_1 where id = ?', 1.5],
    ['select id from things_1_1 where id = ?', null],
    ['select random(), id from things_1_1 where id = ?', 1],
    ['select count(*) from things_1_1 where id > ?', 1],
    ['select max(id) from things_1_1 where id = ?', 1],
    ['select thing, sum(weight * 0.1) from parts_1_2 where thing = ? group by thing', 1],
    ['select thing, avg(weight) from parts_1_2 where thing = ? group by thing', 1],
    ['select thing, variance(weight) from parts_1_2 where thing = ? group by thing', 1],
    ['select id, (select total(weight) from parts_1_2 where thing = t.id) from things_1_1 t where id = ?', 1],
    ['select kind, count(*) from parts_1_2 where thing = ? group by kind', 1],
    ['select thing + 1, count(*) from parts_1_2 where thing = ? group by thing + 1', 1],
    ['select kind, count(*) from parts_1_2 where kind = ? group by kind collate nocase', 'red'],
    ['select distinct kind from parts_1_2 where thing = ?', 1],
    ['select row_number() over (order by label) from parts_1_2 where thing = ?', 1],
    ['select id from things_1_1 where id = ? union all select id from things_1_1', 1],
    ['with a as (select * from things_1_1) select * from a where id = ?', 1],
    ['select * from (select * from things_1_1) where id = ?', 1],
    ['select * from (select * from things_1_1 where id = ?)', 1],
    ['select (select count(*) from parts_1_2 where thing = ?) as n from things_1_1', 1],
    [
      'select p.label from things_1_1 t join parts_1_2 p on p.thing = t.id and p.weight > ? where t.id = ?',
      3,
      1,
    ],
    ['select id from things_1_1'],
    ['values (?)', 1],
  ] as const)
    assert.is(await indexOf(job(statement, params)), undefined, statement);
});

test('rows that cannot be had leave a shape without an index, and statements with their own answers', async () => {
  assert.is(await indexOf(job('select id, far * 2 from wide_1_3 where id = ?', [1])), undefined);
  assert.is(await indexOf(job('select id, far + far as n from wide_1_3 where id = ?', [1])), undefined);
  assert.is(await indexOf(job('select id from wide_1_3 where far = ?', [1])), undefined, 'past 2^53');
  assert.is(await compare('select id, far from wide_1_3 where id = ?', each(1, 2, HUGE)), 2);
});

const FROM = [
  [
    'things_1_1 t',
    ['t.id', 't.name', 't.size', 't.colour'],
    [
      't.*',
      't.size, t.id',
      "upper(t.name) || 'x' as u",
      '(select sum(weight) from parts_1_2 where thing = t.id) as s',
    ],
  ],
  [
    'parts_1_2 p',
    ['p.thing', 'p.kind', 'p.label', 'p.weight'],
    ['p.*', 'p.data, p.rowid', 'p.weight + p.thing as n'],
  ],
  [
    'things_1_1 t join parts_1_2 p on p.thing = t.id',
    ['t.id', 'p.kind', 'p.label', 'p.weight'],
    ['*', 't.name, p.label'],
  ],
  [
    'parts_1_2 p left join things_1_1 t on p.weight = t.id',
    ['p.thing', 't.id', 't.name'],
    ['p.label, t.name, t.size'],
  ],
] as const;
const FIXED = [
  '',
  's is not null',
  "coalesce(s, '') || '' = s",
  'length(s) is not null',
  'typeof(s) is typeof(s)',
];

test('shapes and values at random give what the engine gives', async () => {
  const random = createRandom(20_261_121);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const value = (): ParamValue =>
    pick<ParamValue>([0, 1, 2, 3, 7, 11, 19, 490, 999, 6_000, HUGE, ...TEXTS, 'part 7', 'part 300']);
  let indexes = 0;
  let said = 0;
  for (let round = 0; round < 200; round++) {
    const [from, keys, columns] = pick<(typeof FROM)[number]>(FROM);
    const conditions = Array.from({ length: 1 + Math.floor(random() * 2.5) }, () => {
      const operator = random() < 0.6 ? '=' : pick(['<', '<=', '>', '>=']);
      return `${pick<string>(keys)} ${operator} ?`;
    });
    const fixed = pick(FIXED).replaceAll(/\bs\b/g, pick<string>(keys));
    if (fixed !== '' && random() < 0.4 && !fixed.includes("'")) conditions.push(fixed);
    const order =
      random() < 0.5 ? ` order by ${pick<string>(keys)}${pick(['', ' desc', ' nulls last'])}` : '';
    const limit = random() < 0.4 ? ` limit ${pick([1, 5, 100])}${pick(['', ' offset 2'])}` : '';
    const statement = `select ${pick<string>(columns)} from ${from} where ${conditions.join(' and ')}${order}${limit}`;
    const count = (statement.match(/\?/g) ?? []).length;
    // All of one kind at a place: literals of other kinds are another shape.
    const kinds = Array.from({ length: count }, value);
    const jobs = Array.from({ length: 6 }, () =>
      job(
        statement,
        kinds.map((kind) => {
          for (;;) {
            const other = value();
            if ((typeof other === 'string') === (typeof kind === 'string')) return other;
          }
        }),
        pick(FORMS),
      ),
    ).map((made, _, all) => ({ ...made, output: all[0]?.output ?? OBJECTS }));
    const made = await indexOf(jobs[0] as QueryJob, pick([1_024, 65_536]));
    if (made?.index === undefined) continue;
    indexes++;
    for (const one of jobs) {
      if (others(made.definition, one) !== others(made.definition, jobs[0] as QueryJob)) continue;
      const found = made.index.find(one.literals, LIMITS, PART_BYTES);
      if (found === undefined) continue;
      said++;
      const { outcome, text } = await worker.run(one);
      const what = `${statement} ${JSON.stringify(one.literals)}`;
      assert.ok(outcome.ok, what);
      assert.is(bodyBytes(found.body).toString(), text, what);
      assert.is(outcome.ok && outcome.rows, found.rows, what);
    }
  }
  process.stdout.write(`  ${indexes} indexes, ${said} answers\n`);
  assert.ok(indexes > 40 && said > 200, `${indexes} indexes, ${said} answers`);
});

test.run();
