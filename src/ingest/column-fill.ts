// Puts a table of rows.sqlite into columns.duckdb where it is large enough: wholly, or the ranges of rows that changed.

import type { Kind } from '../columns/column-buffer.ts';
import type { RowRange } from '../columns/copy-source.ts';
import { copyRows } from '../columns/row-copy.ts';
import type { ColumnFacts } from '../snapshot/facts.ts';
import { countFacts } from './column-facts.ts';
import type { ColumnStore } from './column-store.ts';
import { reasonOf } from './failure.ts';
import type { Progress } from './progress.ts';
import { ROWS_SCHEMA, type TableAbout } from './row-store.ts';
import { addScaledColumns } from './scaled-columns.ts';
import type { SnapshotBuilder } from './snapshot-builder.ts';
import type { NewTable } from './snapshot-table.ts';
import { quoteName, type SourceTable } from './sqlite-tables.ts';
import { applyDelta } from './table-delta.ts';

export interface ColumnFill {
  readonly source: SourceTable;
  readonly kinds: readonly Kind[];
  /** Of the whole table. */
  readonly rows: number;
  /** What the catalogue said of it before. */
  readonly before: TableAbout | undefined;
  /** Where only these changed since, and neither columns nor their kinds did. */
  readonly ranges: readonly RowRange[] | undefined;
  readonly progress: Progress;
  /** Of the table's rows that are in columns.duckdb. */
  readonly onShare: (share: number) => void;
  readonly signal: AbortSignal;
}

/** The table is in rows.sqlite as it is to be. @returns undefined where it is not in columns.duckdb */
export async function fillColumns(
  builder: SnapshotBuilder,
  fill: ColumnFill,
): Promise<readonly ColumnFacts[] | undefined> {
  const { source, kinds, rows, before, ranges, signal, progress, onShare } = fill;
  const { table } = source;
  if (rows < builder.columnarRows) {
    if (before?.facts !== undefined) await (await builder.columns()).dropTable(table.name);
    return undefined;
  }
  const columns = await builder.columns();
  const from = { ...source, schema: ROWS_SCHEMA };
  const { database } = builder.rows;
  if (ranges !== undefined && before?.facts !== undefined)
    return applyDelta(columns, {
      ...{ table, kinds, ranges, rows },
      facts: before.facts,
      fill: (writer) => copyRows(database, from, kinds, writer, { signal, rows: () => undefined }, ranges),
    });
  await columns.dropTable(table.name);
  if (!(await createColumns(columns, table, kinds, progress))) return undefined;
  const writer = await columns.openWriter(table, kinds);
  let copied = 0;
  const onRows = (more: number): void => {
    progress.rows(more);
    copied += more;
    onShare(copied / rows);
  };
  await copyRows(database, from, kinds, writer, { signal, rows: onRows });
  const main = `main.${quoteName(table.name)}`;
  const facts = await countFacts(columns.connection, main, table, kinds);
  return addScaledColumns(columns.connection, main, table, facts);
}

/** @returns false where the engine cannot have it: whoever makes a table chooses its names */
export async function createColumns(
  columns: ColumnStore,
  table: NewTable,
  kinds: readonly Kind[],
  progress: Progress,
): Promise<boolean> {
  try {
    await columns.createTable(table, kinds);
    return true;
  } catch (error) {
    progress.note(
      `warning: ${table.name} has names that DuckDB does not take; scans of it are slow: ${reasonOf(error)}`,
    );
    return false;
  }
}
