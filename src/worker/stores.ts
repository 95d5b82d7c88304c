// Both stores of one snapshot, as a worker of the scan lane has them open: the engine's session on the columns, and the
// rows, of which small tables are brought over when a statement names them.
import { existsSync } from 'node:fs';
import type { Planner } from '../dialect/planner.ts';
import type { Schema } from '../dialect/schema.ts';
import { askOf } from '../snapshot/ask.ts';
import { columnsPath, rowsPath } from '../snapshot/layout.ts';
import { createPlanner } from '../snapshot/planner.ts';
import { openRows } from '../snapshot/rows.ts';
import { openSchema } from '../snapshot/schema.ts';
import { openStored, type Stored } from '../snapshot/stored.ts';
import type { EngineConnection } from './engine.ts';
import { openSession, type Session, type SessionOptions } from './session.ts';
import { createSmallTables, type SmallTables } from './small-tables.ts';

export interface Stores {
  readonly session: Session;
  readonly schema: Schema;
  readonly stored: Stored;
  /**
   * Has the tables of these lower-case names in the engine until what is given back is called.
   * @throws NoRoom
   */
  hold(tables: readonly string[]): Promise<() => void>;
  /** Only when nothing reads them. */
  close(): Promise<void>;
}

export interface StoresOptions extends Omit<SessionOptions, 'columns'> {
  /** Of the snapshot. */
  readonly folder: string;
  /** For tables that are brought over, of the session's memory. */
  readonly smallBytes: number;
}

/** What is read of the row store, by who asks first: a lane that runs nothing has no price but its session. */
interface Rows {
  readonly schema: Schema;
  readonly small: SmallTables;
}

/** @throws Error where the columns cannot be read, or the session is not locked */
export async function openStores({ folder, smallBytes, ...options }: StoresOptions): Promise<Stores> {
  const database = openRows(rowsPath(folder));
  let session: Session | undefined;
  let connection: EngineConnection;
  try {
    const columns = columnsPath(folder);
    session = await openSession({ ...options, columns: existsSync(columns) ? columns : undefined });
    connection = await session.connect();
  } catch (error) {
    database.close();
    await session?.close();
    throw error;
  }
  const opened = session;
  let rows: Rows | undefined;
  const readRows = (): Rows => {
    rows ??= {
      schema: openSchema(database),
      small: createSmallTables({ rows: database, connection, maxBytes: smallBytes }),
    };
    return rows;
  };
  let planner: Planner | undefined;
  let stored: Stored | undefined;
  return {
    session: opened,
    schema: {
      get planner() {
        planner ??= createPlanner();
        return planner;
      },
      get tables() {
        return readRows().schema.tables;
      },
      get blocks() {
        return readRows().schema.blocks;
      },
    },
    get stored() {
      stored ??= openStored(askOf(database));
      return stored;
    },
    hold(names) {
      const { schema, small } = readRows();
      return small.hold(
        names.flatMap((name) => {
          const table = schema.tables.get(name);
          return table === undefined || table.columnar ? [] : [table];
        }),
      );
    },
    async close() {
      database.close();
      await opened.close();
    },
  };
}
