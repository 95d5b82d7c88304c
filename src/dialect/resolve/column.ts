// A column that names stand for. Two names are the same where they stand for one of these objects: what is a key, a
// group or an order is decided by it, and never by comparing SQL.
import type { Template } from '../plan.ts';

export interface Column {
  /** As it is read where its relation stands. */
  readonly sql: Template;
}

/** What may be a column, as it is or with something done to it. */
interface Read {
  readonly sql: Template;
  readonly column?: Column;
}

/** The column that a value is; undefined where something was done to it. */
export function columnOf({ sql, column }: Read): Column | undefined {
  return column?.sql === sql ? column : undefined;
}
