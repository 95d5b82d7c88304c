// The syntax tree of a read statement in Tableland's SQL (SQLite's SELECT), as parse.ts makes it.
// Plain data, no positions resolved, nothing typed yet: resolve.ts and emit/ do that. No tree is higher than
// MAX_HEIGHT of parse/height.ts, so what walks it may recurse.

/** A name as written, quotes removed. SQLite compares names without regard to ASCII case. */
export interface Name {
  readonly text: string;
  /**
   * How it was quoted: `"` names that fit no column are texts (SQLite quirk 8); `'` is a text where only a
   * name can stand (`a as 'x'`).
   */
  readonly quote: '' | '"' | '`' | '[' | "'";
}

export type BinaryOperator =
  | '||'
  | '->'
  | '->>'
  | '*'
  | '/'
  | '%'
  | '+'
  | '-'
  | '&'
  | '|'
  | '<<'
  | '>>'
  | '<'
  | '<='
  | '>'
  | '>='
  | '='
  | '!='
  | 'is'
  | 'is not'
  | 'and'
  | 'or';
export type UnaryOperator = '-' | '+' | '~' | 'not';
export type MatchOperator = 'like' | 'glob' | 'regexp' | 'match';

/**
 * `parens` counts the parentheses written around an expression. They mean nothing once parsed (SQLite drops
 * them too); only names.ts reads them, since they show in the name of an unaliased column.
 */
export type Expression = Node & { readonly parens?: number };

type Node =
  /** A literal lifted out of the text or a param: index into the statement's literals. */
  | {
      readonly type: 'literal';
      readonly index: number;
      readonly kind: 'integer' | 'real' | 'text' | 'blob';
    }
  /** The keyword, or a param that is NULL. */
  | { readonly type: 'null' }
  /** `CURRENT_TIMESTAMP` and its kin, which are keywords and not columns. */
  | { readonly type: 'now'; readonly part: 'current_date' | 'current_time' | 'current_timestamp' }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'column'; readonly table: Name | undefined; readonly name: Name }
  | { readonly type: 'unary'; readonly operator: UnaryOperator; readonly operand: Expression }
  | {
      readonly type: 'binary';
      readonly operator: BinaryOperator;
      // Long chains of `and` or `or` come balanced instead of leaning left: same meaning, less height.
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly type: 'match';
      readonly operator: MatchOperator;
      readonly not: boolean;
      readonly operand: Expression;
      readonly pattern: Expression;
      readonly escape: Expression | undefined;
    }
  | { readonly type: 'isnull'; readonly not: boolean; readonly operand: Expression }
  | {
      readonly type: 'between';
      readonly not: boolean;
      readonly operand: Expression;
      readonly low: Expression;
      readonly high: Expression;
    }
  | {
      readonly type: 'in';
      readonly not: boolean;
      readonly operand: Expression;
      readonly list: readonly Expression[];
    }
  | {
      readonly type: 'in-select';
      readonly not: boolean;
      readonly operand: Expression;
      readonly select: Select;
    }
  | { readonly type: 'exists'; readonly not: boolean; readonly select: Select }
  | { readonly type: 'subquery'; readonly select: Select }
  | {
      readonly type: 'case';
      readonly operand: Expression | undefined;
      readonly whens: readonly { readonly when: Expression; readonly result: Expression }[];
      readonly otherwise: Expression | undefined;
    }
  /** `to`: the type's words as written, joined by single spaces; '' where there is none. */
  | { readonly type: 'cast'; readonly operand: Expression; readonly to: string }
  | { readonly type: 'collate'; readonly operand: Expression; readonly collation: Name }
  /** A row value `(a, b)`; only where SQLite takes one. */
  | { readonly type: 'row'; readonly items: readonly Expression[] }
  | {
      readonly type: 'call';
      readonly name: Name;
      readonly star: boolean;
      readonly distinct: boolean;
      readonly args: readonly Expression[];
      readonly orderBy: readonly OrderTerm[];
      readonly filter: Expression | undefined;
      readonly over: Window | Name | undefined;
    };

export interface Window {
  readonly base: Name | undefined;
  readonly partitionBy: readonly Expression[];
  readonly orderBy: readonly OrderTerm[];
  readonly frame: Frame | undefined;
}
export interface Frame {
  readonly unit: 'rows' | 'range' | 'groups';
  readonly start: FrameBound;
  readonly end: FrameBound | undefined;
  readonly exclude: 'no others' | 'current row' | 'group' | 'ties' | undefined;
}
export type FrameBound =
  | { readonly type: 'unbounded preceding' | 'current row' | 'unbounded following' }
  | { readonly type: 'preceding' | 'following'; readonly offset: Expression };

export interface OrderTerm {
  readonly expression: Expression;
  readonly descending: boolean;
  readonly nulls: 'first' | 'last' | undefined;
}

export type ResultColumn =
  | { readonly type: 'star'; readonly table: Name | undefined }
  | { readonly type: 'expression'; readonly expression: Expression; readonly alias: Name | undefined };

export type Source =
  | { readonly type: 'table'; readonly name: Name; readonly alias: Name | undefined }
  | {
      readonly type: 'function';
      readonly name: Name;
      readonly args: readonly Expression[];
      readonly alias: Name | undefined;
    }
  | { readonly type: 'select'; readonly select: Select; readonly alias: Name | undefined }
  | {
      readonly type: 'join';
      readonly join: 'cross' | 'inner' | 'left' | 'right' | 'full';
      /** The operator's words in lower case, or a comma: for names only. */
      readonly written: string;
      readonly natural: boolean;
      readonly left: Source;
      readonly right: Source;
      readonly on: Expression | undefined;
      readonly using: readonly Name[];
    }
  /**
   * A parenthesised join; SQLite sees its tables as if it were not there. (With an alias it is a subquery
   * `select *`, and the parser makes it one.)
   */
  | { readonly type: 'group'; readonly source: Source };

/** One SELECT or VALUES without ORDER BY and LIMIT. */
export type SelectCore =
  | {
      readonly type: 'select';
      readonly distinct: boolean;
      readonly columns: readonly ResultColumn[];
      readonly from: Source | undefined;
      readonly where: Expression | undefined;
      readonly groupBy: readonly Expression[];
      readonly having: Expression | undefined;
      readonly windows: readonly { readonly name: Name; readonly window: Window }[];
    }
  | { readonly type: 'values'; readonly rows: readonly (readonly Expression[])[] };

export interface CommonTable {
  readonly name: Name;
  readonly columns: readonly Name[];
  readonly select: Select;
}

export interface Select {
  readonly with: { readonly recursive: boolean; readonly tables: readonly CommonTable[] } | undefined;
  readonly first: SelectCore;
  readonly rest: readonly {
    readonly operator: 'union' | 'union all' | 'except' | 'intersect';
    readonly core: SelectCore;
  }[];
  readonly orderBy: readonly OrderTerm[];
  readonly limit: Expression | undefined;
  readonly offset: Expression | undefined;
}
