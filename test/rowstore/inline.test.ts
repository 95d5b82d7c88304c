// What a front runs itself: the same answers as a row lane, only of statements that are sure to be short, and nothing stays
// open of a snapshot that is not served any more.
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createInlineRows, type InlineOptions, type InlineRows } from '../../src/rowstore/inline.ts';
import { runBounded } from '../../src/rowstore/run.ts';
import { openStore, type RowStore } from '../../src/rowstore/store.ts';
import type { TableVersions } from '../../src/snapshot/versions.ts';
import { readStatement } from '../../src/statement/statement.ts';
import type { QueryJob, Reply, SnapshotRef } from '../../src/wire/protocol.ts';
import { until } from '../lane/support.ts';
import { makeSnapshot, type TestTable } from '../support/snapshot.ts';
import { openTestStore, storeOptions, type TestStore } from './support.ts';

interface Context {
  given: TestStore;
  snapshot: SnapshotRef;
  inline: InlineRows;
}

const test = suite<Context>('rowstore/inline');
test.before(async (context) => {
  context.given = await openTestStore();
  context.snapshot = { id: 'a', path: context.given.path };
  context.inline = openInline();
  context.inline.open(context.snapshot, NO_VERSIONS);
});
test.after(({ given, inline }) => {
  inline.close();
  given.close();
});

/** No table is known to be that of before. */
const NO_VERSIONS: TableVersions = new Map();

function openInline(
  options: Pick<InlineOptions, 'keptMs' | 'unopenedMs' | 'atOnceTables'> & {
    readonly maxVisits?: number;
  } = {},
): InlineRows {
  return createInlineRows({
    maxVisits: 10_000,
    shapes: 100,
    selfTest: true,
    onRefused: (why) => {
      throw new Error(why);
    },
    ...options,
  });
}

function jobOf(text: string): QueryJob {
  const { shape, literals } = readStatement(text, [], 35_000);
  return {
    kind: 'query',
    shape,
    literals,
    output: { format: 'objects', extract: false, unwrap: false },
    limits: { deadlineMs: 1_000, maxRows: 1e6, maxBytes: 1e8 },
  };
}

const bodyOf = (reply: Reply | undefined): string | undefined =>
  reply?.ok === true ? Buffer.from(reply.body).toString('utf8') : reply?.message;

const COLUMNS = Array.from({ length: 60 }, (_, i) => `score as s${i}`).join(', ');
const WEIGHTS = Array.from({ length: 20 }, (_, i) => `weight as w${i}`).join(', ');
const SUMS = Array.from({ length: 6 }, (_, i) => `sum(rig_id + ${i}) as s${i}`).join(', ');
const PLUS = (column: string): string => `${column} + ${Array.from({ length: 25 }, (_, i) => i).join(' + ')}`;
const SHORT: readonly string[] = [
  'select name from rigs_1_2 where id = 7',
  'select name from rigs_1_2 where id = -7',
  'select id, name from rigs_1_2 where score = 3 order by id desc limit 5',
  "select count(*) as n, max(score) as most from rigs_1_2 where name > 'rig 2'",
  'select r.name, m.mark from rigs_1_2 r join marks_1_6 m on m.rig = r.id where r.id = 21',
  "select json_object('name', r.name, 'traits', json_group_array(a.trait)) as j from rigs_1_2 r join attributes_1_3 a on a.rig_id = r.id where r.id = 14 group by r.id",
  // In WHERE it is the column that is meant, and not what is made.
  'select - score * + id + 3 as score, score + 1 as id from rigs_1_2 where score > 1 and id < 9 order by 2, 1',
  'select n from big_1_5 where id = 49999',
  'select max(id) as most from big_1_5',
  'select id, image from images_1_8 where id between 10 and 50',
  'select id, n from big_1_5 where id between 100 and 120',
  'select data from names_1_4 limit 2',
  'select 1 as a union all select 2',
  // Rows that are visited in vain, and many that are sorted, are not held: LIMIT bounds what is.
  `select id, ${COLUMNS} from rigs_1_2 where id > 3 and score <> 5 order by id limit 10`,
  `select id, ${COLUMNS} from rigs_1_2 order by score desc limit 10 offset 40`,
  // Columns are read of the rows that are given alone.
  `select rig, ${WEIGHTS} from marks_1_6 where rig > 3 and weight <> 5 limit 10`,
  'select rig, mark from marks_1_6 where rowid > 3 and weight <> 5 order by rowid limit 10',
  "select 'a' || char(0) || 'b' as x, 'ä€𝄞' as y",
  // Each is planned as a statement of one table is.
  Array.from({ length: 30 }, (_, i) => `select id from rigs_1_2 where id = ${i}`).join(' union all '),
  `select trait, ${SUMS} from attributes_1_3 group by trait`,
  // A list is looked through at once.
  `select trait from attributes_1_3 where rig_id in (${Array.from({ length: 300 }, (_, i) => i + 2).join(',')}) limit 9`,
  // Each row is visited for one of the SELECTs.
  `select max(${PLUS('r.id')}) as m, sum((select max(${PLUS('a.rig_id')}) from attributes_1_3 a where a.rig_id = r.id)) as s from rigs_1_2 r`,
];

