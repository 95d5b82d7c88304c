// Statements of one open row store: what each shape is, which engine is to run it, and prepared ones ready to be run.
// The choice is static: by SQLite's own plan, before anything runs.

import { createCache, createShapeCache } from '../base/cache.ts';
import { GatewayError } from '../base/errors.ts';
import { didYouMeanTable } from '../base/near-name.ts';
import { lastRow } from '../dialect/page.ts';
import { type Filled, fillStatement, type RowStatement, rowStatement } from '../dialect/row-statement.ts';
import type { Cell } from '../encode/json-rows.ts';
import { formOf, type MakeBody } from '../encode/row-body.ts';
import type { BodyColumn } from '../encode/typed-rows.ts';
import type { EngineReason, Literal, Output } from '../wire/protocol.ts';
import type { Access } from './access.ts';
import { type AccessOptions, AccessPaths, FEW_VISITS, tried } from './access-paths.ts';
import type { Catalogue } from './catalogue.ts';
import { type LockedDatabase, type Prepared, preparedOnce } from './database.ts';
import { jsonPage, MANY_ROWS, type ReadPage } from './json-page.ts';
import { rowsInRange } from './key-range.ts';
import type { SeekTables } from './seek-tables.ts';
import { isOf, type ShapeMemory } from './shape-memory.ts';
import { cellsByBytes, withBytes } from './text.ts';
import type { PlanLine } from './visits.ts';

/** Where a statement is run, and why there. */
export interface Choice {
  readonly engine: 'rows' | 'scan' | 'long' | 'remote';
  readonly reason: EngineReason;
  /** The same in a sentence, for the log. */
  readonly why: string;
  /** Rows that it visits at most; undefined where they were not counted. */
  readonly visits?: number;
  /** Of another engine: whoever looks at the statement, in whatever process, chooses the same. */
  readonly settled?: boolean;
  /** Whether all of these may be put in another order before the first is given. */
  readonly sorts?: boolean;
  /** See Access. */
  readonly bySelect?: boolean | undefined;
  /** What is to be run, where it is run here. */
  readonly run: Statement;
}

export interface Statement {
  readonly shape: string;
  readonly statement: RowStatement;
  readonly filled: Filled;
  /** Whether its shape was asked before: what is prepared of it is kept. */
  readonly again: boolean;
  /** How SQLite gets at its rows, by its text; undefined where that is not remembered. */
  readonly accesses: Map<string, Access> | undefined;
}

export interface Statements {
  /** @throws GatewayError statement-*, unknown-table */
  read(shape: string, literals: readonly Literal[]): Statement;
  /** One that was read in another store, of tables that are the same here: it is not read again. */
  adopt(read: Statement): Statement;
  /** @throws Error of SQLite: unknown columns and the like */
  choose(statement: Statement, literals: readonly Literal[]): Choice;
  /**
   * The same of what is not run here, where that is sure before anything is counted or made ready for it.
   * @throws Error of SQLite
   */
  settle(statement: Statement, literals: readonly Literal[]): Choice | undefined;
  /**
   * @param byBytes texts are read as bytes, whatever they are
   * @throws Error of SQLite
   */
  prepare(statement: Statement, byBytes?: boolean): Runnable;
  /** It is not run again by who has it. */
  release(runnable: Runnable): void;
  /** @throws Error of SQLite */
  plan(statement: Statement): readonly PlanLine[];
  /** Reads a whole page of it as JSON; undefined where its rows are to be read by cells. */
  page(statement: Statement, runnable: Runnable, output: Output): ReadPage | undefined;
  /** None where it cannot be read. */
  tablesOf(shape: string, literals: readonly Literal[]): readonly string[];
}

/** A statement ready to be run. */
export interface Runnable {
  readonly prepared: Prepared;
  /** Whether others may be given it, too. */
  readonly shared: boolean;
  /** Of its result. */
  readonly columns: readonly BodyColumn[];
  /** The values of a row; undefined: a row is its values. */
  readonly cells: ((row: readonly Cell[]) => Cell[]) | undefined;
  /** By {@link formOf}. */
  readonly bodies: Map<string, MakeBody>;
  /** The same of pages; undefined: not in this form. */
  readonly pages: Map<string, ReadPage | undefined>;
  /** Rows that it gave, where it gave several at once: of {@link MANY_ROWS} the next may be read as a page. */
  given: number;
}

export interface StatementsOptions extends AccessOptions {
  /** Shapes that are remembered; and as many prepared statements. */
  readonly shapes: number;
  readonly memory: ShapeMemory;
  /** Of a page that SQLite writes as JSON. */
  readonly pageBytes: number;
}

/**
 * More rows visited, and DuckDB is worth what it takes to bring tables over that it does not have and to plan: SQLite
 * visits some 20 to 50 million rows a second.
 */
const SMALL_VISITS = 10_000_000;
/**
 * The more tables are found by equalities, the further is the bound from what is visited: each is taken for its commonest
 * value. Beyond the first three, each leaves at least so much of the bound unused.
 */
