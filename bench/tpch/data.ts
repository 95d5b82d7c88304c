// TPC-H's tables as Parquet, made by tpchgen-cli (PyPI) in a Python environment of the bench's own: decimals as
// doubles, dates as ISO texts. Made once for a scale and kept.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { benchFolder, CHAIN_ID } from '../data.ts';

const run = promisify(execFile);

export const TABLES = [
  'region',
  'nation',
  'supplier',
  'customer',
  'part',
  'partsupp',
  'orders',
  'lineitem',
] as const;
export type TpchTable = (typeof TABLES)[number];
const FIRST_ID = 101;

/** The name under which the gateway serves it. */
export const servedName = (table: TpchTable): string =>
  `${table}_${CHAIN_ID}_${FIRST_ID + TABLES.indexOf(table)}`;

/** Query texts in their order, with the tables' own names. */
export function queries(): string[] {
  return readFileSync(join(import.meta.dirname, 'queries.sql'), 'utf8')
    .split(/^-- Q\d+$/m)
    .slice(1)
    .map((text) => text.trim().replace(/;$/, ''));
}

/** A query for the gateway. In query 8 a column has a table's name, which is changed with it. */
export function served(query: string): string {
  return query.replaceAll(new RegExp(`\\b(${TABLES.join('|')})\\b`, 'g'), (name) =>
    servedName(name as TpchTable),
  );
}

async function generator(): Promise<string> {
  const folder = join(benchFolder(), 'tpchgen');
  const program = join(folder, 'bin/tpchgen-cli');
  if (existsSync(program)) return program;
  mkdirSync(benchFolder(), { recursive: true });
  try {
    await run('python3', ['-m', 'venv', folder]);
    await run(join(folder, 'bin/pip'), ['install', '--quiet', 'tpchgen-cli']);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`tpchgen-cli could not be installed: ${String(error)}`);
  }
  return program;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** @returns a folder with a file for each table, named as it is served. */
export async function tpchFolder(scale: number): Promise<string> {
  const folder = join(benchFolder(), `tpch-${scale}`);
  if (existsSync(folder)) return folder;
  const program = await generator();
  const building = `${folder}.building-${process.pid}`;
  const raw = join(building, 'raw');
  mkdirSync(raw, { recursive: true });
  const instance = await DuckDBInstance.create(':memory:');
  try {
    await run(program, ['parquet', '-s', String(scale), `--output-dir=${raw}`]);
    const connection = await instance.connect();
    for (const table of TABLES) {
      const file = join(raw, `${table}.parquet`);
      const described = await connection.runAndReadAll(`describe select * from ${quoted(file)}`);
      const columns = described.getRows().map(([name, type]) => {
        const kind = String(type);
        if (kind.startsWith('DECIMAL')) return `cast("${String(name)}" as double) as "${String(name)}"`;
        return kind === 'DATE'
          ? `strftime("${String(name)}", '%Y-%m-%d') as "${String(name)}"`
          : `"${String(name)}"`;
      });
      await connection.run(
        `copy (select ${columns.join(', ')} from ${quoted(file)}) to ${quoted(join(building, `${servedName(table)}.parquet`))} (format parquet)`,
      );
    }
    connection.closeSync();
    rmSync(raw, { recursive: true, force: true });
    renameSync(building, folder);
  } finally {
    instance.closeSync();
    rmSync(building, { recursive: true, force: true });
  }
  return folder;
}