test('answers what is sure to be short with the bytes of a row lane', ({ given, inline, snapshot }) => {
  for (const text of SHORT) {
    const job = jobOf(text);
    const lane = runBounded(given.store, job);
    assert.ok('outcome' in lane, text);
    const reply = inline.run(job, snapshot.id);
    // A text that is made of characters by their number is left to the lane.
    if (/char\(/.test(text)) {
      assert.is(reply, undefined, text);
      assert.is(Buffer.from(lane.body).toString('utf8'), '[{"x":"a\\u0000b","y":"ä€𝄞"}]');
      continue;
    }
    assert.is(bodyOf(reply), Buffer.from(lane.body).toString('utf8'), text);
    assert.ok(
      reply?.ok === true && (typeof reply.body !== 'string' || /^[\0-\x7f]*$/.test(reply.body)),
      text,
    );
  }
});

test('matches blobs as texts by whatever name they are called', ({ given }) => {
  for (const [text, body] of [
    ["with c(y, x) as (select name, data from names_1_4) select count(*) as n from c where x like '%'", 300],
    [
      "with c as (select data as x from names_1_4) select count(*) as n from (select x as y from c) where y glob '*'",
      300,
    ],
    ["select count(*) as n from (values ('b'), (x'6162')) where column1 like 'a%'", 1],
    ["select count(*) as n from names_1_4 where like('%', data)", 300],
  ] as const) {
    const answer = runBounded(given.store, jobOf(text));
    assert.ok('outcome' in answer, text);
    assert.is(Buffer.from(answer.body).toString('utf8'), `[{"n":${body}}]`, text);
  }
});

test('says what is wrong with a statement as a row lane does', ({ inline, snapshot }) => {
  for (const [text, code] of [
    ['select no_column from rigs_1_2', 'unknown-column'],
    ['select * from rigs_1_3', 'unknown-table'],
    ['select nofunction(1)', undefined],
    ['select * from sqlite_schema', 'unknown-table'],
  ] as const) {
    const reply = inline.run(jobOf(text), snapshot.id);
    if (code === undefined) assert.is(reply, undefined, text);
    else assert.is(reply?.ok === false ? reply.code : bodyOf(reply), code, text);
  }
});

const FILLER = 'x'.repeat(5_000);
const STARS = Array.from({ length: 40 }, () => '*').join(',');
/** One of each that could hold up everybody: by rows, by words, by values that grow, by its length. */
const aliases = (count: number): string =>
  Array.from({ length: count }, (_, i) => `rigs_1_2 t${i}`).join(', ');
/** Of each with each. */
const equalities = (count: number): string =>
  Array.from({ length: count }, (_, i) =>
    Array.from({ length: i }, (_, j) => `t${i}.id = t${j}.id and t${i}.score = t${j}.score`).join(' and '),
  )
    .filter(Boolean)
    .join(' and ');
const NOT_SHORT: readonly string[] = [
  `select id, ${COLUMNS} from rigs_1_2 order by score desc limit 10 offset 41`,
  `select id, ${COLUMNS} from rigs_1_2 order by score desc`,
  `select rig, ${WEIGHTS} from marks_1_6 where rig > 3 and weight <> 5 order by mark limit 10`,
  'select sum(n) from big_1_5',
  // So many rows of small values, where a table has many more, or large ones, or words take longer than comparisons.
  `select mark, ${SUMS.replaceAll('rig_id', 'rig')} from marks_1_6 group by mark`,
  `select ${Array.from({ length: 5 }, (_, i) => `sum(id + ${i}) as s${i}, max(image < '${i}') as m${i}`).join(', ')} from images_1_8`,
  `select trait || value as both, ${SUMS} from attributes_1_3 group by trait`,
  `select substr(trait, 1, 3) as some, ${SUMS} from attributes_1_3 group by trait`,
  // What stands in a SELECT without a table is done for each row of the one around it.
  `select count(*) as n from images_1_8 where ${Array.from({ length: 10 }, () => '(select length(image) + length(image))').join(' + ')} < 0`,
  // What is sorted by may be long, without a call.
  `select id from rigs_1_2 order by name || '${' '.repeat(3_900)}' collate rtrim`,
  `select id from rigs_1_2 order by case when id > 0 then '${'a'.repeat(3_900)}' end collate nocase`,
  'select rig from marks_1_6 order by weight, mark, rig, weight desc, mark desc, rig desc, rowid, rowid desc limit 5',
  // Few letters for very many columns, and rows that are all kept before the first is given.
  Array.from({ length: 20 }, () => `select ${STARS} from rigs_1_2 where id = 1`).join(' union all '),
  `select ${STARS} from rigs_1_2 union select ${STARS} from rigs_1_2 limit 1`,
  `select 1 as a where exists (select ${STARS} from rigs_1_2 except select ${STARS} from rigs_1_2)`,
  `select distinct ${STARS} from rigs_1_2 order by 1 limit 1`,
  `select ${STARS} from rigs_1_2 group by name limit 1`,
  `select ${STARS},${STARS},${STARS},${STARS} from marks_1_6 order by mark limit 1`,
  // Each path is a way through the value.
  `select max(json_extract(image, ${Array.from({ length: 20 }, (_, i) => `'$[${i}]'`).join(', ')})) as m from images_1_8`,
  // Subqueries of a search by two indexes, each with its own rows; and each value of one list with each of the other.
  'select count(*) as n from pairs_1_9 p where (p.a = 5 and exists (select 1 from rigs_1_2 x, rigs_1_2 y where x.score + y.score + p.b = -1)) or p.b = 6',
  'select count(*) as n from pairs_1_9 p where p.a in (select x.score + y.score from rigs_1_2 x, rigs_1_2 y where x.score < y.id) or p.b = 6',
  `select count(*) as n from attributes_1_3 where rig_id in (${Array.from({ length: 90 }, (_, i) => i).join(',')}) and trait in (${Array.from({ length: 90 }, (_, i) => `'t${i}'`).join(',')})`,
  // SQLite's plan says of these no more than that there is a min() or a max().
  'select max(n) from big_1_5',
  'select min(id) from big_1_5 where n < 0',
  'select max(a.score + b.weight) from rigs_1_2 a, marks_1_6 b',
  'select id, (select max(n) from big_1_5) as x from rigs_1_2 where id = 1',
  // It is -1, in 64 bits.
  'select n from big_1_5 where id between 0xFFFFFFFFFFFFFFFF and 40000',
  // Of few values, but of very many bytes.
  'select id, image from images_1_8',
  `select id, ${Array.from({ length: 40 }, (_, i) => `image as i${i}`).join(', ')} from images_1_8 where id < 9`,
  'select * from big_1_5 order by n limit 3',
  'select count(*) from rigs_1_2 a, rigs_1_2 b',
  "select id from rigs_1_2 where name like '%a%b%c%d%' and id = 1",
  "select id from rigs_1_2 where name glob '*a*b*' and id = 1",
  "select replace(name, 'a', 'aaaaaaaa') from rigs_1_2 where id = 1",
  "select printf('%1000000d', 1)",
  'select hex(zeroblob(1000))',
  "select instr(name, 'x') from rigs_1_2 where id = 1",
  "select value from json_each('[1,2]')",
  'with recursive c(x) as (select 1 union all select x + 1 from c limit 10) select x from c',
  'with a as (select name || name as x from rigs_1_2 where id = 1) select x || x from a',
  'select x || x from (select name || name as x from rigs_1_2 where id = 1)',
  'select row_number() over (order by id) from rigs_1_2 where id = 1',
  'select random() as r',
  // A value that is named is made anew at each mention. No table is asked for it where it has a column of that name.
  `select ${Array.from({ length: 20 }, () => 'length(name)').join('+')} as q, score as name from rigs_1_2 where ${Array.from({ length: 40 }, () => 'q<0').join(' or ')}`,
  // U+212A is a letter of its own to SQLite, and k in lower case to JavaScript.
  `select ${Array.from({ length: 20 }, () => 'length(name)').join('+')} as "mar\u212a" from rigs_1_2 r join marks_1_6 m on m.rig = r.id where ${Array.from({ length: 40 }, () => '"mar\u212a"<0').join(' or ')}`,
  'select id, (select score + score as name where (select name + name as id where id + id > 1)) as x from rigs_1_2 where id = 1',
  `select ${Array.from({ length: 20 }, () => 'length(name)').join('+')} as q from rigs_1_2 where ${Array.from({ length: 40 }, () => 'q<0').join(' or ')}`,
  'select 1 as q where (select q+q+q as r where (select r+r+r as s where (select s+s+s as t where t)))',
  `select ${Array.from({ length: 90 }, () => '*').join(',')} from rigs_1_2`,
  `select ${Array.from({ length: 400 }, () => 'id').join(',')} from rigs_1_2`,
  'select id from rigs_1_2 a where not exists (select 1 from rigs_1_2 b where b.score = a.score and exists (select 1 from rigs_1_2 c where c.score = b.score + a.id))',
  `select name${"->'$'".repeat(100)} as x from rigs_1_2`,
  `select ${Array.from({ length: 300 }, () => 'score').join('+')} as x from rigs_1_2`,
  `select json_set(name, '$${'.a'.repeat(900)}', 1) as x from rigs_1_2`,
  'select substr(name, -3) as x from rigs_1_2 where id = 1',
  `select '${FILLER}' as x`,
  `select id from rigs_1_2 where id = 1 and (${Array.from({ length: 600 }, () => 'score>1').join(' or ')})`,
  // Nine tables, and eight or two with so many conditions: SQLite takes milliseconds to plan them.
  `select 1 from ${aliases(9)} where t0.id = 1`,
  `select 1 from ${aliases(8)} where ${equalities(8)}`,
  `select 1 from ${aliases(2)} where t0.id = 1 and ${Array.from({ length: 20 }, () => 't0.score = t1.id').join(' and ')}`,
  `select 1 from ${aliases(2)} where t0.id = 1 and (${Array.from({ length: 5 }, () => 't0.id,t0.score').join(',')}) = (${Array.from({ length: 5 }, () => 't1.score,t1.id').join(',')}) and (t0.id, t0.id, t0.id, t0.id, t0.id, t0.id, t0.id, t0.id, t0.id, t0.id) > (1, 1, 1, 1, 1, 1, 1, 1, 1, 1)`,
  'select 1 from rigs_1_2 r natural join rigs_1_2 s where r.id = 1',
  'select 1 from rigs_1_2 r join rigs_1_2 s using (id, name, score) where r.id = 1 and (s.id, s.name, s.score) = (select * from rigs_1_2 where id = 1)',
  `select 1 from ${aliases(2)} where t0.id = 1 and t1.id = 1 order by ${Array.from({ length: 19 }, () => 't0.score').join(',')}`,
  `select 1 from rigs_1_2 where id = 1 and (${Array.from({ length: 101 }, () => 'id>1').join(' or ')})`,
  // Where an index has several columns, these multiply.
  `select 1 from attributes_1_3 where ${Array.from({ length: 9 }, (_, i) => `rig_id < ${i + 9}`).join(' and ')} and rig_id = 1`,
];

test('runs joins of several tables that are found by their keys', ({ inline, snapshot }) => {
  const keys = Array.from({ length: 8 }, (_, i) => `t${i}.id = ${i + 1}`).join(' and ');
  const reply = inline.run(
    jobOf(`select t0.id, t7.id as last from ${aliases(8)} where ${keys}`),
    snapshot.id,
  );
  assert.ok(reply?.ok);
  assert.is(String(reply.body), '[{"id":1,"last":8}]');
});

test('runs joins of several tables that are found by their values', ({ inline, snapshot }) => {
  const chain = Array.from({ length: 7 }, (_, i) => `t${i + 1}.id = t${i}.id`).join(' and ');
  const text = `select ${Array.from({ length: 8 }, (_, i) => `t${i}.id as id_of_the_rig_by_number_${i}`).join(', ')} from ${aliases(8)} where t0.id = 7 and ${chain}`;
  assert.ok(text.length > 512);
  const reply = inline.run(jobOf(text), snapshot.id);
  assert.ok(reply?.ok);
  assert.match(String(reply.body), /"id_of_the_rig_by_number_7":7/);
});

test('leaves to the lanes what is not sure to be short', ({ given, inline, snapshot }) => {
  for (const text of NOT_SHORT)
    for (let again = 0; again < 4; again++) {
      const reply = inline.run(jobOf(text), snapshot.id);
      if (isElsewhere(reply)) assert.equal(reply, runBounded(given.store, jobOf(text)), text);
      else assert.is(reply, undefined, text);
    }
  assert.is(inline.run({ kind: 'probe' }, snapshot.id), undefined, 'shows that lanes answer');
});

const isElsewhere = (reply: Reply | undefined): boolean => reply?.ok === false && reply.code === 'elsewhere';

test('says which lane a statement belongs to, where a row lane says the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-inline-'));
  const integer = (name: string) => ({ name, type: 'integer' }) as const;
  const rows = (name: string, count: number, columnar = true): TestTable => ({
    name,
    columnar,
    columns: [integer('id'), integer('n'), integer('kind')],
    select: `select i, i % 100, i % 1000 from range(1, ${count + 1}) t(i)`,
  });
  const tables = [
    rows('huge_1_1', 300_000),
    rows('wide_1_2', 60_000, false),
    rows('some_1_3', 15_000),
    rows('col_1_4', 60_000),
    rows('small_1_5', 500, false),
    rows('config_1_6', 1, false),
    rows('pick_1_7', 3, false),
  ];
  const inline = openInline({ maxVisits: LANE_VISITS });
  let lane: RowStore | undefined;
  try {
    const snapshot = await makeSnapshot(folder, tables);
    inline.open(snapshot, NO_VERSIONS);
    // As rowstore/main.ts opens it.
    const visits = { maxVisits: LANE_VISITS, plainVisits: LANE_VISITS };
    const store = openStore(snapshot, { ...storeOptions(), ...visits });
    lane = store;
    const said = (text: string): boolean => {
      const reply = inline.run(jobOf(text), snapshot.id);
      if (isElsewhere(reply)) assert.equal(reply, runBounded(store, jobOf(text)), text);
      return isElsewhere(reply);
    };
    for (const text of [
      'select sum(n) as s from huge_1_1',
      'select n, count(*) as c from huge_1_1 where n > 3 group by n order by c desc limit 5',
      'select count(*) as c from huge_1_1 a, huge_1_1 b where a.n < b.n',
      'select count(*) as c from huge_1_1 h, config_1_6 c where h.n > c.n',
      'select max(n) as m from col_1_4',
      // All that could be counted of small tables is.
      'select count(*) as c from small_1_5 a, small_1_5 b where a.n < b.n',
      'select count(*) as c from small_1_5 a, small_1_5 b, pick_1_7 p where a.n < b.n and a.kind = p.kind',
      // Words that are never run here.
      "select count(*) as c from huge_1_1 where n like '%1%2%'",
      "select replace(h.n, '1', '22') as r, count(*) as c from huge_1_1 h, config_1_6 c where h.n > c.n group by 1",
    ])
      assert.ok(said(text), text);
    for (const text of [
      // Enough for a row lane without a plan, and less than its plan says.
      'select s.id from some_1_3 s, config_1_6 c where s.n > c.n',
      // What a row lane may count.
      'select count(*) as c from wide_1_2 w, small_1_5 a where w.kind in (5, 6) and a.n < w.n',
      'select count(*) as c from col_1_4 c, small_1_5 a where c.id in (select id from pick_1_7) and c.kind in (5, 6) and a.n < c.id',
      'select count(*) as c from col_1_4 a, col_1_4 b where a.n = b.n and a.id = 3',
      'select n from col_1_4 where n = 3 limit 2',
    ])
      said(text);
    // Nothing is counted or made ready for what is not run here.
    for (const text of [
      "select count(*) as c from some_1_3 where n = 3 and kind like '1%'",
      "select n from col_1_4 where kind = 3 and n like '1%' limit 2",
    ]) {
      const { shape, literals } = jobOf(text);
      const read = store.statements.read(shape, literals);
      assert.is(store.statements.settle(read, literals), undefined, text);
      assert.is(inline.run(jobOf(text), snapshot.id), undefined, text);
      assert.is(store.statements.choose(read, literals).engine, 'rows', 'a row lane counts');
    }
    // Not planned here: each window is a subquery more, and words that are never run here are for the row lane to look at
    // where it may be the one that runs them.
    for (const text of [
      'select sum(n) over (order by id) as s from huge_1_1',
      'select sum(n) over w as s from huge_1_1 window w as (order by id)',
      "select count(*) as c from wide_1_2 where n like '%1%2%'",
      "select id from some_1_3 where n like '%1%2%' and id = 1",
    ])
      assert.is(inline.run(jobOf(text), snapshot.id), undefined, text);
    // It is answered at once that a column is not there.
    const reply = inline.run(jobOf('select sum(m) as s from huge_1_1'), snapshot.id);
    assert.is(reply?.ok === false ? reply.code : undefined, 'unknown-column');
  } finally {
    lane?.close();
    inline.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

const LANE_VISITS = 20_000;

test('a large value is a lane’s', async ({ inline, given, snapshot }) => {
  const job = jobOf("select data, name || name as twice from names_1_4 where name = 'rig 3'");
  assert.is(inline.run(job, snapshot.id)?.ok, true);
  const limits = { ...job.limits, maxBytes: 10 };
  const reply = inline.run({ ...job, limits }, snapshot.id);
  assert.is(reply?.ok === false ? reply.code : undefined, 'limit-bytes', 'the client’s limits hold');
  assert.ok(given.store.catalogue.tables.size > 0);
});

test('reads the snapshot that is named, and none that was never opened', ({ inline, snapshot }) => {
  assert.is(inline.run(jobOf('select 1 as a'), 'other'), undefined);
  assert.is(bodyOf(inline.run(jobOf('select 1 as a'), snapshot.id)), '[{"a":1}]');
});

test('leaves a snapshot of very many tables to the lanes', ({ snapshot }) => {
  const many = openInline();
  many.open(snapshot, new Map(Array.from({ length: 30_001 }, (_, i) => [`t_1_${i}`, 'a'])));
  assert.is(many.run(jobOf('select 1 as a'), snapshot.id), undefined);
  many.close();
});

/** How often this process has a file open. */
function opened(path: string): number {
  const of = (fd: string): string => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  };
  return readdirSync('/proc/self/fd').filter((fd) => of(fd).startsWith(path)).length;
}

