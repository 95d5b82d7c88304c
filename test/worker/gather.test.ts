// Lookups run as one statement give byte for byte what each gives by itself: shapes made of parts at random,
// values that are there, missing, NULL and hostile; an error or a large answer of one is its own matter.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRandom } from '../../bench/random.ts';
import { createCompiler } from '../../src/dialect/compile.ts';
import type { Output, QueryJob } from '../../src/protocol.ts';
import type { ParamValue } from '../../src/statement/param.ts';
import {
  HUGE,
  statementJob as job,
  LIMITS,
  OBJECTS,
  openTestWorker,
  TEXTS,
  type TestWorker,
} from './support.ts';

/** Rows whose order on disk is not the order of any column. */
const parts = Array.from({ length: 400 }, (_, i) => {
  const text = TEXTS[(i * 7) % TEXTS.length] ?? '';
  return [
    (i * 37) % 50,
    i % 11 === 0 ? null : text,
    i % 7 === 0 ? null : (i * 13) % 20,
    i % 5 === 0 ? null : Buffer.from([i % 256, 0, 255]),
    `part ${i}`,
  ] as const;
});
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
    rows: [
      ...Array.from({ length: 60 }, (_, i) => [
        i,
        i % 9 === 0 ? null : `${TEXTS[i % TEXTS.length]}`,
        i % 4 === 0 ? null : i * 1000,
        i % 2 === 0 ? 'Red' : 'blue',
      ]),
      [-5, 'below', -1, 'RED'],
      [HUGE, 'huge', HUGE, 'x'],
    ],
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
    rows: parts,
  },
] as const;

let worker: TestWorker;
test.before(async () => {
  worker = await openTestWorker({ tables: TABLES as never, createCompiler });
});
test.after(() => worker.close());

/** Each by itself, twice: the first run shows that its answers are small. */
async function oneByOne(jobs: readonly QueryJob[]): Promise<string[]> {
  const told: string[] = [];
  for (const each of jobs) {
    await worker.run(each);
    const { outcome, text } = await worker.run(each);
    told.push(
      outcome.ok ? `${outcome.rows} ${outcome.columns} ${text}` : `${outcome.code} ${outcome.message}`,
    );
  }
  return told;
}

/** How many of them were answered together; fails where one of these differs from its own run. */
async function compare(jobs: readonly QueryJob[], what: string): Promise<number> {
  const expected = await oneByOne(jobs);
  const { answers, alone, later } = await worker.together(jobs);
  const all = [...answers.keys(), ...alone, ...later].sort((a, b) => a - b);
  assert.equal(
    all,
    jobs.map((_, index) => index + 1),
    `each is answered or given back: ${what}`,
  );
  for (const [id, { outcome, text }] of answers) {
    assert.ok(outcome.ok, what);
    assert.is(outcome.ok && `${outcome.rows} ${outcome.columns} ${text}`, expected[id - 1], what);
  }
  return answers.size;
}

const lookups = (statement: string, values: readonly ParamValue[][], output = OBJECTS): QueryJob[] =>
  values.map((params) => job(statement, params, output));

test('lookups by a key are answered together, those that find nothing too', async () => {
  const jobs = lookups('select * from things_1_1 where id = ?', [[1], [2], [999], [-5], [HUGE], [0]]);
  assert.is(await compare(jobs, 'by id'), 6);
});

test('other literals go with their key', async () => {
  const jobs = lookups('select id, ? as n, size + ? as sum from things_1_1 where id = ? and size < ?', [
    [1, 10, 1, 5000],
    [2, 20, 2, 5],
    [3, 30, 3, 5000],
    [4, 40, 4, 5000],
  ]);
  assert.is(await compare(jobs, 'literals'), 4);
});

test('rows of one key keep their order, with and without ORDER BY', async () => {
  const values = Array.from({ length: 60 }, (_, thing) => [thing]);
  for (const tail of [
    '',
    ' order by weight',
    ' order by kind desc, weight',
    ' order by length(label), 1 desc',
  ])
    assert.is(await compare(lookups(`select * from parts_1_2 where thing = ?${tail}`, values), tail), 60);
});

test('joins on the key are answered together', async () => {
  const values = Array.from({ length: 60 }, (_, id) => [id, id % 3 === 0 ? 'red' : 'Red']);
  for (const join of ['join', 'left join'])
    assert.is(
      await compare(
        lookups(
          `select t.id, t.name, p.* from things_1_1 t ${join} parts_1_2 p on p.thing = t.id
           where t.id = ? and (p.kind = ? or p.kind is null)`,
          values,
        ),
        join,
      ),
      60,
    );
});

