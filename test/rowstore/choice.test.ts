// Which engine runs a statement: by the rows that it visits at most, before it runs.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Choice } from '../../src/rowstore/statements.ts';
import { readStatement } from '../../src/statement/statement.ts';
import { openTestStore, type TestStore } from './support.ts';

const test = suite<{ given: TestStore }>('rowstore/choice');
test.before(async (context) => {
  context.given = await openTestStore({ seeks: false });
});
test.after(({ given }) => given.close());

function chosen({ store }: TestStore, text: string): Choice {
  const { shape, literals } = readStatement(text, [], 35_000);
  return store.statements.choose(store.statements.read(shape, literals), literals);
}

function choose(given: TestStore, text: string): string {
  const { engine, why } = chosen(given, text);
  return `${engine}: ${why}`;
}

test('counts the rows of every loop', ({ given }) => {
  for (const [text, rows] of [
    ['select 1', 1],
    ['select * from rigs_1_2 where id = 5', 1],
    ['select * from big_1_5 where id = 5', 1],
    ['select n, id as id from big_1_5 b where b.n > 3 and -7 = id', 1],
    ['select * from big_1_5 where id in (5, 6, 7)', 3],
    // The size of the table is bound enough.
    ['select * from rigs_1_2 where id in (5, 6, 7)', 300],
    ['select * from rigs_1_2', 300],
    ['select * from rigs_1_2 where score = 3', 300],
    ["select * from names_1_4 where name = 'rig 4'", 300],
    ["select hex(name) from names_1_4 where name = 'rig 4'", 1],
    ['select max(id) from big_1_5', 1],
    ['select max(r.score + s.id) from rigs_1_2 r, rigs_1_2 s where s.id = 1', 301],
    // One row of the first for each of the second.
    ['select * from rigs_1_2 r join attributes_1_3 a on a.rig_id = r.id where r.id = 7', 4],
    ['select * from attributes_1_3 a join rigs_1_2 r on r.id = a.rig_id', 1_800],
    ['select (select count(*) from attributes_1_3 a where a.rig_id = r.id) from rigs_1_2 r', 1_200],
    ['select id from rigs_1_2 union select score from rigs_1_2', 600],
    ['select * from rigs_1_2 where id in (select rig_id from attributes_1_3 where rig_id < 3)', undefined],
    ['select * from (select score, count(*) as n from rigs_1_2 group by score) x where n > 1', undefined],
    ['select r.id, j.value from rigs_1_2 r, json_each(r.name) j where r.id = 1', 1_001],
  ] as const) {
    const chosen = choose(given, text);
    if (rows === undefined) assert.match(chosen, /^rows: /, text);
    else assert.is(chosen, `rows: it visits ${rows} ${rows === 1 ? 'row' : 'rows'} at most`, text);
  }
});

test('begins an inner loop for those rows alone that the outer one passes on', ({ given }) => {
  const from = 'select * from rigs_1_2 a, rigs_1_2 b';
  for (const [text, rows] of [
    // An index is made of 300 rows, and one is found for each row of the other.
    [`${from} where a.name = 'rig 4'`, 300 + 300 + 300],
    [`${from} where a.name = 'rig 4' or 'rig 5' = a.name`, 300 + 2 * 300],
    [`${from} where a.name in ('rig 4', 'rig 5', 'rig 6') and b.id > 0`, 300 + 3 * 300],
    // 43 rows have the same score; three indexes are made of 300 rows.
    [
      `select * from rigs_1_2 a, rigs_1_2 b, rigs_1_2 c, rigs_1_2 d
       where a.name = 'rig 4' and b.name = a.name and c.score = b.score and c.name = d.name`,
      300 + 1 + 43 + 43 + 3 * 300,
    ],
  ] as const)
    assert.is(choose(given, text), `rows: it visits ${rows} ${rows === 1 ? 'row' : 'rows'} at most`, text);
  for (const text of [
    `${from} where a.name > 'rig 4'`,
    `${from} where a.name = 'rig 4' or a.score = 3`,
    `${from} where not a.name = 'rig 4'`,
    `${from} where a.name not in ('rig 4')`,
    // Each row of the left side is passed on.
    "select * from rigs_1_2 a left join rigs_1_2 b on a.name = 'rig 4'",
    // Which of the two a line of the plan is about, it does not say.
    `with x as (select * from rigs_1_2 a where a.name = 'rig 4') ${from}`,
  ])
    assert.is(choose(given, text), 'scan: it may visit 90300 rows', text);
});

