// How SQLite gets at the rows of a statement, and how many of them it visits at most: by the sizes of its tables where these
// say enough, else by its own plan, which costs as much to make as a short statement does to run.
import { asciiLower } from '../base/ascii-lower.ts';
import { isConstant } from '../dialect/conditions.ts';
import type { Filter } from '../dialect/filters.ts';
import type { Template } from '../dialect/plan.ts';
import { boundLiterals, fillStatement, type RowStatement } from '../dialect/row-statement.ts';
import type { UsedSeek } from '../dialect/statement-writer.ts';
import type { Literal } from '../wire/protocol.ts';
import type { Access } from './access.ts';
import type { Catalogue } from './catalogue.ts';
import { type LockedDatabase, preparedOnce } from './database.ts';
import { KEY_RANGE, type KeyRange, keyRange, type Opcode } from './key-range.ts';
import { COUNTED_ROWS, createMatches, type Matches, NEW_COLUMNS } from './matches.ts';
import { SEEK_ROWS, type SeekTables } from './seek-tables.ts';
import { createSame, type SizesOptions, sizesOf, uncountedSizes } from './sizes.ts';
import { soleAccess } from './sole-access.ts';
import { type PlanLine, rowsVisited } from './visits.ts';

export interface AccessOptions extends SizesOptions {
  /** More rows visited, and a statement is run elsewhere. */
  readonly maxVisits: number;
  /** Tables of so many rows are bound enough: SQLite is asked for its plan where there are more. */
  readonly plainVisits: number;
}

/** Rows that are visited sooner than SQLite makes another plan. */
export const FEW_VISITS = 2_000;

/** Finds how SQLite gets at the rows of the statements of one row store. */
export class AccessPaths {
  readonly #database: LockedDatabase['database'];
  readonly #catalogue: Catalogue;
  readonly #seekTables: SeekTables;
  readonly #options: AccessOptions;
  readonly #same: ReturnType<typeof createSame>;
  readonly #matches: Matches;

  constructor(
    { database, own }: LockedDatabase,
    catalogue: Catalogue,
    seekTables: SeekTables,
    options: AccessOptions,
  ) {
    this.#database = database;
    this.#catalogue = catalogue;
    this.#seekTables = seekTables;
    this.#options = options;
    this.#same = createSame(own);
    this.#matches = createMatches(own, catalogue);
  }

