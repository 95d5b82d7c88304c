// Statements that write. The binding says of each the last rowid of the connection, which may be larger than a number of
// JavaScript, and throws then unless it may say it as a bigint.
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';

export function asWrite(statement: StatementSyncInstance): StatementSyncInstance {
  statement.setReadBigInts(true);
  return statement;
}

export function writeStatement(database: DatabaseSyncInstance, sql: string): StatementSyncInstance {
  return asWrite(database.prepare(sql));
}
