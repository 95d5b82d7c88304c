// One locked, read-only engine session. Opens the snapshot, closes every way out of it in the order that
// held against 546 attacks, and proves itself before it is used. Knows nothing of statements or clients.
import type { EngineFunction } from '../dialect/functions/runtime/engine-function.ts';
import { type Engine, type EngineConnection, openEngine, textRows } from './engine.ts';
import { registerFunctions } from './functions.ts';

export interface SessionOptions {
  readonly path: string;
  /** Engine threads, the calling one included. */
  readonly threads: number;
  readonly memoryBytes: number;
  /** Statements that make temporary macros; run before the lock. */
  readonly prelude: readonly string[];
  /** The dialect's functions in JavaScript. */
  readonly functions: readonly EngineFunction[];
}

export interface Session {
  /** The connection of the worker's statements. */
  readonly connection: EngineConnection;
  /** Another connection of the same instance, with the same prelude. */
  connect(): Promise<EngineConnection>;
  close(): void;
}

/** A path that does not exist and, without filesystems, cannot be made. */
const NOWHERE = '/nonexistent/tablegate';

/** Nesting of expressions: the emitter multiplies that of the statement, which the parser bounds. */
const MAX_EXPRESSION_DEPTH = 400;

const AT_OPEN = (options: SessionOptions): Readonly<Record<string, string>> => ({
  // The temp folder has to go before external access does, or it stays on the engine's allow-list.
  temp_directory: '',
  access_mode: 'READ_ONLY',
  threads: String(options.threads),
  memory_limit: `${Math.floor(options.memoryBytes / 1024)}KiB`,
  max_expression_depth: String(MAX_EXPRESSION_DEPTH),
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_unsigned_extensions: 'false',
  allow_persistent_secrets: 'false',
  enable_external_access: 'false',
});

/** In this order: without filesystems nothing below could reach a file anyway, and the lock is last. */
const LOCKS: readonly string[] = [
  "SET disabled_filesystems = 'LocalFileSystem'",
  `SET secret_directory = '${NOWHERE}'`,
  `SET home_directory = '${NOWHERE}'`,
  `SET extension_directory = '${NOWHERE}'`,
  'SET enable_external_file_cache = false',
  'SET lock_configuration = true',
];

interface Proof {
  readonly name: string;
  readonly sql: (path: string) => string;
}
const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** Each must fail. */
const ESCAPES: readonly Proof[] = [
  { name: 'write the WAL', sql: (path) => `COPY (SELECT 1) TO ${text(`${path}.wal`)} (FORMAT csv)` },
  { name: 'read the database file', sql: (path) => `SELECT length(content) FROM read_blob(${text(path)})` },
  { name: 'read a file', sql: () => "SELECT length(content) FROM read_text('/etc/hostname')" },
  { name: 'list a folder', sql: () => "SELECT count(*) FROM glob('/etc/*')" },
  { name: 'attach a database', sql: () => "ATTACH ':memory:' AS other" },
  { name: 'change a setting', sql: () => 'SET threads = 3' },
  { name: 'raise the memory limit', sql: () => "SET memory_limit = '64GB'" },
  { name: 'load an extension', sql: () => 'LOAD httpfs' },
  { name: 'write a table', sql: () => 'CREATE TABLE main.tablegate_proof (a INTEGER)' },
];

/** @throws Error that names the escape that worked, or the statement that should have and did not */
export async function prove(connection: EngineConnection, path: string): Promise<void> {
  for (const way of ESCAPES) {
    const worked = await connection.query(way.sql(path)).then(
      () => true,
      () => false,
    );
    if (worked) throw new Error(`the engine is not locked: a statement could ${way.name}`);
  }
  const counted = await textRows(connection, 'SELECT count(*)::VARCHAR FROM tablegate.tables');
  if (counted.length !== 1) throw new Error('the engine cannot count the tables of the snapshot');
}

export async function openSession(options: SessionOptions): Promise<Session> {
  const engine: Engine = await openEngine(options.path, AT_OPEN(options));
  try {
    const connections: EngineConnection[] = [];
    const connect = async (): Promise<EngineConnection> => {
      const connection = await engine.connect();
      connections.push(connection);
      for (const sql of options.prelude) await connection.query(sql);
      return connection;
    };
    const connection = await connect();
    registerFunctions(connection.register, options.functions);
    for (const sql of LOCKS) await connection.query(sql);
    await prove(connection, options.path);
    return {
      connection,
      connect,
      close() {
        for (const each of connections) each.close();
        engine.close();
      },
    };
  } catch (error) {
    engine.close();
    throw error;
  }
}