  /**
   * @param sql the statement as SQLite is given it, with these literals
   * @param enough more rows visited, and how many more makes no difference
   * @throws Error of SQLite: unknown columns and the like
   */
  find(statement: RowStatement, sql: string, literals: readonly Literal[], enough: number): Access {
    const { maxVisits, plainVisits, readRows } = this.#options;
    return (
      plainAccess(statement, this.#catalogue, plainVisits) ??
      soleAccess(statement, this.#catalogue, this.#same, { most: maxVisits, readRows }) ??
      this.planned(statement, sql, literals, enough)
    );
  }

  /** SQLite's plan. @throws Error of SQLite */
  plan(sql: string): readonly PlanLine[] {
    const lines = preparedOnce(this.#database, `explain query plan ${sql}`, (prepared) => prepared.all());
    // By their places: to take an array apart by its iterator costs ten times as much.
    return (lines as PlanRow[]).map((line) => ({ id: line[0], parent: line[1], detail: line[3] }));
  }

  /** By SQLite's own plan alone. @throws Error of SQLite */
  planned(statement: RowStatement, sql: string, literals: readonly Literal[], enough: number): Access {
    const planned = this.#plannedOf(statement, sql, literals);
    const uncounted = this.#uncounted(statement, planned, enough);
    if (uncounted !== undefined) return uncounted;
    const { plan, found } = planned;
    const access = {
      ...found,
      ...this.#visited(statement, plan),
      settled: this.#isCounted(statement) && this.#isPlanned(statement),
    };
    const seeking = (): Access => this.#seeking(statement, { sql, plan, access }, literals);
    // Most statements are asked once: the plan with look-ups takes longer than they save of so few rows.
    return access.visits > FEW_VISITS ? seeking() : { ...access, again: seeking };
  }

  /**
   * @returns undefined where rows are to be counted, or look-ups to be made
   * @throws Error of SQLite
   */
  uncounted(
    statement: RowStatement,
    sql: string,
    literals: readonly Literal[],
    enough: number,
  ): Access | undefined {
    return this.#uncounted(statement, this.#plannedOf(statement, sql, literals), enough);
  }

  #plannedOf(statement: RowStatement, sql: string, literals: readonly Literal[]): Planning {
    const plan = this.plan(sql);
    const found = {
      template: statement.template,
      inOrder: isInOrder(plan, sql),
      sorts: plan.some(({ detail }) => SORTS.test(detail)),
      bySelect: true,
      range: this.#range(statement, plan, sql, literals),
    };
    return { plan, found };
  }

  /**
   * To count rows that share a value, and to make look-ups, takes some 100 ms of a table with 200,000 rows.
   * @returns rows visited, where they are too many whatever is counted; undefined: they are to be counted
   */
  #uncounted(statement: RowStatement, { plan, found }: Planning, enough: number): Access | undefined {
    if (this.#isCounted(statement)) return undefined;
    const { least, most } = uncountedSizes(statement, this.#catalogue, this.#seekTables, this.#options);
    if (rowsVisited(plan, least) <= enough) return undefined;
    return { ...found, visits: rowsVisited(plan, most), settled: this.#isPlanned(statement) };
  }

  /**
   * Whether all that could be counted of its tables is. A lane may have room for one look-up more: then it is another engine
   * than could be that answers, and no other answer.
   */
  #isCounted({ references }: RowStatement): boolean {
    return references.every((table) => (this.#catalogue.tables.get(table)?.rows ?? 0) <= COUNTED_ROWS);
  }

  /** Whether lanes look at its plan, too: where the sizes of its tables are enough for them, they do not. */
  #isPlanned(statement: RowStatement): boolean {
    return plainAccess(statement, this.#catalogue, this.#options.maxVisits) === undefined;
  }

  /** With look-ups in place of scans, where these make it visit fewer rows. */
  #seeking(statement: RowStatement, { sql, plan, access }: Planned, literals: readonly Literal[]): Access {
    const template = seekingTemplate(statement, this.#seekTables, plan);
    if (template === undefined) return access;
    const seeking = fillStatement({ template }, literals).sql;
    const sought = tried(() => this.plan(seeking));
    if (sought === undefined || !isSamePlan(plan, sought)) return access;
    // A column without a name is called by its text, which may be that of a subquery with a look-up in it.
    if (statement.selects > 1 && this.#names(seeking) !== this.#names(sql)) return access;
    const visited = this.#visited(statement, sought);
    return visited.visits < access.visits ? { ...access, template, ...visited } : access;
  }

  #visited(statement: RowStatement, plan: readonly PlanLine[]): Pick<Access, 'visits' | 'visitsWith'> {
    const visits = (matching?: (filter: Filter) => number | undefined): number =>
      rowsVisited(
        plan,
        sizesOf(statement, this.#catalogue, this.#same, this.#seekTables, this.#options, matching),
      );
    // Of one table, what passes its conditions begins no other loop.
    const hasFewer = statement.sources > 1 && hasConstants(statement);
    const visitsWith = (literals: readonly Literal[]): number => {
      const allowed = { columns: NEW_COLUMNS };
      return visits(({ table, column, constants }) =>
        this.#matches(table, column, constants, literals, allowed),
      );
    };
    return { visits: visits(), visitsWith: hasFewer ? visitsWith : undefined };
  }

  #names(sql: string): string {
    const columns = preparedOnce(this.#database, sql, (prepared) => prepared.columns());
    return columns.map(({ name }) => name).join('\0');
  }

  #range(
    statement: RowStatement,
    plan: readonly PlanLine[],
    sql: string,
    literals: readonly Literal[],
  ): KeyRange | undefined {
    const [only] = plan;
    if (statement.sources !== 1 || plan.length !== 1 || !KEY_RANGE.test(only?.detail ?? '')) return undefined;
    const program = preparedOnce(this.#database, `explain ${sql}`, (prepared) => prepared.all());
    return keyRange(program as unknown as Opcode[], boundLiterals(statement.template, literals));
  }
}

/** `USE TEMP B-TREE FOR ORDER BY`, `UNION USING TEMP B-TREE`. */
const SORTS = /^USE TEMP B-TREE|USING TEMP B-TREE$/;

function hasConstants({ filters }: RowStatement): boolean {
  for (const found of filters().values()) if (found.some(({ of }) => of === undefined)) return true;
  return false;
}

/** A row of EXPLAIN QUERY PLAN. */
type PlanRow = readonly [id: number, parent: number, unused: number, detail: string];

/** What a plan says of a statement before its rows are counted. */
interface Planning {
  readonly plan: readonly PlanLine[];
  readonly found: Omit<Access, 'visits'>;
}

/** A statement as SQLite gets at its rows by itself. */
interface Planned {
  readonly sql: string;
  readonly plan: readonly PlanLine[];
  readonly access: Access;
}

/** Nothing is sorted, and every condition is part of the search. */
function isInOrder(plan: readonly PlanLine[], sql: string): boolean {
  const [first, ...rest] = plan.map(({ detail }) => detail);
  if (first === undefined || rest.length > 0) return false;
  return / where /i.test(sql)
    ? /^SEARCH \S+ USING INTEGER PRIMARY KEY/.test(first)
    : first.startsWith('SCAN');
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
  return visits > most ? undefined : { template, visits, inOrder: false, sorts: true };
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
  const name = /^SCAN (\S+)(?: EXISTS)?(?: LEFT-JOIN)?$/.exec(detail)?.[1];
  return name === undefined ? undefined : asciiLower(name);
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

export function tried<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    // SQLite finds no way to use the index.
    return undefined;
  }
}
