// Copies the rows of one SQLite table into a table of DuckDB, in the order of their rowids. SQLite calls a function of
// ours with the cells of each row, which is three times faster than results that are made into arrays or objects.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { OperatorError } from '../base/errors.ts';
import { identifier } from '../dialect/value.ts';
import { type ColumnBuffer, type Kind, Misfit, type SqlValue } from './column-buffer.ts';
import { type CopySource, MAX_ARGUMENTS, type RowRange } from './copy-source.ts';
import type { TableWriter } from './table-writer.ts';

export interface CopyWatch {
  readonly signal: AbortSignal;
  /** Called every few ten milliseconds. */
  rows(more: number): void;
}

/** Rows between two turns of the event loop: some 30 ms. */
const BATCH_ROWS = 20_000;
const ROW = 'tablegate_row';
const LOWEST_ROWID = -(2n ** 63n);
const EVERY_ROW: readonly RowRange[] = [[LOWEST_ROWID, -LOWEST_ROWID - 1n]];

/**
 * @param ranges ascending, where only these rows are wanted and {@link hasRanges}
 * @returns the number of rows
 * @throws OperatorError where a value does not fit; whatever SQLite throws where the file is damaged
 */
export async function copyRows(
  database: DatabaseSyncInstance,
  source: CopySource,
  kinds: readonly Kind[],
  writer: TableWriter,
  watch: CopyWatch,
  ranges: readonly RowRange[] = EVERY_ROW,
): Promise<number> {
  if (source.rowid === undefined || kinds.length > MAX_ARGUMENTS)
    await copyExactly(database, source, kinds, writer, watch);
  else await copyFast(database, source, kinds, writer, watch, source.rowid, ranges);
  writer.finish();
  return writer.rows;
}

async function copyFast(
  database: DatabaseSyncInstance,
  source: CopySource,
  kinds: readonly Kind[],
  writer: TableWriter,
  watch: CopyWatch,
  rowid: string,
  ranges: readonly RowRange[],
): Promise<void> {
  const { columns } = writer;
  const width = kinds.length;
  const hidden = source.table.hasHiddenRowid ? columns[width] : undefined;
  const exactRow = prepareExactRow(database, source, kinds, rowid);
  let last: number | bigint = LOWEST_ROWID;
  const take = (id: number | bigint, bytes: number | bigint, ...values: SqlValue[]): null => {
    if (id < last) throw new OperatorError(`${source.table.name}: SQLite gave row ${id} after row ${last}`);
    const written = putRow(writer, source, values, id);
    // A text that is not what SQLite says it is: cut at a NUL on its way here, or no UTF-8.
    if (written !== Number(bytes)) putRow(writer, source, exactRow(id), id);
    hidden?.put(writer.row, id);
    writer.endRow(written);
    last = id;
    return null;
  };
  // Integers come as numbers, twice as fast as bigints, until one passes 2^53. In an `any` column only bigints
  // tell an integer from a real.
  let bigints = kinds.includes('any');
  const register = (): void =>
    database.function(ROW, { varargs: true, directOnly: true, useBigIntArguments: bigints }, take);
  register();
  const statement = database.prepare(batchSql(source, kinds, rowid));
  statement.setReadBigInts(true);
  for (const [first, end] of ranges) {
    for (let from = first; from <= end; ) {
      watch.signal.throwIfAborted();
      const before = writer.rows;
      try {
        const { batch } = statement.get(from, end) as { batch: bigint };
        if (batch === 0n) break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_OUT_OF_RANGE' || bigints) throw error;
        bigints = true;
        register();
      }
      const done = writer.rows - before;
      if (done > 0) from = BigInt(last) + 1n;
      watch.rows(done);
      await nextTurn();
    }
  }
}

