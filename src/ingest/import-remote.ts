// A table of the distributed engine -> a table of a snapshot whose rows stay there: the snapshot gets its name, columns,
// number of rows and a version. It is taken to be unchanged until it is imported again.
import type { Kind } from '../columns/column-buffer.ts';
import type { RemoteRelation } from '../dialect/remote.ts';
import { identifier } from '../dialect/value.ts';
import type { TableName } from '../source/table-file.ts';
import {
  allRows,
  type TrinoAddress,
  type TrinoColumn,
  TrinoError,
  TrinoTooLarge,
  TrinoUnavailable,
} from '../trino/client.ts';
import { createTableSql } from './engine-rows.ts';
import { ImportError } from './failure.ts';
import type { ImportJob } from './import-database.ts';
import type { NewColumn, NewTable } from './snapshot-table.ts';
import { foldName } from './sqlite-tables.ts';

export interface RemoteSource {
  readonly to: TrinoAddress;
  readonly relation: RemoteRelation;
  /** A unique column of whole numbers: SQLite's rowid. */
  readonly rowid: string | undefined;
}

/** What the dialect can say exactly: arithmetic on smaller integers, or on decimals, has other rules there. */
const KINDS: readonly (readonly [type: RegExp, kind: Exclude<Kind, 'any'>])[] = [
  [/^bigint$/, 'integer'],
  [/^double$/, 'real'],
  [/^varchar(\(\d+\))?$/, 'text'],
  [/^varbinary$/, 'blob'],
];
/** Distinct values are estimated within a few per cent: what is far from unique is told before all are counted. */
const UNIQUE_SHARE = 0.85;
/** To count distinct values takes memory for each: where the cluster has none for all at once, so many parts are counted. */
const PARTS = [1, 16, 256] as const;
const OUT_OF_MEMORY: ReadonlySet<string> = new Set([
  'EXCEEDED_GLOBAL_MEMORY_LIMIT',
  'EXCEEDED_LOCAL_MEMORY_LIMIT',
  'CLUSTER_OUT_OF_MEMORY',
]);
/** Counting all values of a table may take longer than the cluster lets statements run; who gives up ends it. */
const SESSION = { query_max_run_time: '1d' };

/** @throws ImportError */
export async function importRemote(job: ImportJob, name: TableName, source: RemoteSource): Promise<void> {
  const { signal, progress } = job;
  const { catalog, schema, table } = source.relation;
  const from = [catalog, schema, table].map(identifier).join('.');
  progress.stage(`asking Trino for ${catalog}.${schema}.${table}`);
  const ask = async (
    sql: string,
  ): Promise<{ columns: readonly TrinoColumn[]; row: readonly unknown[] | undefined }> => {
    try {
      const { columns, rows } = await allRows(source.to, sql, { signal, session: SESSION });
      return { columns, row: rows[0] };
    } catch (error) {
      if (
        !(error instanceof TrinoError || error instanceof TrinoTooLarge || error instanceof TrinoUnavailable)
      )
        throw error;
      throw new ImportError(`${catalog}.${schema}.${table} cannot be read: ${error.message}`, {
        cause: error,
      });
    }
  };
  const { columns: found } = await ask(`SELECT * FROM ${from} LIMIT 0`);
  const columns = found.map((column) => columnOf(column, source.rowid));
  const rowid = columns.find(({ notNull }) => notNull)?.name;
  if (source.rowid !== undefined && rowid === undefined)
    throw new ImportError(`--rowid ${source.rowid}: there is no such column, or it is no bigint`);
  const counts = async (sql: string): Promise<readonly number[]> => ((await ask(sql)).row ?? []).map(Number);
  const estimated = rowid === undefined ? '' : estimates(rowid);
  const [rows = 0, filled = rows, some = rows] = await counts(`SELECT count(*)${estimated} FROM ${from}`);
  if (filled < rows) throw new ImportError(`--rowid ${rowid}: ${rows - filled} rows have none`);
  const notUnique = (values: string): ImportError =>
    new ImportError(`--rowid ${rowid}: it is not unique: ${values} values in ${rows} rows`);
  if (some < rows * UNIQUE_SHARE) throw notUnique(`some ${some}`);
  if (rowid !== undefined) {
    progress.stage(`asking Trino whether ${rowid} is unique`);
    const values = await distinctValues(counts, rowid, from);
    if (values !== rows) throw notUnique(String(values));
  }

  const created: NewTable = {
    ...name,
    createdAt: Math.trunc(Date.now() / 1000),
    kind: 'user',
    columns,
    rowid,
    hasHiddenRowid: false,
    unique: rowid === undefined ? [] : [[rowid]],
    tableConstraints: [],
  };
  const gone = job.leaving([name]);
  const builder = await job.open('current');
  for (const other of [...gone, name.name]) await builder.dropTable(other);
  builder.rows.describe(
    created,
    columns.map(({ kind }) => kind),
    { rows, version: builder.id, facts: undefined },
  );
  builder.rows.setRemote(name.name, { ...source.relation, create: createTableSql(created) });
  progress.rows(rows);
  await job.finish(builder);
}

function estimates(rowid: string): string {
  return `, count(${identifier(rowid)}), approx_distinct(${identifier(rowid)})`;
}

/** Counted, not estimated: two rows of one rowid would come in one order today and in the other one tomorrow. */
async function distinctValues(
  counts: (sql: string) => Promise<readonly number[]>,
  rowid: string,
  from: string,
): Promise<number> {
  const key = identifier(rowid);
  const counted = async (parts: number): Promise<number> => {
    let values = 0;
    for (let part = 0; part < parts; part++) {
      const where = parts === 1 ? '' : ` WHERE abs(${key} % ${parts}) = ${part}`;
      const [found = 0] = await counts(`SELECT count(DISTINCT ${key}) FROM ${from}${where}`);
      values += found;
    }
    return values;
  };
  for (const parts of PARTS)
    try {
      return await counted(parts);
    } catch (error) {
      const { cause } = error as Error;
      if (!(cause instanceof TrinoError && OUT_OF_MEMORY.has(cause.errorName))) throw error;
    }
  throw new ImportError(
    `--rowid ${rowid}: the cluster has not the memory to count its values, not even in ${PARTS.at(-1)} parts`,
  );
}

function columnOf({ name, type }: TrinoColumn, rowid: string | undefined): NewColumn {
  const kind = KINDS.find(([known]) => known.test(type))?.[1];
  if (kind === undefined)
    throw new ImportError(
      `column ${name} is ${type}, and only bigint, double, varchar and varbinary mean the same here: make a view of it there with CAST`,
    );
  const isRowid = kind === 'integer' && rowid !== undefined && foldName(rowid) === foldName(name);
  return {
    ...{ name, written: name, declaredType: kind, kind, affinity: kind, notNull: isRowid },
    ...{ collation: 'binary', constraints: isRowid ? ['primary key'] : [] },
  };
}
