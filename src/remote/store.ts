// What the remote lane has of a snapshot: which tables live in the distributed engine, and the compiler of statements
// over them. Its rows are never read here.
import { asciiLower } from '../base/ascii-lower.ts';
import type { Compile } from '../dialect/plan.ts';
import type { Planner } from '../dialect/planner.ts';
import { createRemoteCompiler, type RemoteRelation } from '../dialect/remote.ts';
import type { Schema } from '../dialect/schema.ts';
import { askOf } from '../snapshot/ask.ts';
import { type LakeTables, lakeRelation, readLake } from '../snapshot/lake.ts';
import { rowsPath } from '../snapshot/layout.ts';
import { createPlanner } from '../snapshot/planner.ts';
import { readRemoteTables } from '../snapshot/remote.ts';
import { openRows } from '../snapshot/rows.ts';
import { openSchema } from '../snapshot/schema.ts';
import type { SnapshotRef } from '../wire/protocol.ts';

export interface RemoteStore {
  readonly snapshot: string;
  readonly compile: Compile;
  /** Of all tables that have no rows here. */
  readonly relations: readonly RemoteRelation[];
  /** @param tables in lower case @returns where those of them are that are there */
  relationsOf(tables: readonly string[]): readonly RemoteRelation[];
  close(): void;
}

/** @throws Error where the snapshot cannot be read */
export function openRemoteStore({ id, path }: SnapshotRef): RemoteStore {
  const database = openRows(rowsPath(path));
  try {
    const remote = readRemoteTables(askOf(database));
    const { tables, blocks } = openSchema(database);
    let lake: LakeTables | undefined;
    // Of a snapshot of this machine it is written after the snapshot was opened; then it stays.
    const relationOf = (name: string): RemoteRelation | undefined => {
      const own = remote.get(name);
      if (own !== undefined) return own;
      lake ??= readLake(path);
      return lakeRelation(lake, name);
    };
    let planner: Planner | undefined;
    const schema: Schema = {
      blocks,
      tables: {
        values: () => tables.values(),
        get(key) {
          const table = tables.get(key);
          const lies = remote.get(key);
          return table === undefined || lies === undefined ? table : { ...table, create: [lies.create] };
        },
      },
      get planner() {
        planner ??= createPlanner();
        return planner;
      },
    };
    return {
      snapshot: id,
      compile: createRemoteCompiler(schema, ({ name }) => relationOf(asciiLower(name))),
      relations: [...remote.values()],
      relationsOf: (names) => names.flatMap((name) => relationOf(name) ?? []),
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}