const UNUSED = 3;
const TIGHT_SOURCES = 3;
/** However many they are: what SQLite visits in some seconds. */
const MOST_UNUSED = 10;
/** SQLite looks at all orders of eight tables in its best time; those of more take as long as running them. */
const PLANNED_SQUARES = 8 ** 2;
/** A place is made for each of them. */
const PLANNED_WIDTH = 16_000;
/** With a large table among them: the milliseconds that a plan takes are little beside what the wrong engine would. */
const PLANNED_LARGE_SQUARES = 16 ** 2;

export function createStatements(
  locked: LockedDatabase,
  catalogue: Catalogue,
  seekTables: SeekTables,
  options: StatementsOptions,
): Statements {
  const { database } = locked;
  const { maxVisits, shapes, memory, pageBytes } = options;
  const paths = new AccessPaths(locked, catalogue, seekTables, options);
  const known = createShapeCache<Known>(shapes);
  const prepared = createCache<Runnable>(shapes);
  const enoughOf = (statement: RowStatement): number =>
    isColumnar(statement, catalogue) ? maxVisits : Math.max(maxVisits, smallVisits(statement));
  const accessOf = ({ statement, filled, accesses }: Statement, literals: readonly Literal[]): Access => {
    const before = accesses?.get(filled.sql);
    if (before !== undefined) return before;
    const first = paths.find(statement, filled.sql, literals, enoughOf(statement));
    if (accesses === undefined) return first;
    const access = first.again?.() ?? first;
    if (accesses.size === TEXTS) accesses.clear();
    accesses.set(filled.sql, access);
    return access;
  };
  /** What no plan is made for. */
  const left = (read: Statement): Choice | undefined => {
    const { statement } = read;
    const remote = statement.tables.find((table) => catalogue.tables.get(table)?.isRemote === true);
    if (remote !== undefined)
      return elsewhere('remote', 'remote', `table ${remote} lives in the distributed engine`, read);
    if (statement.recursive) return elsewhere('long', 'recursive', 'it is recursive', read);
    if (!isPlanned(statement, catalogue)) return elsewhere('long', 'tables', unplanned(statement), read);
    return undefined;
  };
  const chosen = (read: Statement, literals: readonly Literal[], access: Access): Choice => {
    const { statement } = read;
    const { inOrder, sorts, bySelect, template, settled = false } = access;
    const visits = visitedRows(access, literals);
    const page = inOrder ? lastRow(statement.page, literals) : undefined;
    if (visits > maxVisits && (page === undefined || page > maxVisits)) {
      if (visits <= smallVisits(statement) && !isColumnar(statement, catalogue)) {
        const why = `it may visit ${visits} rows, of small tables alone`;
        return { ...elsewhere('long', 'small', why, read), visits, settled };
      }
      return { ...elsewhere('scan', 'visits', `it may visit ${visits} rows`, read), visits, settled };
    }
    // A row may cost as much as thousands where each of these makes a larger value of the one before.
    const weighed = Math.min(visits, page ?? visits) * EXPANSION ** Math.min(4, statement.expanding);
    if (weighed > maxVisits)
      return {
        ...elsewhere('scan', 'visits', `it may visit ${visits} rows and make large values of each`, read),
        visits,
        settled,
      };
    const reason = visits <= maxVisits ? 'visits' : 'page';
    const why =
      visits <= maxVisits
        ? `it visits ${visits} ${visits === 1 ? 'row' : 'rows'} at most`
        : `it visits the ${page} rows of a page`;
    const run =
      template === statement.template ? read : { ...read, filled: fillStatement({ template }, literals) };
    return {
      engine: 'rows',
      reason,
      why,
      visits: Math.min(visits, page ?? visits),
      sorts,
      bySelect,
      run,
    };
  };
  const readNew = (shape: string, literals: readonly Literal[]): Known => {
    const remembered = memory.statements.get(shape);
    const before = remembered !== undefined && isOf(remembered, catalogue) ? remembered : undefined;
    const statement = before ?? readServed(shape, literals, catalogue);
    // Most shapes that are asked once are never asked again: to keep what is made of them costs more than to make it.
    const again = before !== undefined || memory.sightings.again(shape);
    // A literal that names something is a part of the tree: another one makes another tree.
    if (!again || statement.pinned) return { statement, again, accesses: undefined };
    const made = { statement, again, accesses: new Map<string, Access>() };
    known.set(shape, made);
    if (before === undefined) memory.statements.set(shape, statement);
    return made;
  };

  return {
    read(shape, literals) {
      const { statement, again, accesses } = known.get(shape) ?? readNew(shape, literals);
      return { shape, statement, filled: fillStatement(statement, literals), again, accesses };
    },
    adopt({ shape, statement, filled, again }) {
      let accesses = known.get(shape)?.accesses;
      if (accesses === undefined && again && !statement.pinned) {
        accesses = new Map();
        known.set(shape, { statement, again, accesses });
      }
      return { shape, statement, filled, again, accesses };
    },
    choose: (read, literals) => left(read) ?? chosen(read, literals, accessOf(read, literals)),
    settle(read, literals) {
      const choice = left(read);
      if (choice !== undefined) return choice;
      const { statement, filled } = read;
      const access = paths.uncounted(statement, filled.sql, literals, enoughOf(statement));
      const found = access && chosen(read, literals, access);
      return found?.settled === true ? found : undefined;
    },
    page({ filled, statement: row }, runnable, output) {
      if (runnable.given < MANY_ROWS || runnable.cells !== undefined) return undefined;
      const form = formOf(output);
      if (!runnable.pages.has(form))
        runnable.pages.set(
          form,
          tried(() =>
            jsonPage(locked, filled, row, runnable.columns, output, (sql) => paths.plan(sql), pageBytes),
          ),
        );
      return runnable.pages.get(form);
    },
    tablesOf(shape, literals) {
      const before = known.get(shape)?.statement;
      const statement = before ?? tried(() => rowStatement(shape, literals, catalogue.describe));
      return statement?.tables ?? [];
    },
    plan: ({ filled }) => paths.plan(filled.sql),
    prepare({ filled: { sql }, statement: { json }, again }, byBytes = false) {
      const before = prepared.get(sql);
      if (before !== undefined && (!byBytes || before.cells !== undefined)) return before;
      let made: Runnable;
      if (byBytes) {
        const columns = before?.columns ?? preparedOnce(database, sql, (plain) => plain.columns());
        made = newRunnable(database.prepare(withBytes(sql, columns.length)), columns, cellsByBytes, again);
      } else {
        const plain = database.prepare(sql);
        made = newRunnable(plain, withJson(plain.columns(), json), undefined, again);
      }
      if (again) prepared.set(sql, made);
      return made;
    },
    release({ prepared, shared }) {
      // Of a database that is closed by now, it is closed already.
      if (!shared) prepared[Symbol.dispose]();
    },
  };
}

