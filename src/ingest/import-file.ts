// One file -> one table of a snapshot, read by the engine's own readers: Parquet, CSV, TSV, JSON, NDJSON. Types
// become the four of Tableland, or real; docs/IMPORT.md has the table.
import { open, stat } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Kind } from '../columns/column-buffer.ts';
import { type Format, formatOf, type TableName } from '../source/table-file.ts';
import { countFacts } from './column-facts.ts';
import { createColumns } from './column-fill.ts';
import { type CsvShape, readCsvShape } from './csv-shape.ts';
import { copyFromEngine, createTableSql } from './engine-rows.ts';
import { ImportError, reasonOf } from './failure.ts';
import { typedColumn } from './file-type.ts';
import { indexTable } from './own-indexes.ts';
import type { Progress } from './progress.ts';
import { addScaledColumns } from './scaled-columns.ts';
import type { SnapshotBuilder } from './snapshot-builder.ts';
import type { NewColumn, NewTable } from './snapshot-table.ts';
import { foldName, freeName, quoteName } from './sqlite-tables.ts';

export interface FileJob {
  /** Absolute path. */
  readonly source: string;
  readonly builder: SnapshotBuilder;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

const STAGED = 'tablegate_staged';

/** Adds or replaces the table. @throws ImportError */
export async function importFile(job: FileJob, name: TableName): Promise<void> {
  const { builder, progress, source } = job;
  const createdAt = await changedAt(source);
  const format = formatOf(source);
  if (format === undefined)
    throw new ImportError(
      `${source}: cannot tell what kind of file it is; its name must end in .parquet, .csv, .tsv, .json, .ndjson or .jsonl; of a SQLite database --from-table NAME takes a table`,
    );
  progress.stage(`reading ${format}`);
  try {
    const relation = await stage(builder, source, format);
    job.signal.throwIfAborted();
    progress.stage(name.name);
    await fill(job, name, createdAt, relation, format === 'parquet');
  } catch (error) {
    job.signal.throwIfAborted();
    if (error instanceof ImportError) throw error;
    throw new ImportError(`${source} cannot be read as ${format}: ${shortReason(error)}`, { cause: error });
  }
}

/** @returns when it was last changed, in seconds since 1970 */
export async function changedAt(source: string): Promise<number> {
  try {
    const found = await stat(source);
    if (found.isDirectory()) throw new ImportError(`${source} is a folder; give a file`);
    if (found.size === 0) throw new ImportError(`${source} is empty`);
    await (await open(source, 'r')).close();
    return Math.trunc(found.mtimeMs / 1000);
  } catch (error) {
    if (error instanceof ImportError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new ImportError(`there is no file ${source}`);
    throw new ImportError(`${source} cannot be read: ${reasonOf(error)}`);
  }
}

/**
 * @returns what has the file's rows in its order: a Parquet file itself, which has types and is quick to read again; of
 * the others a temporary table with texts or JSON
 */
async function stage(builder: SnapshotBuilder, source: string, format: Format): Promise<string> {
  const { connection } = await builder.columns();
  // No file's name is taken for a pattern of names.
  const file = `['${source.replaceAll("'", "''").replace(/[*?[]/g, '[$&]')}']`;
  if (format === 'parquet') return `read_parquet(${file})`;
  const delimiter = format === 'csv' ? ',' : '\t';
  const shape = format === 'csv' || format === 'tsv' ? await readCsvShape(source, delimiter) : undefined;
  const relation = shape === undefined ? await json(builder, file, format) : csv(shape, delimiter, file);
  await connection.run(`CREATE TEMP TABLE ${STAGED} AS SELECT * FROM ${relation}`);
  if (shape === undefined) return STAGED;
  const rows = await countRows(connection, STAGED);
  if (rows !== shape.records)
    throw new ImportError(`${source}: it has ${shape.records} records, and ${rows} were read`);
  return STAGED;
}

async function countRows(connection: DuckDBConnection, relation: string): Promise<number> {
  const counted = await connection.runAndReadAll(`SELECT count(*) FROM ${relation}`);
  return Number(counted.getRows()[0]?.[0]);
}

/** Bytes of a record that the engine takes without being told. */
const LONG_RECORD = 1_000_000;

/** Nothing is left to the engine's guesses: names and number of records are known before it reads. */
const csv = (shape: CsvShape, delimiter: string, file: string): string => {
  const columns = shape.names.map((name) => `${textOf(name)}: 'VARCHAR'`).join(', ');
  // It allocates many times this at once.
  const long = shape.longest > LONG_RECORD ? `, max_line_size=${2 * shape.longest}` : '';
  return `read_csv(${file}, auto_detect=false, columns={${columns}}, header=true, skip=0, comment='', delim='${delimiter}',
    quote='"', escape='"', strict_mode=true, allow_quoted_nulls=false, null_padding=false, ignore_errors=false${long})`;
};
const textOf = (text: string): string => `'${text.replaceAll("'", "''")}'`;

async function json(builder: SnapshotBuilder, file: string, format: Format): Promise<string> {
  const options = `format='${format === 'json' ? 'array' : 'newline_delimited'}', maximum_object_size=268435456`;
  const described = await (await builder.columns()).connection.runAndReadAll(
    `DESCRIBE SELECT * FROM read_json(${file}, ${options}, records=true, sample_size=-1)`,
  );
  const columns = described.getRows().map(([name]) => `${quoteName(String(name))}: 'JSON'`);
  return `read_json(${file}, ${options}, records=true, columns={${columns.join(', ')}})`;
}

async function fill(
  job: FileJob,
  name: TableName,
  createdAt: number,
  relation: string,
  isParquet: boolean,
): Promise<void> {
  const { builder, progress } = job;
  const store = await builder.columns();
  const { connection } = store;
  const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${relation}`);
  const columns: NewColumn[] = [];
  const kinds: Kind[] = [];
  const expressions: string[] = [];
  for (const [column, type] of described.getRows() as [string, string][]) {
    const { kind, sql } = await typedColumn(connection, relation, quoteName(column), type, isParquet);
    kinds.push(kind);
    expressions.push(sql);
    columns.push({
      name: column,
      written: column,
      declaredType: kind,
      kind,
      affinity: kind === 'any' ? 'blob' : kind,
      notNull: false,
      collation: 'binary',
      constraints: [],
    });
  }
  const table: NewTable = {
    ...name,
    createdAt,
    kind: 'user',
    columns,
    rowid: freeName(new Set(columns.map((column) => foldName(column.name)))),
    hasHiddenRowid: true,
    unique: await uniqueIds(connection, relation, columns, kinds),
    tableConstraints: [],
  };
  const rows = await countRows(connection, relation);
  await builder.dropTable(name.name);
  const staged = `SELECT ${expressions.join(', ')}, row_number() OVER () FROM ${relation}`;
  const main = `main.${quoteName(name.name)}`;
  const columnar = rows >= builder.columnarRows && (await createColumns(store, table, kinds, progress));
  if (columnar) await connection.run(`INSERT INTO ${main} ${staged}`);
  builder.rows.create(createTableSql(table));
  await copyFromEngine(builder.rows, connection, columnar ? `FROM ${main}` : staged, table, kinds, (more) => {
    progress.rows(more);
    job.signal.throwIfAborted();
  });
  await connection.run(`DROP TABLE IF EXISTS ${STAGED}`);
  const stored = builder.rows.countRows(name.name);
  if (stored !== rows)
    throw new ImportError(`${job.source}: ${stored} rows were written where ${rows} were read`);
  const facts = columnar
    ? await addScaledColumns(connection, main, table, await countFacts(connection, main, table, kinds))
    : undefined;
  indexTable(builder.rows, table, kinds, rows, builder.indexes);
  builder.rows.describe(table, kinds, { rows, version: builder.id, facts });
}

/** A file has no keys; a column `id` without doubles is one in all but name, and gets its index. */
async function uniqueIds(
  connection: DuckDBConnection,
  relation: string,
  columns: readonly NewColumn[],
  kinds: readonly Kind[],
): Promise<readonly (readonly string[])[]> {
  const at = columns.findIndex((column) => foldName(column.name) === 'id');
  const column = columns[at];
  if (column === undefined || (kinds[at] !== 'integer' && kinds[at] !== 'text')) return [];
  const id = quoteName(column.name);
  const counted = await connection.runAndReadAll(`SELECT count(*) = count(DISTINCT ${id}) FROM ${relation}`);
  return counted.getRows()[0]?.[0] === true ? [[column.name]] : [];
}

/** The first sentence of what the engine says: the rest is advice about its own options. */
function shortReason(error: unknown): string {
  const lines = error instanceof Error ? error.message.split('\n') : [String(error)];
  const first = (lines[0] ?? '').replace(/^[A-Z][A-Za-z ]*Error: /, '');
  const detail = lines.find((line) => /^(Expected|Value|Invalid|Missing|Malformed)/.test(line)) ?? '';
  return reasonOf(new Error(detail === '' || first.includes(detail) ? first : `${first} ${detail}`));
}
