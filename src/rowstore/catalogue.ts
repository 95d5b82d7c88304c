// What the row store keeps of its own tables: which are served, how many rows each has, and the chains' blocks.

import type { DatabaseSyncInstance as Database } from '@photostructure/sqlite';
import { identifier } from '../dialect/value.ts';

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

export function readCatalogue(own: Database): Catalogue {
  const tables = own.prepare('select name, rows from tablegate_tables').all() as [string, number][];
  const blocks = own.prepare('select chain_id, block_number from tablegate_blocks').all() as [
    number,
    number,
  ][];
  const blobs = own.prepare(
    "select lower(name) from tablegate_columns where table_name = ? and kind in ('blob', 'any')",
  );
  const known = new Map<string, ReadonlySet<string>>();
  const allColumns = own.prepare('select lower(name) from tablegate_columns where table_name = ?');
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
  const texts = own.prepare(
    "select name from tablegate_columns where table_name = ? and kind in ('text', 'any')",
  );
  const findNul = ({ name, rows }: ServedTable): boolean => {
    const columns = (texts.all(name) as [string][]).map(
      ([column]) => `instr(cast(${identifier(column)} as blob), x'00')`,
    );
    if (columns.length === 0 || rows > SEARCHED_ROWS) return false;
    return (
      own.prepare(`select 1 from ${identifier(name)} where ${columns.join(' or ')} limit 1`).all().length > 0
    );
  };
  const byName = new Map(tables.map(([name, rows]) => [name.toLowerCase(), { name, rows }]));
  const nameOf = (table: string): string => byName.get(table)?.name ?? '';
  return {
    blobs: (table) =>
      remembered(known, table, () => new Set((blobs.all(nameOf(table)) as [string][]).map(([name]) => name))),
    columns: (table) =>
      remembered(
        columns,
        table,
        () => new Set((allColumns.all(nameOf(table)) as [string][]).map(([name]) => name)),
      ),
    hasNul(table) {
      const served = byName.get(table);
      return served !== undefined && remembered(nuls, table, () => findNul(served));
    },
    tables: byName,
    blocks: new Map(blocks),
  };
}

/** A search of a larger one would hold up everybody else. */
const SEARCHED_ROWS = 50_000;
