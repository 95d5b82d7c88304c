// What is said of a statement of one table without SQLite's plan holds by that plan, too.
import { DatabaseSync } from '@photostructure/sqlite';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fillStatement, type RowStatement } from '../../src/dialect/row-statement.ts';
import type { Access } from '../../src/rowstore/access.ts';
import { AccessPaths } from '../../src/rowstore/access-paths.ts';
import { createDescriptions, readCatalogue } from '../../src/rowstore/catalogue.ts';
import { openDatabase } from '../../src/rowstore/database.ts';
import { rowsInRange } from '../../src/rowstore/key-range.ts';
import { createSame } from '../../src/rowstore/sizes.ts';
import { soleAccess } from '../../src/rowstore/sole-access.ts';
import { rowsPath } from '../../src/snapshot/layout.ts';
import { readStatement } from '../../src/statement/statement.ts';
import type { Literal } from '../../src/wire/protocol.ts';
import { openTestStore, storeOptions, type TestStore } from './support.ts';

interface Context {
  given: TestStore;
  /** Both ways to the rows of a statement. */
  ways: (text: string) => Ways;
}

interface Ways {
  readonly literals: readonly Literal[];
  readonly sole: Access | undefined;
  readonly planned: Access;
  /** Steps of SQLite's machine that a run of it takes. */
  readonly steps: () => number;
}

const test = suite<Context>('rowstore/sole-access');
test.before(async (context) => {
  const given = await openTestStore({ seeks: false });
  // As a source may have them: they are no unique sets.
  const writer = new DatabaseSync(rowsPath(given.path));
  writer.exec(
    `create index of_owners on owners_1_7(id); create index of_images on images_1_8(image collate nocase) where id > 5`,
  );
  writer.close();
  const locked = openDatabase({ ...storeOptions(), path: rowsPath(given.path), isServed: () => true });
  const catalogue = readCatalogue(locked.own, createDescriptions());
  const none = { find: () => undefined, most: () => undefined };
  const paths = new AccessPaths(locked, catalogue, none, storeOptions());
  const same = createSame(locked.own);
  context.given = {
    ...given,
    close() {
      locked.database.close();
      given.close();
    },
  };
  context.ways = (text) => {
    const { shape, literals } = readStatement(text, [], 35_000);
    const statement: RowStatement = given.store.statements.read(shape, literals).statement;
    const { sql, values } = fillStatement(statement, literals);
    return {
      literals,
      steps() {
        const prepared = locked.database.prepare(sql);
        prepared.all(...values);
        return prepared.stat('vmStep');
      },
      sole: soleAccess(statement, catalogue, same, { most: 1_000_000, readRows: 200_000 }),
      planned: paths.planned(statement, sql, literals, Number.POSITIVE_INFINITY),
    };
  };
});
test.after(({ given }) => given.close());

/** For a row that is visited, of the statements below; and to begin and end. */
const MOST_STEPS = 40;

const visitsOf = ({ visits, range }: Access, literals: readonly Literal[]): number =>
  range === undefined ? visits : Math.min(visits, rowsInRange(range, literals));

/** Of a table with the rowid as its only key, of one without any, and of one with an index. */
const FROMS = [
  { table: 'big_1_5', columns: ['id', 'n'] },
  { table: 'rigs_1_2', columns: ['id', 'name', 'score'] },
  { table: 'marks_1_6 as m', columns: ['rig', 'm.mark', 'weight'] },
  { table: 'attributes_1_3', columns: ['rig_id', 'trait', 'value'] },
  { table: 'names_1_4', columns: ['name', 'owner', 'data'] },
  { table: 'owners_1_7', columns: ['id', 'owner', 'folded'] },
  { table: 'images_1_8', columns: ['id', 'image'] },
] as const;
const CONDITIONS = [
  '{} = 5',
  '7 = {}',
  '{} in (3, 4, 5)',
  "{} = 'rig 4'",
  '{} > 3',
  '{} <= 40',
  '{} between 5 and 9',
  '{} not between 5 and 9',
  '{} <> 4',
  '({} = 3 or {} = 5)',
  '{} is null',
  '{} = {}',
  '{} + 1 = 5',
  "{} > 'a'",
  '{} = -1',
  '{} between 0xFFFFFFFFFFFFFFFF and 40',
  '({} between 3 and 200 or {} between 5 and 210)',
  'not ({} < 3 or {} > 200)',
] as const;
const ENDS = [
  '',
  'order by {}',
  'order by {} desc',
  'order by {} limit 3',
  'limit 4',
  'order by {} nulls last',
  'order by {} collate nocase',
];

