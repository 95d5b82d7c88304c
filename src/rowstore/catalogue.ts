// What the row store keeps of its own tables: which are served, how many rows each has, and the chains' blocks.

import { asciiLower } from '../base/ascii-lower.ts';
import { type Cache, createShapeCache } from '../base/cache.ts';
import type { TableColumns } from '../dialect/row-statement.ts';
import type { Ask } from '../snapshot/ask.ts';
import { readRemoteTables } from '../snapshot/remote.ts';

export interface Catalogue {
  /** By lower-case name. */
  readonly tables: ReadonlyMap<string, ServedTable>;
  readonly blocks: ReadonlyMap<number, number>;
  /** The same object as in a snapshot before, where nothing of it changed and it is remembered. */
  readonly describe: (table: string) => TableColumns;
  /** Columns of which this is the same are compared as they are: by the same affinity and collation. */
  readonly comparison: (table: string, column: string) => string | undefined;
  /** Whether an index of the table begins with the column, or it is the rowid. */
  readonly leads: (table: string, column: string) => boolean;
  /** Whether the column is the rowid: INTEGER PRIMARY KEY. */
  readonly isRowid: (table: string, column: string) => boolean;
  /**
   * The first column of each of the table's indexes, of which the rowid is none; undefined: it may not serve an equality of
   * any column, since it is of an expression, of some rows alone, or of another collation than its column.
   */
  readonly indexes: (table: string) => readonly (string | undefined)[];
  /** Whether an index of the table has several columns. */
  readonly isCompound: (table: string) => boolean;
}

export interface ServedTable {
  readonly name: string;
  readonly rows: number;
  /** It lives in the distributed engine: none of its rows is here. */
  readonly isRemote: boolean;
  /** The scan lane has it as columns. */
  readonly columnar: boolean;
}

/** Descriptions of tables by the text of what the catalogue says of them: what is said again is not kept again. */
export type Descriptions = Cache<Described>;

export const createDescriptions = (): Descriptions => createShapeCache<Described>(DESCRIPTIONS);
const DESCRIPTIONS = 10_000;

/** @param own reads tables `tablegate_*`, too */
export function readCatalogue(own: Ask, descriptions: Descriptions): Catalogue {
  const tables = own('select name, rows, columnar from tablegate_tables') as [string, number, number][];
  const blocks = own('select chain_id, block_number from tablegate_blocks') as [number, number][];
  const remote = readRemoteTables(own);
  const byName = new Map(
    tables.map(([name, rows, columnar]) => [
      asciiLower(name),
      { name, rows, columnar: columnar === 1, isRemote: remote.has(asciiLower(name)) },
    ]),
  );
  const known = new Map<string, Described>();
  const describe = (table: string): Described => {
    let found = known.get(table);
    if (found !== undefined) return found;
    const name = byName.get(table)?.name;
    if (name === undefined) return NOT_SERVED;
    const rows = [own(COLUMNS, name), own(KEYS, name), own(INDEXES, name)] as unknown as CatalogueRows;
    const text = JSON.stringify(rows);
    found = descriptions.get(text);
    if (found === undefined) {
      found = describedOf(rows);
      descriptions.set(text, found);
    }
    known.set(table, found);
    return found;
  };
  return {
    describe,
    comparison: (table, column) => describe(table).comparisons.get(column),
    leads: (table, column) => describe(table).leading.has(column),
    isRowid: (table, column) => describe(table).rowid === column && ASCII.test(column),
    indexes: (table) => describe(table).indexes,
    isCompound: (table) => describe(table).compound,
    tables: byName,
    blocks: new Map(blocks),
  };
}

/** SQLite folds no other letters: what differs by them alone is another name. */
const ASCII = /^[\0-\x7f]*$/;

type CatalogueRows = readonly [readonly ColumnRow[], readonly KeyRow[], readonly IndexRow[]];
type KeyRow = readonly [rowid: string | null, hidden: number, sets: string];
type IndexRow = readonly [partial: number, column: string | null, collation: string, columns: number];
type ColumnRow = readonly [name: string, kind: string, affinity: string, collation: string];

/** Names of columns in lower case. */
interface Described extends TableColumns {
  readonly comparisons: ReadonlyMap<string, string>;
  readonly leading: ReadonlySet<string>;
  readonly indexes: readonly (string | undefined)[];
  readonly compound: boolean;
  readonly rowid: string | undefined;
}

function describedOf([columns, [key], indexes]: CatalogueRows): Described {
  const lower = asciiLower;
  const ofKinds = (...kinds: readonly string[]): string[] =>
    columns.filter(([, kind]) => kinds.includes(kind)).map(([name]) => name);
  const [rowid = null, hidden = 1, json = '[]'] = key ?? [];
  const sets = JSON.parse(json) as string[][];
  const collations = new Map(columns.map(([name, , , collation]) => [name, asciiLower(collation)]));
  return {
    columns: new Set(columns.map(([name]) => lower(name))),
    blobs: new Set(ofKinds('blob', 'any').map(lower)),
    reals: new Set(ofKinds('real', 'any').map(lower)),
    comparisons: new Map(
      columns.map(([name, , affinity, collation]) => [lower(name), `${affinity} ${collation}`]),
    ),
    leading: new Set(sets.map(([first = '']) => lower(first))),
    indexes: indexes.map(([partial, column, collation]) => {
      if (partial === 1 || column === null || !ASCII.test(column)) return undefined;
      return collations.get(column) === asciiLower(collation) ? lower(column) : undefined;
    }),
    compound: indexes.some(([, , , columns]) => columns > 1),
    rowid: rowid === null || hidden === 1 ? undefined : lower(rowid),
  };
}

const NOT_SERVED: Described = describedOf([[], [], []]);

const COLUMNS = 'select name, kind, affinity, collation from tablegate_columns where table_name = ?';
const KEYS = 'select rowid_column, rowid_hidden, unique_sets from tablegate_tables where name = ?';
const INDEXES =
  'select i.partial, c.name, c.coll, (select count(*) from pragma_index_info(i.name)) ' +
  'from pragma_index_list(?) i, pragma_index_xinfo(i.name) c where c.seqno = 0';
