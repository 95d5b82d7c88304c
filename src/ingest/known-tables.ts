// What a snapshot says of the sources of its tables: by it the next import tells what has changed since. Reads
// the snapshot only.
import { DuckDBInstance } from '@duckdb/node-api';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Kind } from '../columns/column-buffer.ts';
import { columnsPath, rowsPath } from '../snapshot/layout.ts';

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
  /** Share of the files that nothing uses. */
  readonly freeShare: number;
  readonly bytes: number;
}

/** @param folder of the snapshot */
export async function readKnownTables(folder: string): Promise<KnownTables> {
  const database = new DatabaseSync(rowsPath(folder), { readOnly: true });
  try {
    const all = (sql: string): Record<string, unknown>[] =>
      database.prepare(sql).all() as Record<string, unknown>[];
    const [size = {}] = all(
      'select page_count * page_size as bytes, freelist_count * page_size as free from pragma_page_count, pragma_page_size, pragma_freelist_count',
    );
    const columns = await columnsSize(folder);
    const bytes = Number(size['bytes']) + columns.bytes;
    return {
      sources: new Map(
        all('select table_name, layout, kinds, leaves from tablegate_sources').map((row) => [
          String(row['table_name']),
          {
            layout: String(row['layout']),
            kinds: JSON.parse(String(row['kinds'])) as Kind[],
            leaves: Buffer.from(row['leaves'] as Uint8Array),
          },
        ]),
      ),
      names: all('select name from tablegate_tables').map((row) => String(row['name'])),
      freeShare: (Number(size['free']) + columns.free) / Math.max(1, bytes),
      bytes,
    };
  } finally {
    database.close();
  }
}

async function columnsSize(folder: string): Promise<{ readonly bytes: number; readonly free: number }> {
  const instance = await DuckDBInstance.create(columnsPath(folder), {
    access_mode: 'READ_ONLY',
    threads: '1',
  });
  const connection = await instance.connect();
  try {
    const found = await connection.runAndReadAll(
      'SELECT total_blocks * block_size, free_blocks * block_size FROM pragma_database_size() LIMIT 1',
    );
    const [[bytes, free] = []] = found.getRows();
    return { bytes: Number(bytes), free: Number(free) };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
