// What is known of a statement's tables where its plan is weighed: their rows, and how many of them share a value.
import { asciiLower } from '../base/ascii-lower.ts';
import { createShapeCache } from '../base/cache.ts';
import type { Filter } from '../dialect/filters.ts';
import type { RowStatement } from '../dialect/row-statement.ts';
import { identifier } from '../dialect/value.ts';
import type { Ask } from '../snapshot/ask.ts';
import type { Catalogue } from './catalogue.ts';
import { COUNTED_ROWS } from './matches.ts';
import type { SeekTables } from './seek-tables.ts';
import type { TableSizes } from './visits.ts';

/** Most rows of a table that have the same values in some columns; undefined where it has none of that name. */
export type Same = (table: string, columns: readonly string[]) => number | undefined;

export interface SizesOptions {
  /** Rows of a table that may be read to get ready for a statement: it holds up everybody else. */
  readonly readRows: number;
  /** Whether rows of a table that is not small are counted by several columns at once. */
  readonly countsPairs: boolean;
}

/** Of {@link SizesOptions.readRows}, in any process. */
export const MOST_READ_ROWS = 200_000;

/**
 * What a statement's plan is weighed by.
 * @param matching rows that have one of the constants of the statement, where that is known
 */
export function sizesOf(
  { scanned, listed, lists, filters, sole, references: [table = ''] }: RowStatement,
  { tables, comparison, isRowid }: Catalogue,
  same: Same,
  seekTables: SeekTables,
  { readRows, countsPairs }: SizesOptions,
  matching: (filter: Filter) => number | undefined = () => undefined,
): TableSizes {
  const rowsOf = (table: string): number => tables.get(table)?.rows ?? 0;
  let filtered: ReturnType<typeof filters> | undefined;
  const named = (called: string): readonly string[] => scanned.get(asciiLower(called)) ?? [];
  return {
    listed,
    lists,
    keyEnd: sole?.extreme !== undefined && isRowid(table, sole.extreme),
    rows(called) {
      const found = named(called);
      return found.length === 0 ? undefined : Math.max(...found.map(rowsOf));
    },
    passed(called, known) {
      filtered ??= filters();
      const bounds = (filtered.get(called) ?? []).flatMap((filter) => {
        const { table, column, of, constants } = filter;
        // Of other affinities or collations, values that differ here may be equal there.
        const compares = of === undefined || comparison(of.table, of.column) === comparison(table, column);
        if (!compares || (of !== undefined && !known.has(of.called)) || rowsOf(table) > readRows) return [];
        if (of !== undefined) return same(table, [column]) ?? rowsOf(table);
        return matching(filter) ?? (same(table, [column]) ?? rowsOf(table)) * constants.length;
      });
      return bounds.length === 0 ? undefined : Math.min(...bounds);
    },
    same(called, columns) {
      const sought = seekTables.most(called);
      if (sought !== undefined) return sought;
      // Of several tables of one name in different scopes, only some may have the columns.
      const found = named(called).map((table) =>
        rowsOf(table) > readRows
          ? rowsOf(table)
          : countsPairs || rowsOf(table) <= COUNTED_ROWS
            ? same(table, columns)
            : Math.min(...columns.map((column) => same(table, [column]) ?? rowsOf(table))),
      );
      return found.length === 0 ? undefined : Math.max(...found.map((most) => most ?? 0));
    },
  };
}

/** By what counting the rows that share a value could give in any process at best and at worst, and look-ups in place of scans. */
export interface Uncounted {
  readonly least: TableSizes;
  readonly most: TableSizes;
}

/** What a statement's plan is weighed by before any row is read: that holds up everybody else. */
export function uncountedSizes(
  statement: RowStatement,
  catalogue: Catalogue,
  seekTables: SeekTables,
  options: SizesOptions,
): Uncounted {
  const anywhere = { ...options, readRows: MOST_READ_ROWS };
  const { scanned, seeks } = statement;
  const rowsOf = (table: string): number => catalogue.tables.get(table)?.rows ?? 0;
  const isRead = (table: string): boolean => rowsOf(table) <= MOST_READ_ROWS;
  /** Of several tables of one name in different scopes. */
  const smallest = (called: string, of: (table: string) => number): number | undefined => {
    const found = scanned.get(asciiLower(called)) ?? [];
    return found.length === 0 ? undefined : Math.min(...found.map(of));
  };
  const least = sizesOf(statement, catalogue, () => 1, seekTables, anywhere);
  return {
    least: {
      ...least,
      listed: 1,
      lists: 0,
      sought: new Set(seeks.filter(({ table }) => isRead(table)).map(({ called }) => called)),
      rows: (called) => smallest(called, rowsOf),
      same: (called) => smallest(called, (table) => (isRead(table) ? 1 : rowsOf(table))),
    },
    most: sizesOf(statement, catalogue, rowsOf, seekTables, anywhere),
  };
}

/** Counted once for some columns, when the first statement searches by them. */
export function createSame(own: Ask): Same {
  const counted = createShapeCache<number>(COUNTS);
  return (table, columns) => {
    // No name has a NUL.
    const key = `${table}\0${columns.join('\0')}`;
    const known = counted.get(key);
    if (known !== undefined) return known;
    try {
      const list = columns.map(identifier).join(', ');
      const [row] = own(
        `select max(n) from (select count(*) as n from ${identifier(table)} group by ${list})`,
      ) as [number | null][];
      const most = row?.[0] ?? 0;
      counted.set(key, most);
      return most;
    } catch {
      // Of another table of that name.
      return undefined;
    }
  };
}
const COUNTS = 10_000;
