// What a compilation asks SQLite's planner, and what it is told. Whoever compiles gives somebody who can ask.

/** A line of EXPLAIN QUERY PLAN with those that are part of it. */
export interface PlanNode {
  readonly detail: string;
  readonly parts: readonly PlanNode[];
  /** Of a search by an index that SQLite makes for the statement: its columns by their place in the table. */
  readonly automatic?: readonly number[] | undefined;
}

export interface IndexColumn {
  /** Undefined: the rowid, or an expression. */
  readonly name: string | undefined;
  readonly descending: boolean;
  readonly collation: string;
}

/** SQLite with the tables of the snapshot, but none of their rows: its plans are the same. */
export interface Planner {
  /**
   * @param tables that it reads, as {@link SchemaTable.create}, by name
   * @throws where SQLite refuses the statement
   */
  plan(
    sql: string,
    tables: ReadonlyMap<string, readonly string[]>,
  ): { readonly nodes: readonly PlanNode[]; readonly backwards: boolean };
  index(name: string): readonly IndexColumn[];
}
