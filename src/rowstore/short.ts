// What is sure to be short: by the length of a statement, by its words, and by the rows that it visits and holds. SQLite cannot
// be interrupted, so that whoever runs a statement beside other work has to know before it begins.

import { CALL_PARTS } from '../dialect/function-kinds.ts';
import { lastRow } from '../dialect/page.ts';
import type { RowStatement } from '../dialect/row-statement.ts';
import type { QueryJob } from '../wire/protocol.ts';
import type { Catalogue } from './catalogue.ts';
import type { IsNarrow } from './narrow.ts';
import type { Choice } from './statements.ts';

/** Of a shape with its literals: what is long may have very many words. */
const TEXT_CHARACTERS = 4_096;
/** Of eight tables in one SELECT: more take their time to be planned. */
const TABLE_SQUARES = 8 ** 2;
/** Columns of all SELECTs together: SQLite makes ready so many in some 3 to 20 ms, and keeps a megabyte for them. */
const WIDTH = 2_000;
/** Of a shape that joins tables. */
const JOIN_CHARACTERS = 1_024;
/**
 * SQLite weighs all conditions for each order of the tables: of one table so many take it a millisecond or two, of several
 * so few. Where an index has several columns it weighs those of each with those of the others.
 */
const COMPARISONS = 100;
const JOIN_COMPARISONS = 20;
const COMPOUND_COMPARISONS = 8;
/** Rows times the words of each: a millisecond, and some tens of them where all values are as large as they may be. */
const WORK = 4_096;
/** The same where no value is large and no word takes long: a fraction of a millisecond. */
const NARROW_WORK = 16_384;
/** Characters of literals that count as one call, but for short ones: they are parts like others. */
const WORD_CHARACTERS = 64;
const SHORT_LITERAL = 16;
/** Columns, of stars as well, that count as one call where all rows of them are read. */
const WIDE_COLUMNS = 32;
/** Tables that are looked at whether they are narrow. */
const NARROW_TABLES = 8;
/** Values of a result, all rows together. */
const CELLS = 16_384;
/** A LIMIT of so many keeps a result short, sorted or not: of more, sorting takes as long as of all. */
const FEW_ROWS = 50;

/** Whether it takes no time to be read. */
export function isShortText(job: QueryJob): boolean {
  return job.shape.length + literalCharacters(job) <= TEXT_CHARACTERS;
}

/**
 * Whether its plan is made in a known time: a subquery in FROM can use its values over and over, and each window is one more
 * of them.
 */
export function isShortPlan(
  { shape }: QueryJob,
  statement: RowStatement,
  { isCompound }: Pick<Catalogue, 'isCompound'>,
): boolean {
  const { windows, recursive, sources, tableSquares, width, references, repeats, comparisons } = statement;
  if (windows || repeats || recursive) return false;
  if (tableSquares > TABLE_SQUARES || width > WIDTH || references.length !== sources) return false;
  // Each term of a compound with a table of its own is planned as a statement of one table is.
  const joins = tableSquares > sources;
  if (joins && shape.length > JOIN_CHARACTERS) return false;
  if (comparisons > (joins ? JOIN_COMPARISONS : COMPARISONS)) return false;
  return comparisons <= COMPOUND_COMPARISONS || !references.some(isCompound);
}

/** Whether its time is known by the rows that it visits. */
export function isLinear({ linear, expanding }: RowStatement): boolean {
  return linear && expanding === 0;
}

/** Whether what it visits is little. @param isNarrow of a table of the statement */
export function isLittleWork(
  { visits = Number.POSITIVE_INFINITY, sorts = true, bySelect = false, run }: Choice,
  job: QueryJob,
  isNarrow: IsNarrow,
): boolean {
  const { calls, dear, parts, plainColumns, tables, selects, heaviest, width } = run.statement;
  // Columns of the result are read of the rows that are given, which are few; and of all rows where they are sorted, or where
  // a max() among the calls takes them of each row that is larger than those before.
  const reads = sorts || calls > 0;
  const words = parts + CALL_PARTS * calls - (reads ? 0 : plainColumns);
  // Where the plan says how often each SELECT visits a row, only the words of that one are done with it.
  const each = Math.floor((bySelect && selects > 1 ? Math.min(words, heaviest) : words) / CALL_PARTS);
  // A path, a format or what is sorted by may be long.
  const long = Math.floor(literalCharacters(job, SHORT_LITERAL) / WORD_CHARACTERS);
  const wide = reads ? Math.floor(width / WIDE_COLUMNS) : 0;
  const work = visits * (1 + each + long + wide);
  if (work <= WORK) return true;
  // To sort so many rows, or to give them, takes longer than to go through their words.
  if (work > NARROW_WORK || visits > WORK || dear > 0) return false;
  return tables.length <= NARROW_TABLES && tables.every(isNarrow);
}

/** Whether it has few values. @param columns of its result */
export function isShortResult(
  { visits = Number.POSITIVE_INFINITY, run }: Choice,
  job: QueryJob,
  columns: number,
): boolean {
  const { limit, gathers, width } = run.statement;
  // All rows are kept, with all of their columns, before the first is given.
  if (gathers) return width * visits <= CELLS;
  // Rows of its result, or that are sorted for it.
  const last = lastRow(limit, job.literals) ?? visits;
  return columns * (last > FEW_ROWS ? visits : Math.min(visits, last)) <= CELLS;
}

/** @param most of one that is not counted */
function literalCharacters({ literals }: QueryJob, most = 0): number {
  let characters = 0;
  for (const { text } of literals) if (text.length > most) characters += text.length;
  return characters;
}
