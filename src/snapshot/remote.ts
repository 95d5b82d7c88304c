// Tables of a snapshot whose rows are not in it: they live in a distributed engine, and the snapshot has their names,
// columns and versions, and where they are.
import { asciiLower } from '../base/ascii-lower.ts';
import type { RemoteRelation } from '../dialect/remote.ts';
import type { Ask } from './ask.ts';

export interface RemoteTable extends RemoteRelation {
  /** A CREATE TABLE with its columns and keys, for who asks SQLite's planner: the row store has no such table. */
  readonly create: string;
}

/** By lower-case name of the table here. Snapshots of older imports have none. */
export function readRemoteTables(ask: Ask): ReadonlyMap<string, RemoteTable> {
  const [found] = ask("select 1 from sqlite_schema where type = 'table' and name = 'tablegate_remote'");
  if (found === undefined) return new Map();
  const rows = ask('select name, catalog, schema, relation, created from tablegate_remote');
  return new Map(
    rows.map(([name, catalog, schema, table, create]) => [
      asciiLower(String(name)),
      {
        ...{ catalog: String(catalog), schema: String(schema), table: String(table) },
        create: String(create),
      },
    ]),
  );
}