test('does not bound a loop by a column that is compared in another way than it was counted', ({ given }) => {
  const from = 'select count(*) from owners_1_7 a, owners_1_7 b, rigs_1_2 c where c.id > b.id';
  assert.is(choose(given, `${from} and a.id = 4 and b.id = a.id`), 'rows: it visits 1500 rows at most');
  // Numbers that differ may be equal to one text: '4' and '4.0'.
  assert.is(choose(given, `${from} and a.id = 4 and b.owner = a.id`), 'scan: it may visit 180600 rows');
  assert.is(
    choose(given, `${from} and a.owner = 'owner 4' and b.owner = a.owner`),
    'rows: it visits 2700 rows at most',
  );
  assert.match(choose(given, `${from} and a.owner = 'owner 4' and b.owner || '' = a.owner`), /^scan: /);
});

test('counts nothing for a statement that visits too many rows whatever the counts are', ({ given }) => {
  // 273 rows have the mark, and 231 the weight.
  const from = 'select count(*) from marks_1_6 m';
  assert.is(
    choose(given, `${from}, rigs_1_2 r where m.mark = 'mark 3' and m.rig = r.id`),
    `rows: it visits ${3000 + 273} rows at most`,
  );
  // An index is made of the 50,000 rows: 3,000 rows are taken to have the mark, and all of the others to be equal to each.
  assert.is(
    choose(given, `${from}, big_1_5 b where m.mark = 'mark 3' and m.rig = b.n`),
    `scan: it may visit ${3000 + 3000 * 50_000 + 50_000} rows`,
  );
});

test('leaves to SQLite what joins small tables alone', ({ given }) => {
  assert.is(
    choose(given, 'select * from owners_1_7 a, owners_1_7 b'),
    'long: it may visit 90300 rows, of small tables alone',
  );
  assert.is(
    choose(given, 'select * from owners_1_7 a, rigs_1_2 b'),
    'scan: it may visit 90300 rows',
    'the scan lane has one of them',
  );
  assert.is(
    choose(given, 'select * from owners_1_7 a, owners_1_7 b, owners_1_7 c'),
    'scan: it may visit 27090300 rows',
  );
  // The bound of many tables is far from what is visited.
  const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `owners_1_7 ${name}`).join(', ');
  assert.is(
    choose(given, `select * from ${six} where a.id = 4 and b.id = 4 and c.id = 4`),
    'scan: it may visit 54091800 rows',
    'of three of them nothing is known',
  );
  const found = ['a', 'b', 'c', 'd'].map((name) => `${name}.owner in ('owner 4', 'owner 5')`).join(' and ');
  assert.match(choose(given, `select * from ${six} where ${found}`), /^long: it may visit 2\d{7} rows/);
});

test('tells names apart as SQLite does: by the case of ASCII letters alone', ({ given }) => {
  const { run } = chosen(given, 'with "mar\u212as_1_6" as (select 1 as a) select count(*) from MARKS_1_6');
  assert.equal(run.statement.tables, ['marks_1_6']);
});

test('counts the rowids between two literals, from the one that SQLite begins at to the one that it ends at', ({
  given,
}) => {
  for (const [where, chosen] of [
    ['id between 100 and 110', 'rows: it visits 11 rows at most'],
    ['id > 100 and id <= 300 and n <> 5', 'rows: it visits 201 rows at most'],
    ['id between 100 and 109 and id < 900000 order by id desc', 'rows: it visits 10 rows at most'],
    ['id >= 1 and id < 7', 'rows: it visits 7 rows at most'],
    ['id > 10 and id < 20 and id < 40000', 'rows: it visits 11 rows at most'],
    // It ends at the first of them.
    ['id > 10 and id < 40000 and id < 20', 'scan: it may visit 39991 rows'],
    ['id between 100 and 30000', 'scan: it may visit 29901 rows'],
    ['id between 30000 and 100', 'rows: it visits 1 row at most'],
    ['id between 0xFFFFFFFFFFFFFFFF and 40000', 'scan: it may visit 50000 rows'],
    ['id between 0x10 and 0x14 and n < 9', 'scan: it may visit 50000 rows'],
    ["id between '100' and '110'", 'scan: it may visit 50000 rows'],
    ['id between 100 and n', 'scan: it may visit 50000 rows'],
    ['id between -5 and 99 - 90', 'scan: it may visit 50000 rows'],
  ] as const)
    assert.is(choose(given, `select * from big_1_5 where ${where}`), chosen, where);
});

