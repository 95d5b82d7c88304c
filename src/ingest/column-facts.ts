// What is true of all values of a column of columns.duckdb, counted by few statements a table: what lets the dialect
// use the engine's own form of a function. Of rows that were taken away it may say less than is true, never more.
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Kind } from '../columns/column-buffer.ts';
import type { ColumnFacts, RealFacts } from '../snapshot/facts.ts';
import type { NewTable } from './snapshot-table.ts';
import { quoteName } from './sqlite-tables.ts';

/** ASCII, without NUL; of the case of what is no text nobody asks. */
const ALL = ['true', 'true', 'false', 'false'] as const;
const NOTHING = ['false', 'false', 'false', 'false'] as const;
/** No dates, no JSON, no texts. */
const NONE = ['false', 'false', 'false', 'NULL'] as const;
const NO_REALS = ['NULL', 'NULL', 'NULL'] as const;

/** As SQL, in the order of {@link readFacts}. A column that holds no text is of ASCII only, as it has no other. */
const COUNTS: Readonly<Record<Kind, (column: string) => readonly string[]>> = {
  integer: (column) => [...ALL, `min(${column})`, `max(${column})`, ...NONE, ...NO_REALS],
  real: (column) => [
    ...[...ALL, 'NULL', 'NULL', ...NONE],
    `coalesce(max(abs(${column})), 0)`,
    `min(abs(${column})) FILTER (${column} <> 0)`,
    `coalesce(max(CASE WHEN round(${column}) = ${column} THEN 0${DECIMALS.map((digits) => ` WHEN round(${column} * 1e${digits}) / 1e${digits} = ${column} THEN ${digits}`).join('')} WHEN ${column} IS NOT NULL THEN 99 END), 0)`,
  ],
  blob: () => [...NOTHING, 'NULL', 'NULL', ...NONE, ...NO_REALS],
  any: () => [...NOTHING, 'NULL', 'NULL', ...NONE, ...NO_REALS],
  text: (column) => [
    every(`strlen(${column}) = length(${column})`),
    every(`NOT contains(${column}, chr(0))`),
    every(`lower(${column}) = ${column}`),
    every(`upper(${column}) = ${column}`),
    'NULL',
    'NULL',
    every(`regexp_full_match(${column}, '${DATE}') AND TRY_CAST(${column} AS DATE) IS NOT NULL`),
    every(`regexp_full_match(${column}, '${DATE} ${TIME}') AND TRY_CAST(${column} AS TIMESTAMP) IS NOT NULL`),
    every(`left(ltrim(${column}), 1) IN ${JSON_STARTS} AND json_valid(${column})`),
    `max(length(${column}))`,
    ...NO_REALS,
  ],
};
/** Tried in this order. */
const DECIMALS = [1, 2, 4, 6] as const;
/** Up to here rounding to a whole number tells doubles that are next to each other apart. */
const MOST_SCALED = 2 ** 50;
const DATE = '[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])';
const TIME = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]';
/** Looked at before the text is parsed: most texts are no JSON. */
const JSON_STARTS = `('{', '[', '"', '-', 't', 'f', 'n', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9')`;

/** Where there is no value at all, anything is true of every value. */
function every(condition: string): string {
  return `coalesce(bool_and(${condition}), true)`;
}

/** Columns a statement: planning one of a thousand columns takes the engine a minute, this many a few milliseconds. */
const TOGETHER = 32;

/** @param from the name of a table with the columns, quoted */
export async function countFacts(
  connection: DuckDBConnection,
  from: string,
  table: NewTable,
  kinds: readonly Kind[],
): Promise<readonly ColumnFacts[]> {
  const facts: ColumnFacts[] = [];
  for (let at = 0; at < table.columns.length; at += TOGETHER) {
    const counts = table.columns.slice(at, at + TOGETHER).map(({ name }, i) => {
      const column = quoteName(name);
      return [...COUNTS[kinds[at + i] ?? 'any'](column), `count(*) - count(${column})`];
    });
    const found = await connection.runAndReadAll(`SELECT ${counts.flat().join(', ')} FROM ${from}`);
    const values = found.getRows()[0] ?? [];
    const width = values.length / counts.length;
    for (let i = 0; i < counts.length; i++) facts.push(readFacts(values.slice(i * width, (i + 1) * width)));
  }
  return facts;
}

function readFacts(values: readonly unknown[]): ColumnFacts {
  const [ascii, noNul, lower, upper, min, max, ...more] = values;
  const [date, datetime, json, characters, size, least, digits, nulls] = more;
  return {
    ascii: ascii === true,
    noNul: noNul === true,
    lower: lower === true,
    upper: upper === true,
    min: min === null ? null : String(min),
    max: max === null ? null : String(max),
    dates: characters === null ? null : date === true ? 'date' : datetime === true ? 'datetime' : null,
    json: json === true,
    maxCharacters: characters === null ? null : Number(characters),
    nulls: Number(nulls),
    reals:
      size === null ? null : realFacts(Number(size), least === null ? null : Number(least), Number(digits)),
  };
}

function realFacts(size: number, least: number | null, digits: number): RealFacts | null {
  if (!Number.isFinite(size)) return null;
  return { size, least, digits: size * 10 ** digits <= MOST_SCALED ? digits : null, scaled: null };
}

/**
 * Of a table of these and those rows together, some of which may be the same.
 * @param rows of the whole table
 */
export function mergeFacts(
  before: readonly ColumnFacts[],
  fresh: readonly ColumnFacts[],
  rows: number,
): readonly ColumnFacts[] {
  return before.map((old, i) => {
    const now = fresh[i];
    if (now === undefined) return old;
    const merged = mergeColumn(old, now);
    return { ...merged, nulls: Math.min(merged.nulls, rows) };
  });
}

function mergeColumn(a: ColumnFacts, b: ColumnFacts): ColumnFacts {
  const wider = (of: 'min' | 'max'): string | null => {
    const [x, y] = [a[of], b[of]];
    if (x === null || y === null) return x ?? y;
    return BigInt(x) < BigInt(y) === (of === 'min') ? x : y;
  };
  const characters =
    a.maxCharacters === null || b.maxCharacters === null
      ? (a.maxCharacters ?? b.maxCharacters)
      : Math.max(a.maxCharacters, b.maxCharacters);
  return {
    ascii: a.ascii && b.ascii,
    noNul: a.noNul && b.noNul,
    lower: a.lower === true && b.lower === true,
    upper: a.upper === true && b.upper === true,
    min: wider('min'),
    max: wider('max'),
    // Without a text there is no form of a date to be of another than the others.
    dates:
      a.maxCharacters === null ? b.dates : b.maxCharacters === null || a.dates === b.dates ? a.dates : null,
    json: a.json && b.json,
    maxCharacters: characters,
    nulls: a.nulls + b.nulls,
    reals: mergeReals(a.reals, b.reals),
  };
}

/** The scaled column stays where its decimals are enough for the fresh values. */
function mergeReals(a: RealFacts | null | undefined, b: RealFacts | null | undefined): RealFacts | null {
  if (!a || !b) return null;
  const most =
    a.digits === null || b.digits === null ? Number.POSITIVE_INFINITY : Math.max(a.digits, b.digits);
  const least = Math.min(a.least ?? b.least ?? 0, b.least ?? a.least ?? 0);
  const merged = realFacts(Math.max(a.size, b.size), least === 0 ? null : least, most);
  return merged === null || merged.digits !== a.digits ? merged : { ...merged, scaled: a.scaled };
}
