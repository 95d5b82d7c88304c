// Makes a small snapshot by the builder that an import uses, from tables that are written down in a test. It reads
// no source: the importer has tests of its own.
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { countFacts } from '../../src/ingest/column-facts.ts';
import { copyFromEngine, createTableSql } from '../../src/ingest/engine-rows.ts';
import { addScaledColumns } from '../../src/ingest/scaled-columns.ts';
import { SnapshotBuilder } from '../../src/ingest/snapshot-builder.ts';
import type { NewTable } from '../../src/ingest/snapshot-table.ts';
import { snapshotId } from '../../src/snapshot/layout.ts';
import type { SnapshotRef } from '../../src/wire/protocol.ts';

export interface TestColumn {
  readonly name: string;
  /** Declared type, lower case. `any` columns are of system tables only. */
  readonly type: 'integer' | 'int' | 'text' | 'blob' | 'real' | 'any';
  readonly notNull?: boolean;
  readonly collation?: 'binary' | 'nocase' | 'rtrim';
  readonly constraints?: readonly string[];
}
/** integer: bigint or number; text: string; blob: Uint8Array; `any` columns take any of them. */
export type TestValue = number | bigint | string | Uint8Array | null;

export interface TestTable {
  /** `prefix_chain_id` for a user table; else it is taken for a system table. */
  readonly name: string;
  readonly columns: readonly TestColumn[];
  readonly rows?: readonly (readonly TestValue[])[];
  /** Instead of `rows`: a DuckDB SELECT whose columns fit the table's. */
  readonly select?: string;
  /** The column that is the INTEGER PRIMARY KEY; without it the table gets a hidden rowid column. */
  readonly primaryKey?: string;
  readonly unique?: readonly (readonly string[])[];
  readonly tableConstraints?: readonly string[];
  readonly createdAt?: number;
  /** False: too small to be kept as columns. */
  readonly columnar?: boolean;
}

const KIND = {
  integer: { kind: 'integer', affinity: 'integer' },
  int: { kind: 'integer', affinity: 'integer' },
  text: { kind: 'text', affinity: 'text' },
  blob: { kind: 'blob', affinity: 'blob' },
  real: { kind: 'real', affinity: 'real' },
  any: { kind: 'any', affinity: 'blob' },
} as const;

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

function literal(value: TestValue, type: TestColumn['type']): string {
  if (value === null) return 'NULL';
  if (typeof value === 'bigint') return type === 'any' ? `union_value(i := ${value}::BIGINT)` : `${value}`;
  if (typeof value === 'number') {
    const isReal = type === 'real' || (type === 'any' && !Number.isInteger(value));
    const sql = `'${String(value).replace('Infinity', 'inf')}'::${isReal ? 'DOUBLE' : 'BIGINT'}`;
    return type === 'any' ? `union_value(${isReal ? 'r' : 'i'} := ${sql})` : sql;
  }
  if (typeof value === 'string') return type === 'any' ? `union_value(t := ${text(value)})` : text(value);
  const bytes = `unhex('${Buffer.from(value).toString('hex')}')`;
  return type === 'any' ? `union_value(b := ${bytes})` : bytes;
}

function newTable(table: TestTable): NewTable {
  let hidden = '_rowid';
  while (table.columns.some((column) => column.name.toLowerCase() === hidden)) hidden += '_';
  const { primaryKey } = table;
  const user = /^(.*)_(\d+)_(\d+)$/.exec(table.name);
  return {
    name: table.name,
    chainId: user === null ? undefined : Number(user[2]),
    tableId: user?.[3],
    prefix: user?.[1],
    createdAt: table.createdAt ?? 1_700_000_000,
    kind: user === null ? 'system' : 'user',
    columns: table.columns.map((column) => {
      const isKey = column.name === primaryKey;
      return {
        name: column.name,
        written: column.name,
        declaredType: column.type,
        kind: KIND[column.type].kind,
        affinity: KIND[column.type].affinity,
        notNull: isKey || column.notNull === true,
        collation: column.collation ?? 'binary',
        constraints: column.constraints ?? (isKey ? ['primary key autoincrement'] : []),
      };
    }),
    rowid: primaryKey ?? hidden,
    hasHiddenRowid: primaryKey === undefined,
    unique: [...(primaryKey === undefined ? [] : [[primaryKey]]), ...(table.unique ?? [])],
    tableConstraints: table.tableConstraints ?? [],
  };
}

async function addTable(builder: SnapshotBuilder, given: TestTable): Promise<void> {
  const table = newTable(given);
  const kinds = table.columns.map(({ kind }) => kind);
  const columns = await builder.columns();
  const { connection } = columns;
  const name = `main.${quote(table.name)}`;
  await columns.createTable(table, kinds);
  if (given.select !== undefined) {
    const rowid = table.hasHiddenRowid ? ', row_number() over ()' : '';
    await connection.run(`INSERT INTO ${name} SELECT *${rowid} FROM (${given.select})`);
  }
  const rows = (given.rows ?? []).map((row, index) => {
    const cells = row.map((value, i) => literal(value, given.columns[i]?.type ?? 'text'));
    if (table.hasHiddenRowid) cells.push(String(index + 1));
    return `(${cells.join(', ')})`;
  });
  for (let from = 0; from < rows.length; from += 500)
    await connection.run(`INSERT INTO ${name} VALUES ${rows.slice(from, from + 500).join(', ')}`);
  const counted = await connection.runAndReadAll(`SELECT count(*) FROM ${name}`);
  const count = Number(counted.getRows()[0]?.[0]);
  builder.rows.create(createTableSql(table));
  await copyFromEngine(builder.rows, connection, `FROM ${name}`, table, kinds, () => undefined);
  const isColumnar = given.columnar !== false;
  const counts = await countFacts(connection, name, table, kinds);
  const facts = isColumnar ? await addScaledColumns(connection, name, table, counts) : undefined;
  if (!isColumnar) await connection.run(`DROP TABLE ${name}`);
  builder.rows.describe(table, kinds, { rows: count, version: builder.id, facts });
}

let sequence = 0;

/** Writes `DIR/snapshots/<id>/`. `blocks`: chain id -> last block. */
export async function makeSnapshot(
  dir: string,
  tables: readonly TestTable[],
  blocks: ReadonlyMap<number, number> = new Map(),
): Promise<SnapshotRef> {
  sequence += 1;
  const random = Math.floor(Math.random() * 0xffffff).toString(16);
  const id = snapshotId(sequence, random.padStart(6, '0'));
  const building = join(dir, 'snapshots', `.making-${id}`);
  const path = join(dir, 'snapshots', id);
  mkdirSync(building, { recursive: true });
  const builder = await SnapshotBuilder.open({
    folder: building,
    id,
    base: undefined,
    columnarRows: 0,
    memoryBytes: 1024 ** 3,
    indexes: { rows: 0, columns: new Set() },
  });
  try {
    for (const table of tables) await addTable(builder, table);
    builder.rows.setBlocks([...blocks]);
    await builder.finish({ source: 'test', createdAt: 1_700_000_000 });
  } finally {
    builder.close();
  }
  renameSync(building, path);
  return { id, path };
}
