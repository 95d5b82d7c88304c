// One file -> one table of a snapshot, read by the engine's own readers: Parquet, CSV, TSV, JSON, NDJSON. Types
// become the four of Tableland, or real; docs/IMPORT.md has the table.
import { open, stat } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Kind } from '../columns/column-buffer.ts';
import { type Format, formatOf, type TableName } from '../source/table-file.ts';
import { countFacts } from './column-facts.ts';
import { createColumns } from './column-fill.ts';
import { copyWithoutMark } from './csv-mark.ts';
import { type CsvShape, readCsvShape } from './csv-shape.ts';
import { copyFromEngine, createTableSql } from './engine-rows.ts';
import { ImportError, reasonOf } from './failure.ts';
import { faultOfFile } from './file-fault.ts';
import { typedColumn } from './file-type.ts';
import { readJsonShape } from './json-shape.ts';
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
  /** Told of as much work as the file has bytes; who imports it has announced them. */
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** What the steps of an import cost, of the whole; a step that a format has not is done at once. */
const STEPS = { shape: 0.15, stage: 0.2, columns: 0.15, rows: 0.5 } as const;
type Steps = { readonly [K in keyof typeof STEPS]: (share: number) => void };

function stepsOf(progress: Progress, bytes: number): Steps {
  const part = (step: keyof typeof STEPS) => progress.part(bytes * STEPS[step]);
  return { shape: part('shape'), stage: part('stage'), columns: part('columns'), rows: part('rows') };
}

const LOOK_MS = 200;

/** Runs a long statement of the engine, which says itself how far it is. */
async function watched<T>(
  connection: DuckDBConnection,
  step: (share: number) => void,
  run: Promise<T>,
): Promise<T> {
  const look = setInterval(() => step(connection.progress.percentage / 100), LOOK_MS);
  try {
    return await run;
  } finally {
    clearInterval(look);
    step(1);
  }
}

const STAGED = 'tablegate_staged';

/** Adds or replaces the table. @throws ImportError */
export async function importFile(job: FileJob, name: TableName): Promise<void> {
  const { builder, progress, source } = job;
  const createdAt = await changedAt(source);
  const steps = stepsOf(progress, (await stat(source)).size);
  const format = formatOf(source);
  if (format === undefined)
    throw new ImportError(
      `${source}: cannot tell what kind of file it is; its name must end in .parquet, .csv, .tsv, .json, .ndjson or .jsonl; of a SQLite database --from-table NAME takes a table`,
    );
  progress.stage(`reading ${format}`);
  try {
    const relation = await stage(builder, source, format, steps);
    job.signal.throwIfAborted();
    progress.stage(name.name);
    steps.shape(1);
    steps.stage(1);
    await fill(job, name, createdAt, relation, format === 'parquet', steps);
  } catch (error) {
    job.signal.throwIfAborted();
    if (error instanceof ImportError) throw error;
    const fault = await faultOfFile(source, format, error);
    throw new ImportError(`${source} cannot be read as ${format}: ${fault}`, { cause: error });
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
async function stage(
  builder: SnapshotBuilder,
  source: string,
  format: Format,
  steps: Steps,
): Promise<string> {
  const { connection, memoryBytes } = await builder.columns();
  const file = listOf(source);
  if (format === 'parquet') return `read_parquet(${file})`;
  const into = `CREATE TEMP TABLE ${STAGED} AS SELECT * FROM`;
  if (format === 'json' || format === 'ndjson') {
    const shape = readJsonShape(connection, source, file, format, memoryBytes);
    const relation = await watched(connection, steps.shape, shape);
    await watched(connection, steps.stage, connection.run(`${into} ${relation}`));
    return STAGED;
  }
  const delimiter = format === 'csv' ? ',' : '\t';
  const shape = await readCsvShape(source, delimiter, steps.shape);
  const unmarked = shape.markHidesQuote ? `${builder.folder}.csv` : undefined;
  if (unmarked !== undefined) await copyWithoutMark(source, unmarked);
  const read = csv(shape, delimiter, unmarked === undefined ? file : listOf(unmarked));
  await watched(connection, steps.stage, connection.run(`${into} ${read}`));
  const rows = await countRows(connection, STAGED);
  if (rows !== shape.records)
    throw new ImportError(`${source}: it has ${shape.records} records, and ${rows} were read`);
  return STAGED;
}

/** No file's name is taken for a pattern of names. */
function listOf(path: string): string {
  return `['${path.replaceAll("'", "''").replace(/[*?[]/g, '[$&]')}']`;
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
  return `read_csv(${file}, auto_detect=false, columns={${columns}}, header=false, skip=1, comment='', delim='${delimiter}',
    quote='"', escape='"', strict_mode=true, allow_quoted_nulls=false, null_padding=false, ignore_errors=false, buffer_size=${4 * Math.max(LONG_RECORD, 2 * shape.longest)}${long})`;
};
const textOf = (text: string): string => `'${text.replaceAll("'", "''")}'`;

async function fill(
  job: FileJob,
  name: TableName,
  createdAt: number,
  relation: string,
  isParquet: boolean,
  steps: Steps,
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
  if (columnar) await watched(connection, steps.columns, connection.run(`INSERT INTO ${main} ${staged}`));
  builder.rows.create(createTableSql(table));
  steps.columns(1);
  let copied = 0;
  await copyFromEngine(builder.rows, connection, columnar ? `FROM ${main}` : staged, table, kinds, (more) => {
    progress.rows(more);
    copied += more;
    steps.rows(copied / rows);
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
