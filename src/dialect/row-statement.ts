// A statement for SQLite: the text that is run, in the reference's normal form, and what the row lane has to know
// of it. No client's text: every word comes from the syntax tree. SQLite itself resolves names and types.

import { ownText } from '../base/own-text.ts';
import type { Literal } from '../wire/protocol.ts';
import { madeBlobs } from './blobs.ts';
import { writeStatement } from './canonical-text.ts';
import { type Filter, filtersOf } from './filters.ts';
import { madeJson } from './made-json.ts';
import { literalName } from './names.ts';
import { limitOf, type Page, pageOf } from './page.ts';
import { parse } from './parse.ts';
import type { Slot, Template } from './plan.ts';
import { Reading } from './reading.ts';
import { realTexts } from './real-texts.ts';
import { resultWidth } from './result-width.ts';
import { type Seek, seeksOf } from './seeks.ts';
import { type SoleTable, soleTable } from './sole-table.ts';
import { StatementWriter, type UsedSeek } from './statement-writer.ts';

/** What is known of a table's columns: their lower-case names. */
export interface TableColumns {
  readonly columns: ReadonlySet<string>;
  /** Those that may hold blobs. */
  readonly blobs: ReadonlySet<string>;
  /** Those that may hold reals. */
  readonly reals: ReadonlySet<string>;
}

export interface RowStatement {
  readonly template: Template;
  /** Of each of its tables: where these are others, it is another statement. */
  readonly described: ReadonlyMap<string, TableColumns>;
  /** Equalities by which rows could be looked up. */
  readonly seeks: readonly Seek[];
  /** Equalities that bound how many rows a loop passes on, by what SQLite's plan calls its table. */
  readonly filters: () => ReadonlyMap<string, readonly Filter[]>;
  /** The same statement with these look-ups. */
  readonly seeking: (uses: readonly UsedSeek[]) => Template;
  /** Lower-case names of the tables that it reads, in the order in which SQLite looks for them; common tables are none. */
  readonly tables: readonly string[];
  /** Tables of FROM clauses, by the lower-case name that SQLite's plan calls them by. */
  readonly scanned: ReadonlyMap<string, readonly string[]>;
  /** Tables, subqueries and functions of all FROM clauses. */
  readonly sources: number;
  /**
   * The square of the tables that SQLite puts in an order together, which its planner takes at least: those of one SELECT with
   * all subqueries in it; the sum of all terms of a compound.
   */
  readonly tableSquares: number;
  /** Columns of all its SELECTs together. */
  readonly width: number;
  /** A SELECT of it keeps all its rows before it gives one, whatever its LIMIT is: GROUP BY, DISTINCT, UNION and its like. */
  readonly gathers: boolean;
  /** SELECTs, subqueries and terms of compounds with them. */
  readonly selects: number;
  /** Each mention of a table in a FROM clause, by its lower-case name. */
  readonly references: readonly string[];
  readonly recursive: boolean;
  /** Calls of functions that make a value far larger than what they are given. */
  readonly expanding: number;
  /** Calls of any function. */
  readonly calls: number;
  /** Words that may take much longer than a comparison, however small their values are: most calls, and `||`. */
  readonly dear: number;
  /** Parts of all expressions; a list of literals is looked through at once, and is one. */
  readonly parts: number;
  /** The most {@link parts} of one SELECT, and {@link CALL_PARTS} for each of its calls, without those of the SELECTs in it. */
  readonly heaviest: number;
  /** Of {@link parts}, columns of the result and of its order that are a table's column and no more. */
  readonly plainColumns: number;
  /** Set where it reads one table alone, which is the only one of {@link references}. */
  readonly sole: SoleTable | undefined;
  /** Lower-case names of all columns that its expressions name. */
  readonly columns: ReadonlySet<string>;
  /** Values may be made anew at each mention of their name. */
  readonly repeats: boolean;
  /** Whether all its words take time in proportion to the values that they are given. */
  readonly linear: boolean;
  readonly windows: boolean;
  /** Conditions, and terms of an order, that SQLite weighs for each order of the tables; Infinity: not known. */
  readonly comparisons: number;
  /** Places of literals that make the answer depend on the clock where their text is `now`. */
  readonly clocks: readonly number[];
  /** The answer depends on more than the snapshot, whatever the literals are. */
  readonly volatile: boolean;
  /** The answer depends on the chains' blocks. */
  readonly blocks: boolean;
  /** Values of the longest IN list. */
  readonly listed: number;
  /** Terms with IN. */
  readonly lists: number;
  /** A literal is a name in it: with another one it is another statement. */
  readonly pinned: boolean;
  /** A text of the result may be of bytes that are no UTF-8. */
  readonly mayBreak: boolean;
  /** Indexes of the result's columns that SQLite itself writes as JSON. */
  readonly json: readonly number[];
  /** Set where the statement reads no more rows than its LIMIT and OFFSET say, if it is run in stored order. */
  readonly page: Page | undefined;
  /** Its LIMIT and OFFSET, however it is run. */
  readonly limit: Page | undefined;
}

