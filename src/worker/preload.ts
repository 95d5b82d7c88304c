// Before a worker serves its first snapshot, the columns of its tables are read into the engine's memory: the first statement on
// each would wait for that, a millisecond a megabyte. Of as many tables as there is room for, the smallest first.
import { asciiLower } from '../base/ascii-lower.ts';
import { monotonicMs } from '../base/monotonic.ts';
import type { Schema } from '../dialect/schema.ts';
import { identifier, textLiteral } from '../dialect/value.ts';
import { type EngineConnection, textRows } from './engine.ts';

const MOST_BYTES = 256 * 1024 * 1024;
/** Of the engine's memory, which statements need. */
const SHARE = 1 / 8;
/** No table is begun after so long, on a disk that is slow. */
const MOST_MS = 1_000;
/** Of a value as it is stored, on average. */
const VALUE_BYTES = 1.5;
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
  const since = monotonicMs();
  let room = Math.min(MOST_BYTES, memoryBytes * SHARE);
  try {
    const tables = await textRows(
      connection,
      'SELECT table_name, CAST(estimated_size AS VARCHAR) FROM duckdb_tables() WHERE NOT internal ORDER BY estimated_size',
    );
    for (const [name, rows] of tables) {
      const columns = await columnsOf(connection, schema, name ?? '');
      room -= Number(rows) * columns.length * VALUE_BYTES;
      if (room < 0 || monotonicMs() - since > MOST_MS) return;
      // A column may be called as the engine calls the number of a row: then it is left.
      if (columns.length > 0) await load(connection, name ?? '', columns).catch(() => {});
    }
  } catch {
    // What is wrong is said of the statements that come.
  }
}

/** With those that no client can name: rowids, and decimals as whole numbers. */
async function columnsOf(
  connection: EngineConnection,
  { tables }: Pick<Schema, 'tables'>,
  table: string,
): Promise<readonly string[]> {
  const known = new Map(tables.get(asciiLower(table))?.columns.map((column) => [column.name, column]));
  const columns = await textRows(
    connection,
    `SELECT column_name FROM duckdb_columns() WHERE NOT internal AND table_name = ${textLiteral(table)}`,
  );
  return columns
    .map(([name]) => name ?? '')
    .filter((name) => {
      const { kind = 'integer', facts } = known.get(name) ?? {};
      return kind === 'integer' || kind === 'real' || (facts?.maxCharacters ?? SHORT_TEXT + 1) <= SHORT_TEXT;
    });
}

async function load(connection: EngineConnection, table: string, columns: readonly string[]): Promise<void> {
  const values = columns.map((column) => `last(${identifier(column)})`);
  await textRows(
    connection,
    `SELECT CAST(hash(${values.join(', ')}) AS VARCHAR) FROM ${identifier(table)} WHERE rowid % ${EVERY} = 0`,
  );
}
