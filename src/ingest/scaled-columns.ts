// Hidden columns of columns.duckdb: beside a column of reals that are numbers of a few decimals, the same as whole
// numbers of the last one (1999 for 19.99). Sums of them are exact and cheaper than those of doubles.
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ColumnFacts } from '../snapshot/facts.ts';
import type { NewTable } from './snapshot-table.ts';
import { foldName, quoteName } from './sqlite-tables.ts';

/** @param name of the table, quoted; @returns the facts with the names of the new columns */
export async function addScaledColumns(
  connection: DuckDBConnection,
  name: string,
  table: NewTable,
  facts: readonly ColumnFacts[],
): Promise<readonly ColumnFacts[]> {
  const taken = new Set([...table.columns.map((column) => column.name), table.rowid ?? ''].map(foldName));
  const named = facts.map((fact): ColumnFacts => {
    if (!fact.reals || fact.reals.digits === null || fact.reals.scaled !== null) return fact;
    let scaled = `scaled_${taken.size}`;
    while (taken.has(scaled)) scaled += '_';
    taken.add(scaled);
    return { ...fact, reals: { ...fact.reals, scaled } };
  });
  for (const [i, fact] of named.entries())
    if (fact !== facts[i]) await addScaledColumn(connection, name, table, i, fact);
  return named;
}

/** Of one column that the facts name. */
export async function addScaledColumn(
  connection: DuckDBConnection,
  name: string,
  table: NewTable,
  at: number,
  { reals }: ColumnFacts,
): Promise<void> {
  const column = table.columns[at]?.name;
  if (column === undefined || !reals || reals.scaled === null) return;
  const scaled = quoteName(reals.scaled);
  await connection.run(`ALTER TABLE ${name} ADD COLUMN ${scaled} BIGINT`);
  // Of an UPDATE the engine keeps the rows as they were until the end.
  await connection.run(
    `ALTER TABLE ${name} ALTER COLUMN ${scaled} TYPE BIGINT USING CAST(round(${quoteName(column)} * 1e${reals.digits}) AS BIGINT)`,
  );
}

/** Names of the hidden columns, in the order in which they stand behind the others. */
export function scaledNames(facts: readonly ColumnFacts[]): readonly string[] {
  return facts.flatMap(({ reals }) => (reals?.scaled ? [reals.scaled] : []));
}
