// In which case the texts of a column are, when a table is made and when rows of it change.
import { DuckDBInstance } from '@duckdb/node-api';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { countFacts, mergeFacts } from '../../src/ingest/column-facts.ts';
import type { NewColumn, NewTable } from '../../src/ingest/snapshot-table.ts';
import type { ColumnFacts } from '../../src/snapshot/facts.ts';

const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
test.after(() => {
  connection.closeSync();
  instance.closeSync();
});

const TEXT: NewColumn = {
  name: 't',
  written: 't',
  declaredType: 'text',
  kind: 'text',
  affinity: 'text',
  notNull: false,
  collation: 'binary',
  constraints: [],
};

async function factsOf(...texts: readonly (string | null)[]): Promise<readonly ColumnFacts[]> {
  const cells = texts.map((text) => (text === null ? 'NULL' : `'${text.replaceAll("'", "''")}'`));
  await connection.run(
    `CREATE OR REPLACE TABLE words AS SELECT unnest([${cells.join(', ')}]::VARCHAR[]) AS t`,
  );
  const table = { name: 'words', columns: [TEXT] } as unknown as NewTable;
  return countFacts(connection, 'words', table, ['text']);
}
const cases = ([facts]: readonly ColumnFacts[]): unknown => [facts?.lower, facts?.upper];

test('a column is in lower or upper case where all of its texts are, and in both where it has no letters', async () => {
  assert.equal(cases(await factsOf('0xabc', null, 'it is', '')), [true, false]);
  assert.equal(cases(await factsOf('PROMO BRUSHED TIN', 'B')), [false, true]);
  assert.equal(cases(await factsOf('2024-01-01', '5')), [true, true]);
  assert.equal(cases(await factsOf('abc', 'abC')), [false, false]);
  assert.equal(cases(await factsOf('élan', 'ß日本')), [true, false]);
  assert.equal(cases(await factsOf('É')), [false, true]);
  assert.equal(cases(await factsOf(null)), [true, true]);
});

test('rows that come keep it where they are in the same case, and what is not said is not so', async () => {
  const [lower, upper, digits] = [await factsOf('abc'), await factsOf('ABC'), await factsOf('123')];
  assert.equal(cases(mergeFacts(lower, digits, 2)), [true, false]);
  assert.equal(cases(mergeFacts(lower, upper, 2)), [false, false]);
  const before = lower.map(({ lower: _, upper: __, ...facts }) => facts);
  assert.equal(cases(mergeFacts(before, lower, 2)), [false, false]);
});

test.run();
