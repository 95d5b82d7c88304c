// How many rows a statement visits at most, out of SQLite's own plan of it. An upper bound: rows of a table where the
// plan says no more, and one for a search that can find one row alone.

import { asciiLower } from '../base/ascii-lower.ts';
/** A line of EXPLAIN QUERY PLAN. */
export interface PlanLine {
  readonly id: number;
  /** Of the line that it is a part of; 0: of the statement itself. */
  readonly parent: number;
  readonly detail: string;
}

/** What is known of the tables that a plan names. */
export interface TableSizes {
  /** Rows of the largest table that the plan may call so; undefined: none is, it is a subquery or a common table. */
  rows(called: string): number | undefined;
  /** Most rows that have the same values in these columns; undefined where it is not known. */
  same(called: string, columns: readonly string[]): number | undefined;
  /**
   * Most rows of the table that a loop passes on to those inside of it, where the tables of the loops around it are
   * `known`; undefined where nothing bounds them.
   */
  passed(called: string, known: ReadonlySet<string>): number | undefined;
  /** Values of the longest IN list: an equality may be a search for each of them. */
  readonly listed: number;
  /** The statement gives the least or the largest rowid of its only table, and no more. */
  readonly keyEnd: boolean;
  /** Tables by their lower-case names whose scans a look-up of one row may stand for. */
  readonly sought?: ReadonlySet<string>;
}

/** Rows of what has none of its own, such as json_each: those that anybody has in a cell. */
const FUNCTION_ROWS = 1_000;

/** @returns Infinity where there is no bound */
export function rowsVisited(lines: readonly PlanLine[], sizes: TableSizes): number {
  const children = new Map<number, PlanLine[]>();
  for (const line of lines) {
    const known = children.get(line.parent);
    if (known === undefined) children.set(line.parent, [line]);
    else known.push(line);
  }
  const walk = new PlanWalk(children, sizes);
  const own = walk.block(0);
  return own + walk.total;
}

class PlanWalk {
  /** Of all subqueries, as often as they may be run. */
  total = 0;
  /** Rows of subqueries and common tables by the name that the plan calls them. */
  readonly #made = new Map<string, number>();
  readonly #children: ReadonlyMap<number, readonly PlanLine[]>;
  readonly #sizes: TableSizes;

  constructor(children: ReadonlyMap<number, readonly PlanLine[]>, sizes: TableSizes) {
    this.#children = children;
    this.#sizes = sizes;
  }

