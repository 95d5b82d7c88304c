// The sandbox tries itself before a worker is used: ways out that must fail, one lock at a time. What works stops
// the worker, and with it the gateway: better no answer than an open door.
import { readFileSync } from 'node:fs';
import { GatewayError } from '../base/errors.ts';
import type { ProcessLimits } from '../wire/protocol.ts';
import { type EngineConnection, textRows } from './engine.ts';
import { ESCAPES } from './escapes.ts';

interface Proof {
  readonly name: string;
  readonly sql: (path: string) => string;
}
const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** Each must fail. Those that only read come first: where a lock is missing, nothing is harmed. */
const SESSION_ESCAPES: readonly Proof[] = [
  { name: 'read the database file', sql: (path) => `SELECT length(content) FROM read_blob(${text(path)})` },
  { name: 'read a file', sql: () => "SELECT length(content) FROM read_text('/etc/hostname')" },
  { name: 'read a CSV file', sql: () => "SELECT count(*) FROM read_csv('/etc/hostname')" },
  { name: 'read a file as a table', sql: (path) => `SELECT count(*) FROM ${text(`${path}.parquet`)}` },
  { name: 'list a folder', sql: () => "SELECT count(*) FROM glob('/etc/*')" },
  { name: 'attach a database', sql: (path) => `ATTACH ${text(path)} AS other (READ_ONLY)` },
  { name: 'change a setting', sql: () => 'SET max_expression_depth = 3' },
  { name: 'raise the memory limit', sql: () => "SET memory_limit = '64GB'" },
  { name: 'take a lock away', sql: () => "SET disabled_filesystems = ''" },
  { name: 'unlock the settings', sql: () => 'RESET lock_configuration' },
  { name: 'unlock a setting', sql: () => "SET allowed_configs = ['memory_limit']" },
  { name: 'load an extension', sql: () => 'LOAD httpfs' },
  { name: 'write a table', sql: () => 'CREATE TABLE main.tablegate_proof (a INTEGER)' },
  { name: 'write into memory', sql: () => 'CREATE TABLE memory.main.tablegate_proof (a INTEGER)' },
  { name: 'end its transaction', sql: () => 'COMMIT; CREATE TABLE memory.main.tablegate_proof (a INTEGER)' },
  { name: 'keep a secret', sql: () => 'CREATE PERSISTENT SECRET tablegate_proof (TYPE s3)' },
  { name: 'write the WAL', sql: (path) => `COPY (SELECT 1) TO ${text(`${path}.wal`)} (FORMAT csv)` },
];

/** As statements of clients are run. */
async function works(connection: EngineConnection, sql: string): Promise<boolean> {
  return connection.read(sql).then(
    () => true,
    () => false,
  );
}

/**
 * @param path of columns.duckdb, where there is one
 * @throws Error that names the escape that worked, or the statement that should have and did not
 */
export async function proveSession(connection: EngineConnection, path = NO_FILE): Promise<void> {
  for (const way of SESSION_ESCAPES)
    if (await works(connection, way.sql(path)))
      throw new Error(`self-test: the engine is not locked: a statement could ${way.name}`);
  const counted = await textRows(connection, 'SELECT count(*)::VARCHAR FROM duckdb_tables()');
  if (counted.length !== 1) throw new Error('self-test: the engine cannot count the tables of the snapshot');
}

/** In place of the snapshot's own. */
const NO_FILE = '/etc/hostname';

/**
 * @param gate as statements pass it; throws a GatewayError where it refuses
 * @throws Error that names the escape that it let through, or the read that it refused
 */
export async function proveGate(gate: (sql: string) => Promise<void>, path: string): Promise<void> {
  const passes = (sql: string): Promise<boolean> =>
    gate(sql.replaceAll('$DB', path)).then(
      () => true,
      (error: unknown) => {
        // Any other error says that the gate itself is broken.
        if (error instanceof GatewayError) return false;
        throw error;
      },
    );
  for (const sql of ESCAPES)
    if (await passes(sql)) throw new Error(`self-test: the gate lets through: ${sql}`);
  if (!(await passes('SELECT 1 AS c0'))) throw new Error('self-test: the gate refuses every statement');
}

/** Lines of Linux' own table, by what the lane was told to hold. */
const LIMIT_LINES = { dataBytes: 'Max data size', fileBytes: 'Max file size' } as const;

/** @throws Error that names what the process may do and should not */
export function proveProcess({ env, ...limits }: ProcessLimits): void {
  const extra = Object.keys(process.env).filter((name) => !env.includes(name));
  if (extra.length > 0)
    throw new Error(
      `self-test: the lane knows the environment of the front: ${extra.slice(0, 5).join(', ')}`,
    );
  const table = limitTable();
  if (table === undefined) return;
  for (const key of ['dataBytes', 'fileBytes'] as const) {
    const wanted = limits[key];
    if (wanted === null) continue;
    const held = new RegExp(`^${LIMIT_LINES[key]}\\s+(\\S+)`, 'm').exec(table)?.[1] ?? 'unlimited';
    if (held === 'unlimited' || Number(held) > wanted)
      throw new Error(
        `self-test: the lane has no limit of the operating system: ${LIMIT_LINES[key]} is ${held}`,
      );
  }
}

/** Undefined where the system has no such table. */
function limitTable(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return undefined;
  }
}
