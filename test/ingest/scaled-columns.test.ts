// The hidden columns with reals as whole numbers, when a table is made and when rows of it change.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { countFacts } from '../../src/ingest/column-facts.ts';
import { ColumnStore } from '../../src/ingest/column-store.ts';
import { addScaledColumns, scaledNames } from '../../src/ingest/scaled-columns.ts';
import type { NewColumn, NewTable } from '../../src/ingest/snapshot-table.ts';
import { applyDelta } from '../../src/ingest/table-delta.ts';
import type { ColumnFacts } from '../../src/snapshot/facts.ts';

const folder = mkdtempSync(join(tmpdir(), 'tablegate-scaled-'));
const store = await ColumnStore.open(join(folder, 'columns.duckdb'), folder, 512 * 1024 * 1024);
test.after(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const column = (name: string, kind: 'integer' | 'real'): NewColumn => ({
  name,
  written: name,
  declaredType: kind,
  kind,
  affinity: kind,
  notNull: false,
  collation: 'binary',
  constraints: [],
});
// One of them has the name that a hidden column would get.
const columns = [column('id', 'integer'), column('scaled_3', 'real'), column('ratio', 'real')];
const kinds = columns.map(({ kind }) => kind);

async function make(name: string, rows: string): Promise<{ table: NewTable; facts: readonly ColumnFacts[] }> {
  const table: NewTable = {
    name,
    chainId: 1,
    tableId: '1',
    prefix: 'prices',
    createdAt: 0,
    kind: 'user',
    columns,
    rowid: 'id',
    hasHiddenRowid: false,
    unique: [],
    tableConstraints: [],
  };
  await store.createTable(table, kinds);
  await store.connection.run(`INSERT INTO ${name} VALUES ${rows}`);
  const counted = await countFacts(store.connection, name, table, kinds);
  return { table, facts: await addScaledColumns(store.connection, name, table, counted) };
}

async function change(
  { table, facts }: { table: NewTable; facts: readonly ColumnFacts[] },
  rows: readonly (readonly [id: bigint, price: number, ratio: number])[],
): Promise<readonly ColumnFacts[]> {
  return applyDelta(store, {
    table,
    kinds,
    facts,
    ranges: [[rows[0]?.[0] ?? 0n, rows.at(-1)?.[0] ?? 0n]],
    rows: 4,
    fill: async (writer) => {
      for (const [id, price, ratio] of rows) {
        writer.columns[0]?.put(writer.row, id);
        writer.columns[1]?.put(writer.row, price);
        writer.columns[2]?.put(writer.row, ratio);
        writer.endRow(24);
      }
      writer.finish();
    },
  });
}

const scaledOf = async (name: string, facts: readonly ColumnFacts[]): Promise<unknown[]> => {
  const [hidden] = scaledNames(facts);
  const read = await store.connection.runAndReadAll(`SELECT "${hidden}" FROM ${name} ORDER BY id`);
  return read.getRows().map(([value]) => (value === null ? null : Number(value)));
};
const namesOf = async (name: string): Promise<unknown[]> =>
  (await store.connection.runAndReadAll(`DESCRIBE ${name}`)).getRows().map(([column]) => column);

test('a column of prices gets a hidden one, a column of other reals does not', async () => {
  const { facts } = await make('prices_1_1', "(1, 19.99, 1e0/3), (2, NULL, 0.5), (3, -0.1, 'inf')");
  assert.equal(facts[1]?.reals, { size: 19.99, least: 0.1, digits: 2, scaled: 'scaled_3_' });
  assert.is(facts[2]?.reals, null);
  assert.is(facts[0]?.reals, null);
  assert.equal(await namesOf('prices_1_1'), ['id', 'scaled_3', 'ratio', 'scaled_3_']);
  assert.equal(await scaledOf('prices_1_1', facts), [1999, null, -10]);
});

test('changed and new rows have theirs', async () => {
  const made = await make('prices_1_2', '(1, 19.99, 0.3), (2, 5.5, 0.5), (3, 7, 0.7)');
  const changed = await change(made, [
    [2n, 6.25, 0.5],
    [3n, 7, 0.7],
    [4n, 1000.01, 0.1],
  ]);
  assert.equal(changed[1]?.reals, { ...made.facts[1]?.reals, size: 1000.01 });
  assert.equal(await scaledOf('prices_1_2', changed), [1999, 625, 700, 100_001]);
});

test('rows between others keep theirs, too', async () => {
  const made = await make('prices_1_3', '(1, 19.99, 0.3), (3, 5.5, 0.5), (4, 7, 0.7)');
  const changed = await change(made, [[2n, 6.25, 0.5]]);
  assert.equal(await scaledOf('prices_1_3', changed), [1999, 625, 550, 700]);
});

test('a value with more decimals takes the hidden column away', async () => {
  const made = await make('prices_1_4', '(1, 19.99, 0.3), (2, 5.5, 0.5), (3, 7, 0.7)');
  const changed = await change(made, [[2n, 1 / 3, 0.5]]);
  assert.equal(changed[1]?.reals, { size: 19.99, least: 1 / 3, digits: null, scaled: null });
  assert.is(scaledNames(changed).length, 1, 'that of the other column stays');
  assert.equal(await namesOf('prices_1_4'), ['id', 'scaled_3', 'ratio', ...scaledNames(changed)]);
  assert.equal(await scaledOf('prices_1_4', changed), [3, 5, 7]);
});

test.run();
