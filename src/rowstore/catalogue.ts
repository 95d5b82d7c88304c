// What the row store keeps of its own tables: which are served, how many rows each has, and the chains' blocks.

import { identifier } from '../dialect/value.ts';
import type { Ask } from '../snapshot/ask.ts';

export interface Catalogue {
  /** By lower-case name. */
  readonly tables: ReadonlyMap<string, ServedTable>;
  readonly blocks: ReadonlyMap<number, number>;
  /** Lower-case names of a table's columns that are blobs. */
  readonly blobs: (table: string) => ReadonlySet<string>;
  /** Lower-case names of all of its columns. */
  readonly columns: (table: string) => ReadonlySet<string>;
  /** Whether one of its texts has a NUL in it: found out once, where the table is not too large for it. */
  readonly hasNul: (table: string) => boolean;
}

export interface ServedTable {
  readonly name: string;
  readonly rows: number;
}

/** @param own reads tables `tablegate_*`, too */
export function readCatalogue(own: Ask): Catalogue {
  const tables = own('select name, rows from tablegate_tables') as [string, number][];
  const blocks = own('select chain_id, block_number from tablegate_blocks') as [number, number][];
  const blobs = new Map<string, ReadonlySet<string>>();
  const columns = new Map<string, ReadonlySet<string>>();
  const remembered = <T>(of: Map<string, T>, key: string, make: () => T): T => {
    let found = of.get(key);
    if (found === undefined) {
      found = make();
      of.set(key, found);
    }
    return found;
  };
  const nuls = new Map<string, boolean>();
  const findNul = ({ name, rows }: ServedTable): boolean => {
    const columns = (own(TEXTS, name) as [string][]).map(
      ([column]) => `instr(cast(${identifier(column)} as blob), x'00')`,
    );
    if (columns.length === 0 || rows > SEARCHED_ROWS) return false;
    return own(`select 1 from ${identifier(name)} where ${columns.join(' or ')} limit 1`).length > 0;
  };
  const byName = new Map(tables.map(([name, rows]) => [name.toLowerCase(), { name, rows }]));
  const names = (sql: string, table: string): ReadonlySet<string> =>
    new Set((own(sql, byName.get(table)?.name ?? '') as [string][]).map(([name]) => name));
  return {
    blobs: (table) => remembered(blobs, table, () => names(BLOBS, table)),
    columns: (table) => remembered(columns, table, () => names(COLUMNS, table)),
    hasNul(table) {
      const served = byName.get(table);
      return served !== undefined && remembered(nuls, table, () => findNul(served));
    },
    tables: byName,
    blocks: new Map(blocks),
  };
}

const COLUMNS = 'select lower(name) from tablegate_columns where table_name = ?';
const BLOBS = `${COLUMNS} and kind in ('blob', 'any')`;
const TEXTS = "select name from tablegate_columns where table_name = ? and kind in ('text', 'any')";

/** A search of a larger one would hold up everybody else. */
const SEARCHED_ROWS = 50_000;
