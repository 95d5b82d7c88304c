// What the compiler knows of a snapshot: its tables, their columns and types. Read once a snapshot by the
// worker; nothing here reads data.

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
}

export interface Schema {
  /** By name in ASCII lower case. */
  readonly tables: ReadonlyMap<string, SchemaTable>;
  /** `block_num(chain)`: chain id -> last block in system_txn_processor. */
  readonly blocks: ReadonlyMap<number, number>;
}
