// What the compiler knows of a snapshot: its tables, their columns and types. Read by snapshot/schema.ts; nothing here
// reads data.

import type { ColumnFacts } from './facts.ts';
import type { Planner } from './planner.ts';

export interface SchemaColumn {
  /** As declared; also its name in the DuckDB table. */
  readonly name: string;
  /**
   * What every value of the column is: user tables are STRICT, so their columns have one kind (or NULL);
   * `any` is a column of a system table whose SQLite values were not of one kind.
   */
  readonly kind: 'integer' | 'real' | 'text' | 'blob' | 'any';
  /** SQLite's affinity by the declared type (datatype3.html section 3.1). */
  readonly affinity: 'integer' | 'real' | 'numeric' | 'text' | 'blob';
  /** Column is NOT NULL or a primary key of a STRICT table. */
  readonly notNull: boolean;
  /** Collation of the declaration. */
  readonly collation: 'binary' | 'nocase' | 'rtrim';
  /** What the import counted. */
  readonly facts?: ColumnFacts;
}

export interface SchemaTable {
  readonly name: string;
  readonly columns: readonly SchemaColumn[];
  /**
   * The DuckDB column that holds SQLite's rowid (BIGINT, never NULL): the INTEGER PRIMARY KEY itself, or a
   * hidden column that is not in `columns`. Undefined for WITHOUT ROWID tables.
   */
  readonly rowid: string | undefined;
  readonly rows: number;
  /** Columns (or sets of columns) that are unique, by DuckDB column name. */
  readonly unique: readonly (readonly string[])[];
  /** Its columns are in the column store; else it has only rows, which an engine that needs columns brings over. */
  readonly columnar: boolean;
  /** Of equal versions, equal rows and description. */
  readonly version: string;
  /** Its CREATE TABLE and then its CREATE INDEX as the source has them, for who asks SQLite's planner. */
  readonly create: readonly string[];
}

export interface Schema {
  /** Undefined: the order of rows is known where ORDER BY fixes it, and nowhere else. */
  readonly planner?: Planner;
  /** By name in ASCII lower case. Read when it is first asked for: there may be a hundred thousand. */
  readonly tables: {
    get(name: string): SchemaTable | undefined;
    /** For who looks for a name that was meant: of the very many, some. */
    values(): Iterable<{ readonly name: string }>;
  };
  /** `block_num(chain)`: chain id -> last block in system_txn_processor. */
  readonly blocks: ReadonlyMap<number, number>;
}