/** A shape, and what is remembered of it. */
interface Known {
  readonly statement: RowStatement;
  readonly again: boolean;
  readonly accesses: Map<string, Access> | undefined;
}

function withJson(columns: readonly BodyColumn[], json: readonly number[]): readonly BodyColumn[] {
  if (json.length === 0) return columns;
  return columns.map((column, index) => (json.includes(index) ? { ...column, json: true } : column));
}

function newRunnable(
  prepared: Prepared,
  columns: Runnable['columns'],
  cells: Runnable['cells'],
  shared: boolean,
): Runnable {
  return { prepared, shared, columns, cells, bodies: new Map(), pages: new Map(), given: 0 };
}

/** @throws GatewayError statement-*, unknown-table */
function readServed(shape: string, literals: readonly Literal[], catalogue: Catalogue): RowStatement {
  const statement = rowStatement(shape, literals, catalogue.describe);
  for (const table of statement.tables)
    if (!catalogue.tables.has(table)) throw unknownTable(table, catalogue);
  return statement;
}

function unknownTable(table: string, { tables }: Catalogue): GatewayError {
  const hint = didYouMeanTable(table, () => [...tables.values()].map(({ name }) => name));
  return new GatewayError('unknown-table', `no such table: ${table}`, { hint });
}

function elsewhere(
  engine: 'scan' | 'long' | 'remote',
  reason: EngineReason,
  why: string,
  run: Statement,
): Choice {
  return { engine, reason, why, settled: true, run };
}

/** Rows that a statement with these literals visits at most. */
function visitedRows({ visits, visitsWith, range }: Access, literals: readonly Literal[]): number {
  if (range !== undefined) return Math.min(visits, rowsInRange(range, literals));
  // To look at the constants costs as much as some thousand rows.
  return visits <= FEW_VISITS || visitsWith === undefined ? visits : Math.min(visits, visitsWith(literals));
}

/** Texts of one shape whose access is remembered: some literals are a part of the text. */
const TEXTS = 32;

/** What a call that makes large values counts for, in rows. */
const EXPANSION = 10;

/** Whether its plan is looked at before an engine is chosen. */
function isPlanned(statement: RowStatement, catalogue: Catalogue): boolean {
  const { tableSquares } = statement;
  if (isWide(statement)) return false;
  if (tableSquares <= PLANNED_SQUARES) return true;
  return tableSquares <= PLANNED_LARGE_SQUARES && isColumnar(statement, catalogue);
}

function unplanned(statement: RowStatement): string {
  const { sources, width } = statement;
  return isWide(statement) ? `its SELECTs have ${width} columns` : `it joins ${sources} tables`;
}

/** Of one SELECT, SQLite itself bounds them. */
function isWide({ selects, width }: RowStatement): boolean {
  return selects > 1 && width > PLANNED_WIDTH;
}

/** Of small tables alone: more visits at most, and DuckDB is worth what it takes. */
function smallVisits({ sources, filters }: RowStatement): number {
  if (sources <= TIGHT_SOURCES) return SMALL_VISITS;
  const loose = Math.max(0, Math.min(sources, filters().size) - TIGHT_SOURCES);
  return SMALL_VISITS * Math.min(MOST_UNUSED, UNUSED ** loose);
}

/** Whether the scan lane has one of its tables as columns. */
export function isColumnar({ tables: names }: RowStatement, { tables }: Catalogue): boolean {
  return names.some((name) => tables.get(name)?.columnar === true);
}
