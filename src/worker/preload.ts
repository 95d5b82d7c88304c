// Before a worker serves its first snapshot, the columns of its tables are read into the engine's memory: the first statement on
// each would wait for that, a millisecond a megabyte. Of as many tables as there is room for, the smallest first.
import { asciiLower } from '../base/ascii-lower.ts';
import { monotonicMs } from '../base/monotonic.ts';
import type { Schema, SchemaTable } from '../dialect/schema.ts';
import { identifier } from '../dialect/value.ts';
import { type EngineConnection, textRows } from './engine.ts';

const MOST_BYTES = 256 * 1024 * 1024;
/** Of the engine's memory, which statements need. */
const SHARE = 1 / 8;
/** No more are begun after so long, on a disk that is slow. */
const MOST_MS = 1_000;
/** That are read at once: between two of these it is looked at the time, and at what is held. */
const MOST_COLUMNS = 6;
/** Of a value, at most: numbers, and short texts as they are packed. */
const VALUE_BYTES = 8;
/** Longer texts, such as comments and documents, are what few statements look at. */
const SHORT_TEXT = 40;
/** A row of so many: columns are read in pieces that have more. */
const EVERY = 4_096;

/** @param memoryBytes of the engine */
export async function preload(
  connection: EngineConnection,
  schema: Pick<Schema, 'tables'>,
  memoryBytes: number,
): Promise<void> {
  const until = monotonicMs() + MOST_MS;
  const room = Math.min(MOST_BYTES, memoryBytes * SHARE);
  try {
    const waiting = [...(await columnsOf(connection, schema))];
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const { table, rows } = next;
      const fitting = Math.floor((room - (await heldBytes(connection))) / (rows * VALUE_BYTES));
      if (monotonicMs() > until || fitting < 1) return;
      const others = waiting.findIndex((column) => column.table !== table);
      const some = waiting.splice(0, Math.min(fitting, MOST_COLUMNS, others < 0 ? waiting.length : others));
      // A column may be called as the engine calls the number of a row: then the table is left.
      await textRows(connection, readingOf(some)).catch(() => {});
    }
  } catch {
    // What is wrong is said of the statements that come.
  }
}

/** Of one table. Several at once, since most of the time goes to the numbers of its rows. */
function readingOf(columns: readonly Column[]): string {
  const values = columns.map(({ column }) => `CAST(hash(last(${identifier(column)})) AS VARCHAR)`);
  return `SELECT ${values.join(', ')} FROM ${identifier(columns[0]?.table ?? '')} WHERE rowid % ${EVERY} = 0`;
}

interface Column {
  readonly table: string;
  readonly column: string;
  readonly rows: number;
}

/** With those that no client can name: rowids, and decimals as whole numbers. Of the smallest tables first. */
async function columnsOf(
  connection: EngineConnection,
  { tables }: Pick<Schema, 'tables'>,
): Promise<readonly Column[]> {
  const found = await textRows(
    connection,
    `SELECT t.table_name, c.column_name, CAST(t.estimated_size AS VARCHAR)
       FROM duckdb_tables() t JOIN duckdb_columns() c USING (database_oid, table_oid) WHERE NOT t.internal
       ORDER BY t.estimated_size, t.table_name, c.column_index`,
  );
  return found
    .map(([table, column, rows]) => ({ table: table ?? '', column: column ?? '', rows: Number(rows) }))
    .filter(({ table, column }) => isShort(tables.get(asciiLower(table)), column));
}

function isShort(table: SchemaTable | undefined, column: string): boolean {
  const { kind = 'integer', facts } = table?.columns.find(({ name }) => name === column) ?? {};
  return kind === 'integer' || kind === 'real' || (facts?.maxCharacters ?? SHORT_TEXT + 1) <= SHORT_TEXT;
}

/** What is read already. */
async function heldBytes(connection: EngineConnection): Promise<number> {
  const [row] = await textRows(
    connection,
    "SELECT CAST(sum(memory_usage_bytes) AS VARCHAR) FROM duckdb_memory() WHERE tag = 'BASE_TABLE'",
  );
  return Number(row?.[0] ?? 0);
}
