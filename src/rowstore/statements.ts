// Statements of one open row store: what each shape is, which engine is to run it, and prepared ones ready to be run.
// The choice is static: by SQLite's own plan, before anything runs.

import { LRUCache } from 'lru-cache';
import { GatewayError } from '../base/errors.ts';
import { didYouMeanTable } from '../base/near-name.ts';
import { createShapeCache } from '../base/shape-cache.ts';
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
import { identifier } from '../dialect/value.ts';
import type { Ask } from '../snapshot/ask.ts';
import type { EngineReason, Literal } from '../wire/protocol.ts';
import type { MakeBody } from './body.ts';
import type { Catalogue } from './catalogue.ts';
import type { LockedDatabase, Prepared } from './database.ts';
import type { Cell } from './json-rows.ts';
import { KEY_RANGE, type KeyRange, keyRange, type Opcode, rowsInRange } from './key-range.ts';
import { SEEK_ROWS, type SeekTables } from './seek-tables.ts';
import { textOfBytes } from './text.ts';
import type { BodyColumn } from './typed-rows.ts';
import { type PlanLine, rowsVisited, type TableSizes } from './visits.ts';

/** Where a statement is run, and why there. */
export interface Choice {
  readonly engine: 'rows' | 'scan' | 'long';
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
}

export interface StatementsOptions {
  /** More rows visited, and a statement is run elsewhere. */
  readonly maxVisits: number;
  /** Shapes that are remembered; and as many prepared statements. */
  readonly shapes: number;
  /** Rows of a table that may be read to get ready for a statement: it holds up everybody else. */
  readonly readRows: number;
  /** Whether rows are counted by several columns at once. */
  readonly countsPairs: boolean;
}

/** SQLite looks at all orders of so many tables in its best time; those of more take as long as running them. */
const PLANNED_SOURCES = 8;

export function createStatements(
  { database, own }: LockedDatabase,
  catalogue: Catalogue,
  seekTables: SeekTables,
  { maxVisits, shapes, readRows, countsPairs }: StatementsOptions,
): Statements {
  const read = createShapeCache<RowStatement>(shapes);
  const prepared = new LRUCache<string, Runnable>({ max: shapes });
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
    if (known !== undefined) return known;
    const access =
      plainAccess(statement, catalogue, maxVisits) ?? plannedAccess(statement, filled.sql, literals);
    chosen.set(filled.sql, access);
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
    const template = seekingTemplate(statement, seekTables, plan);
    if (template === undefined) return access;
    const seeking = fillStatement({ template }, literals).sql;
    const sought = tried(() => planOf(seeking));
    if (sought === undefined || !isSamePlan(plan, sought)) return access;
    // A column without a name is called by its text, which may be that of a subquery with a look-up in it.
    if (namesOf(seeking) !== namesOf(sql)) return access;
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
      if (statement.recursive) return elsewhere('long', 'recursive', 'it is recursive', read);
      if (statement.sources > PLANNED_SOURCES)
        return elsewhere('long', 'tables', `it joins ${statement.sources} tables`, read);
      const { visits: most, inOrder, template, range } = accessOf(read, literals);
      const visits = range === undefined ? most : Math.min(most, rowsInRange(range, literals));
      const page = inOrder ? pageRows(statement, literals) : undefined;
      if (visits > maxVisits && (page === undefined || page > maxVisits))
        return { ...elsewhere('scan', 'visits', `it may visit ${visits} rows`, read), visits };
      // A row may cost as much as thousands where each of these makes a larger value of the one before.
      const weighed = Math.min(visits, page ?? visits) * EXPANSION ** Math.min(4, statement.expanding);
      if (weighed > maxVisits)
        return {
          ...elsewhere('scan', 'visits', `it may visit ${visits} rows and make large values of each`, read),
          visits,
        };
      const reason = visits <= maxVisits ? 'visits' : 'page';
      const why =
        visits <= maxVisits ? `it visits ${visits} rows at most` : `it visits the ${page} rows of a page`;
      const run = template === statement.template ? filled : fillStatement({ template }, literals);
      return {
        engine: 'rows',
        reason,
        why,
        visits: Math.min(visits, page ?? visits),
        run: { shape, statement, filled: run },
      };
    },
    tablesOf: (shape) => read.get(shape)?.tables ?? [],
    plan: ({ filled }) => planOf(filled.sql),
    prepare({ filled: { sql } }, byBytes = false) {
      let found = prepared.get(sql);
      if (found === undefined || (byBytes && found.cells === undefined)) {
        const plain = database.prepare(sql);
        const columns = plain.columns();
        found = byBytes
          ? {
              prepared: database.prepare(withBytes(sql, columns.length)),
              columns,
              cells: cellsByBytes,
              bodies: new Map(),
            }
          : { prepared: plain, columns, cells: undefined, bodies: new Map() };
        prepared.set(sql, found);
      }
      return found;
    },
  };
}