/** SQL with its values. */
export interface Filled {
  readonly sql: string;
  readonly values: readonly (bigint | string)[];
}

const NO_COLUMNS: ReadonlySet<string> = new Set();

const hasBlobs = ({ blobs }: TableColumns): boolean => blobs.size > 0;

/**
 * @param describe by the lower-case name of a table; none of its columns where there is no such table
 * @throws GatewayError statement-*, unsupported: what the grammar does not have
 */
export function rowStatement(
  shape: string,
  literals: readonly Literal[],
  describe: (table: string) => TableColumns,
): RowStatement {
  const { select, pins } = parse(shape, literals);
  const reading = new Reading();
  reading.statement(select);
  // What is made below outlives the snapshot that describes its tables, and must not hold it: no function that is made here
  // may mention `describe`, since all of them share what one of them mentions.
  const described = new Map<string, TableColumns>();
  for (const table of reading.tables) described.set(table, describe(table));
  const columnsOf = (table: string): ReadonlySet<string> => described.get(table)?.columns ?? NO_COLUMNS;
  const isOfTables = (kind: 'blobs' | 'reals', column: string): boolean =>
    [...described.values()].some(({ [kind]: such }) => such.has(column));
  let isBlob = (column: string): boolean => {
    // Looked through when the first LIKE asks.
    isBlob = madeBlobs(reading.made, (each) => isOfTables('blobs', each));
    return isBlob(column);
  };
  const isMade = (column: string): boolean => reading.made.some(({ names }) => names.includes(column));
  const reals = realTexts(select, { isReal: (column) => isOfTables('reals', column), isMade });
  let filters: ReturnType<RowStatement['filters']> | undefined;
  const write = (uses: readonly UsedSeek[]): Template => {
    const writer = new StatementWriter(reading.bound, (column) => isBlob(column), reals, uses);
    writeStatement(writer, select);
    return writer.parts;
  };
  const mayBreak =
    reading.mayBreak || (reading.makesText && [...reading.columns].some((column) => isBlob(column)));
  return {
    template: write([]),
    described,
    seeks: seeksOf(reading.cores, reading.commons, columnsOf),
    filters: () => {
      filters ??= filtersOf(reading.cores, reading.commons, columnsOf);
      return filters;
    },
    seeking: write,
    tables: [...reading.tables],
    scanned: reading.scanned,
    sources: reading.sources,
    tableSquares: reading.tableSquares,
    width: resultWidth(reading.cores, columnsOf),
    gathers: reading.gathers,
    selects: reading.cores.length,
    references: reading.references,
    recursive: reading.recursive,
    expanding: reading.expanding,
    calls: reading.calls,
    dear: reading.dear,
    parts: reading.parts,
    heaviest: reading.heaviest,
    plainColumns: reading.plainColumns,
    sole: reading.sources === 1 && reading.cores.length === 1 ? soleTable(select) : undefined,
    columns: reading.columns,
    repeats: reading.repeats((table, name) => columnsOf(table).has(name)),
    linear: reading.linear,
    windows: reading.windows,
    comparisons: reading.comparisons,
    clocks: reading.clocks,
    volatile: reading.volatile,
    blocks: reading.blocks,
    listed: reading.listed,
    lists: reading.lists,
    pinned: pins.length > 0,
    mayBreak,
    // A star names no column, and a name may be given to another one's values: any blob of its tables counts.
    json: madeJson(select, mayBreak || reading.makesBlob || [...described.values()].some(hasBlobs)),
    page: pageOf(select),
    limit: limitOf(select),
  };
}

/** The text that SQLite is given, and the values of its `?`. */
export function fillStatement(
  { template }: Pick<RowStatement, 'template'>,
  literals: readonly Literal[],
): Filled {
  const values: (bigint | string)[] = [];
  const written: Written = [];
  for (const part of template) {
    if (typeof part === 'string') continue;
    const value = boundValue(part, literals);
    if (value !== undefined) values.push(value);
    written.push(value === undefined ? literalOf(part, literals) : undefined);
  }
  const isBound = values.length === written.length;
  return { sql: isBound ? boundText(template) : writtenText(template, literals, written), values };
}

