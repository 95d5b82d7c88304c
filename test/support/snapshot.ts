// Makes a small snapshot file with DuckDB itself, in the layout that an import writes. It imports nothing:
// the importer has tests of its own.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { SnapshotRef } from '../../src/protocol.ts';

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
}

const KIND = {
  integer: { kind: 'integer', affinity: 'integer', duckdb: 'BIGINT' },
  int: { kind: 'integer', affinity: 'integer', duckdb: 'BIGINT' },
  text: { kind: 'text', affinity: 'text', duckdb: 'VARCHAR' },
  blob: { kind: 'blob', affinity: 'blob', duckdb: 'BLOB' },
  real: { kind: 'real', affinity: 'real', duckdb: 'DOUBLE' },
  any: { kind: 'any', affinity: 'blob', duckdb: 'UNION(i BIGINT, r DOUBLE, t VARCHAR, b BLOB)' },
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

function rowidName(table: TestTable): string {
  let name = '_rowid';
  while (table.columns.some((column) => column.name.toLowerCase() === name)) name += '_';
  return name;
}

async function addTable(connection: DuckDBConnection, table: TestTable): Promise<void> {
  const hidden = table.primaryKey === undefined ? rowidName(table) : undefined;
  const columns = table.columns.map(
    (column) =>
      `${quote(column.name)} ${KIND[column.type].duckdb}${column.name === table.primaryKey ? ' PRIMARY KEY' : ''}`,
  );
  if (hidden !== undefined) columns.push(`${quote(hidden)} BIGINT`);
  await connection.run(`CREATE TABLE main.${quote(table.name)} (${columns.join(', ')})`);
  if (table.select !== undefined) {
    const rowid = hidden === undefined ? '' : ', row_number() over ()';
    await connection.run(`INSERT INTO main.${quote(table.name)} SELECT *${rowid} FROM (${table.select})`);
  }
  const rows = (table.rows ?? []).map((row, index) => {
    const cells = row.map((value, i) => literal(value, table.columns[i]?.type ?? 'text'));
    if (hidden !== undefined) cells.push(String(index + 1));
    return `(${cells.join(', ')})`;
  });
  for (let from = 0; from < rows.length; from += 500)
    await connection.run(
      `INSERT INTO main.${quote(table.name)} VALUES ${rows.slice(from, from + 500).join(', ')}`,
    );

  const user = /^(.*)_(\d+)_(\d+)$/.exec(table.name);
  const unique = [...(table.primaryKey === undefined ? [] : [[table.primaryKey]]), ...(table.unique ?? [])];
  await connection.run(
    `INSERT INTO tablegate.tables SELECT ${text(table.name)}, ${user ? user[2] : 'NULL'}, ${user ? text(user[3] ?? '') : 'NULL'},
       ${user ? text(user[1] ?? '') : 'NULL'}, ${table.createdAt ?? 1_700_000_000}, ${user ? "'user'" : "'system'"},
       (SELECT count(*) FROM main.${quote(table.name)}), ${text(table.primaryKey ?? hidden ?? '')},
       ${text(JSON.stringify(unique))}, ${text(JSON.stringify(table.tableConstraints ?? []))}`,
  );
  for (const [position, column] of table.columns.entries()) {
    const { kind, affinity } = KIND[column.type];
    const isKey = column.name === table.primaryKey;
    const constraints = column.constraints ?? (isKey ? ['primary key autoincrement'] : []);
    await connection.run(
      `INSERT INTO tablegate.columns VALUES (${text(table.name)}, ${position}, ${text(column.name)}, ${text(column.type)},
         ${text(kind)}, ${text(affinity)}, ${isKey || column.notNull === true}, ${text(column.collation ?? 'binary')},
         ${text(JSON.stringify(constraints))})`,
    );
  }
}

let sequence = 0;

/** Writes `DIR/snapshots/<id>.duckdb`. `blocks`: chain id -> last block. */
export async function makeSnapshot(
  dir: string,
  tables: readonly TestTable[],
  blocks: ReadonlyMap<number, number> = new Map(),
): Promise<SnapshotRef> {
  sequence += 1;
  const id = `${String(sequence).padStart(6, '0')}-${Math.floor(Math.random() * 0xffffff)
    .toString(16)
    .padStart(6, '0')}`;
  const folder = join(dir, 'snapshots');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${id}.duckdb`);
  const instance = await DuckDBInstance.create(path, { threads: '1' });
  const connection = await instance.connect();
  await connection.run(`
    CREATE SCHEMA tablegate;
    CREATE TABLE tablegate.snapshot(key VARCHAR, value VARCHAR);
    CREATE TABLE tablegate.tables(name VARCHAR, chain_id BIGINT, table_id VARCHAR, prefix VARCHAR, created_at BIGINT,
      kind VARCHAR, rows BIGINT, rowid_column VARCHAR, unique_sets VARCHAR, table_constraints VARCHAR);
    CREATE TABLE tablegate.columns(table_name VARCHAR, position INTEGER, name VARCHAR, declared_type VARCHAR,
      kind VARCHAR, affinity VARCHAR, not_null BOOLEAN, "collation" VARCHAR, constraints VARCHAR);
    CREATE TABLE tablegate.blocks(chain_id BIGINT, block_number BIGINT);
    INSERT INTO tablegate.snapshot VALUES ('id', ${text(id)}), ('format_version', '1'), ('created_at', '1700000000'),
      ('source', 'test'), ('engine_version', (SELECT library_version FROM pragma_version()));
  `);
  for (const table of tables) await addTable(connection, table);
  for (const [chain, block] of blocks)
    await connection.run(`INSERT INTO tablegate.blocks VALUES (${chain}, ${block})`);
  await connection.run('CHECKPOINT');
  connection.closeSync();
  instance.closeSync();
  return { id, path };
}
