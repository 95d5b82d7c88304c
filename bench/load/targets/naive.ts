// The naive peer on a DuckDB file of its own, made from the same database.
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BIGINT, DuckDBInstance, VARCHAR } from '@duckdb/node-api';
import { DatabaseSync } from '@photostructure/sqlite';
import { start, untilReady } from '../../processes.ts';
import type { Dataset } from '../dataset.ts';
import { isHealthy, type Target } from './target.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Plain tables, as somebody would make them who loads the data by hand: the same columns and keys. */
export async function plainDuckdb(dataset: Dataset): Promise<string> {
  const stamp = Math.round(statSync(dataset.database).mtimeMs);
  const path = join(dirname(dataset.database), `plain-v2-${stamp}.duckdb`);
  if (existsSync(path)) return path;
  const building = `${path}.building-${process.pid}`;
  const sqlite = new DatabaseSync(dataset.database, { readOnly: true });
  const instance = await DuckDBInstance.create(building);
  try {
    const connection = await instance.connect();
    for (const { name } of [dataset.rigs, dataset.attributes, dataset.flights]) {
      const columns = sqlite.prepare(`pragma table_info(${name})`).all() as {
        name: string;
        type: string;
        pk: number;
      }[];
      const isText = columns.map(({ type }) => type.toLowerCase() === 'text');
      const definitions = columns.map(
        (column, index) =>
          `"${column.name}" ${isText[index] ? 'varchar' : 'bigint'}${column.pk > 0 ? ' primary key' : ''}`,
      );
      await connection.run(`create table ${name} (${definitions.join(', ')})`);
      const appender = await connection.createAppender(name);
      for (const row of sqlite.prepare(`select * from ${name} order by rowid`).iterate()) {
        Object.values(row as object).forEach((value, index) => {
          if (value === null) appender.appendNull();
          else if (isText[index]) appender.appendValue(value as string, VARCHAR);
          else appender.appendValue(BigInt(value as number), BIGINT);
        });
        appender.endRow();
      }
      appender.closeSync();
    }
    await connection.run('checkpoint');
    connection.closeSync();
    instance.closeSync();
    renameSync(building, path);
  } finally {
    sqlite.close();
    rmSync(building, { force: true });
    rmSync(`${building}.wal`, { force: true });
  }
  return path;
}

export async function startNaive(dataset: Dataset): Promise<Target> {
  const path = await plainDuckdb(dataset);
  const started = start({
    name: 'naive',
    command: process.execPath,
    args: ['--import', 'tsx', join(ROOT, 'bench/peers/naive.ts'), path],
    cwd: ROOT,
    messages: true,
  });
  let base = '';
  started.child.on('message', (port) => {
    base = `http://127.0.0.1:${String(port)}/api/v1`;
  });
  await untilReady(started, () => base !== '' && isHealthy(base));
  return { name: 'naive', base, pids: [started.pid], stop: () => started.stop() };
}
