// What compiling a shape gives: DuckDB SQL with places for the literals, and what the columns are.
import type { IndexTerm, Literal } from '../protocol.ts';

/** A place in the SQL (or in a column's name) that a literal of the statement fills. */
export interface Slot {
  readonly index: number;
  /**
   * How the literal is written there. `name` is the literal as the reference prints it in a column name;
   * `limit` and `offset` are counts, which a param may make negative: no limit, and no offset. `keys` are those of
   * all gathered lookups with commas between them, `keyList` a list of them.
   */
  readonly as: 'value' | 'name' | 'limit' | 'offset' | 'keys' | 'keyList';
}
/** Text and slots in turn; neighbouring texts may be merged. */
export type Template = readonly (string | Slot)[];

/** What the values of a result column are; `any` is the engine's tagged union (see value.ts). */
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
  /** Lower-case names of the snapshot's tables that it reads. */
  readonly tables: readonly string[];
  /** Known to give one row at most, whatever the data. */
  readonly single?: boolean;
  /** False where the answer depends on more than the snapshot: random(), the clock. */
  readonly deterministic: boolean;
  /**
   * False for the quick plan, which takes integer arithmetic to stay within 64 bits: where it ends in the
   * engine's out-of-range or conversion error, compile again with `exact` and run that.
   */
  readonly exact: boolean;
  readonly gathering?: Gathering;
  readonly index?: IndexPlan;
}

/** What is known of a statement for many lookups at once; see emit/gather.ts. */
export interface Gathering {
  /** The literal that tells lookups apart: no two of one statement may have the same value. */
  readonly key: number;
  /** The key column's SQL. Its value is the last column of the gathered rows, and never NULL. */
  readonly column: string;
  readonly kind: 'integer' | 'text';
  /** Lookups in which this literal, a LIMIT, is 0 must not be gathered. */
  readonly limit: number | undefined;
}

/** What is known of all rows of a shape; see emit/index-terms.ts. */
export interface IndexPlan {
  /** Their columns come behind those of the result, in this order, and are never NULL. */
  readonly terms: readonly IndexTerm[];
  /** Places of the literals that LIMIT and OFFSET are; the rows are not limited. */
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  /** Places of the literals of terms, limit and offset: the rows are the same for all statements with the same others. */
  readonly varying: readonly number[];
  /** Of its largest table: about as many as there will be. */
  readonly rows: number;
}

export interface CompileOptions {
  readonly exact: boolean;
  /**
   * Compile for many lookups at once: the SQL has one column more, the lookup's key. A plan without
   * `gathering` says that the shape is none that can be gathered, and is not to be run.
   */
  readonly gather?: boolean;
  /** Compile for an index of all rows of the shape. A plan without `index` says that it can have none. */
  readonly index?: boolean;
}

export type Compile = (shape: string, literals: readonly Literal[], options: CompileOptions) => Plan;
