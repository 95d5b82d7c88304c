// Trino's column of the table of words. What it has no word for with exactly the same meaning is refused here by name.
// Its texts compare by code points, as SQLite's do by bytes of UTF-8; reals are doubles of IEEE 754 in both.
import type { Engine, Part } from '../engine.ts';
import { ELSEWHERE, NotNative } from '../not-native.ts';
import type { Template } from '../plan.ts';
import { join, sql, textLiteral } from '../value.ts';
import { regularExpression } from './duckdb.ts';

const failing = (type: string): string => `CAST(fail('${ELSEWHERE}') AS ${type})`;

function none(what: string): never {
  throw new NotNative(what);
}

const BITS = {
  '&': 'bitwise_and',
  '|': 'bitwise_or',
  '<<': 'bitwise_left_shift',
  '>>': 'bitwise_right_shift_arithmetic',
} as const;
const ENDS = { trim: 'BOTH', ltrim: 'LEADING', rtrim: 'TRAILING' } as const;
/** Longer SQL is written once, in a list of one. */
const SHORT = 200;

export const TRINO: Engine = {
  keepsOrder: false,
  readsNaN: true,
  addsDecimals: false,
  joinsAllRows: true,
  filtersWindows: false,
  computesAsC: false,
  searchesLists: false,

  failing,
  statement: ({ asRead }) => asRead(),
  // JSON's numbers end at 2^53; NaN and infinities it writes as texts.
  column: ({ kind, sql: text }) =>
    kind === 'integer' || kind === 'null' ? sql`CAST(${text} AS VARCHAR)` : text,
  number: (x, whole) =>
    sql`ROW(CASE WHEN ${whole} THEN CAST(CAST(${x} AS BIGINT) AS VARCHAR) END, CASE WHEN ${whole} THEN NULL ELSE ${x} END)`,

  // NULLIF compares, and NaN is equal to nothing.
  settled: (real) =>
    length(real) <= SHORT
      ? sql`CASE WHEN NOT is_nan(${real}) THEN ${real} END`
      : sql`element_at(filter(ARRAY[${real}], n -> NOT is_nan(n)), 1)`,
  quotient: (l, r) => sql`(${l} / NULLIF(${r}, 0))`,
  remainder: (l, r) => sql`(${l} % NULLIF(${r}, 0))`,
  // What is shifted by is an INTEGER.
  bits: (op, l, r) => sql`${BITS[op]}(${l}, ${op === '<<' || op === '>>' ? sql`CAST(${r} AS INTEGER)` : r})`,
  complement: (x) => sql`bitwise_not(${x})`,
  truncated: (x) => sql`truncate(${x})`,
  // A real from 2^63 up is more than any integer.
  exactly: (op, i, r) =>
    sql`CASE WHEN ${r} < 9223372036854775807e0 THEN ${i} ${op} TRY_CAST(${r} AS BIGINT) WHEN ${i} IS NOT NULL AND ${r} IS NOT NULL THEN ${op.includes('<') ? 'TRUE' : 'FALSE'} END`,
  ordered: (x) => sql`(${x} + 0e0)`,
  wide: (x) => sql`CAST(${x} AS DECIMAL(38, 0))`,
  padded: (x, width, zeros) => sql`format(${textLiteral(`%${zeros ? '0' : ''}${width}d`)}, ${x})`,
  isTruth: (condition, expected, not) =>
    sql`(${not ? 'NOT ' : ''}COALESCE(${expected ? condition : sql`NOT ${condition}`}, FALSE))`,

  folded: (name, text) => {
    const [from, to] = name === 'lower' ? [UPPER, LOWER] : [LOWER, UPPER];
    return sql`translate(${text}, '${from}', '${to}')`;
  },
  bytesOf: (text) => sql`to_utf8(${text})`,
  textBytes: (text) => sql`length(to_utf8(${text}))`,
  blobBytes: (blob) => sql`length(${blob})`,
  contains: (text, sought) => sql`(strpos(${text}, ${sought}) > 0)`,
  startsWith: (text, start) => sql`starts_with(${text}, ${textLiteral(start)})`,
  endsWith: (text, end) => like(text, ['any', { text: end }]),
  isLike: (text, parts) =>
    parts.some((part) => typeof part === 'object' && 'of' in part)
      ? matches(text, regularExpression(parts))
      : like(text, parts),
  matches,
  position: (text, sought) => sql`strpos(${text}, ${sought})`,
  right: (text, count) => sql`substr(${text}, greatest(length(${text}) - ${count - 1}, 1))`,
  trimmed: (name, text, set) => sql`trim(${ENDS[name]} ${set} FROM ${text})`,
  hex: (x, kind) => sql`to_hex(${kind === 'blob' ? x : sql`to_utf8(${x})`})`,
  codePoint: (text) => sql`CAST(codepoint(CAST(substr(${text}, 1, 1) AS VARCHAR(1))) AS BIGINT)`,
  concat: (texts) =>
    sql`(${join(
      texts.map((text) => sql`COALESCE(${text}, '')`),
      ' || ',
    )})`,
  concatAll: (texts) => sql`(${join(texts, ' || ')})`,
  jsonString: (text) =>
    sql`CASE WHEN NOT regexp_like(${text}, '[\\x01-\\x1f]') THEN '"' || replace(replace(${text}, '\\', '\\\\'), '"', '\\"') || '"' WHEN ${text} IS NOT NULL THEN ${failing('VARCHAR')} END`,
  jsonText: () => none('text of JSON at a path'),

  // Of the start of the query, as SQLite's is of the statement.
  now: () => "CAST(current_timestamp AT TIME ZONE 'UTC' AS TIMESTAMP)",
  // It adds 32 bits of a unit at most.
  ofSeconds: (seconds) =>
    sql`date_add('second', ${seconds} % 86400, date_add('day', ${seconds} / 86400, TIMESTAMP '1970-01-01 00:00:00.000'))`,
  milliseconds: (stamp) => sql`date_diff('millisecond', TIMESTAMP '1970-01-01 00:00:00.000', ${stamp})`,
  formatted: (stamp, format) =>
    sql`date_format(${stamp}, ${textLiteral(format.replaceAll('%M', '%i').replaceAll('%S', '%s'))})`,
  wholeWeeks: (days) => sql`${days} / 7`,
  dayOf: (what, stamp) => {
    if (what === 'year') return sql`day_of_year(${stamp})`;
    const day = sql`day_of_week(${stamp})`;
    return what === 'iso week' ? day : sql`(${day} % 7)`;
  },
  later: (stamp, count, unit) => sql`date_add('${unit}', ${count}, ${stamp})`,
  intoMonth: (month, of) =>
    sql`date_add('second', date_diff('second', date_trunc('month', ${of}), ${of}), ${month})`,

  joined: (over, text, separator) =>
    sql`array_join(${over('array_agg', [text], { ordered: true, where: sql`${text} IS NOT NULL` })}, ${separator})`,
  extremeBy: () => none('min() or max() by a collation'),
  // Each way to add reals has other last digits.
  statistic: (_, name) => none(`function ${name}`),

  row: (fields) => sql`ROW(${join(fields, ', ')})`,
  field: (row, index) => `${row}[${index + 1}]`,
  firstRow: (row, order, filter) => {
    const [only] = order;
    if (only === undefined) return sql`any_value(${row})${filter}`;
    const isColumn =
      order.length === 1 && only.every((part) => typeof part === 'string' && !part.includes(' '));
    if (isColumn) return sql`min_by(${row}, ${only})${filter}`;
    return sql`element_at(array_agg(${row} ORDER BY ${join(order, ', ')})${filter}, 1)`;
  },
  lastRow: () => none('the last row of a group'),
  firstBy: (x, place) => sql`min_by(ROW(${x}), ${place})[1]`,
  bind: (name, operands, body) => sql`transform(ARRAY[ROW(${join(operands, ', ')})], ${name} -> ${body})[1]`,
  bound: (name, index) => `${name}[${index + 1}]`,
  limit: (rows, skipped) =>
    sql`${skipped === undefined ? [] : sql` OFFSET ${skipped}`}${rows === undefined ? [] : sql` LIMIT ${rows}`}`,
};

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();

function length(template: Template): number {
  return template.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 8), 0);
}

function matches(text: Template, pattern: string): Template {
  return sql`regexp_like(${text}, ${textLiteral(`(?s)\\A(?:${pattern})\\z`)})`;
}

function like(text: Template, parts: readonly Part[]): Template {
  const pattern = parts.map((part) =>
    part === 'any' ? '%' : part === 'one' ? '_' : 'of' in part ? '' : part.text.replace(/[\\%_]/g, '\\$&'),
  );
  return sql`(${text} LIKE ${textLiteral(pattern.join(''))} ESCAPE '\\')`;
}
