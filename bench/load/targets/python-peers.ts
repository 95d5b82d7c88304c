// Datasette and ROAPI from PyPI over the same tables: what somebody would take who wants HTTP over SQLite or Parquet. In a
// Python environment of the bench's own, kept for the next run.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { benchFolder } from '../../data.ts';
import { start, untilReady } from '../../processes.ts';
import type { Dataset } from '../dataset.ts';
import { plainDuckdb } from './naive.ts';
import type { Target } from './target.ts';

const run = promisify(execFile);
const VERSIONS = { datasette: '0.65.5', roapi: '0.12.7' } as const;

/** Below the base of the target: a path, or a path, a tabulator and the body of a POST. */
export type Say = (statement: string) => string;

export interface Peer {
  readonly target: Target;
  readonly say: Say;
}

/** @throws Error where there is no Python or no package index */
async function programs(): Promise<string> {
  const folder = join(benchFolder(), `peers-${Object.values(VERSIONS).join('-')}`);
  if (existsSync(join(folder, 'installed'))) return join(folder, 'bin');
  rmSync(folder, { recursive: true, force: true });
  try {
    await run('python3', ['-m', 'venv', folder]);
    const packages = Object.entries(VERSIONS).map(([name, version]) => `${name}==${version}`);
    const args = ['install', '--quiet', '--disable-pip-version-check', ...packages];
    await run(join(folder, 'bin/pip'), args);
    writeFileSync(join(folder, 'installed'), '');
  } catch (error) {
    throw new Error(`Datasette and ROAPI could not be installed: ${String(error)}`);
  }
  return join(folder, 'bin');
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
}

/** The file opened as one that never changes (`-i`), which is its quickest way, and nothing cached. */
export async function startDatasette({ database }: Dataset): Promise<Peer> {
  const bin = await programs();
  const port = await freePort();
  const started = start({
    name: 'datasette',
    command: join(bin, 'datasette'),
    args: [
      ...['serve', '-i', database, '--port', String(port)],
      ...['--setting', 'sql_time_limit_ms', '60000', '--setting', 'default_cache_ttl', '0'],
    ],
  });
  const base = `http://127.0.0.1:${port}`;
  await untilReady(started, () => answers(`${base}/-/versions.json`));
  const name = basename(database, '.db');
  return {
    target: { name: 'datasette', base, pids: [started.pid], stop: () => started.stop() },
    say: (statement) => `/${name}.json?_shape=array&sql=${encodeURIComponent(statement)}`,
  };
}

/** Reads Parquet, made once from the same database. */
async function parquetOf(dataset: Dataset): Promise<string> {
  const plain = await plainDuckdb(dataset);
  const folder = `${plain}-parquet`;
  if (existsSync(folder)) return folder;
  const building = join(dirname(plain), `${basename(plain)}.parquet-${process.pid}`);
  mkdirSync(building, { recursive: true });
  const instance = await DuckDBInstance.create(plain, { access_mode: 'READ_ONLY' });
  try {
    const connection = await instance.connect();
    for (const { name } of [dataset.rigs, dataset.attributes, dataset.flights])
      await connection.run(`copy ${name} to '${join(building, `${name}.parquet`)}' (format parquet)`);
    connection.closeSync();
    renameSync(building, folder);
  } finally {
    instance.closeSync();
    rmSync(building, { recursive: true, force: true });
  }
  return folder;
}

export async function startRoapi(dataset: Dataset): Promise<Peer> {
  const bin = await programs();
  const folder = await parquetOf(dataset);
  const port = await freePort();
  const tables = [dataset.rigs, dataset.attributes, dataset.flights].map(
    ({ name }) => `  - name: "${name}"\n    uri: "${join(folder, `${name}.parquet`)}"\n`,
  );
  const settings = join(folder, `roapi-${port}.yml`);
  writeFileSync(settings, `addr:\n  http: 127.0.0.1:${port}\ntables:\n${tables.join('')}`);
  const started = start({ name: 'roapi', command: join(bin, 'roapi'), args: ['-c', settings] });
  const base = `http://127.0.0.1:${port}`;
  await untilReady(started, () => answers(`${base}/api/schema`));
  return {
    target: {
      name: 'roapi',
      base,
      pids: [started.pid],
      async stop() {
        await started.stop();
        rmSync(settings, { force: true });
      },
    },
    say: (statement) => `/api/sql\t${statement}`,
  };
}
