// Eight tables of 101 rows, as most tables of a network are. Each column is a permutation of 0 to 100, so that an
// equality finds exactly one row, and which one can be computed.
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { createTable } from './validator-database.ts';

/** A prime: a product modulo it is a permutation. */
const ROWS = 101;
export const SMALL_TABLES: readonly string[] = Array.from({ length: 8 }, (_, i) => `parts_31337_${11 + i}`);
/** Beside `id`, from 0. */
export const SMALL_COLUMNS: readonly string[] = ['a', 'b', 'c', 'd', 'e'];
export const SMALL_ROWS: number = ROWS;

/** Of both by their index. */
export function smallValue(table: number, column: number, id: number): number {
  return (id * (2 + table + 11 * column) + 7 * column) % ROWS;
}

/** The row whose column has the value. */
export function smallRow(table: number, column: number, value: number): number {
  for (let id = 0; id < ROWS; id++) if (smallValue(table, column, id) === value) return id;
  throw new Error(`no row of ${SMALL_TABLES[table]} has ${value}`);
}

export function fillSmallTables(database: DatabaseSyncInstance): void {
  for (const [table, name] of SMALL_TABLES.entries()) {
    const columns = SMALL_COLUMNS.map((column) => `${column} integer`).join(', ');
    createTable(database, { name, columns: `id integer, ${columns}`, createdAt: 1_667_000_200 + table });
    const insert = database.prepare(`insert into ${name} values (?,?,?,?,?,?)`);
    for (let id = 0; id < ROWS; id++)
      insert.run(id, ...SMALL_COLUMNS.map((_, column) => smallValue(table, column, id)));
  }
}