test('sends elsewhere what may visit too many', ({ given }) => {
  assert.is(choose(given, 'select count(*) from big_1_5'), 'scan: it may visit 50000 rows');
  assert.is(choose(given, 'select max(n) from big_1_5'), 'scan: it may visit 50000 rows');
  assert.is(choose(given, 'select max(id + 1) from big_1_5'), 'scan: it may visit 50000 rows');
  assert.is(choose(given, 'select min(id) from big_1_5 where n < 0'), 'scan: it may visit 50000 rows');
  assert.is(choose(given, 'select count(*) from big_1_5 b'), 'scan: it may visit 50000 rows');
  assert.is(choose(given, 'select * from big_1_5 where n = 3'), 'scan: it may visit 50000 rows');
  // Not a look-up: the value is another one in each row.
  assert.is(choose(given, 'select * from big_1_5 where id = n'), 'scan: it may visit 50000 rows');
  assert.is(choose(given, 'select * from big_1_5 where id = -n'), 'scan: it may visit 50000 rows');
  assert.is(choose(given, 'select * from big_1_5 where id = 5 or n = 5'), 'scan: it may visit 50000 rows');
  assert.match(choose(given, 'select * from rigs_1_2 a, rigs_1_2 b'), /^scan: it may visit 90300 rows/);
  assert.match(
    choose(given, 'with recursive c(x) as (select 1 union all select x + 1 from c) select * from c'),
    /^long: it is recursive/,
  );
});

test('looks at the plans of more tables where the scan lane has one of them', ({ given }) => {
  const joined = (first: string, tables: number): string => {
    const others = Array.from({ length: tables - 1 }, (_, i) => `o${i}`);
    const from = [`${first} b`, ...others.map((name) => `owners_1_7 ${name}`)].join(', ');
    return `select count(*) from ${from} where ${others.map((name) => `${name}.rowid = 1`).join(' and ')}`;
  };
  assert.match(choose(given, joined('big_1_5', 9)), /^scan: it may visit \d+ rows$/);
  assert.match(choose(given, `${joined('big_1_5', 9)} and b.id = 1`), /^rows: it visits \d+ rows at most$/);
  assert.match(choose(given, joined('big_1_5', 16)), /^scan: it may visit \d+ rows$/);
  assert.is(choose(given, joined('big_1_5', 17)), 'long: it joins 17 tables');
  assert.match(choose(given, joined('owners_1_7', 8)), /^rows: /);
  assert.is(choose(given, joined('owners_1_7', 9)), 'long: it joins 9 tables');
});

test('plans each term of a compound for itself, of as many columns as may be', ({ given }) => {
  const union = (columns: string, terms: number): string =>
    Array.from({ length: terms }, () => `select ${columns} from owners_1_7 where rowid = 1`).join(
      ' union all ',
    );
  assert.match(choose(given, union('id', 64)), /^rows: /);
  assert.is(choose(given, union('id', 65)), 'long: it joins 65 tables');
  const stars = Array.from({ length: 400 }, () => '*').join(',');
  assert.match(choose(given, union(stars, 13)), /^rows: /);
  assert.is(choose(given, union(stars, 14)), 'long: its SELECTs have 16800 columns');
});

test('weighs calls that make a large value of each row', ({ given }) => {
  assert.match(choose(given, "select replace(name, 'rig', 'x') from rigs_1_2 where id = 5"), /^rows: /);
  assert.match(
    choose(
      given,
      "select replace(replace(hex(zeroblob(100000)), '0', hex(zeroblob(1000))), '0', 'a') from rigs_1_2",
    ),
    /^scan: .* large values/,
  );
});

test('a page in stored order visits its own rows alone', ({ given }) => {
  assert.is(
    choose(given, 'select * from big_1_5 where id > 7 order by id limit 100'),
    'rows: it visits the 100 rows of a page',
  );
  assert.is(
    choose(given, 'select * from big_1_5 limit 10 offset 20'),
    'rows: it visits the 30 rows of a page',
  );
  for (const text of [
    'select * from big_1_5 where id > 7 order by n limit 100',
    'select * from big_1_5 where n = 7 limit 100',
    'select * from big_1_5 where id > 7 and n = 3 limit 100',
    'select count(*) from big_1_5 limit 100',
    'select distinct n from big_1_5 limit 100',
    'select * from big_1_5 limit 100 offset 40000',
  ])
    assert.match(choose(given, text), /^scan: /, text);
});

test("names tables that are not served, and never SQLite's own", ({ given }) => {
  for (const table of ['nope', 'sqlite_schema', 'sqlite_master', 'tablegate_tables', 'dbstat'])
    assert.throws(() => choose(given, `select * from ${table}`), `no such table: ${table}`);
  assert.throws(
    () => choose(given, "select * from pragma_table_info('rigs_1_2')"),
    'no such table: pragma_table_info',
  );
});

test.run();
