// What a snapshot says of the values of a column of columns.duckdb, in its catalogue. What is said holds of every row;
// what is not may hold as well.

export interface ColumnFacts {
  /** Every text has ASCII characters only. */
  readonly ascii: boolean;
  /** No text has a NUL. */
  readonly noNul: boolean;
  /** Every text is as it is in lower, or in upper case. Snapshots of before do not say. */
  readonly lower?: boolean;
  readonly upper?: boolean;
  /** Bounds of integers, as decimal strings; null where there is none. */
  readonly min: string | null;
  readonly max: string | null;
  /** Every text is YYYY-MM-DD, or YYYY-MM-DD HH:MM:SS, of a real day. */
  readonly dates: 'date' | 'datetime' | null;
  /** Every text is valid JSON. */
  readonly json: boolean;
  /** At least the characters of the longest text; null where there is none. */
  readonly maxCharacters: number | null;
  /** At least the rows that are NULL. */
  readonly nulls: number;
  /** Of reals; null where one of them is infinite. Snapshots of before do not say. */
  readonly reals?: RealFacts | null;
}

export interface RealFacts {
  /** At least the largest size, without its sign. */
  readonly size: number;
  /** At most the smallest size but 0; null where there is none. */
  readonly least: number | null;
  /** Each is the real that is nearest to a number with so many decimals; null where one is not. */
  readonly digits: number | null;
  /** The hidden column of columns.duckdb that has them as whole numbers of the last decimal, as BIGINT. */
  readonly scaled: string | null;
}
