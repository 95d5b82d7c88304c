// What a snapshot says of the sources of its tables: by it the next import tells what has changed since. Reads
// the snapshot only.
import { type DuckDBBlobValue, type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Kind } from '../columns/column-buffer.ts';

export interface SourceRecord {
  /** All that a table's rows depend on besides its rows in the source; a change means to import it wholly. */
  readonly layout: string;
  readonly kinds: readonly Kind[];
  /** Of sqlite-leaves.ts; empty for a file. */
  readonly leaves: Buffer;
}

export interface KnownTables {
  /** By name; those that were added by hand have none. */
  readonly sources: ReadonlyMap<string, SourceRecord>;
  /** Every table of the snapshot, by name. */
  readonly names: readonly string[];
  /** Share of the file that nothing uses. */
  readonly freeShare: number;
  readonly bytes: number;
}

/** Undefined where the snapshot was made before sources were recorded. */
export async function readKnownTables(path: string): Promise<KnownTables | undefined> {
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY', threads: '1' });
  const connection = await instance.connect();
  try {
    const [[recorded] = []] = await rows(
      connection,
      "SELECT count(*) FROM duckdb_tables() WHERE schema_name = 'tablegate' AND table_name = 'sources'",
    );
    if (recorded !== 1n) return undefined;
    const sources = await rows(connection, 'SELECT table_name, layout, kinds, leaves FROM tablegate.sources');
    const names = await rows(connection, 'SELECT name FROM tablegate.tables');
    const [[total, free, block] = []] = await rows(
      connection,
      'SELECT total_blocks, free_blocks, block_size FROM pragma_database_size() LIMIT 1',
    );
    return {
      sources: new Map(
        sources.map(([name, layout, kinds, leaves]) => [
          String(name),
          {
            layout: String(layout),
            kinds: JSON.parse(String(kinds)) as Kind[],
            leaves: Buffer.from((leaves as DuckDBBlobValue).bytes),
          },
        ]),
      ),
      names: names.map(([name]) => String(name)),
      freeShare: Number(free) / Math.max(1, Number(total)),
      bytes: Number(total) * Number(block),
    };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function rows(connection: DuckDBConnection, sql: string): Promise<unknown[][]> {
  return (await connection.runAndReadAll(sql)).getRows() as unknown[][];
}
