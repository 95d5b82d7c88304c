// Changes a table of the next snapshot where its source changed: rows of some ranges of rowids are read anew and
// put in their places. Rows stay in the order of their rowids, as everywhere in a snapshot.
import type { Kind } from '../columns/column-buffer.ts';
import type { RowRange } from '../columns/copy-source.ts';
import type { TableWriter } from '../columns/table-writer.ts';
import type { ColumnFacts } from '../snapshot/facts.ts';
import { countFacts, mergeFacts } from './column-facts.ts';
import type { ColumnStore } from './column-store.ts';
import { addScaledColumn, scaledNames } from './scaled-columns.ts';
import type { NewTable } from './snapshot-table.ts';
import { quoteName } from './sqlite-tables.ts';

/** Tables have a number at the end of their names, so neither is one of theirs. */
const FRESH = 'main.tablegate_fresh';
const SORTED = 'main.tablegate_sorted';

export interface TableDelta {
  readonly table: NewTable;
  readonly kinds: readonly Kind[];
  readonly ranges: readonly RowRange[];
  /** Of the whole table, now. */
  readonly rows: number;
  /** Of its columns before. */
  readonly facts: readonly ColumnFacts[];
  /** Writes the rows of the ranges as they are now. */
  readonly fill: (writer: TableWriter) => Promise<unknown>;
}

/** @returns what holds of the whole table now */
export async function applyDelta(builder: ColumnStore, delta: TableDelta): Promise<readonly ColumnFacts[]> {
  const { table, kinds, ranges } = delta;
  const name = `main.${quoteName(table.name)}`;
  const rowid = quoteName(table.rowid ?? '');
  const run = (sql: string): Promise<unknown> => builder.connection.run(sql);
  await builder.createTable(table, kinds, FRESH);
  const writer = await builder.openWriter(table, kinds, FRESH.slice('main.'.length));
  await delta.fill(writer);
  const facts = mergeFacts(
    delta.facts,
    await countFacts(builder.connection, FRESH, table, kinds),
    delta.rows,
  );
  const within =
    ranges.map(([first, last]) => `${rowid} BETWEEN ${first} AND ${last}`).join(' OR ') || 'false';
  const columns = [
    ...table.columns.map((column) => column.name),
    ...hiddenRowid(table),
    ...(await carryScaled(builder, delta, facts)),
  ].map(quoteName);

  await run(`DELETE FROM ${name} WHERE (${within}) AND ${rowid} NOT IN (SELECT ${rowid} FROM ${FRESH})`);
  const same = columns.map((column) => `old.${column} IS NOT DISTINCT FROM fresh.${column}`).join(' AND ');
  await run(
    `DELETE FROM ${FRESH} fresh USING (FROM ${name} WHERE ${within}) old WHERE old.${rowid} = fresh.${rowid} AND ${same}`,
  );
  const changed = await changedColumns(builder, name, within, rowid, columns);
  // The engine moves a row to the end where a column of several types is updated.
  const inPlace = [...changed].every((column) => kinds[columns.indexOf(column)] !== 'any');
  const atEnd = await onlyAppends(builder, name, rowid);
  if (inPlace && atEnd) {
    if (changed.size > 0)
      await run(
        `UPDATE ${name} SET ${[...changed].map((column) => `${column} = fresh.${column}`).join(', ')}
         FROM ${FRESH} fresh WHERE ${name}.${rowid} = fresh.${rowid}`,
      );
    await run(
      `INSERT INTO ${name} FROM ${FRESH} fresh WHERE ${rowid} > (SELECT coalesce(max(${rowid}), ${LOWEST}) FROM ${name})
       OR NOT EXISTS (FROM ${name} LIMIT 1) ORDER BY ${rowid}`,
    );
    await run(`DROP TABLE ${FRESH}`);
    return facts;
  }
  await run(`DELETE FROM ${name} WHERE ${rowid} IN (SELECT ${rowid} FROM ${FRESH})`);
  await run(`CREATE TABLE ${SORTED} AS FROM (FROM ${name} UNION ALL FROM ${FRESH}) ORDER BY ${rowid}`);
  await run(`DROP TABLE ${name}`);
  await run(`DROP TABLE ${FRESH}`);
  await run(`ALTER TABLE ${SORTED} RENAME TO ${quoteName(table.name)}`);
  return facts;
}

/**
 * Takes the hidden columns out of the table whose decimals are not enough any more, and gives the fresh rows the others.
 * @returns their names, in the table's order
 */
async function carryScaled(
  builder: ColumnStore,
  { table, facts: before }: TableDelta,
  facts: readonly ColumnFacts[],
): Promise<readonly string[]> {
  const kept = new Set(scaledNames(facts));
  for (const name of scaledNames(before))
    if (!kept.has(name))
      await builder.connection.run(
        `ALTER TABLE main.${quoteName(table.name)} DROP COLUMN ${quoteName(name)}`,
      );
  for (const [at, fact] of facts.entries()) await addScaledColumn(builder.connection, FRESH, table, at, fact);
  return [...kept];
}

const LOWEST = '-9223372036854775808';

function hiddenRowid(table: NewTable): readonly string[] {
  return table.hasHiddenRowid && table.rowid !== undefined ? [table.rowid] : [];
}

async function one(builder: ColumnStore, sql: string): Promise<unknown> {
  return (await builder.connection.runAndReadAll(sql)).getRows()[0]?.[0];
}

/** Columns in which a row that stayed has another value. */
async function changedColumns(
  builder: ColumnStore,
  name: string,
  within: string,
  rowid: string,
  columns: readonly string[],
): Promise<ReadonlySet<string>> {
  const differs = columns.map(
    (column) => `coalesce(bool_or(old.${column} IS DISTINCT FROM fresh.${column}), false)`,
  );
  const found = await builder.connection.runAndReadAll(
    `SELECT ${differs.join(', ')} FROM (FROM ${name} WHERE ${within}) old JOIN ${FRESH} fresh USING (${rowid})`,
  );
  const [flags = []] = found.getRows();
  return new Set(columns.filter((_, i) => flags[i] === true));
}

/** Whether every new row comes after all rows that stayed. */
async function onlyAppends(builder: ColumnStore, name: string, rowid: string): Promise<boolean> {
  const found = await one(
    builder,
    `SELECT coalesce((SELECT min(${rowid}) FROM ${FRESH} WHERE ${rowid} NOT IN (SELECT ${rowid} FROM ${name}))
       > (SELECT max(${rowid}) FROM ${name}), true)`,
  );
  return found === true;
}
