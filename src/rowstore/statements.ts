// Statements of one open row store: what each shape is, which engine is to run it, and prepared ones ready to be run.
// The choice is static: by SQLite's own plan, before anything runs.

import { createCache, createShapeCache } from '../base/cache.ts';
import { GatewayError } from '../base/errors.ts';
import { didYouMeanTable } from '../base/near-name.ts';
import { lastRow } from '../dialect/page.ts';
import type { Template } from '../dialect/plan.ts';
import {
  boundLiterals,
  type Filled,
  fillStatement,
  type RowStatement,
  rowStatement,
  type UsedSeek,
} from '../dialect/row-statement.ts';
import { isConstant } from '../dialect/seeks.ts';
import type { Cell } from '../encode/json-rows.ts';
import { formOf, type MakeBody } from '../encode/row-body.ts';
import type { BodyColumn } from '../encode/typed-rows.ts';
import type { EngineReason, Literal, Output } from '../wire/protocol.ts';
import type { Catalogue } from './catalogue.ts';
import type { LockedDatabase, Prepared } from './database.ts';
import { jsonPage, type ReadPage } from './json-page.ts';
import { KEY_RANGE, type KeyRange, keyRange, type Opcode, rowsInRange } from './key-range.ts';
import { SEEK_ROWS, type SeekTables } from './seek-tables.ts';
import { createSame, type SizesOptions, sizesOf } from './sizes.ts';
import { cellsByBytes, withBytes } from './text.ts';
import { type PlanLine, rowsVisited } from './visits.ts';

/** Where a statement is run, and why there. */
export interface Choice {
  readonly engine: 'rows' | 'scan' | 'long' | 'remote';
  readonly reason: EngineReason;
  /** The same in a sentence, for the log. */
  readonly why: string;
  /** Rows that it visits at most; undefined where they were not counted. */
  readonly visits?: number;
  /** What is to be run, where it is run here. */
  readonly run: Statement;
}

export interface Statement {
  readonly shape: string;
  readonly statement: RowStatement;
  readonly filled: Filled;
}

export interface Statements {
  /** @throws GatewayError statement-*, unknown-table */
  read(shape: string, literals: readonly Literal[]): Statement;
  /** @throws Error of SQLite: unknown columns and the like */
  choose(statement: Statement, literals: readonly Literal[]): Choice;
  /**
   * @param byBytes texts are read as bytes, whatever they are
   * @throws Error of SQLite
   */
  prepare(statement: Statement, byBytes?: boolean): Runnable;
  /** @throws Error of SQLite */
  plan(statement: Statement): readonly PlanLine[];
  /** Reads a whole page of it as JSON; undefined where its rows are to be read by cells. */
  page(statement: Statement, runnable: Runnable, output: Output): ReadPage | undefined;
  /** Of a shape that was read. */
  tablesOf(shape: string): readonly string[];
}

/** A statement ready to be run. */
export interface Runnable {
  readonly prepared: Prepared;
  /** Of its result. */
  readonly columns: readonly BodyColumn[];
  /** The values of a row; undefined: a row is its values. */
  readonly cells: ((row: readonly Cell[]) => Cell[]) | undefined;
  /** By {@link formOf}. */
  readonly bodies: Map<string, MakeBody>;
  /** The same of pages; undefined: not in this form. */
  readonly pages: Map<string, ReadPage | undefined>;
  /** It gave so many rows that those of the next may be read as a page. */
  many: boolean;
}

export interface StatementsOptions extends SizesOptions {
  /** More rows visited, and a statement is run elsewhere. */
  readonly maxVisits: number;
  /** Tables of so many rows are bound enough: SQLite is asked for its plan where there are more. */
  readonly plainVisits: number;
  /** Shapes that are remembered; and as many prepared statements. */
  readonly shapes: number;
}

/**
 * More rows visited, and DuckDB is worth what it takes to bring tables over that it does not have and to plan: SQLite
 * visits some 20 to 50 million rows a second.
 */