function batchSql(source: CopySource, kinds: readonly Kind[], rowid: string): string {
  const cells = kinds.map((_, i) => `c${i}`);
  const named = source.table.columns.map((column, i) => `${identifier(column.name)} as c${i}`);
  const bytes = cells.flatMap((cell, i) => {
    const kind = kinds[i];
    if (kind === 'text' || kind === 'blob') return [`coalesce(octet_length(${cell}),0)`];
    return kind === 'any' ? [`iif(typeof(${cell}) in ('text','blob'),octet_length(${cell}),0)`] : [];
  });
  const call = `${ROW}(${['r', bytes.join('+') || '0', ...cells].join(',')})`;
  // NOT INDEXED: an index that has all the columns would be read in its own order instead of the table.
  return (
    `select count(${call}), count(*) as batch from (select ${rowid} as r, ${named.join(', ')} ` +
    `from ${place(source)} not indexed where ${rowid} >= ? and ${rowid} <= ? order by ${rowid} limit ${BATCH_ROWS})`
  );
}

/** Row by row with every byte of every text: slower, and needs no rowid. */
async function copyExactly(
  database: DatabaseSyncInstance,
  source: CopySource,
  kinds: readonly Kind[],
  writer: TableWriter,
  watch: CopyWatch,
): Promise<void> {
  const width = source.table.columns.length;
  const hidden = source.table.hasHiddenRowid ? writer.columns[width] : undefined;
  const rowid = source.rowid ?? '0';
  const order = source.rowid === undefined ? '' : ` order by ${source.rowid}`;
  const statement = database.prepare(
    `select ${rowid}, ${exactCells(source, kinds)} from ${place(source)}${order}`,
  );
  statement.setReturnArrays(true);
  statement.setReadBigInts(true);
  let waiting = 0;
  for (const row of statement.iterate() as Iterable<SqlValue[]>) {
    const [id, ...cells] = row;
    const written = putRow(writer, source, exactValues(cells, kinds), id as bigint);
    hidden?.put(writer.row, id as bigint);
    writer.endRow(written);
    if (++waiting < BATCH_ROWS) continue;
    watch.rows(waiting);
    waiting = 0;
    watch.signal.throwIfAborted();
    await nextTurn();
  }
  watch.rows(waiting);
}

function prepareExactRow(
  database: DatabaseSyncInstance,
  source: CopySource,
  kinds: readonly Kind[],
  rowid: string,
): (id: number | bigint) => readonly SqlValue[] {
  const statement = database.prepare(
    `select ${exactCells(source, kinds)} from ${place(source)} where ${rowid} = ?`,
  );
  statement.setReturnArrays(true);
  statement.setReadBigInts(true);
  return (id) => exactValues(statement.get(id) as SqlValue[], kinds);
}

/** A text as its bytes, in a result of its own; an `any` value behind a flag that says whether it is a text. */
function exactCells(source: CopySource, kinds: readonly Kind[]): string {
  return source.table.columns
    .map(({ name }, i) => {
      const cell = identifier(name);
      if (kinds[i] === 'text') return `cast(${cell} as blob)`;
      return kinds[i] === 'any'
        ? `typeof(${cell})='text', iif(typeof(${cell})='text', cast(${cell} as blob), ${cell})`
        : cell;
    })
    .join(', ');
}

/** What is no UTF-8 becomes U+FFFD, as it does on its way to a client. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function exactValues(cells: readonly SqlValue[], kinds: readonly Kind[]): readonly SqlValue[] {
  let at = 0;
  return kinds.map((kind) => {
    const isText = kind === 'text' || (kind === 'any' && cells[at++] === 1n);
    const value = cells[at++] as SqlValue;
    return isText && value instanceof Uint8Array ? decoder.decode(value) : value;
  });
}

/** @returns the bytes of the row's texts and blobs. @throws OperatorError naming the value that does not fit */
function putRow(
  writer: TableWriter,
  source: CopySource,
  values: readonly SqlValue[],
  id: number | bigint,
): number {
  const { columns, row } = writer;
  const width = source.table.columns.length;
  let bytes = 0;
  let at = 0;
  try {
    for (; at < width; at++) bytes += (columns[at] as ColumnBuffer).put(row, values[at] as SqlValue);
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    const column = source.table.columns[at];
    throw new OperatorError(
      `${source.table.name}, row ${id}: the column ${column?.name} is ${column?.declaredType} and its value is a ${error.message}`,
    );
  }
  return bytes;
}

function place({ schema = 'main', table }: CopySource): string {
  return `${schema}.${identifier(table.name)}`;
}
