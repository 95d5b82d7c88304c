// What the row store keeps of its own tables: which are served, how many rows each has, and the chains' blocks.
import type { Database } from './database.ts';

export interface Catalogue {
  /** By lower-case name. */
  readonly tables: ReadonlyMap<string, ServedTable>;
  readonly blocks: ReadonlyMap<number, number>;
}

export interface ServedTable {
  readonly name: string;
  readonly rows: number;
}

export function readCatalogue(own: Database): Catalogue {
  const tables = own.prepare('select name, rows from tablegate_tables').all() as [string, number][];
  const blocks = own.prepare('select chain_id, block_number from tablegate_blocks').all() as [
    number,
    number,
  ][];
  return {
    tables: new Map(tables.map(([name, rows]) => [name.toLowerCase(), { name, rows }])),
    blocks: new Map(blocks),
  };
}
