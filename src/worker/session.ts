// One locked engine session: an instance in memory, for tables that are brought over, with the snapshot's columns
// attached for reading. Closes every way out of it in the order that held against 546 attacks, and proves itself before
// it is used. Knows nothing of statements or clients.
import { rmSync } from 'node:fs';
import { identifier, textLiteral } from '../dialect/value.ts';
import { type Engine, type EngineConnection, openEngine, textRows } from './engine.ts';
import { proveSession } from './self-test.ts';
import { openFiles, type Spill } from './spill.ts';

export interface SessionOptions {
  /** Of columns.duckdb; undefined where the snapshot has none. */
  readonly columns: string | undefined;
  /** Engine threads, the calling one included. */
  readonly threads: number;
  readonly memoryBytes: number;
  /** What does not fit into memory goes there; undefined: it is an error. */
  readonly spill?: Spill | undefined;
  /** Statements that make temporary macros; run before the lock. */
  readonly prelude: readonly string[];
  /** False only in tests of the other locks: files, settings and tables are open then. */
  readonly locked?: boolean;
  /** False only in tests of one lock alone: nothing is tried before the session is used. */
  readonly proven?: boolean;
}

export interface Session {
  /** The connection of the worker's statements. */
  readonly connection: EngineConnection;
  /**
   * Another connection of the same instance, with the same prelude. Names without a catalogue are those of the
   * snapshot's columns, then those of tables in memory.
   */
  connect(): Promise<EngineConnection>;
  /** Done when what the engine keeps is given back, where it stays with the process. */
  close(): Promise<void>;
}

/** A path that does not exist and, without filesystems, cannot be made. */
const NOWHERE = '/nonexistent/tablegate';

/** Nesting of expressions: the emitter multiplies that of the statement, which the parser bounds. */
const MAX_EXPRESSION_DEPTH = 400;

const memoryLimit = ({ memoryBytes }: SessionOptions): string => `${Math.floor(memoryBytes / 1024)}KiB`;

const AT_OPEN = (options: SessionOptions): Readonly<Record<string, string>> => ({
  // The temp folder has to go before external access does, or it stays on the engine's allow-list. That of a spill is
  // removed as soon as its files are open.
  temp_directory: options.spill?.folder ?? '',
  threads: String(options.threads),
  memory_limit: memoryLimit(options),
  max_expression_depth: String(MAX_EXPRESSION_DEPTH),
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_unsigned_extensions: 'false',
  allow_persistent_secrets: 'false',
});

/** Nothing but what two engines that open one file at the same time need. */
const UNLOCKED = ({ threads }: SessionOptions): Readonly<Record<string, string>> => ({
  threads: String(threads),
});

/** The instance's own, in memory; and the name that the snapshot's columns get. */
export const MEMORY = 'memory';
const COLUMNS = 'columns';

/** After the attaching. In this order: without filesystems nothing below could reach a file anyway, and the lock is last. */
const LOCKS: readonly string[] = [
  'SET enable_external_access = false',
  "SET disabled_filesystems = 'LocalFileSystem'",
  `SET secret_directory = '${NOWHERE}'`,
  `SET home_directory = '${NOWHERE}'`,
  `SET extension_directory = '${NOWHERE}'`,
  'SET enable_external_file_cache = false',
  'SET lock_configuration = true',
];

export async function openSession(options: SessionOptions): Promise<Session> {
  const { locked = true, proven = true, columns, spill } = options;
  const engine: Engine = await openEngine(':memory:', locked ? AT_OPEN(options) : UNLOCKED(options));
  const connections: EngineConnection[] = [];
  /** For what the session itself does: the last to be closed. */
  const attaching = await engine.connect();
  let attached = false;
  /** From then on it cannot be closed: see {@link retire}. */
  let stays = false;
  const close = async (): Promise<void> => {
    for (const each of connections) each.close();
    if (stays) return await retire(engine, attaching, attached);
    attaching.close();
    engine.close();
  };
  try {
    const connect = async (): Promise<EngineConnection> => {
      const connection = await engine.connect();
      connections.push(connection);
      // The first is also where a statement would create something: the one that takes no writing.
      if (columns !== undefined) await connection.query(`SET search_path = '${COLUMNS}.main,${MEMORY}.main'`);
      for (const sql of options.prelude) await connection.query(sql);
      return connection;
    };
    // First: columns that cannot be read are found out before anything is written.
    if (columns !== undefined)
      await attaching.query(`ATTACH ${textLiteral(columns)} AS ${identifier(COLUMNS)} (READ_ONLY)`);
    attached = columns !== undefined;
    if (spill !== undefined) await openFiles(attaching, spill, memoryLimit(options));
    const connection = await connect();
    stays = locked && spill !== undefined;
    if (locked) for (const sql of LOCKS) await connection.query(sql);
    if (proven) await proveSession(connection, columns);
    return { connection, connect, close };
  } catch (error) {
    if (spill !== undefined) rmSync(spill.folder, { recursive: true, force: true });
    await close();
    throw error;
  }
}

/**
 * An engine with temporary files looks for them as it is closed, and without file systems that ends the process: it
 * is emptied, and kept as long as the process is. Its limit of memory stays: it is locked.
 */
const RETIRED: unknown[] = [];
/** Of this thread, since it began. */
export const retiredEngines = (): number => RETIRED.length;
async function retire(engine: Engine, on: EngineConnection, attached: boolean): Promise<void> {
  RETIRED.push({ engine, on });
  if (attached) await on.query(`DETACH ${identifier(COLUMNS)}`);
  const brought = await textRows(
    on,
    `SELECT table_name FROM duckdb_tables() WHERE database_name = '${MEMORY}' AND schema_name = 'main'`,
  );
  for (const [name] of brought) await on.query(`DROP TABLE ${MEMORY}.main.${identifier(name ?? '')}`);
}