const SMALL_VISITS = 10_000_000;
/** Rows that are visited sooner than SQLite makes another plan. */
const FEW_VISITS = 2_000;
/** SQLite looks at all orders of so many tables in its best time; those of more take as long as running them. */
const PLANNED_SOURCES = 8;

export function createStatements(
  locked: LockedDatabase,
  catalogue: Catalogue,
  seekTables: SeekTables,
  { maxVisits, plainVisits, shapes, readRows, countsPairs }: StatementsOptions,
): Statements {
  const { database, own } = locked;
  const read = createShapeCache<RowStatement>(shapes);
  const prepared = createCache<Runnable>(shapes);
  const accesses = new WeakMap<RowStatement, Map<string, Access>>();
  const same = createSame(own);
  const planOf = (sql: string): PlanLine[] => {
    const lines = database.prepare(`explain query plan ${sql}`).all() as [number, number, number, string][];
    return lines.map(([id, parent, , detail]) => ({ id, parent, detail }));
  };
  const accessOf = ({ statement, filled }: Statement, literals: readonly Literal[]): Access => {
    let chosen = accesses.get(statement);
    if (chosen === undefined || chosen.size === TEXTS) {
      chosen = new Map();
      accesses.set(statement, chosen);
    }
    const known = chosen.get(filled.sql);
    const access =
      known === undefined
        ? (plainAccess(statement, catalogue, plainVisits) ?? plannedAccess(statement, filled.sql, literals))
        : (known.again?.() ?? known);
    if (access !== known) chosen.set(filled.sql, access);
    return access;
  };
  const namesOf = (sql: string): string =>
    database
      .prepare(sql)
      .columns()
      .map(({ name }) => name)
      .join('\0');
  const rangeOf = (
    statement: RowStatement,
    plan: readonly PlanLine[],
    sql: string,
    literals: readonly Literal[],
  ): KeyRange | undefined => {
    const [only] = plan;
    if (statement.sources !== 1 || plan.length !== 1 || !KEY_RANGE.test(only?.detail ?? '')) return undefined;
    const program = database.prepare(`explain ${sql}`).all() as unknown as Opcode[];
    return keyRange(program, boundLiterals(statement.template, literals));
  };
  const plannedAccess = (statement: RowStatement, sql: string, literals: readonly Literal[]): Access => {
    const sizes = sizesOf(statement, catalogue, same, seekTables, { readRows, countsPairs });
    const plan = planOf(sql);
    const access = {
      template: statement.template,
      visits: rowsVisited(plan, sizes),
      inOrder: isInOrder(plan, sql),
      range: rangeOf(statement, plan, sql, literals),
    };
    const seeking = (): Access => {
      const template = seekingTemplate(statement, seekTables, plan);
      return template === undefined
        ? access
        : soughtAccess(statement, { sql, plan, access, template }, literals);
    };
    // Most statements are asked once: the plan with look-ups takes longer than they save of so few rows.
    return access.visits > FEW_VISITS ? seeking() : { ...access, again: seeking };
  };
  const soughtAccess = (
    statement: RowStatement,
    plain: {
      readonly sql: string;
      readonly plan: readonly PlanLine[];
      readonly access: Access;
      readonly template: Template;
    },
    literals: readonly Literal[],
  ): Access => {
    const { sql, plan, access, template } = plain;
    const seeking = fillStatement({ template }, literals).sql;
    const sought = tried(() => planOf(seeking));
    if (sought === undefined || !isSamePlan(plan, sought)) return access;
    // A column without a name is called by its text, which may be that of a subquery with a look-up in it.
    if (statement.selects > 1 && namesOf(seeking) !== namesOf(sql)) return access;
    const sizes = sizesOf(statement, catalogue, same, seekTables, { readRows, countsPairs });
    const visits = rowsVisited(sought, sizes);
    return visits < access.visits ? { ...access, template, visits } : access;
  };

  return {
    read(shape, literals) {
      let statement = read.get(shape);
      if (statement === undefined) {
        statement = rowStatement(shape, literals, catalogue.blobs, catalogue.columns);
        for (const table of statement.tables)
          if (!catalogue.tables.has(table)) throw unknownTable(table, catalogue);
        // A literal that names something is a part of the tree: another one makes another tree.
        if (!statement.pinned) read.set(shape, statement);
      }
      return { shape, statement, filled: fillStatement(statement, literals) };
    },
    choose(read, literals) {
      const { shape, statement, filled } = read;
      const remote = statement.tables.find((table) => catalogue.tables.get(table)?.isRemote === true);
      if (remote !== undefined)
        return elsewhere('remote', 'remote', `table ${remote} lives in the distributed engine`, read);
      if (statement.recursive) return elsewhere('long', 'recursive', 'it is recursive', read);
      if (statement.sources > PLANNED_SOURCES)
        return elsewhere('long', 'tables', `it joins ${statement.sources} tables`, read);
      const { visits: most, inOrder, template, range } = accessOf(read, literals);
      const visits = range === undefined ? most : Math.min(most, rowsInRange(range, literals));
      const page = inOrder ? lastRow(statement.page, literals) : undefined;
      if (visits > maxVisits && (page === undefined || page > maxVisits)) {
        if (visits <= SMALL_VISITS && !isColumnar(statement, catalogue)) {
          const why = `it may visit ${visits} rows, of small tables alone`;
          return { ...elsewhere('long', 'small', why, read), visits };
        }
        return { ...elsewhere('scan', 'visits', `it may visit ${visits} rows`, read), visits };
      }
      // A row may cost as much as thousands where each of these makes a larger value of the one before.
      const weighed = Math.min(visits, page ?? visits) * EXPANSION ** Math.min(4, statement.expanding);
      if (weighed > maxVisits)
        return {
          ...elsewhere('scan', 'visits', `it may visit ${visits} rows and make large values of each`, read),
          visits,
        };
      const reason = visits <= maxVisits ? 'visits' : 'page';
      const why =
        visits <= maxVisits
          ? `it visits ${visits} ${visits === 1 ? 'row' : 'rows'} at most`
          : `it visits the ${page} rows of a page`;
      const run = template === statement.template ? filled : fillStatement({ template }, literals);
      return {
        engine: 'rows',
        reason,
        why,
        visits: Math.min(visits, page ?? visits),
        run: { shape, statement, filled: run },
      };
    },
    page({ filled, statement: row }, runnable, output) {
      if (!runnable.many || runnable.cells !== undefined) return undefined;
      const form = formOf(output);
      if (!runnable.pages.has(form))
        runnable.pages.set(
          form,
          tried(() => jsonPage(locked, filled, row, runnable.columns, output, planOf)),
        );
      return runnable.pages.get(form);
    },
    tablesOf: (shape) => read.get(shape)?.tables ?? [],
    plan: ({ filled }) => planOf(filled.sql),
    prepare({ filled: { sql } }, byBytes = false) {
      let found = prepared.get(sql);
      if (found === undefined || (byBytes && found.cells === undefined)) {
        const plain = database.prepare(sql);
        const columns = plain.columns();
        found = byBytes
          ? newRunnable(database.prepare(withBytes(sql, columns.length)), columns, cellsByBytes)
          : newRunnable(plain, columns, undefined);
        prepared.set(sql, found);
      }
      return found;
    },
  };
}

