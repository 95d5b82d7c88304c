// Reads a Parquet file's bytes with DuckDB, as JSON values by column name; integers come as texts of digits.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

export interface ParquetFile {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The engine's type of each column, in order. */
  readonly types: Readonly<Record<string, string>>;
  readonly rowGroups: number;
}

export async function readParquet(bytes: Uint8Array): Promise<ParquetFile> {
  const dir = mkdtempSync(join(tmpdir(), 'tablegate-parquet-'));
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  try {
    const path = join(dir, 'rows.parquet');
    writeFileSync(path, bytes);
    const connection = await instance.connect();
    const file = `read_parquet('${path}')`;
    const rows = (await connection.runAndReadAll(`FROM ${file}`)).getRowObjectsJson();
    const described = await connection.runAndReadAll(`DESCRIBE FROM ${file}`);
    const groups = await connection.runAndReadAll(
      `SELECT count(DISTINCT row_group_id)::INTEGER FROM parquet_metadata('${path}')`,
    );
    connection.closeSync();
    return {
      rows,
      types: Object.fromEntries(described.getRows().map(([name, type]) => [String(name), String(type)])),
      rowGroups: Number(groups.getRows()[0]?.[0]),
    };
  } finally {
    instance.closeSync();
    rmSync(dir, { recursive: true, force: true });
  }
}
