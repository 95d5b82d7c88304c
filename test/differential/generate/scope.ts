// Which tables and columns a generated piece of SQL may name. Pieces are functions of the scope, so that a
// column is chosen when the statement is put together and shrinking can change the tables beneath it.
import fc from 'fast-check';
import { BIG_TABLE, NASTY_TABLES, type NastyColumn, type NastyTable } from '../nasty-database.ts';

export interface ScopeColumn {
  readonly sql: string;
  readonly kind: NastyColumn['kind'];
}
export interface Scope {
  readonly columns: readonly ScopeColumn[];
  /** The rowid of every table in the scope, in order: together they make any order total. */
  readonly rowids: readonly string[];
  /** Rows come in one scan, so that group_concat and the like have one order. */
  readonly oneScan: boolean;
}
/** A piece of SQL that is whole once it knows its scope. */
export type Piece = (scope: Scope) => string;

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Odd names and infinities are for the written corpus; collated columns cannot be made through the protocol. */
const UNUSED = ['odd_31337_10', 'healthbot_31337_1', 'huge_31337_21', 'folded_31337_9'];
const usable = (table: NastyTable): boolean => table.chainId === 31337 && !UNUSED.includes(table.name);

export const TABLES: readonly NastyTable[] = NASTY_TABLES.filter(usable);
/** Tables of few rows, whose joins stay small. */
export const SMALL_TABLES: readonly NastyTable[] = TABLES.filter((table) => table.rows.length <= 20);
const LARGE_TABLES: readonly NastyTable[] = [...TABLES, BIG_TABLE];

export const anyTable: fc.Arbitrary<NastyTable> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TABLES) },
  { weight: 1, arbitrary: fc.constantFrom(...LARGE_TABLES) },
);
export const smallTable: fc.Arbitrary<NastyTable> = fc.constantFrom(...SMALL_TABLES);

export function tableScope(table: NastyTable, alias: string | undefined): Scope {
  const prefix = alias === undefined ? '' : `${alias}.`;
  const columns = table.columns
    .filter((column) => PLAIN.test(column.name))
    .map((column) => ({ sql: `${prefix}${column.name}`, kind: column.kind }));
  // A unique index that covers the columns in use is walked instead of the table, in its own order.
  return { columns, rowids: [`${prefix}rowid`], oneScan: !/unique|primary key\(/.test(table.ddl) };
}

export function joined(left: Scope, right: Scope): Scope {
  return {
    columns: [...left.columns, ...right.columns],
    rowids: [...left.rowids, ...right.rowids],
    oneScan: false,
  };
}

/** A column of one of the kinds, the n-th modulo their number; the fallback where there is none. */
export function columnOf(kinds: readonly ScopeColumn['kind'][], fallback: string): fc.Arbitrary<Piece> {
  return fc.nat(7).map((n) => (scope) => {
    const fitting = scope.columns.filter((column) => kinds.includes(column.kind));
    return fitting[n % Math.max(1, fitting.length)]?.sql ?? fallback;
  });
}
