// What an engine calls the things that the rules write: one entry for each word that the engines do not share, so that
// a rule has one form and each engine a column (engines/). What all of them read alike stands in the rules themselves.
import type { Template } from './plan.ts';
import type { Kind, Value } from './value.ts';

export type BitOperator = '&' | '|' | '<<' | '>>';
export type ExactComparison = '=' | '<>' | '<' | '<=' | '>' | '>=';
export type Trim = 'trim' | 'ltrim' | 'rtrim';

/** A text to be found as it is, any one character, any number of characters, or one of a class (in RE2's notation). */
export type Part = { readonly text: string } | 'one' | 'any' | { readonly of: string };

export type Unit = 'second' | 'minute' | 'hour' | 'day' | 'month';

/** Writes one of the engine's aggregates with what stands around the call: functions/around.ts. */
export type Over = (
  name: string,
  args: readonly Template[],
  options?: { ordered?: boolean; distinct?: boolean; where?: Template },
) => Template;

/** The rows of a statement, to be written in one of two ways. */
export interface StatementRows {
  /** Of its columns, which are named c0, c1, ... */
  readonly kinds: readonly Kind[];
  readonly inOrder: () => Template;
  /** Also each column as {@link Engine.column} says. */
  readonly asRead: () => Template;
}

export interface Engine {
  /** Rows come as they lie or were sorted, also through a SELECT around them. Else each order is asked for anew. */
  readonly keepsOrder: boolean;
  /** Columns of reals of which no fact is known may hold NaN, which SQLite has as NULL. */
  readonly readsNaN: boolean;
  /**
   * Numbers of some decimals are added as whole numbers of the last one; a table may have a column of these beside one
   * of reals (ColumnFacts.reals.scaled). Else they are added as the doubles that they are, as SQLite does.
   */
  readonly addsDecimals: boolean;
  /** What sorts and joins texts of all rows at once takes no longer than SQLite. */
  readonly joinsAllRows: boolean;
  /** FILTER may stand before OVER. */
  readonly filtersWindows: boolean;
  /** Logarithms and their like are the C library's to the last digit; Java may round to the real beside it. */
  readonly computesAsC: boolean;
  /** It has lists, and functions that look for places in them. */
  readonly searchesLists: boolean;

  /** SQL of a type that fails when it is computed, with these words; without them, of {@link ELSEWHERE}. */
  readonly failing: (type: string, words?: string) => string;
  /** A whole statement, whose rows come in order and with columns as the lane reads them. */
  readonly statement: (rows: StatementRows) => Template;
  /** A result column as the lane reads it. */
  readonly column: (value: Value) => Template;
  /** Of a `number`, for a result column: its kind stays to be seen. */
  readonly number: (x: Template, whole: Template) => Template;

  // Numbers
  /** A real to be ordered by: where the engine puts -0.0 before 0.0, without the sign of a zero. */
  readonly ordered: (real: Template) => Template;
  /** NULL in the place of NaN. */
  readonly settled: (real: Template) => Template;
  /** Of integers: cut towards zero, NULL by zero, an error past 64 bits. */
  readonly quotient: (l: Template, r: Template) => Template;
  readonly remainder: (l: Template, r: Template) => Template;
  /** Of integers; what is shifted by is 0 to 62, what is shifted to the left is 1. */
  readonly bits: (op: BitOperator, l: Template, r: Template) => Template;
  readonly complement: (x: Template) => Template;
  /** A real without what is behind its point. */
  readonly truncated: (x: Template) => Template;
  /** An integer against a real of the same value as a double. */
  readonly exactly: (op: ExactComparison, integer: Template, real: Template) => Template;
  /** An integer that can be added up without leaving its type. */
  readonly wide: (x: Template) => Template;
  /** A BIGINT in decimal, with spaces or zeros before it up to a width. */
  readonly padded: (x: Template, width: number, zeros: boolean) => Template;
  readonly isTruth: (condition: Template, expected: boolean, not: boolean) => Template;

