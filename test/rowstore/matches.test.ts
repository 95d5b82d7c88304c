// Rows that have one of a statement's constants: what SQLite itself counts, and a bound of what joins by them visit.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createRandom } from '../../bench/random.ts';
import { type Catalogue, createDescriptions, readCatalogue } from '../../src/rowstore/catalogue.ts';
import { type LockedDatabase, openDatabase } from '../../src/rowstore/database.ts';
import { createMatches, type Matches } from '../../src/rowstore/matches.ts';
import { createNarrow, type IsNarrow } from '../../src/rowstore/narrow.ts';
import { openStore, type RowStore } from '../../src/rowstore/store.ts';
import { rowsPath } from '../../src/snapshot/layout.ts';
import { readStatement } from '../../src/statement/statement.ts';
import { makeSnapshot, type TestTable } from '../support/snapshot.ts';
import { storeOptions } from './support.ts';

interface Context {
  locked: LockedDatabase;
  store: RowStore;
  catalogue: Catalogue;
  matches: Matches;
  isNarrow: IsNarrow;
  close: () => void;
}

const integer = (name: string) => ({ name, type: 'integer' }) as const;
const text = (name: string) => ({ name, type: 'text' }) as const;
const small = (name: string, start: number): TestTable => ({
  name,
  columnar: false,
  columns: [integer('a'), integer('b'), text('c'), { ...text('d'), collation: 'nocase' }],
  select: `select i - 5, (i * ${start}) % 50, 'Text ' || i % 9, 'Text ' || i % 9 from range(100) t(i)`,
});
const TABLES: readonly TestTable[] = [
  ...['t1_1_1', 't2_1_2', 't3_1_3', 't4_1_4', 't5_1_5', 't6_1_6'].map((name, i) => small(name, 7 + i)),
  {
    name: 'odd_1_7',
    columns: [integer('a'), text('c')],
    select:
      "select * from (values (null, null), (9007199254740993, 'x'), (0, ''), (7, '7'), (7, repeat('y', 300)))",
  },
  { name: 'many_1_8', columns: [integer('a')], select: 'select i from range(3000) t(i)' },
];

const test = suite<Context>('rowstore/matches');
test.before(async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-matches-'));
  const snapshot = await makeSnapshot(folder, TABLES);
  const options = { ...storeOptions(), maxVisits: 200_000, plainVisits: 500 };
  context.locked = openDatabase({ ...options, path: rowsPath(snapshot.path), isServed: () => true });
  const catalogue = readCatalogue(context.locked.own, createDescriptions());
  context.catalogue = catalogue;
  context.matches = createMatches(context.locked.own, catalogue);
  context.isNarrow = createNarrow(context.locked.own, catalogue);
  context.store = openStore(snapshot, options);
  context.close = () => {
    context.store.close();
    context.locked.close();
    rmSync(folder, { recursive: true, force: true });
  };
});
test.after(({ close }) => close());

/** The literals of a list, as a statement has them. */
function matched({ matches }: Context, table: string, column: string, list: string): number | undefined {
  const { literals } = readStatement(`select ${list}`, [], 35_000);
  let index = 0;
  const constants = list.split(',').map((item) => {
    const literal = { type: 'literal', index, kind: 'integer' } as const;
    index += 1;
    return item.trim().startsWith('-')
      ? ({ type: 'unary', operator: '-', operand: literal } as const)
      : literal;
  });
  return matches(table, column, constants, literals, { columns: 1 });
}

test('are as many as SQLite finds', (context) => {
  for (const [table, column, list] of [
    ['t1_1_1', 'a', '1, 2, -3, 77, 400'],
    ['t1_1_1', 'a', '-5, -0, 0'],
    ['t1_1_1', 'b', '7, 14, 7'],
    ['t1_1_1', 'c', "'Text 1', 'text 2', ''"],
    ['t1_1_1', 'c', "'Text 1', 7"],
    ['odd_1_7', 'c', "'x', '', 7"],
    ['odd_1_7', 'c', '007, -7'],
  ] as const) {
    const [row] = context.locked.own(`select count(*) from ${table} where ${column} in (${list})`);
    assert.is(matched(context, table, column, list), row?.[0], `${table}.${column} in (${list})`);
  }
});

