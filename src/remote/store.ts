// What the remote lane has of a snapshot: which tables live in the distributed engine, and the compiler of statements
// over them. Its rows are never read here.
import type { Compile } from '../dialect/plan.ts';
import type { Planner } from '../dialect/planner.ts';
import { createRemoteCompiler, type RemoteRelation } from '../dialect/remote.ts';
import type { Schema } from '../dialect/schema.ts';
import { askOf } from '../snapshot/ask.ts';
import { rowsPath } from '../snapshot/layout.ts';
import { createPlanner } from '../snapshot/planner.ts';
import { readRemoteTables } from '../snapshot/remote.ts';
import { openRows } from '../snapshot/rows.ts';
import { openSchema } from '../snapshot/schema.ts';
import type { SnapshotRef } from '../wire/protocol.ts';

export interface RemoteStore {
  readonly snapshot: string;
  readonly compile: Compile;
  readonly relations: readonly RemoteRelation[];
  close(): void;
}

/** @throws Error where the snapshot cannot be read */
export function openRemoteStore({ id, path }: SnapshotRef): RemoteStore {
  const database = openRows(rowsPath(path));
  try {
    const remote = readRemoteTables(askOf(database));
    const { tables, blocks } = openSchema(database);
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
      compile: createRemoteCompiler(schema, ({ name }) => remote.get(name.toLowerCase())),
      relations: [...remote.values()],
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}
