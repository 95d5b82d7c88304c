// DuckDB's column of the table of words.
import type { Engine, Part, StatementRows } from '../engine.ts';
import { ELSEWHERE } from '../not-native.ts';
import { ANY_TYPE, type Template } from '../plan.ts';
import { join, sql, textLiteral } from '../value.ts';

const ordered = (row: Template, order: readonly Template[]): Template =>
  order.length === 0 ? row : sql`${row} ORDER BY ${join(order, ', ')}`;

const failing = (type: string, words = ELSEWHERE): string => `CAST(error('${words}') AS ${type})`;

export const DUCKDB: Engine = {
  keepsOrder: true,
  readsNaN: false,
  addsDecimals: true,
  // The engine sorts its parts first, where SQLite writes one long text in the order of its scan.
  joinsAllRows: false,
  filtersWindows: true,
  computesAsC: true,
  searchesLists: true,

  failing,
  statement: typedRows,
  column: (value) => value.sql,
  number: (x, whole) =>
    sql`CASE WHEN ${whole} THEN CAST(CAST(${x} AS BIGINT) AS ${ANY_TYPE}) WHEN ${x} IS NOT NULL THEN CAST(${x} AS ${ANY_TYPE}) END`,

  settled: (real) => sql`NULLIF(${real}, CAST('nan' AS DOUBLE))`,
  quotient: (l, r) => sql`(${l} // ${r})`,
  remainder: (l, r) => sql`(${l} % ${r})`,
  bits: (op, l, r) => sql`(${l} ${op} ${r})`,
  complement: (x) => sql`(~ ${x})`,
  truncated: (x) => sql`trunc(${x})`,
  exactly: (op, i, r) => sql`CAST(${i} AS HUGEINT) ${op} TRY_CAST(${r} AS HUGEINT)`,
  // It adds in 128 bits.
  ordered: (x) => x,
  wide: (x) => x,
  padded: (x, width, zeros) => sql`printf(${textLiteral(`%${zeros ? '0' : ''}${width}d`)}, ${x})`,
  isTruth: (condition, expected, not) =>
    sql`(${condition} IS ${not ? 'NOT ' : ''}${expected ? 'TRUE' : 'FALSE'})`,

  // Its lower() folds all of Unicode's letters, but is 25 times faster than translate().
  folded: (name, text) => {
    const [from, to] = name === 'lower' ? [UPPER, LOWER] : [LOWER, UPPER];
    return sql`CASE WHEN strlen(${text}) = length(${text}) THEN ${name}(${text}) ELSE translate(${text}, '${from}', '${to}') END`;
  },
  bytesOf: (text) => sql`encode(${text})`,
  textBytes: (text) => sql`strlen(${text})`,
  blobBytes: (blob) => sql`octet_length(${blob})`,
  contains: (text, sought) => sql`contains(${text}, ${sought})`,
  startsWith: (text, start) => sql`starts_with(${text}, ${textLiteral(start)})`,
  endsWith: (text, end) => sql`suffix(${text}, ${textLiteral(end)})`,
  isLike,
  matches: (text, pattern) => sql`regexp_full_match(${text}, ${textLiteral(pattern)})`,
  position: (text, sought) => sql`instr(${text}, ${sought})`,
  right: (text, count) => sql`right(${text}, ${count})`,
  trimmed: (name, text, set) => sql`${name}(${text}, ${set})`,
  hex: (x) => sql`hex(${x})`,
  codePoint: (text) => sql`CAST(unicode(${text}) AS BIGINT)`,
  concat,
  // Half of the time of a chain of ||.
  concatAll: concat,
  // Control characters without a letter it writes in capitals; a text that shows the same may not have any.
  jsonString: (text) => {
    const string = sql`CAST(to_json(${text}) AS VARCHAR)`;
    return sql`CASE WHEN contains(${string}, '\\u00') THEN ${failing('VARCHAR')} ELSE ${string} END`;
  },
  jsonText: (json, path) => {
    const at = textLiteral(path);
    const kind = sql`json_type(${json}, ${at})`;
    return sql`CASE ${kind} WHEN 'VARCHAR' THEN json_extract_string(${json}, ${at}) WHEN 'NULL' THEN NULL ELSE CASE WHEN ${kind} IS NOT NULL THEN ${failing('VARCHAR')} END END`;
  },

  now: () => 'make_timestamp_ms(epoch_ms(get_current_timestamp()))',
  ofSeconds: (seconds) => sql`make_timestamp(${seconds} * 1000000)`,
  milliseconds: (stamp) => sql`epoch_ms(${stamp})`,
  formatted: (stamp, format) => sql`strftime(${stamp}, ${textLiteral(format)})`,
  wholeWeeks: (days) => sql`${days} // 7`,
  dayOf: (what, stamp) =>
    sql`${{ year: 'dayofyear', 'iso week': 'isodow', week: 'dayofweek' }[what]}(${stamp})`,
  later: (stamp, count, unit) =>
    typeof count === 'number'
      ? sql`${stamp} + INTERVAL (${count}) ${unit.toUpperCase()}`
      : sql`${stamp} + to_days(CAST(${count} AS INTEGER))`,
  intoMonth: (month, of) => sql`${month} + (${of} - date_trunc('month', ${of}))`,

  joined: (over, text, separator) => over('string_agg', [text, separator], { ordered: true }),
  extremeBy: (over, largest, x, key) => over(`arg_${largest ? 'max' : 'min'}`, [x, key], { distinct: false }),
  statistic: (over, name, x) => {
    const real = over(name, [x]);
    // NaN, where the sum of infinities is none, is SQLite's to judge.
    return sql`CASE WHEN isnan(${real}) THEN ${failing('DOUBLE')} ELSE ${real} END`;
  },

  row: (fields) =>
    sql`struct_pack(${join(
      fields.map((field, i) => sql`f${i} := ${field}`),
      ', ',
    )})`,
  field: (row, index) => `${row}.f${index}`,
  firstRow: (row, order, filter) => sql`first(${ordered(row, order)})${filter}`,
  lastRow: (row, order, filter) => sql`last(${ordered(row, order)})${filter}`,
  // arg_min skips NULLs, so it is wrapped.
  firstBy: (x, place) => sql`arg_min(struct_pack(v := ${x}), ${place}).v`,
  // A lambda over a list of one: the only local binding inside an expression.
  bind: (name, operands, body) =>
    sql`list_transform([struct_pack(${join(
      operands.map((operand, i) => sql`f${i} := ${operand}`),
      ', ',
    )})], lambda ${name}: ${body})[1]`,
  // Not name.field, in which a column of that name would come first.
  bound: (name, index) => `struct_extract(${name}, 'f${index}')`,
  limit: (rows, skipped) =>
    sql`${rows === undefined ? [] : sql` LIMIT ${rows}`}${skipped === undefined ? [] : sql` OFFSET ${skipped}`}`,
};