test('are not counted where other values may be equal, or rows are many', (context) => {
  for (const [table, column, list] of [
    // A text that is a number, a real, a collation that folds, integers past 53 bits, a long text.
    ['t1_1_1', 'a', "'7'"],
    ['t1_1_1', 'a', '7.0'],
    ['t1_1_1', 'd', "'text 1'"],
    ['odd_1_7', 'a', '7'],
    ['t1_1_1', 'a', '9007199254740993'],
    ['odd_1_7', 'c', `'${'y'.repeat(300)}'`],
    ['many_1_8', 'a', '7'],
    ['none_1_9', 'a', '7'],
    // It may be read of other bytes.
    ['t1_1_1', 'c', "'Text \ufffd'"],
  ] as const)
    assert.is(matched(context, table, column, list), undefined, `${table}.${column} in (${list})`);
});

test('are counted of a few new columns for a statement', (context) => {
  const { literals } = readStatement('select 7', [], 35_000);
  const constants = [{ type: 'literal', index: 0, kind: 'integer' }] as const;
  const allowed = { columns: 1 };
  const counts = ['t4_1_4', 't5_1_5', 't4_1_4'].map((table) =>
    createMatches(context.locked.own, context.catalogue)(table, 'a', constants, literals, allowed),
  );
  assert.equal(counts, [1, undefined, undefined]);
});

test('bound what a join visits', ({ store, locked }) => {
  const seed = Math.floor(Math.random() * 1e9);
  const random = createRandom(seed);
  const upTo = (most: number): number => Math.floor(random() * most);
  const constant = (table: string): string => {
    const column = ['a', 'b'][upTo(2)];
    const values = Array.from({ length: 1 + upTo(5) }, () => upTo(120));
    return random() < 0.5
      ? `${table}.${column} in (${values.join(',')})`
      : `(${values.map((value) => `${table}.${column}=${value}`).join(' or ')})`;
  };
  let narrowed = 0;
  for (let i = 0; i < 300; i++) {
    const tables = Array.from({ length: 2 + upTo(5) }, (_, at) => `t${at + 1}_1_${at + 1}`);
    const conditions = tables.flatMap((table, at) => {
      const other = tables[upTo(at)];
      const joined = at > 0 && random() < 0.4 ? [`${table}.a = ${other}.b`] : [];
      return random() < 0.8 ? [...joined, constant(table)] : joined;
    });
    const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
    const statement = `select count(*) from ${tables.join(', ')}${where}`;
    const { shape, literals } = readStatement(statement, [], 35_000);
    const {
      engine,
      visits = 0,
      run,
    } = store.statements.choose(store.statements.read(shape, literals), literals);
    if (engine !== 'rows') continue;
    const prepared = locked.database.prepare(run.filled.sql);
    prepared.all(...run.filled.values);
    const steps = prepared.stat('vmStep');
    assert.ok(steps <= 100 + 60 * visits, `seed ${seed}: ${steps} steps of ${visits} visits: ${statement}`);
    if (visits < 100 ** tables.length) narrowed += 1;
  }
  assert.ok(narrowed > 100, `${narrowed} of 300 by the seed ${seed}`);
});

test('tell a join of six tables by its constants from one without', ({ store }) => {
  const from = 't1_1_1 t1, t2_1_2 t2, t3_1_3 t3, t4_1_4 t4, t5_1_5 t5, t6_1_6 t6';
  const choose = (value: number): string => {
    const where = [1, 2, 3, 4, 5, 6]
      .map((i) => `t${i}.a in (${BigInt(value) + BigInt(i)}, 3000)`)
      .join(' and ');
    const { shape, literals } = readStatement(
      `select count(*) from ${from} where ${where} and t1.b + t6.b > 0`,
      [],
      35_000,
    );
    return store.statements.choose(store.statements.read(shape, literals), literals).why;
  };
  // One of each, or none.
  assert.is(choose(1), 'it visits 600 rows at most');
  assert.is(choose(1_000), 'it visits 600 rows at most');
  // Not counted: each value is taken for the commonest one of its column.
  assert.is(choose(2 ** 53), `it visits ${100 * (1 + 2 + 4 + 8 + 16 + 32)} rows at most`);
});

test('narrow are tables of few rows with small values', ({ isNarrow }) => {
  assert.equal(
    ['t1_1_1', 'odd_1_7', 'many_1_8', 'none_1_9'].map((table) => isNarrow(table)),
    [true, false, false, false],
  );
});

test.run();