test('visits as many rows, or more, and sorts where SQLite does', ({ ways }) => {
  let decided = 0;
  let exact = 0;
  for (const { table, columns } of FROMS)
    for (const [first, one] of columns.entries())
      for (const another of columns)
        for (const condition of CONDITIONS)
          for (const also of ['', ...CONDITIONS.slice(0, 7)]) {
            const end = ENDS[(decided + first + condition.length) % ENDS.length] as string;
            const where = [condition.replaceAll('{}', one)];
            if (also !== '') where.push(also.replaceAll('{}', another));
            const text = `select ${columns.join(', ')} from ${table} where ${where.join(' and ')} ${end.replaceAll('{}', another)}`;
            const { sole, planned, literals, steps } = ways(text);
            if (sole === undefined) continue;
            decided += 1;
            const [most, least] = [visitsOf(sole, literals), visitsOf(planned, literals)];
            // A plan does not tell an equality from a list, so that the longest of all is counted.
            const lists = where.some((each) => each.includes(' in (')) ? 3 : 1;
            // Nor does it say how far a range goes where its rows are sorted.
            const compares = sole.range === undefined || planned.range !== undefined;
            if (compares) assert.ok(most * lists >= least, `${text}: ${most}, by its plan ${least}`);
            const took = steps();
            assert.ok(took <= MOST_STEPS * (most + 1), `${text}: ${most} rows, ${took} steps`);
            assert.ok(sole.sorts || !planned.sorts, `${text}: it is sorted`);
            exact += most <= least ? 1 : 0;
          }
  assert.ok(decided > 1_000, `of ${decided} statements something is said`);
  assert.ok(exact > decided * 0.9, `${exact} of ${decided} bound the rows as well as the plan does`);
});

test('knows at which of several comparisons SQLite begins and ends', ({ ways }) => {
  const comparisons = ['id > {}', '{} <= id', 'id < {}', 'id <= {}', 'id between {} and {}', 'n > {}'];
  let known = 0;
  const check = (conditions: readonly string[]): void => {
    if (conditions.length === 4) return;
    for (const next of comparisons) check([...conditions, next]);
    if (conditions.length === 0) return;
    let value = 10;
    const where = conditions.join(' and ').replaceAll('{}', () => String(value++));
    const { sole, planned, literals, steps } = ways(`select n from big_1_5 where ${where}`);
    if (sole?.range === undefined) return;
    assert.equal(sole.range, planned.range, where);
    assert.ok(steps() <= MOST_STEPS * (visitsOf(sole, literals) + 1), where);
    known += 1;
  };
  check([]);
  assert.ok(known > 150, `${known} ranges are known`);
});

test('says nothing where SQLite has a choice, or its plan may bound the rows better', ({ ways }) => {
  for (const text of [
    'select max(id) from big_1_5',
    'select n from big_1_5 limit 10',
    'select n from big_1_5 where id > 5 limit 10',
    'select n from big_1_5 where id > 10 and id < 40000 and id = 20',
    // SQLite begins or ends at what is no literal.
    'select n from big_1_5 where id < 1 + 39999 and id > 10 and id < 20',
    'select n from big_1_5 where id > 10 and id < 20 and id between 1 + 1 and 40000',
    'select n from big_1_5 where id collate nocase < 40000 and id > 10 and id < 20',
    'select n from big_1_5 where (id, n) < (40000, 1) and id > 10 and id < 20',
    'select n from big_1_5 where (40000, 1) > (id, n) and id > 10 and id < 20',
    'select n from big_1_5 where id collate nocase between 10 and 40000 and id > 10 and id < 20',
    // Another name of it in the result.
    'select id as x from big_1_5 where x < 40000 and id > 10 and id < 20',
    'select id as "X" from big_1_5 where "x" between 2 and 40000 and id > 10 and id < 20',
    'select id as x from big_1_5 where (x, 1) < (40000, 1) and id > 10 and id < 20',
    // What is said of a column is said of those that are equal to it.
    'select n from big_1_5 where id = n and n between 2 and 40000 and id > 10 and id < 20',
    'select n from big_1_5 where n is id and n between 2 and 40000 and id > 10 and id < 20',
    'select n from big_1_5 where (1, id) = (1, n) and n between 2 and 40000 and id > 10 and id < 20',
    'select n as x from big_1_5 where x = id and x between 2 and 40000 and id > 10 and id < 20',
    // SQLite moves HAVING to WHERE.
    'select id from big_1_5 where id > 10 and id < 20 group by id having id between 2 and 40000',
    'select id as x from big_1_5 where id > 10 and id < 20 group by x having n > 3 and x between 2 and 40000',
    'select n from big_1_5 where rowid = 5',
    'select score from rigs_1_2 where score = 3',
    "select value from attributes_1_3 where trait = 'trait 1'",
    'select a.n from big_1_5 a, big_1_5 b where a.id = 1 and b.id = 2',
    'select n from (select n from big_1_5 where id = 1)',
    'select n from big_1_5 where id in (select id from rigs_1_2)',
    'select n from big_1_5 where id = 1 union select 1',
    'select n from big_1_5 where id between 3 and 4000 or id between 5 and 3000',
    // It may be found by an index that is no unique constraint; or not by one of another collation.
    "select id from images_1_8 where image = 'x' and id between 5 and 8",
    "select id from images_1_8 where image = 'x'",
  ])
    assert.is(ways(text).sole, undefined, text);
});

test('knows a result that is called like a column', ({ ways }) => {
  const { sole, planned } = ways('select score as id from rigs_1_2 where id > 3 order by id');
  assert.ok(planned.sorts);
  assert.is(sole?.sorts, true);
});

test.run();