/** A column that is NULL in every row is given a type, which it has none of by itself. */
function typedRows({ kinds, inOrder }: StatementRows): Template {
  const rows = inOrder();
  if (!kinds.includes('null')) return rows;
  const cells = kinds.map(
    (kind, i): Template => (kind === 'null' ? [`CAST(NULL AS BIGINT) AS c${i}`] : [`c${i}`]),
  );
  return sql`SELECT ${join(cells, ', ')} FROM (${rows}) AS p`;
}

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();

function concat(texts: readonly Template[]): Template {
  return sql`concat(${join(texts, ', ')})`;
}

/** Texts with something between them it looks for one after the other; with `_` it would try all ways. */
function isLike(text: Template, parts: readonly Part[]): Template {
  const plain = parts.every(
    (part) => part === 'any' || (typeof part === 'object' && 'text' in part && !/[%_]/.test(part.text)),
  );
  if (plain)
    return sql`(${text} LIKE ${textLiteral(parts.map((part) => (part === 'any' ? '%' : (part as { readonly text: string }).text)).join(''))})`;
  return sql`regexp_full_match(${text}, ${textLiteral(regularExpression(parts))}, 's')`;
}

/** In the notation of RE2, in which `.` is to be any character. */
export function regularExpression(parts: readonly Part[]): string {
  return parts
    .map((part) =>
      part === 'any'
        ? '.*'
        : part === 'one'
          ? '.'
          : 'of' in part
            ? part.of
            : part.text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&'),
    )
    .join('');
}
