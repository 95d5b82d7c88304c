// Statements of the gateway's own on a row store: what its catalogue says, and what of the served tables the gateway
// itself wants to know. They are synchronous and prepared once.
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { createCache } from '../base/cache.ts';

export type Cell = string | number | null;
/** The values of a row, in the order of the statement's columns. */
export type Row = readonly Cell[];

/** @throws Error of SQLite */
export type Ask = (sql: string, ...values: readonly Cell[]) => readonly Row[];

/** Statements about one table of many have its name in them. */
const PREPARED = 100;

export function askOf(database: DatabaseSyncInstance): Ask {
  const prepared = createCache<StatementSyncInstance>(PREPARED);
  return (sql, ...values) => {
    let statement = prepared.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql);
      statement.setReturnArrays(true);
      prepared.set(sql, statement);
    }
    return statement.all(...values) as unknown as Row[];
  };
}
