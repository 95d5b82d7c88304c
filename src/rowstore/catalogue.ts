// What the row store keeps of its own tables: which are served, how many rows each has, and the chains' blocks.
import type { Database } from './database.ts';

export interface Catalogue {
  /** By lower-case name. */
  readonly tables: ReadonlyMap<string, ServedTable>;
  readonly blocks: ReadonlyMap<number, number>;
  /** Lower-case names of a table's columns that are blobs. */
  readonly blobs: (table: string) => ReadonlySet<string>;
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
  const nuls = new Map<string, boolean>();
  const texts = own.prepare(
    "select name from tablegate_columns where table_name = ? and kind in ('text', 'any')",
  );
  const findNul = ({ name, rows }: ServedTable): boolean => {
    const columns = (texts.all(name) as [string][]).map(
      ([column]) => `instr(cast(${quoted(column)} as blob), x'00')`,
    );
    if (columns.length === 0 || rows > SEARCHED_ROWS) return false;
    return (
      own.prepare(`select 1 from ${quoted(name)} where ${columns.join(' or ')} limit 1`).all().length > 0
    );
  };
  const byName = new Map(tables.map(([name, rows]) => [name.toLowerCase(), { name, rows }]));
  return {
    blobs(table) {
      let found = known.get(table);
      if (found === undefined) {
        found = new Set((blobs.all(byName.get(table)?.name ?? '') as [string][]).map(([name]) => name));
        known.set(table, found);
      }
      return found;
    },
    hasNul(table) {
      const served = byName.get(table);
      if (served === undefined) return false;
      let found = nuls.get(table);
      if (found === undefined) {
        found = findNul(served);
        nuls.set(table, found);
      }
      return found;
    },
    tables: byName,
    blocks: new Map(blocks),
  };
}

/** A search of a larger one would hold up everybody else. */
const SEARCHED_ROWS = 50_000;

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
