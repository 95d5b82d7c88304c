// Shapes that are remembered from one snapshot to the next: not read again where nothing of their tables' columns changed,
// and answered as if they were never seen where something did.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runBounded } from '../../src/rowstore/run.ts';
import { createShapeMemory } from '../../src/rowstore/shape-memory.ts';
import { openStore, type RowStore } from '../../src/rowstore/store.ts';
import { readStatement } from '../../src/statement/statement.ts';
import { makeSnapshot, type TestTable } from '../support/snapshot.ts';
import { storeOptions } from './support.ts';

const ROWS = 100;
const same: TestTable = {
  name: 'same_1_1',
  primaryKey: 'id',
  columns: [
    { name: 'id', type: 'integer' },
    { name: 'name', type: 'text' },
  ],
  select: `select i, 'n' || i from range(1, ${ROWS + 1}) t(i)`,
};
const grown: TestTable = { ...same, select: `select i, 'm' || i from range(1, ${2 * ROWS + 1}) t(i)` };
/** A column that is a text, or a blob; with or without another one. */
const turned = (type: 'text' | 'blob', more: boolean): TestTable => ({
  name: 'turned_1_2',
  columns: [{ name: 'data', type }, ...(more ? [{ name: 'name', type: 'text' } as const] : [])],
  select: `select ${type === 'blob' ? "'ab\\x00c'::BLOB" : "'abc'"}${more ? ", 'n' || i" : ''} from range(1, 4) t(i)`,
});
const gone: TestTable = {
  name: 'gone_1_3',
  columns: [{ name: 'n', type: 'integer' }],
  select: 'select 1',
};

const VERSIONS: readonly (readonly TestTable[])[] = [
  [same, turned('text', false), gone],
  [grown, turned('text', false)],
  [same, turned('blob', false), gone],
  [same, turned('text', true), gone],
];
const STATEMENTS: readonly string[] = [
  'select name from same_1_1 where id = 7',
  "select count(*) as n from same_1_1 where name like 'm%'",
  'select n from gone_1_3',
  "select count(*) as n from turned_1_2 where data like 'ab_'",
  // Which table the column is of depends on the columns that both have.
  "select count(*) as n from same_1_1 s, turned_1_2 t where name = 'n2' and s.id < 9",
  "select (select name from turned_1_2 limit 1) as n from same_1_1 where id = 3 and name = 'n3'",
];

const test = suite<{ stores: RowStore[]; fresh: RowStore[]; folder: string }>('rowstore/shape-memory');
test.before(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tablegate-memory-'));
  const memory = createShapeMemory(100);
  context.stores = [];
  context.fresh = [];
  for (const tables of VERSIONS) {
    const snapshot = await makeSnapshot(context.folder, tables);
    context.stores.push(openStore(snapshot, { ...storeOptions(), memory }));
    context.fresh.push(openStore(snapshot, { ...storeOptions(), memory: createShapeMemory(100) }));
  }
});
test.after(({ stores, fresh, folder }) => {
  for (const store of [...stores, ...fresh]) store.close();
  rmSync(folder, { recursive: true, force: true });
});

const read = (store: RowStore, text: string) => {
  const { shape, literals } = readStatement(text, [], 35_000);
  return store.statements.read(shape, literals);
};

function answerOf(store: RowStore, text: string): string {
  const { shape, literals } = readStatement(text, [], 35_000);
  const output = { format: 'objects', extract: false, unwrap: false } as const;
  const limits = { deadlineMs: 1_000, maxRows: 1_000, maxBytes: 1_000_000 };
  try {
    const answer = runBounded(store, { kind: 'query', shape, literals, output, limits });
    return 'outcome' in answer ? Buffer.from(answer.body).toString('utf8') : answer.message;
  } catch (error) {
    return String(error);
  }
}

test('answers of each snapshot are those of a process that saw no other', ({ stores, fresh }) => {
  const different = new Map(STATEMENTS.map((text) => [text, new Set<string>()]));
  // Up and down, twice: each snapshot comes behind each of its neighbours.
  for (const at of [0, 0, 1, 2, 3, 2, 1, 0, 0, 2, 0, 3, 1, 3])
    for (const text of STATEMENTS) {
      const answer = answerOf(stores[at] as RowStore, text);
      assert.is(answer, answerOf(fresh[at] as RowStore, text), `${text} of snapshot ${at}`);
      different.get(text)?.add(answer);
    }
  // Or it would show nothing.
  for (const text of STATEMENTS.slice(1))
    assert.ok((different.get(text)?.size ?? 0) > 1, `${text}: the same of all snapshots`);
});

test('what a shape is is found out once, as long as the columns of its tables are the same', ({ stores }) => {
  const [first, second, third] = stores as [RowStore, RowStore, RowStore];
  const text = 'select name, id from same_1_1 where id = 8';
  assert.is(read(first, text).again, false, 'nothing is kept of what was asked once');
  const { statement, again } = read(first, text);
  assert.is(again, true);
  for (const store of [second, third]) {
    assert.is(read(store, text).statement, statement);
    assert.is(read(store, text).again, true, 'from the first time on');
  }
  const turned = "select data from turned_1_2 where data like 'a%'";
  for (let i = 0; i < 2; i++) read(first, turned);
  assert.is(read(second, turned).statement, read(first, turned).statement);
  assert.is.not(read(third, turned).statement, read(first, turned).statement);
});

test('what is remembered of a shape does not hold the snapshot that it was read for', async ({ folder }) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const memory = createShapeMemory(100);
  const snapshot = await makeSnapshot(folder, VERSIONS[0] as readonly TestTable[]);
  const gone = ((): WeakRef<RowStore['catalogue']['tables']> => {
    const store = openStore(snapshot, { ...storeOptions(), memory });
    for (let i = 0; i < 2; i++) for (const text of STATEMENTS) answerOf(store, text);
    store.close();
    return new WeakRef(store.catalogue.tables);
  })();
  assert.is(memory.statements.size, STATEMENTS.length);
  // What a WeakRef was made of in this turn is held until the next.
  for (let turns = 0; turns < 10 && gone.deref() !== undefined; turns++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  assert.is(gone.deref(), undefined);
});

test.run();
