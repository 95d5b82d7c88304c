// Indexes of our own in rows.sqlite, so that equality and joins on any column of a table of middle size are seeks. The
// reference has none of them: who plans on the original schema keeps its order of rows.
import { createHash } from 'node:crypto';
import type { Kind } from '../columns/column-buffer.ts';
import type { RowStore } from './row-store.ts';
import type { NewTable } from './snapshot-table.ts';
import { foldName, quoteName } from './sqlite-tables.ts';

/** Below, a scan is as quick. */
const LEAST_ROWS = 64;
/** Longer texts are no keys that anybody compares by the thousand. */
const MOST_BYTES = 64;
/** To make one costs a look at the whole schema, so a source of ten thousands of such tables has them for some. */
export const MOST_INDEXES = 5_000;

const PREFIX = 'tablegate_index_';

export interface IndexWishes {
  /** Tables of at most so many rows get an index for each column that can be a key; 0: none does. */
  readonly rows: number;
  /** `table.column`, lower case: indexed however large the table is. */
  readonly columns: ReadonlySet<string>;
}

/** Makes and drops indexes so that the table has those that it should, as its rows are now. */
export function indexTable(
  store: RowStore,
  table: NewTable,
  kinds: readonly Kind[],
  rows: number,
  wishes: IndexWishes,
): void {
  const wanted = new Map(
    wantedColumns(store, table, kinds, rows, wishes).map((column) => [indexName(table.name, column), column]),
  );
  for (const name of store.indexesOf(table.name)) {
    if (!name.startsWith(PREFIX)) continue;
    if (!wanted.delete(name)) store.alter(`drop index rows.${quoteName(name)}`);
  }
  for (const [name, column] of wanted) {
    if (!store.reserveIndex(MOST_INDEXES)) return;
    store.alter(`create index rows.${quoteName(name)} on ${quoteName(table.name)}(${quoteName(column)})`);
  }
}

function wantedColumns(
  store: RowStore,
  table: NewTable,
  kinds: readonly Kind[],
  rows: number,
  wishes: IndexWishes,
): readonly string[] {
  // Of system tables the reference's own indexes do; they change with every block.
  if (table.kind !== 'user' || rows < LEAST_ROWS) return [];
  const alone = new Set(table.unique.filter((set) => set.length === 1).map(([name]) => name));
  const columns = table.columns.filter(
    ({ name }, i) => !alone.has(name) && (kinds[i] === 'integer' || kinds[i] === 'text'),
  );
  const isAsked = (name: string): boolean => wishes.columns.has(foldName(`${table.name}.${name}`));
  if (rows > wishes.rows) return columns.flatMap(({ name }) => (isAsked(name) ? [name] : []));
  const bytes = columns.map(({ name }) => `coalesce(avg(octet_length(${quoteName(name)})), 0)`);
  if (bytes.length === 0) return [];
  const statement = store.database.prepare(`select ${bytes.join(', ')} from rows.${quoteName(table.name)}`);
  statement.setReturnArrays(true);
  const average = statement.get() as unknown as readonly number[];
  return columns.flatMap(({ name }, i) => (isAsked(name) || (average[i] ?? 0) <= MOST_BYTES ? [name] : []));
}

/** The same for the same column: names of tables and columns may be long and hold anything. */
function indexName(table: string, column: string): string {
  const digest = createHash('sha256')
    .update(`${foldName(table)}\0${foldName(column)}`)
    .digest('hex');
  return PREFIX + digest.slice(0, 24);
}