test('equal keys with other literals do not travel together', async () => {
  const jobs = lookups('select name from things_1_1 where id = ? and size > ?', [
    [1, 0],
    [1, 9_999_999],
    [2, 0],
  ]);
  const expected = await oneByOne(jobs);
  const { answers, later } = await worker.together(jobs);
  assert.equal(later, [2]);
  assert.is(`1 1 ${answers.get(1)?.text}`, expected[0]);
  const hex = [
    job('select name from things_1_1 where id = 0x10'),
    job('select name from things_1_1 where id = 16'),
    job('select name from things_1_1 where id = 017'),
  ];
  await oneByOne(hex);
  assert.equal((await worker.together(hex)).later, [2], 'one number in two spellings is one key');
});

test('a LIMIT is left out where a lookup has one row, and never where it has more', async () => {
  const one = lookups('select name from things_1_1 where id = ? limit 1', [[1], [2], [3]]);
  assert.is(await compare(one, 'limit 1'), 3);
  const none = [1, 2, 3].map((id) => job(`select name from things_1_1 where id = ${id} limit ${id - 1}`));
  assert.is(await compare(none, 'limit 0'), 2);
  const more = lookups('select label from parts_1_2 where thing = ? limit 1', [[1], [2], [3]]);
  assert.is(await compare(more, 'more rows'), 0);
});

test('what looks at several rows, or is not compared byte by byte, goes alone', async () => {
  for (const statement of [
    'select count(*) from parts_1_2 where thing = ?',
    'select distinct kind from parts_1_2 where thing = ?',
    'select thing, max(weight) from parts_1_2 where thing = ? group by thing',
    'select row_number() over (order by label) from parts_1_2 where thing = ?',
    'select label from parts_1_2 where thing = ? limit 2 offset 1',
    'select (select max(weight) from parts_1_2 where thing = t.id) from things_1_1 t where id = ?',
    'select id from things_1_1 where id = ? union all select 1',
    'with a as (select * from things_1_1) select * from a where id = ?',
    'select random(), id from things_1_1 where id = ?',
    'select id from things_1_1 where id > ?',
    'select id from things_1_1 where id = ? or size is null',
    'select p.label from things_1_1 t join parts_1_2 p on p.thing = t.id and p.weight > 3 where t.id = ?',
  ]) {
    const jobs = lookups(statement, [[1], [2], [3]]);
    const { answers, alone } = (await oneByOne(jobs)) && (await worker.together(jobs));
    assert.is(answers.size, 0, statement);
    assert.equal(alone, [1, 2, 3], statement);
  }
  const nocase = lookups('select id from things_1_1 where colour = ?', [['red'], ['BLUE']]);
  assert.is(await compare(nocase, 'another collation'), 0);
});

test('an error of one lookup leaves its neighbours with their answers', async () => {
  const jobs = lookups('select id, size + ? as n from things_1_1 where id = ?', [
    [1, 1],
    [HUGE, 2],
    [1, 3],
  ]);
  const { answers, alone } = (await oneByOne(jobs)) && (await worker.together(jobs));
  assert.is(answers.size, 0);
  assert.equal([...alone].sort(), [1, 2, 3], 'by themselves they are answered');
});

test('an answer that may not be given is not among those of the others', async () => {
  const jobs = lookups('select label from parts_1_2 where thing = ?', [[1], [2], [3]]);
  await oneByOne(jobs);
  const strict = { ...(jobs[1] as QueryJob), limits: { ...LIMITS, maxRows: 2 } };
  const extract: Output = { ...OBJECTS, extract: true };
  const wide = { ...job('select * from parts_1_2 where thing = ?', [1], extract) };
  const { answers, alone } = await worker.together([jobs[0] as QueryJob, strict, jobs[2] as QueryJob]);
  assert.equal([...answers.keys()], [1, 3]);
  assert.equal(alone, [2]);
  const all = lookups('select * from parts_1_2 where thing = ?', [[2], [3]]);
  await oneByOne(all);
  const mixed = await worker.together([wide, ...all]);
  assert.equal([...mixed.answers.keys()], [2, 3]);
  assert.equal(mixed.alone, [1]);
});

