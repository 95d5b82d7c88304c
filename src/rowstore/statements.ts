// Statements of one open row store: what each shape is, which engine is to run it, and prepared ones ready to be run.
// The choice is static: by SQLite's own plan, before anything runs.
import { LRUCache } from 'lru-cache';
import { type Filled, fillStatement, type RowStatement, rowStatement } from '../dialect/row-statement.ts';
import { GatewayError } from '../errors.ts';
import type { Literal } from '../protocol.ts';
import { didYouMean } from '../reference-words.ts';
import { createShapeCache } from '../shape-cache.ts';
import type { Catalogue } from './catalogue.ts';
import type { Database, Prepared } from './database.ts';
import type { Cell } from './json-rows.ts';
import { textOfBytes } from './text.ts';
import type { BodyColumn } from './typed-rows.ts';
import { type PlanLine, rowsVisited, type TableSizes } from './visits.ts';

/** Where a statement is run, and why not here. */
export interface Choice {
  readonly engine: 'rows' | 'scan' | 'long';
  /** For log, metrics and `Server-Timing`. */
  readonly why: string;
}

export interface Statement {
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
}

export interface StatementsOptions {
  /** More rows visited, and a statement is run elsewhere. */
  readonly maxVisits: number;
  /** Shapes that are remembered; and as many prepared statements. */
  readonly shapes: number;
}

/** SQLite looks at all orders of so many tables in its best time; those of more take as long as running them. */
const PLANNED_SOURCES = 8;

/** @param own for what the choice has to count: it is not locked */
export function createStatements(
  database: Database,
  own: Database,
  catalogue: Catalogue,
  { maxVisits, shapes }: StatementsOptions,
): Statements {
  const read = createShapeCache<RowStatement>(shapes);
  const prepared = new LRUCache<string, Runnable>({ max: shapes });
  const visits = createShapeCache<number>(shapes);

  const visitsOf = (statement: RowStatement, { sql }: Filled): number => {
    const known = visits.get(sql);
    if (known !== undefined) return known;
    const lines = database.prepare(`explain query plan ${sql}`).all() as [number, number, number, string][];
    const plan = lines.map(([id, parent, , detail]): PlanLine => ({ id, parent, detail }));
    const visited = rowsVisited(plan, sizesOf(statement, catalogue, same));
    visits.set(sql, visited);
    return visited;
  };
  const same = createSame(own);

  return {
    read(shape, literals) {
      let statement = read.get(shape);
      if (statement === undefined) {
        statement = rowStatement(shape, literals, catalogue.blobs);
        for (const table of statement.tables)
          if (!catalogue.tables.has(table)) throw unknownTable(table, catalogue);
        // A literal that names something is a part of the tree: another one makes another tree.
        if (!statement.pinned) read.set(shape, statement);
      }
      return { statement, filled: fillStatement(statement, literals) };
    },
    choose({ statement, filled }, literals) {
      if (statement.recursive) return { engine: 'long', why: 'it is recursive' };
      if (statement.sources > PLANNED_SOURCES)
        return { engine: 'long', why: `it joins ${statement.sources} tables` };
      const visited = visitsOf(statement, filled);
      if (visited <= maxVisits) return { engine: 'rows', why: `it visits ${visited} rows at most` };
      const page = pageRows(statement, literals);
      if (page !== undefined && page <= maxVisits && isInOrder(database, filled))
        return { engine: 'rows', why: `it visits the ${page} rows of a page` };
      return { engine: 'scan', why: `it may visit ${visited} rows` };
    },
    tablesOf: (shape) => read.get(shape)?.tables ?? [],
    prepare({ statement, filled: { sql } }, byBytes = false) {
      let found = prepared.get(sql);
      if (found === undefined || (byBytes && found.cells === undefined)) {
        const plain = database.prepare(sql);
        const columns = plain.columns();
        const nul = byBytes || statement.mayHaveNul || statement.tables.some(catalogue.hasNul);
        found = nul
          ? { prepared: database.prepare(withBytes(sql, columns.length)), columns, cells: cellsByBytes }
          : { prepared: plain, columns, cells: undefined };
        prepared.set(sql, found);
      }
      return found;
    },
  };
}

/** The binding ends a text at its first NUL, and mends what is no UTF-8: beside each column, the bytes of a text. */
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
  const hint = didYouMean(
    table,
    [...tables.values()].map(({ name }) => name),
  );
  return new GatewayError('unknown-table', `no such table: ${table}`, { hint });
}

function pageRows({ page }: RowStatement, literals: readonly Literal[]): number | undefined {
  if (page === undefined) return undefined;
  const count = (index: number): number => Number(literals[index]?.text ?? Number.NaN);
  const rows = count(page.limit) + (page.offset === undefined ? 0 : count(page.offset));
  return Number.isFinite(rows) ? rows : undefined;
}

/** Nothing is sorted, and every condition is part of the search. */
function isInOrder(database: Database, { sql }: Filled): boolean {
  const lines = database.prepare(`explain query plan ${sql}`).all() as [number, number, number, string][];
  const [first, ...rest] = lines.map(([, , , detail]) => detail);
  if (first === undefined || rest.length > 0) return false;
  return / where /i.test(sql)
    ? /^SEARCH \S+ USING INTEGER PRIMARY KEY/.test(first)
    : first.startsWith('SCAN');
}

type Same = (table: string, columns: readonly string[]) => number | undefined;

function sizesOf({ scanned, listed }: RowStatement, { tables }: Catalogue, same: Same): TableSizes {
  const rowsOf = (table: string): number => tables.get(table)?.rows ?? 0;
  const named = (called: string): readonly string[] => scanned.get(called.toLowerCase()) ?? [];
  return {
    listed,
    rows(called) {
      const found = named(called);
      return found.length === 0 ? undefined : Math.max(...found.map(rowsOf));
    },
    same(called, columns) {
      // Of several tables of one name in different scopes, only some may have the columns.
      const found = named(called).map((table) =>
        rowsOf(table) > COUNTED_ROWS ? rowsOf(table) : same(table, columns),
      );
      return found.length === 0 ? undefined : Math.max(...found.map((most) => most ?? 0));
    },
  };
}

/** Larger tables are not counted: it would hold up everybody else. */
const COUNTED_ROWS = 200_000;

/** Counted once for some columns, when the first statement searches by them. */
function createSame(own: Database): Same {
  const counted = createShapeCache<number>(COUNTS);
  const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
  return (table, columns) => {
    const key = JSON.stringify([table, ...columns]);
    const known = counted.get(key);
    if (known !== undefined) return known;
    try {
      const list = columns.map(quoted).join(', ');
      const [row] = own
        .prepare(`select max(n) from (select count(*) as n from ${quoted(table)} group by ${list})`)
        .all() as [number | null][];
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