  /** Rows that the loops of one SELECT visit together. */
  block(parent: number): number {
    let visited = 0;
    let loops = 1;
    /** Of the last loop: how often it is begun. What it looks for is found as often. */
    let begun = 1;
    let behindLoop = false;
    /** Tables of the loops so far, as the plan calls them. */
    const known = new Set<string>();
    const inner: { readonly line: PlanLine; readonly times: number | undefined }[] = [];
    const lines = this.#children.get(parent) ?? [];
    for (const [at, line] of lines.entries()) {
      const { detail, id } = line;
      // Most lines are loops: scans and searches.
      const made = detail.startsWith('S') ? null : MADE.exec(detail);
      if (made !== null) {
        const rows = this.block(id);
        this.total += rows;
        this.#made.set(asciiLower(made[1] as string), rows);
        continue;
      }
      const found = this.#access(line, this.#searches(lines, at));
      if (found !== undefined) {
        begun = loops;
        behindLoop = true;
        visited += loops * Math.max(1, found);
        const called = asciiLower(LOOP.exec(detail)?.[1] ?? '');
        const passed = called === '' ? undefined : this.#sizes.passed(called, known);
        loops *= Math.max(1, Math.min(found, passed ?? found));
        if (called !== '') known.add(called);
        continue;
      }
      behindLoop &&= LIST.test(detail);
      if (SUBQUERY.test(detail)) {
        inner.push({ line, times: behindLoop && this.#isSeek(id) ? begun : undefined });
        continue;
      }
      if (detail === 'RECURSIVE STEP' || detail === 'SETUP') {
        visited = Number.POSITIVE_INFINITY;
        continue;
      }
      // COMPOUND QUERY and its terms, MERGE and its sides, MULTI-INDEX OR outside of a loop.
      visited += this.block(id);
    }
    for (const { line, times = loops } of inner) {
      const { detail, id } = line;
      // What is in it is run as often as it is.
      const before = this.total;
      const rows = this.block(id) + this.total - before;
      this.total = before + (detail.startsWith('CORRELATED') ? rows * Math.max(1, times) : rows);
    }
    return visited;
  }

  /** A look-up of ours: of what the loop before it searches by, and never a condition of its rows. */
  #isSeek(id: number): boolean {
    const lines = this.#children.get(id) ?? [];
    return lines.length > 0 && lines.every(({ detail }) => /temp\.tablegate_seek_\d+/.test(detail));
  }

  /** Values that a loop looks for: those of an IN list, or of subqueries, which stand behind the loop. */
  #searches(lines: readonly PlanLine[], at: number): number {
    let searches = Math.max(1, this.#sizes.listed);
    for (let i = at + 1; LIST.test(lines[i]?.detail ?? ''); i++)
      searches = Math.max(searches, this.block((lines[i] as PlanLine).id));
    return searches;
  }

  /** Rows that one pass of a loop visits; undefined: the line is no loop. */
  #access({ detail, id }: PlanLine, searches: number): number | undefined {
    if (detail === 'MULTI-INDEX OR') {
      let rows = 0;
      for (const branch of this.#children.get(id) ?? [])
        for (const line of this.#children.get(branch.id) ?? []) rows += this.#access(line, searches) ?? 0;
      return rows;
    }
    const constant = /^SCAN (?:(\d+)-ROW VALUES CLAUSE|CONSTANT ROW)/.exec(detail);
    if (constant !== null) return Number(constant[1] ?? 1);
    const scan = SCAN.exec(detail);
    if (scan !== null) {
      const called = scan[1] as string;
      return this.#sizes.sought?.has(asciiLower(called)) === true ? 1 : this.#rowsOf(called);
    }
    const search = SEARCH.exec(detail);
    // A search of another kind has no bound that is known.
    if (search === null) return detail.startsWith('SEARCH') ? Number.POSITIVE_INFINITY : undefined;
    const [, called = '', automatic, index, primary, terms] = search;
    const rows = this.#rowsOf(called);
    // Written of each loop of a statement with a min() or a max(), whether its first row is enough or all are looked at.
    if (terms === undefined) return this.#sizes.keyEnd ? 1 : rows;
    // An index for this statement alone is made once, of all rows.
    if (automatic !== undefined) this.total += rows;
    else if (index === undefined && primary === undefined)
      return terms === 'rowid=?' ? Math.min(rows, searches) : rows;
    const equal = terms
      .split(' AND ')
      .filter((term) => term.endsWith('=?') && !/[<>]/.test(term))
      .map((term) => term.slice(0, -2));
    if (equal.length === 0) return rows;
    const same = this.#sizes.same(called, equal);
    return same === undefined ? rows : Math.min(rows, same * searches);
  }

  #rowsOf(called: string): number {
    const name = asciiLower(called);
    return this.#made.get(name) ?? this.#sizes.rows(name) ?? FUNCTION_ROWS;
  }
}

const MADE = /^(?:MATERIALIZE|CO-ROUTINE) (.+)$/;
const LOOP = /^(?:SCAN|SEARCH) (\S+)/;
const LIST = /^(?:CORRELATED )?LIST SUBQUERY/;
const SUBQUERY = /^(?:CORRELATED )?(?:SCALAR|LIST) SUBQUERY|^REUSE/;
const SCAN =
  /^SCAN (.+?)(?: EXISTS)?(?: USING (?:COVERING )?INDEX .+| VIRTUAL TABLE INDEX .+)?(?: LEFT-JOIN| RIGHT-JOIN)?$/;
const SEARCH =
  /^SEARCH (.+?)(?: EXISTS)?(?: USING (?:(AUTOMATIC )?(?:PARTIAL )?(?:COVERING )?INDEX (\S+ )?|INTEGER PRIMARY KEY |(PRIMARY KEY ))\((.+)\))?(?: LEFT-JOIN)?$/;
