// What is sure to be short: by the length of a statement, by its words, and by the rows that it visits and holds. SQLite cannot
// be interrupted, so that whoever runs a statement beside other work has to know before it begins.
import { lastRow } from '../dialect/page.ts';
import type { RowStatement } from '../dialect/row-statement.ts';
import type { QueryJob } from '../wire/protocol.ts';
import type { Catalogue } from './catalogue.ts';
import type { Choice } from './statements.ts';

/** Of a shape with its literals: what is long may have very many words. */
const TEXT_CHARACTERS = 4_096;
/** Tables of a statement: more take their time to be planned. */
const SOURCES = 8;
/** Of a shape of several tables. */
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
/** Parts of expressions, and columns of the result, that count as one call. */
const WORD_PARTS = 8;
/** Characters of literals that count as one call. */
const WORD_CHARACTERS = 64;
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
  const { windows, recursive, sources, references, repeats, comparisons } = statement;
  if (windows || repeats || recursive) return false;
  if (sources > SOURCES || references.length !== sources) return false;
  if (sources > 1 && shape.length > JOIN_CHARACTERS) return false;
  if (comparisons > (sources > 1 ? JOIN_COMPARISONS : COMPARISONS)) return false;
  return comparisons <= COMPOUND_COMPARISONS || !references.some(isCompound);
}

/** Whether its time is known by the rows that it visits. */
export function isLinear({ linear, expanding }: RowStatement): boolean {
  return linear && expanding === 0;
}

/** Whether what it visits is little. */
export function isLittleWork(
  { visits = Number.POSITIVE_INFINITY, sorts = true, run }: Choice,
  job: QueryJob,
): boolean {
  const { calls, parts, plainColumns } = run.statement;
  // Columns are read of the rows that are given, which are few; and of all that are sorted, or that have a larger max().
  const words = sorts || calls > 0 ? parts : parts - plainColumns;
  // A path or a format may be long.
  const literals = Math.floor(literalCharacters(job) / WORD_CHARACTERS);
  return visits * (1 + calls + Math.floor(words / WORD_PARTS) + literals) <= WORK;
}

/** Whether it has few values. @param columns of its result */
export function isShortResult(
  { visits = Number.POSITIVE_INFINITY, run }: Choice,
  job: QueryJob,
  columns: number,
): boolean {
  // Rows of its result, or that are sorted for it.
  const last = lastRow(run.statement.limit, job.literals) ?? visits;
  return columns * (last > FEW_ROWS ? visits : Math.min(visits, last)) <= CELLS;
}

function literalCharacters({ literals }: QueryJob): number {
  let characters = 0;
  for (const { text } of literals) characters += text.length;
  return characters;
}