function newRunnable(prepared: Prepared, columns: Runnable['columns'], cells: Runnable['cells']): Runnable {
  return { prepared, columns, cells, bodies: new Map(), pages: new Map(), many: false };
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
  return { engine, reason, why, run };
}

/** Nothing is sorted, and every condition is part of the search. */
function isInOrder(plan: readonly PlanLine[], sql: string): boolean {
  const [first, ...rest] = plan.map(({ detail }) => detail);
  if (first === undefined || rest.length > 0) return false;
  return / where /i.test(sql)
    ? /^SEARCH \S+ USING INTEGER PRIMARY KEY/.test(first)
    : first.startsWith('SCAN');
}

/** How SQLite is to get at the rows of a statement. */
interface Access {
  readonly template: Template;
  readonly visits: number;
  /** Rows come as they are stored, and none is looked at in vain. */
  readonly inOrder: boolean;
  /** Set where it looks at the rows between two rowids alone. */
  readonly range?: KeyRange | undefined;
  /** Another one, for a statement that is asked again. */
  readonly again?: () => Access;
}

/**
 * Where the sizes of the tables are a bound that is low enough, and no look-up would help: SQLite need not be asked for its
 * plan, which costs as much as a short statement does.
 */
function plainAccess(
  { template, references, sources, seeks, expanding }: RowStatement,
  { tables, isRowid, leads }: Catalogue,
  most: number,
): Access | undefined {
  // Subqueries in FROM, common tables and functions have rows that are not known; and few rows may weigh much.
  if (references.length !== sources || expanding > 0) return undefined;
  const rowsOf = (table: string): number => tables.get(table)?.rows ?? 0;
  const [only] = references;
  const isFound =
    sources === 1 &&
    only !== undefined &&
    seeks.some(({ column, value }) => isConstant(value) && isRowid(only, column));
  if (!isFound && seeks.some(({ table, column }) => rowsOf(table) >= SEEK_ROWS && !leads(table, column)))
    return undefined;
  const visits = isFound ? 1 : references.reduce((product, table) => product * Math.max(1, rowsOf(table)), 1);
  return visits > most ? undefined : { template, visits, inOrder: false };
}