/** The binding mends what is no UTF-8 in another way than the reference: beside each column, the bytes of a text. */
function withBytes(sql: string, columns: number): string {
  const names = Array.from({ length: columns }, (_, i) => `c${i}`);
  const cells = names.map((c) => `${c}, iif(typeof(${c}) = 'text', cast(${c} as blob), null)`);
  return `with tablegate_rows(${names.join(', ')}) as (${sql}) select ${cells.join(', ')} from tablegate_rows`;
}

function cellsByBytes(row: readonly Cell[]): Cell[] {
  const cells: Cell[] = [];
  for (let i = 0; i < row.length; i += 2) {
    const bytes = row[i + 1];
    cells.push(bytes instanceof Uint8Array ? textOfBytes(bytes) : (row[i] as Cell));
  }
  return cells;
}

function unknownTable(table: string, { tables }: Catalogue): GatewayError {
  const hint = didYouMeanTable(table, () => [...tables.values()].map(({ name }) => name));
  return new GatewayError('unknown-table', `no such table: ${table}`, { hint });
}

function elsewhere(engine: 'scan' | 'long', reason: EngineReason, why: string, run: Statement): Choice {
  return { engine, reason, why, run };
}

function pageRows({ page }: RowStatement, literals: readonly Literal[]): number | undefined {
  if (page === undefined) return undefined;
  const count = (index: number): number => Number(literals[index]?.text ?? Number.NaN);
  const rows = count(page.limit) + (page.offset === undefined ? 0 : count(page.offset));
  return Number.isFinite(rows) ? rows : undefined;
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
}

/**
 * Where the sizes of the tables are a bound that is low enough, and no look-up would help: SQLite need not be asked for its
 * plan, which costs as much as a short statement does.
 */
function plainAccess(
  { template, references, sources, seeks, expanding }: RowStatement,
  { tables, isRowid, leads }: Catalogue,
  maxVisits: number,
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
  return visits > maxVisits ? undefined : { template, visits, inOrder: false };
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

type Same = (table: string, columns: readonly string[]) => number | undefined;

function sizesOf(
  { scanned, listed }: RowStatement,
  { tables }: Catalogue,
  same: Same,
  seekTables: SeekTables,
  { readRows, countsPairs }: Pick<StatementsOptions, 'readRows' | 'countsPairs'>,
): TableSizes {
  const rowsOf = (table: string): number => tables.get(table)?.rows ?? 0;
  const named = (called: string): readonly string[] => scanned.get(called.toLowerCase()) ?? [];
  return {
    listed,
    rows(called) {
      const found = named(called);
      return found.length === 0 ? undefined : Math.max(...found.map(rowsOf));
    },
    same(called, columns) {
      const sought = seekTables.most(called);
      if (sought !== undefined) return sought;
      // Of several tables of one name in different scopes, only some may have the columns.
      const found = named(called).map((table) =>
        rowsOf(table) > readRows
          ? rowsOf(table)
          : countsPairs
            ? same(table, columns)
            : Math.min(...columns.map((column) => same(table, [column]) ?? rowsOf(table))),
      );
      return found.length === 0 ? undefined : Math.max(...found.map((most) => most ?? 0));
    },
  };
}

/** Counted once for some columns, when the first statement searches by them. */
function createSame(own: Ask): Same {
  const counted = createShapeCache<number>(COUNTS);
  return (table, columns) => {
    const key = JSON.stringify([table, ...columns]);
    const known = counted.get(key);
    if (known !== undefined) return known;
    try {
      const list = columns.map(identifier).join(', ');
      const [row] = own(
        `select max(n) from (select count(*) as n from ${identifier(table)} group by ${list})`,
      ) as [number | null][];
      const most = row?.[0] ?? 0;
      counted.set(key, most);
      return most;
    } catch {
      // Of another table of that name.
      return undefined;
    }
  };
}
const COUNTS = 10_000;