test('of several keys the one that tells lookups apart is taken, wherever it stands', async () => {
  for (const where of ['kind = ? and thing = ?', 'thing = ? and kind = ?']) {
    const values = Array.from({ length: 20 }, (_, thing) =>
      where.startsWith('kind') ? ['red', thing] : [thing, 'red'],
    );
    assert.is(await compare(lookups(`select * from parts_1_2 where ${where}`, values), where), 20);
  }
});

test('each form of an answer is written as by itself', async () => {
  const forms: Output[] = [
    OBJECTS,
    { format: 'table', extract: false, unwrap: false },
    { format: 'objects', extract: false, unwrap: true },
    { format: 'ndjson', extract: false, unwrap: false },
  ];
  const jobs = forms.flatMap((output, at) =>
    lookups('select * from parts_1_2 where thing = ?', [[at * 3], [at * 3 + 1], [at * 3 + 2]], output),
  );
  assert.is(await compare(jobs, 'forms'), 12);
});

const FROM = [
  ['things_1_1 t', ['t.id', 't.name'], ['t.size', 't.name', 't.colour', 't.id', 't.*']],
  [
    'parts_1_2 p',
    ['p.thing', 'p.kind', 'p.label', 'p.weight'],
    ['p.data', 'p.label', 'p.weight', 'p.*', 'p.rowid'],
  ],
  [
    'things_1_1 t join parts_1_2 p on p.thing = t.id',
    ['t.id', 'p.kind', 'p.label'],
    ['t.name', 'p.label', 'p.weight', '*'],
  ],
  [
    'parts_1_2 p left join things_1_1 t on p.weight = t.id',
    ['p.thing', 't.id'],
    ['p.label', 't.name', 't.size'],
  ],
] as const;
const CONDITIONS = [
  's > ?',
  's < ?',
  's != ?',
  's is not ?',
  's between ? and 30',
  's in (?, 5, null)',
  's like ?',
  "s || ? > x'00'",
  'not s = ?',
  'coalesce(s, ?) = ?',
  'typeof(s) = ?',
  '? < 7',
  's + ? > 3',
  'case when s = ? then 1 else 0 end',
];
const EXTRAS = [
  '? as a',
  'coalesce(s, ?) as b',
  's || ? as c',
  'length(?) as d',
  'upper(s) as e',
  'abs(?) as f',
];

test('shapes and values at random give what each lookup gives by itself', async () => {
  const random = createRandom(20_261_121);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const value = (): ParamValue =>
    pick<ParamValue>([0, 1, 2, 3, 7, 11, 19, 999, -5, HUGE, 1.5, ...TEXTS, 'part 7', 'part 300', null, true]);
  let together = 0;
  for (let round = 0; round < 150; round++) {
    const [from, keys, columns] = pick<(typeof FROM)[number]>(FROM);
    const key = pick<string>(keys);
    const plain = columns.filter((column) => !column.endsWith('*'));
    const fill = (text: string): string => text.replace(/\bs\b/, pick<string>(plain));
    const select = [pick<string>(columns), ...(random() < 0.5 ? [fill(pick(EXTRAS))] : [])].join(', ');
    const conditions = [`${key} = ?`, ...(random() < 0.6 ? [fill(pick(CONDITIONS))] : [])];
    if (random() < 0.5) conditions.reverse();
    const order =
      random() < 0.4 ? ` order by ${pick<string>(plain)}${pick(['', ' desc', ' nulls last'])}` : '';
    const statement = `select ${select} from ${from} where ${conditions.join(' and ')}${order}`;
    const count = (statement.match(/\?/g) ?? []).length;
    // All of one kind at a place: literals of other kinds are another shape.
    const kinds = Array.from({ length: count }, value);
    const like = (other: ParamValue): ParamValue => {
      for (;;) {
        const found = value();
        if (typeof found === typeof other && Number.isInteger(found) === Number.isInteger(other))
          return found;
        if (typeof other === 'bigint' && typeof found === 'number' && Number.isInteger(found)) return found;
      }
    };
    const isText = key.endsWith('name') || key.endsWith('kind') || key.endsWith('label');
    const place = conditions[0]?.startsWith(key) ? (select.match(/\?/g) ?? []).length : count - 1;
    kinds[place] = isText ? 'red' : 1;
    const values = Array.from({ length: 12 }, () => kinds.map(like));
    const jobs = lookups(statement, values).filter(({ shape }, _, all) => shape === all[0]?.shape);
    together += await compare(
      jobs,
      `${statement} ${JSON.stringify(jobs.map(({ literals }) => literals.map(({ text }) => text)))}`,
    );
  }
  assert.ok(together > 600, `only ${together} were answered together`);
});

test.run();
