// What compiling a shape gives: DuckDB SQL with places for the literals, and what the columns are.
import type { Literal } from '../wire/protocol.ts';

/** A place in the SQL (or in a column's name) that a literal of the statement fills. */
export interface Slot {
  readonly index: number;
  /**
   * How the literal is written there. `real` is an integer as the real of the same value; `name` is the literal as the
   * reference prints it in a column name; `limit` and `offset` are counts, which a param may make negative: no limit,
   * and no offset. For SQLite: `bind` is a value that may be bound, `quoted` is `name` between double quotes, `path` a
   * JSON path as SQLite 3.39 reads it.
   */
  readonly as: 'value' | 'real' | 'name' | 'limit' | 'offset' | 'bind' | 'quoted' | 'path';
}
/** Text and slots in turn; neighbouring texts may be merged. */
export type Template = readonly (string | Slot)[];

/** What the values of a result column are; `any`: a number that is an integer in some rows, as {@link ANY_TYPE}. */
export type ColumnKind = 'integer' | 'real' | 'text' | 'blob' | 'any';

export interface PlanColumn {
  /** As the client sees it. */
  readonly name: Template;
  readonly kind: ColumnKind;
}

export interface Plan {
  /**
   * Indexes of the literals whose values (not only kinds) this plan was made for: ORDER BY 2, printf
   * formats, JSON paths. A statement of the same shape with other values there needs a plan of its own.
   */
  readonly pins: readonly number[];
  /** One SELECT in DuckDB SQL whose columns are named c0, c1, ... in order, each of its PlanColumn's kind. */
  readonly sql: Template;
  readonly columns: readonly PlanColumn[];
  /** The quoted names that the SQL for a distributed engine may hold. */
  readonly names?: ReadonlySet<string>;
  /** Lower-case names of the snapshot's tables that it reads. */
  readonly tables: readonly string[];
  /** Whether it has numbers of blocks: block_num(). */
  readonly readsBlocks?: boolean;
  /** Known to give one row at most, whatever the data. */
  readonly single?: boolean;
  /** It may fail at any of its rows, however many came before: none of them is sent until the last is there. */
  readonly late?: boolean;
  /** False where the answer depends on more than the snapshot: random(), the clock. */
  readonly deterministic: boolean;
}

export type Compile = (shape: string, literals: readonly Literal[]) => Plan;

/** The engine's tagged union, for a column whose values are of more than one kind. */
export const ANY_TYPE = 'UNION(i BIGINT, r DOUBLE, t VARCHAR, b BLOB)';
