// A table of SQLite whose rows are to be copied, all of them or ranges of its rowids. Knows nothing of DuckDB: what only
// asks whether a copy is needed must not load it.

/** A table as SQLite has it. */
export interface CopySource {
  /** The database on its connection that it stands in; `main` unless said. */
  readonly schema?: string;
  readonly table: {
    readonly name: string;
    readonly columns: readonly { readonly name: string; readonly declaredType: string }[];
    /** Its rowid comes behind its columns. */
    readonly hasHiddenRowid: boolean;
  };
  /** A word for SQLite's rowid that no column hides; undefined where there is none to be read. */
  readonly rowid: string | undefined;
}

/** Rowids from and to, both included. */
export type RowRange = readonly [first: bigint, last: bigint];

/** SQLite takes at most 1,000 arguments. */
export const MAX_ARGUMENTS = 900;

/** Whether ranges of its rows can be copied alone. */
export function hasRanges(source: CopySource): boolean {
  return source.rowid !== undefined && source.table.columns.length <= MAX_ARGUMENTS;
}
