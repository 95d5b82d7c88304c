// The tree of a statement whose names are resolved: what parse/ made, with a column object in the place of each name of
// a column, the expression in the place of each alias, and no stars, positions or named windows any more.
import type * as ast from '../ast.ts';
import type { Template } from '../plan.ts';
import type { SchemaColumn, SchemaTable } from '../schema.ts';
import type { Collation } from '../value.ts';

/** A column that names stand for: two names are the same where they stand for one of these objects. */
export interface Column {
  /** As the client sees it. */
  readonly name: Template;
  /** For look-ups; undefined where the name holds a literal of the statement. */
  readonly key: string | undefined;
  /** What `key` is for the values of these literals. */
  readonly literalKey?: () => string;
  readonly owner: Relation;
  readonly origin: Origin;
}

/**
 * Where a column's values come from. A column of a table has the type and the collation that the schema says; that of a
 * query has those of its expression, which the rules of operators and functions say when that is written.
 */
export type Origin =
  | { readonly type: 'stored'; readonly column: SchemaColumn }
  | { readonly type: 'rowid' }
  | { readonly type: 'made'; readonly place: number }
  /** FULL JOIN ... USING: whichever is not NULL, the left one first (lang_select.html section 2.1). */
  | { readonly type: 'merged'; readonly left: Column; readonly right: Column };

/** One table, subquery or common table of a FROM clause. */
export interface Relation {
  /** Key of the name that qualifies its columns; undefined for a subquery without one. */
  readonly key: string | undefined;
  readonly columns: readonly Column[];
  readonly rowid: Column | undefined;
  /** Keys of columns that the join in front of this relation merges with columns further left. */
  merged: ReadonlySet<string>;
  /** Kind of the join in front of this relation. */
  join: 'inner' | 'left' | 'right' | 'full';
  /** By key, where the join is a FULL one: what was merged, once it was asked for. */
  readonly mergedColumns: Map<string, Column>;
}

export type Expression =
  | Node<Exclude<ast.Expression, { readonly type: 'column' | 'call' }>>
  | ColumnRead
  | Text
  | Call;
export interface ColumnRead {
  readonly type: 'column';
  readonly column: Column;
}
/** A double-quoted name that fits no column (quirks.html section 8). */
export interface Text {
  readonly type: 'text';
  readonly text: string;
}
type ParsedCall = Extract<ast.Expression, { readonly type: 'call' }>;
export interface Call extends Node<Omit<ParsedCall, 'over'>> {
  readonly over: Window | undefined;
}
export type Window = Node<Omit<ast.Window, 'base'>>;
export type Frame = Node<ast.Frame>;
export type FrameBound = Node<ast.FrameBound>;

/** What stands in the place of a part of the tree as it was parsed. */
type Resolved<T> = T extends ast.Select
  ? Select
  : T extends ast.Expression
    ? Expression
    : T extends readonly (infer Item)[]
      ? readonly Resolved<Item>[]
      : Node<T>;
type Node<T> = T extends object ? { readonly [Key in keyof T]: Resolved<T[Key]> } : T;

/** A result column. Those that `*` stands for are columns like others. */
export interface ResultColumn {
  readonly name: Template;
  /** The name where the SELECT is a source (names.ts); undefined where that is the same. */
  readonly innerName: Template | undefined;
  readonly aliasKey: string | undefined;
  readonly expression: Expression;
}

export type Source =
  | { readonly type: 'table'; readonly table: SchemaTable; readonly relation: Relation }
  | { readonly type: 'select'; readonly select: Select; readonly relation: Relation }
  | { readonly type: 'common'; readonly table: CommonTable; readonly relation: Relation }
  | Join
  | { readonly type: 'group'; readonly source: Source };

export interface Join {
  readonly type: 'join';
  readonly join: 'inner' | 'left' | 'right' | 'full';
  readonly left: Source;
  readonly right: Source;
  /** USING and NATURAL: columns that must be equal; of several on the left, the first that is not NULL. */
  readonly pairs: readonly { readonly left: readonly Column[]; readonly right: Column }[];
  /** The parts of ON that must all hold; none where there is no ON. */
  readonly on: readonly Condition[];
}

/** A part of ON, which sees all tables of the FROM clause. */
export interface Condition {
  readonly expression: Expression;
  /** It uses tables that are not of this join. */
  readonly outside: boolean;
  /** It uses tables on the left side. */
  readonly left: boolean;
}

export interface CommonTable {
  readonly key: string;
  readonly select: Select;
}

export interface OrderTerm {
  /** The result column that it means or repeats, from 0; undefined: none. */
  readonly place: number | undefined;
  readonly expression: Expression;
  /** COLLATE that stands behind it. */
  readonly collation: Collation | undefined;
  readonly descending: boolean;
  readonly nulls: 'first' | 'last' | undefined;
}

export interface SelectCore {
  readonly type: 'select';
  readonly distinct: boolean;
  readonly columns: readonly ResultColumn[];
  readonly from: Source | undefined;
  /** Those of FROM, from left to right. */
  readonly relations: readonly Relation[];
  readonly where: Expression | undefined;
  readonly isAggregate: boolean;
  readonly groupBy: readonly Expression[];
  readonly having: Expression | undefined;
  /** It names windows, or has window functions among its columns. */
  readonly windowed: boolean;
}
export interface Values {
  readonly type: 'values';
  readonly rows: readonly (readonly Expression[])[];
}

export interface Select {
  /** Of its WITH clause, those that are used. */
  readonly common: readonly CommonTable[];
  readonly first: SelectCore | Values;
  readonly rest: readonly {
    readonly operator: ast.Select['rest'][number]['operator'];
    readonly core: SelectCore | Values;
  }[];
  readonly orderBy: readonly OrderTerm[];
  readonly limit: Expression | undefined;
  readonly offset: Expression | undefined;
  readonly columns: readonly Pick<ResultColumn, 'name' | 'innerName'>[];
}
