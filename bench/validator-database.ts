// Databases in the schema that the validator itself makes.
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { startReference } from '../test/support/reference.ts';

/** A database with the schema that the validator itself makes, filled, in one file without a WAL. */
export async function createValidatorDatabase(
  path: string,
  fill: (database: DatabaseSyncInstance) => void | Promise<void>,
): Promise<void> {
  const reference = await startReference();
  try {
    await reference.halt();
    const empty = new DatabaseSync(reference.databasePath);
    try {
      empty.exec(`vacuum into '${path.replaceAll("'", "''")}'`);
    } finally {
      empty.close();
    }
  } finally {
    await reference.stop();
  }
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  try {
    database.exec('pragma journal_mode=off; pragma synchronous=off; begin');
    await fill(database);
    database.exec('commit');
  } finally {
    database.close();
  }
}

const CONTROLLER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

/** Creates a user table as the validator does: the table, its row in `registry`, its controller. */
export function createTable(
  database: DatabaseSyncInstance,
  table: { readonly name: string; readonly columns: string; readonly createdAt: number },
): void {
  const [, prefix, chain, id] = /^(.*)_(\d+)_(\d+)$/.exec(table.name) ?? [];
  if (prefix === undefined || chain === undefined || id === undefined) throw new Error(table.name);
  database.exec(`create table ${table.name} (${table.columns}) strict`);
  database
    .prepare(
      'insert into registry (id, structure, controller, prefix, created_at, chain_id) values (?,?,?,?,?,?)',
    )
    .run(Number(id), 'f'.repeat(64), CONTROLLER, prefix, table.createdAt, Number(chain));
}