  // Texts
  /** `lower` or `upper` of ASCII letters alone, of any text. */
  readonly folded: (name: 'lower' | 'upper', text: Template) => Template;
  readonly bytesOf: (text: Template) => Template;
  /** How many bytes: BIGINT. */
  readonly textBytes: (text: Template) => Template;
  readonly blobBytes: (blob: Template) => Template;
  readonly contains: (text: Template, sought: Template) => Template;
  readonly startsWith: (text: Template, start: string) => Template;
  readonly endsWith: (text: Template, end: string) => Template;
  /** Whether all of a text is as the parts say. */
  readonly isLike: (text: Template, parts: readonly Part[]) => Template;
  /** The same of a regular expression that all engines read alike. */
  readonly matches: (text: Template, pattern: string) => Template;
  /** From 1, or 0 where it is nowhere; what is looked for is no empty text. */
  readonly position: (text: Template, sought: Template) => Template;
  /** The last characters. */
  readonly right: (text: Template, count: number) => Template;
  readonly trimmed: (name: Trim, text: Template, set: Template) => Template;
  readonly hex: (x: Template, kind: Kind) => Template;
  /** Of a text that is not empty: BIGINT. */
  readonly codePoint: (text: Template) => Template;
  /** Texts that may be NULL, which are left out. */
  readonly concat: (texts: readonly Template[]) => Template;
  /** The same of texts of which none is NULL. */
  readonly concatAll: (texts: readonly Template[]) => Template;
  readonly jsonString: (text: Template) => Template;
  /** The text at a path of JSON that is valid; an error where there is another kind of value. */
  readonly jsonText: (json: Template, path: string) => Template;

  // Moments: TIMESTAMP SQL of whole seconds or milliseconds in years 1 to 9999
  readonly now: () => string;
  readonly ofSeconds: (seconds: Template) => Template;
  readonly milliseconds: (stamp: Template) => Template;
  /** A format of `%Y %m %d %H %M %S` and what stands between them. */
  readonly formatted: (stamp: Template, format: string) => Template;
  /** Of days that are not below 0. */
  readonly wholeWeeks: (days: Template) => Template;
  /** From 1; from 1 for Monday; from 0 for Sunday. */
  readonly dayOf: (what: 'year' | 'iso week' | 'week', stamp: Template) => Template;
  /** Another moment so many units later; the day of a month is cut to what the month has. */
  readonly later: (stamp: Template, count: Template | number, unit: Unit) => Template;
  /** The moment as far into that month as `of` is into its own. */
  readonly intoMonth: (month: Template, of: Template) => Template;

  // Aggregates
  /** Texts in the order of the rows with a separator between them, NULLs left out. */
  readonly joined: (over: Over, text: Template, separator: Template) => Template;
  /** The value of the row with the largest or smallest key; of several, that of the first row. */
  readonly extremeBy: (over: Over, largest: boolean, x: Template, key: Template) => Template;
  /** One of the statistics that SQLite's core lacks. */
  readonly statistic: (over: Over, name: string, x: Template) => Template;

  // Rows
  /** Several values as one, whose fields are {@link field}. */
  readonly row: (fields: readonly Template[]) => Template;
  readonly field: (row: string, index: number) => string;
  /** Aggregates: a row of the group, by ORDER BY terms; the last one. */
  readonly firstRow: (row: Template, order: readonly Template[], filter: Template) => Template;
  readonly lastRow: (row: Template, order: readonly Template[], filter: Template) => Template;
  /** The value in the row with the smallest number, also where it is NULL. */
  readonly firstBy: (x: Template, place: string) => Template;
  /** `build` with names that stand for operands: computed once. Fields of `name` are made by {@link bound}. */
  readonly bind: (name: string, operands: readonly Template[], body: Template) => Template;
  readonly bound: (name: string, index: number) => string;
  readonly limit: (rows: Template | undefined, skipped: Template | undefined) => Template;
}
