// A column as the SQL that is written reads it: of a table, of a subquery, or of the rows of a group. Two values are the
// same column where they hold one of these objects: what is a key, a group or an order is decided by it, and never by
// comparing SQL.
import type { Template } from './plan.ts';

export interface ReadColumn {
  readonly sql: Template;
}

/** What may be a column, as it is or with something done to it. */
interface Read {
  readonly sql: Template;
  readonly column?: ReadColumn;
}

/** The column that a value is; undefined where something was done to it. */
export function columnOf({ sql, column }: Read): ReadColumn | undefined {
  return column?.sql === sql ? column : undefined;
}