/** Indexes of the literals that are the values of the text's `?`, in their order. */
export function boundLiterals(template: Template, literals: readonly Literal[]): readonly number[] {
  return template.flatMap((part) =>
    typeof part === 'string' || boundValue(part, literals) === undefined ? [] : [part.index],
  );
}

/** One string for all statements of a shape: what is remembered by it is found without a look at its characters. */
function boundText(template: Template): string {
  let text = BOUND_TEXTS.get(template);
  if (text === undefined) {
    text = template.map((part) => (typeof part === 'string' ? part : '?')).join('');
    BOUND_TEXTS.set(template, text);
  }
  return text;
}
const BOUND_TEXTS = new WeakMap<Template, string>();

/** Of each slot of a template, the literal that is a part of the text; undefined where it is a `?`. */
type Written = (Literal | undefined)[];

/**
 * The same where some literals are a part of the text: mostly they are those of the statement before, as the names of an
 * object's members.
 */
function writtenText(template: Template, literals: readonly Literal[], written: Written): string {
  const before = WRITTEN_TEXTS.get(template);
  if (before?.written.every((literal, slot) => isSameLiteral(literal, written[slot]))) return before.sql;
  const sql = writeLiterals(template, literals);
  const characters = written.reduce((sum, literal) => sum + (literal?.text.length ?? 0), 0);
  // Nothing else bounds what is kept of a template by its literals.
  if (characters <= KEPT_CHARACTERS) WRITTEN_TEXTS.set(template, { written: written.map(ownLiteral), sql });
  return sql;
}
const WRITTEN_TEXTS = new WeakMap<Template, { readonly written: Written; readonly sql: string }>();

const KEPT_CHARACTERS = 1_024;

function ownLiteral(literal: Literal | undefined): Literal | undefined {
  return literal && { ...literal, text: ownText(literal.text) };
}

function isSameLiteral(one: Literal | undefined, other: Literal | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.kind === other.kind &&
    one.text === other.text &&
    one.source === other.source &&
    one.param === other.param
  );
}

function writeLiterals(template: Template, literals: readonly Literal[]): string {
  let sql = '';
  for (const part of template) {
    if (typeof part === 'string') {
      sql += part;
      continue;
    }
    const literal = literalOf(part, literals);
    if (part.as === 'path') sql += pathText(literal);
    else if (part.as === 'quoted') sql += literalName(literal).replaceAll('"', '""');
    else sql += boundValue(part, literals) === undefined ? literalText(literal) : '?';
  }
  return sql;
}

function literalOf({ index }: Slot, literals: readonly Literal[]): Literal {
  const literal = literals[index];
  if (literal === undefined) throw new Error(`no literal ${index}`);
  return literal;
}

/** Longer integers, and hexadecimal ones, which are of 64 bits with a sign, are SQLite's to read. */
export const PLAIN_INTEGER = /^\d{1,18}$/;

/**
 * The value of a `?`; undefined where the literal is a part of the text: SQLite's planner looks at a comparison with -1,
 * 0 or 1.
 */
function boundValue({ index, as }: Slot, literals: readonly Literal[]): bigint | string | undefined {
  const literal = literals[index];
  if (as !== 'bind' || literal === undefined) return undefined;
  const { kind, text } = literal;
  if (kind === 'text') return text.includes('\0') ? undefined : text;
  if (kind !== 'integer' || !PLAIN_INTEGER.test(text)) return undefined;
  const value = BigInt(text);
  return value < 2n ? undefined : value;
}

function literalText(literal: Literal): string {
  // A text ends at its first NUL where SQL is read.
  if (literal.kind === 'text' && literal.text.includes('\0'))
    return `cast(x'${Buffer.from(literal.text).toString('hex')}' as text)`;
  return literalName(literal);
}

/** json.c of 3.39: `'a.b'` is the path `$.a.b`, and `'1'` is `$[1]`; 3.53 takes both for labels. */
function pathText({ kind, text, source }: Literal): string {
  if (kind !== 'text' || source !== undefined || text.startsWith('$') || text.includes('\0'))
    return literalText({ kind, text, ...(source === undefined ? {} : { source }) });
  const path = /^\d/.test(text) ? `$[${text}]` : text.startsWith('[') ? `$${text}` : `$.${text}`;
  return `'${path.replaceAll("'", "''")}'`;
}