test('keeps nothing open of a snapshot that was turned away from, but the one before for a while', async () => {
  if (process.platform !== 'linux') return;
  const given = await openTestStore();
  const inline = openInline({ keptMs: KEPT_MS });
  try {
    const before = opened(given.path);
    for (const [at, id] of ['a', 'b', 'c', 'd'].entries()) {
      inline.open({ id, path: given.path }, NO_VERSIONS);
      inline.use(id);
      assert.is(
        bodyOf(inline.run(jobOf('select name from rigs_1_2 where id = 7'), id)),
        '[{"name":"rig 7"}]',
      );
      assert.is(opened(given.path), before + (at === 0 ? 1 : 2), id);
    }
    assert.is(inline.run(jobOf('select 1 as a'), 'b'), undefined);
    await until(() => opened(given.path) === before + 1);
    assert.is(inline.run(jobOf('select 1 as a'), 'a'), undefined);
    assert.is(bodyOf(inline.run(jobOf('select 1 as a'))), '[{"a":1}]');
    inline.close();
    assert.is(opened(given.path), before);
  } finally {
    inline.close();
    given.close();
  }
});

const KEPT_MS = 300;
const JOIN = 'select s.a, c.a as b from same_1_1 s, changed_1_2 c';
const BLOCK = 'select a, block_num(1) as b from same_1_1';

