// What a column of a file becomes: integer, real, text or blob, and the SQL that makes it so. Parquet says its
// types; of CSV and JSON all values of a column are looked at, so that no digit and no leading zero is lost.
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Kind } from '../columns/column-buffer.ts';

export interface TypedColumn {
  readonly kind: Kind;
  /** Of the staged table's column. */
  readonly sql: string;
}

/** Decimal digits that a double keeps whatever the number. */
const DOUBLE_DIGITS = 15;
/** Digits that programs print of a double to tell it from its neighbours. */
const PRINTED_DIGITS = 17;

/** @param column quoted */
export async function typedColumn(
  connection: DuckDBConnection,
  table: string,
  column: string,
  type: string,
  isParquet: boolean,
): Promise<TypedColumn> {
  if (type === 'VARCHAR') return isParquet ? text(column) : csvColumn(connection, table, column);
  if (type === 'JSON') return isParquet ? text(column) : jsonColumn(connection, table, column);
  const known = PARQUET[type];
  if (known !== undefined) return known(column);
  const decimal = /^DECIMAL\((\d+),(\d+)\)$/.exec(type);
  if (decimal !== null)
    return Number(decimal[1]) <= DOUBLE_DIGITS
      ? { kind: 'real', sql: `CAST(${column} AS DOUBLE)` }
      : text(column);
  if (type.startsWith('ENUM(')) return text(column);
  if (WIDE_INTEGER.has(type)) return wideInteger(connection, table, column);
  // Lists, structs, maps, arrays, unions.
  return { kind: 'text', sql: `CAST(to_json(${column}) AS VARCHAR)` };
}

const integer = (column: string): TypedColumn => ({ kind: 'integer', sql: `CAST(${column} AS BIGINT)` });
const text = (column: string): TypedColumn => ({ kind: 'text', sql: `CAST(${column} AS VARCHAR)` });
/** NaN is NULL, as SQLite stores it. */
const real = (value: string): TypedColumn => ({
  kind: 'real',
  sql: `CASE WHEN isnan(${value}) THEN NULL ELSE ${value} END`,
});
/** By way of its text, so that a float 0.1 is 0.1 and not 0.10000000149011612. */
const float = (column: string): TypedColumn => real(`CAST(CAST(${column} AS VARCHAR) AS DOUBLE)`);
/** `2001-01-01 00:01:00.5`: what SQLite's own date functions write and read. */
const timestamp = (column: string): TypedColumn => text(column);
const zoned = (column: string): TypedColumn => ({
  kind: 'text',
  sql: `CAST(${column} AT TIME ZONE 'UTC' AS VARCHAR) || 'Z'`,
});

const PARQUET: Readonly<Record<string, (column: string) => TypedColumn>> = {
  BOOLEAN: integer,
  TINYINT: integer,
  SMALLINT: integer,
  INTEGER: integer,
  BIGINT: integer,
  UTINYINT: integer,
  USMALLINT: integer,
  UINTEGER: integer,
  FLOAT: float,
  DOUBLE: real,
  BLOB: (column) => ({ kind: 'blob', sql: column }),
  DATE: text,
  TIME: text,
  'TIME WITH TIME ZONE': text,
  TIMESTAMP: timestamp,
  TIMESTAMP_S: timestamp,
  TIMESTAMP_MS: timestamp,
  TIMESTAMP_NS: timestamp,
  'TIMESTAMP WITH TIME ZONE': zoned,
  INTERVAL: text,
  UUID: text,
  BIT: text,
};
const WIDE_INTEGER: ReadonlySet<string> = new Set(['UBIGINT', 'HUGEINT', 'UHUGEINT']);

async function holds(connection: DuckDBConnection, table: string, condition: string): Promise<boolean> {
  const found = await connection.runAndReadAll(
    `SELECT coalesce(bool_and(${condition}), false) FROM ${table}`,
  );
  return found.getRows()[0]?.[0] === true;
}

async function wideInteger(
  connection: DuckDBConnection,
  table: string,
  column: string,
): Promise<TypedColumn> {
  const fits = await holds(
    connection,
    table,
    `${column} IS NULL OR TRY_CAST(${column} AS BIGINT) IS NOT NULL`,
  );
  return fits ? integer(column) : text(column);
}

/** As an integer is written by itself: no plus, no leading zeros. */
const INTEGER_TEXT = '-?(0|[1-9][0-9]*)';
const REAL_TEXT = '-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?';

async function csvColumn(connection: DuckDBConnection, table: string, column: string): Promise<TypedColumn> {
  if (
    (await connection.runAndReadAll(`SELECT 1 FROM ${table} WHERE ${column} IS NOT NULL LIMIT 1`))
      .currentRowCount === 0
  )
    return text(column);
  const all = (pattern: string, type: string): Promise<boolean> =>
    holds(
      connection,
      table,
      `${column} IS NULL OR (regexp_full_match(${column}, '${pattern}') AND TRY_CAST(${column} AS ${type}) IS NOT NULL)`,
    );
  if (await all(INTEGER_TEXT, 'BIGINT')) return integer(column);
  if (await all(REAL_TEXT, 'DOUBLE')) {
    if (await keepsDigits(connection, table, column))
      return { kind: 'real', sql: `CAST(${column} AS DOUBLE)` };
  }
  return text(column);
}

/** Numbers of more digits than a double can tell apart stay texts. */
function keepsDigits(connection: DuckDBConnection, table: string, value: string): Promise<boolean> {
  const digits = `regexp_replace(${value}, '[-.]|[eE].*', '', 'g')`;
  return holds(connection, table, `${value} IS NULL OR length(${digits}) <= ${PRINTED_DIGITS}`);
}

/** All of one type: that type; a mixture: text, with objects and arrays as JSON. */
async function jsonColumn(connection: DuckDBConnection, table: string, column: string): Promise<TypedColumn> {
  const found = await connection.runAndReadAll(
    `SELECT DISTINCT json_type(${column}) FROM ${table} WHERE ${column} IS NOT NULL AND json_type(${column}) <> 'NULL'`,
  );
  const types = new Set(found.getRows().map(([type]) => String(type)));
  const only = (...known: readonly string[]): boolean => [...types].every((type) => known.includes(type));
  const value = `(${column} ->> '$')`;
  if (types.size === 0) return { kind: 'text', sql: 'NULL' };
  if (only('BOOLEAN')) return { kind: 'integer', sql: `CAST(CAST(${value} AS BOOLEAN) AS BIGINT)` };
  const fits = `${value} IS NULL OR TRY_CAST(${value} AS BIGINT) IS NOT NULL`;
  if (only('BIGINT', 'UBIGINT') && (await holds(connection, table, fits)))
    return { kind: 'integer', sql: `CAST(${value} AS BIGINT)` };
  if (only('BIGINT', 'UBIGINT', 'DOUBLE') && (await keepsDigits(connection, table, value)))
    return { kind: 'real', sql: `CAST(${value} AS DOUBLE)` };
  return { kind: 'text', sql: value };
}