/** With look-ups in place of scans of whole tables; undefined where there is none to use. */
function seekingTemplate(
  { seeks, seeking, scanned }: RowStatement,
  seekTables: SeekTables,
  plan: readonly PlanLine[],
): Template | undefined {
  const uses = new Map<string, UsedSeek>();
  for (const seek of seeks) {
    const { called, table, column } = seek;
    // Of two tables that the plan calls the same, it is not known which one a line is about.
    if (uses.has(called) || scanned.get(called)?.length !== 1) continue;
    if (plan.filter(({ detail }) => scannedName(detail) === called).length !== 1) continue;
    const condition = seekTables.find(table, column);
    if (condition !== undefined) uses.set(called, { seek, ...condition });
  }
  return uses.size === 0 ? undefined : seeking([...uses.values()]);
}

function scannedName(detail: string): string | undefined {
  return /^SCAN (\S+)(?: EXISTS)?(?: LEFT-JOIN)?$/.exec(detail)?.[1]?.toLowerCase();
}

/** The same loops in the same order: look-ups find rows in the order of a scan, so the order of all rows is the same. */
function isSamePlan(plain: readonly PlanLine[], sought: readonly PlanLine[]): boolean {
  const own = new Set<number>();
  for (const { id, parent, detail } of sought)
    if (/ temp\.tablegate_seek_\d+ /.test(detail)) own.add(id).add(parent);
  const lines = sought.filter(({ id }) => !own.has(id));
  const loop = (detail: string): string =>
    detail
      .replace(/^SEARCH (\S+)( EXISTS)? USING INTEGER PRIMARY KEY \(rowid=\?\)/, 'SCAN $1$2')
      .replace(/^((?:CORRELATED )?(?:SCALAR|LIST) SUBQUERY) \d+$/, '$1');
  return (
    plain.length === lines.length &&
    plain.every(({ detail }, i) => loop(detail) === loop(lines[i]?.detail ?? ''))
  );
}

function tried<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    // SQLite finds no way to use the index.
    return undefined;
  }
}

/** Texts of one shape whose access is remembered: some literals are a part of the text. */
const TEXTS = 32;

/** What a call that makes large values counts for, in rows. */
const EXPANSION = 10;

/** Whether the scan lane has one of its tables as columns. */
function isColumnar({ tables: names }: RowStatement, { tables }: Catalogue): boolean {
  return names.some((name) => tables.get(name)?.columnar === true);
}
