// Look-ups by columns that have no index. An index would change what SQLite's planner does with the table, and with it the
// order of rows; a temporary table of values and rowids does not: a statement that is to use it says
// `rowid in (select ... where value = ...)`, which finds the same rows in the same order as a scan does.

import { identifier } from '../dialect/value.ts';
import type { Catalogue } from './catalogue.ts';
import type { LockedDatabase } from './database.ts';
import { seekTableName } from './seek-names.ts';

export interface SeekTables {
  /**
   * Makes it where there is none yet.
   * @returns the condition that says so; undefined where the column cannot have one
   * @param column in lower case @param called as the statement calls the table, quoted @param value as SQL
   */
  find(table: string, column: string): SeekCondition | undefined;
  /** Most rows of one value. @param called as SQLite's plan calls the seek table */
  most(called: string): number | undefined;
}
export type SeekCondition = { readonly before: (called: string) => string; readonly after: string };

/** Smaller tables are scanned as quickly. */
export const SEEK_ROWS = 64;
/** Rows of all seek tables of one row store: some 40 bytes each. */
const MOST_ROWS = 1_500_000;
const TYPES: ReadonlySet<string> = new Set(['INTEGER', 'INT', 'TEXT']);

/** @param readRows larger tables have none: reading them would hold up everybody else */
export function createSeekTables(
  locked: LockedDatabase,
  catalogue: Catalogue,
  { readRows, seekBytes }: { readonly readRows: number; readonly seekBytes: number },
): SeekTables {
  const { own, unlocked } = locked;
  const made = new Map<string, SeekCondition | undefined>();
  const mostOf = new Map<string, number>();
  let rows = 0;
  let bytes = 0;

  const make = (table: string, column: string): SeekCondition | undefined => {
    const served = catalogue.tables.get(table);
    if (served === undefined || served.rows < SEEK_ROWS || served.rows > readRows) return undefined;
    if (rows + served.rows > MOST_ROWS) return undefined;
    const [found] = own(
      'select name, upper(declared_type), collation from tablegate_columns where table_name = ? and lower(name) = ?',
      served.name,
      column,
    ) as [string, string, string][];
    if (found === undefined || !TYPES.has(found[1])) return undefined;
    const [name, type, collation] = found;
    const rowid = ['rowid', '_rowid_', 'oid'].find((each) => !catalogue.describe(table).columns.has(each));
    if (rowid === undefined) return undefined;
    const [[its] = [null]] = own(
      `select sum(length(cast(${identifier(name)} as blob))) from main.${identifier(served.name)}`,
    ) as [number | null][];
    if (bytes + (its ?? 0) > seekBytes) return undefined;
    const seek = seekTableName(made.size + 1);
    try {
      unlocked((database) =>
        database.exec(
          `create temp table ${seek} (tablegate_value ${type} not null collate ${collation}, tablegate_row integer not null,
             primary key (tablegate_value, tablegate_row)) without rowid, strict;
           insert into temp.${seek} select ${identifier(name)}, ${rowid} from main.${identifier(served.name)}
             where ${identifier(name)} is not null order by 1, 2`,
        ),
      );
    } catch {
      // No rowid, values of another type in a system table, or no memory: it is scanned.
      return undefined;
    }
    rows += served.rows;
    bytes += its ?? 0;
    const [most] = own(
      `select max(n) from (select count(*) as n from temp.${seek} group by tablegate_value)`,
    ) as [number | null][];
    mostOf.set(`temp.${seek}`, most?.[0] ?? 0);
    return {
      before: (called) =>
        `${called}.${rowid} in (select tablegate_row from temp.${seek} where tablegate_value=`,
      after: ')',
    };
  };

  return {
    most: (called) => mostOf.get(called),
    find(table, column) {
      const key = `${column} ${table}`;
      if (!made.has(key)) made.set(key, make(table, column));
      return made.get(key);
    },
  };
}