/** Each value says which snapshot was read, whatever the versions of the tables say. */
const maker =
  (folder: string) =>
  (value: number, names: readonly string[]): Promise<SnapshotRef> =>
    makeSnapshot(
      folder,
      names.map((name) => ({ name, columns: [{ name: 'a', type: 'integer' }], rows: [[value]] })),
      new Map([[1, value]]),
    );

test('of very many tables those that did not change are read in the snapshot before, and no other is opened', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-inline-'));
  const make = maker(folder);
  const inline = openInline({ unopenedMs: KEPT_MS, atOnceTables: 2 });
  const read = (text: string, of?: SnapshotRef): string | undefined =>
    bodyOf(inline.run(jobOf(text), of?.id));
  try {
    const one = await make(1, ['same_1_1', 'changed_1_2', 'gone_1_3']);
    const two = await make(2, ['same_1_1', 'changed_1_2', 'new_1_4']);
    const before = opened(one.path);
    inline.open(one, new Map(Object.entries({ same_1_1: 'x', changed_1_2: 'x', gone_1_3: 'x' })));
    inline.use(one.id);
    assert.is(read('select a from changed_1_2'), '[{"a":1}]');
    inline.open(two, new Map(Object.entries({ same_1_1: 'x', changed_1_2: 'y', new_1_4: 'y' })));
    assert.is(read('select a from same_1_1', two), '[{"a":1}]', 'before it is in use');
    assert.is(read('select a from changed_1_2'), '[{"a":1}]');
    inline.use(two.id);
    for (let times = 0; times < 3; times++) {
      const reply = inline.run(jobOf('select a from same_1_1'));
      assert.is(bodyOf(reply), '[{"a":1}]');
      assert.is(reply?.ok === true && reply.snapshot, two.id, 'it is an answer of the snapshot in use');
    }
    // What is not the same there, or is wrong there, is a lane's.
    for (const text of [
      ...['changed_1_2', 'gone_1_3', 'new_1_4', 'nobody_1_9'].map((table) => `select a from ${table}`),
      ...[JOIN, BLOCK, 'select nothing from same_1_1', 'select a from'],
    ])
      assert.is(inline.run(jobOf(text)), undefined, text);
    assert.is(inline.run({ kind: 'table', chainId: 1, tableId: '1' }), undefined);
    if (process.platform === 'linux') {
      assert.is(opened(one.path), before + 1);
      assert.is(opened(two.path), 0);
    }
    await until(() => read('select a from changed_1_2') === '[{"a":2}]');
    assert.is(read('select a from same_1_1'), '[{"a":2}]');
    assert.match(read('select a from gone_1_3') ?? '', /no such table: gone_1_3/);
    assert.is(bodyOf(inline.run(jobOf(JOIN))), '[{"a":2,"b":2}]');
    if (process.platform === 'linux') assert.is(opened(one.path), before);
  } finally {
    inline.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('of a snapshot that is not opened, the one before says which lane a statement of unchanged tables belongs to', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-inline-'));
  const inline = openInline({ atOnceTables: 0 });
  try {
    const integer = (name: string) => ({ name, type: 'integer' }) as const;
    const huge = (name: string): TestTable => ({
      name,
      columns: [integer('id'), integer('n')],
      select: 'select i, i % 100 from range(1, 300001) t(i)',
    });
    const snapshot = await makeSnapshot(folder, [huge('same_1_1'), huge('changed_1_2')]);
    inline.open(
      snapshot,
      new Map([
        ['same_1_1', 'x'],
        ['changed_1_2', 'x'],
      ]),
    );
    inline.use(snapshot.id);
    const next = { ...snapshot, id: `${snapshot.id}-next` };
    inline.open(
      next,
      new Map([
        ['same_1_1', 'x'],
        ['changed_1_2', 'y'],
      ]),
    );
    inline.use(next.id);
    for (const condition of ['n > 3', "n like '%1%2%'"]) {
      const of = (table: string): Reply | undefined =>
        inline.run(jobOf(`select count(*) as c from ${table} where ${condition}`));
      assert.ok(isElsewhere(of('same_1_1')), condition);
      assert.is(of('changed_1_2'), undefined, condition);
    }
  } finally {
    inline.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('reads tables that did not change where they are prepared, and all others in the new snapshot', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-inline-'));
  const make = maker(folder);
  const inline = openInline({ keptMs: KEPT_MS });
  const read = (table: string, of?: SnapshotRef): string | undefined =>
    bodyOf(inline.run(jobOf(`select a from ${table}`), of?.id));
  try {
    const one = await make(1, ['same_1_1', 'changed_1_2', 'gone_1_3', 'unknown_1_5']);
    const two = await make(2, ['same_1_1', 'changed_1_2', 'new_1_4', 'unknown_1_5']);
    const three = await make(3, ['same_1_1', 'changed_1_2', 'new_1_4', 'unknown_1_5']);
    const versions = { same_1_1: 'x', changed_1_2: 'x', gone_1_3: 'x' };
    inline.open(one, new Map(Object.entries(versions)));
    inline.use(one.id);
    // What was asked twice is prepared.
    const texts = ['same_1_1', 'changed_1_2', 'gone_1_3', 'unknown_1_5'].map(
      (table) => `select a from ${table}`,
    );
    for (const text of [...texts, JOIN, BLOCK])
      for (let times = 0; times < 2; times++) assert.is(inline.run(jobOf(text))?.ok, true, text);
    inline.open(two, new Map(Object.entries({ same_1_1: 'x', changed_1_2: 'y', new_1_4: 'y' })));
    assert.is(read('changed_1_2'), '[{"a":1}]');
    assert.is(read('changed_1_2', two), '[{"a":2}]', 'it was prepared, and is not in use');
    inline.use(two.id);
    const reply = inline.run(jobOf('select a from same_1_1'));
    assert.is(bodyOf(reply), '[{"a":1}]', 'it did not change');
    assert.is(reply?.ok === true && reply.snapshot, two.id, 'it is an answer of the snapshot in use');
    assert.is(read('changed_1_2'), '[{"a":2}]');
    for (let times = 0; times < 2; times++) assert.is(read('new_1_4'), '[{"a":2}]');
    assert.match(read('gone_1_3') ?? '', /no such table: gone_1_3/);
    assert.is(read('unknown_1_5'), '[{"a":2}]', 'what has no version counts as changed');
    assert.is(bodyOf(inline.run(jobOf(JOIN))), '[{"a":2,"b":2}]', 'an answer is of one snapshot');
    assert.is(bodyOf(inline.run(jobOf(BLOCK))), '[{"a":2,"b":2}]', 'blocks are those of the snapshot');
    const table = inline.run({ kind: 'table', chainId: 1, tableId: '3' });
    assert.is(bodyOf(table), 'null');
    // One that is made ready stays so while the one before is let go.
    inline.open(three, new Map(Object.entries({ same_1_1: 'x', changed_1_2: 'y', new_1_4: 'y' })));
    await until(() => read('same_1_1') === '[{"a":2}]');
    inline.use(three.id);
    assert.is(read('new_1_4'), '[{"a":2}]');
    assert.is(read('unknown_1_5'), '[{"a":3}]');
    await until(() => read('new_1_4') === '[{"a":3}]');
  } finally {
    inline.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test.run();
