// How many rows a statement visits at most, out of SQLite's own plan of it. An upper bound: rows of a table where the
// plan says no more, and one for a search that can find one row alone.

import { type Step, stepOf } from './plan-steps.ts';

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
  /** Terms with IN, of the whole statement. */
  readonly lists: number;
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
    const inner: { readonly id: number; readonly step: Step; readonly times: number | undefined }[] = [];
    const lines = this.#children.get(parent) ?? [];
    for (const [at, line] of lines.entries()) {
      const { id } = line;
      const step = stepOf(line.detail);
      if (step.made !== undefined) {
        const rows = this.block(id);
        this.total += rows;
        this.#made.set(step.made, rows);
        continue;
      }
      const found = this.#access(step, id, this.#searches(lines, at));
      if (found !== undefined) {
        begun = loops;
        behindLoop = true;
        visited += loops * Math.max(1, found);
        const passed = step.loop === '' ? undefined : this.#sizes.passed(step.loop, known);
        loops *= Math.max(1, Math.min(found, passed ?? found));
        if (step.loop !== '') known.add(step.loop);
        continue;
      }
      behindLoop &&= step.list;
      if (step.subquery) {
        inner.push({ id, step, times: behindLoop && this.#isSeek(id) ? begun : undefined });
        continue;
      }
      if (step.endless) {
        visited = Number.POSITIVE_INFINITY;
        continue;
      }
      // COMPOUND QUERY and its terms, MERGE and its sides, MULTI-INDEX OR outside of a loop.
      visited += this.block(id);
    }
    for (const { id, step, times = loops } of inner) {
      // What is in it is run as often as it is.
      const { all } = this.#apart(id);
      this.total += step.correlated ? all * Math.max(1, times) : all;
    }
    return visited;
  }

  /** Rows of a subquery, its own and with those of all that is in it; none of them is in {@link total}. */
  #apart(id: number): { readonly own: number; readonly all: number } {
    const before = this.total;
    const own = this.block(id);
    const all = own + this.total - before;
    this.total = before;
    return { own, all };
  }

  /** A look-up of ours: of what the loop before it searches by, and never a condition of its rows. */
  #isSeek(id: number): boolean {
    const lines = this.#children.get(id) ?? [];
    return lines.length > 0 && lines.every(({ detail }) => /temp\.tablegate_seek_\d+/.test(detail));
  }

  /** Values that a loop looks for: those of an IN list, or of subqueries, which stand behind the loop. */
  #searches(lines: readonly PlanLine[], at: number): number {
    let searches = Math.max(1, this.#sizes.listed);
    for (let i = at + 1; i < lines.length; i++) {
      const { id, detail } = lines[i] as PlanLine;
      if (!stepOf(detail).list) break;
      searches = Math.max(searches, this.block(id));
    }
    return searches;
  }

  /** Rows that one pass of a loop visits; undefined: the line is no loop. */
  #access({ or, constants, scan, search }: Step, id: number, searches: number): number | undefined {
    if (or) return this.#branches(id, searches);
    if (constants !== undefined) return constants;
    if (scan !== undefined) return this.#sizes.sought?.has(scan) === true ? 1 : this.#rowsOf(scan);
    if (search === undefined) return undefined;
    if (search === 'unbounded') return Number.POSITIVE_INFINITY;
    const { called, automatic, indexed, terms, equal } = search;
    const rows = this.#rowsOf(called);
    // Written of each loop of a statement with a min() or a max(), whether its first row is enough or all are looked at.
    if (terms === undefined) return this.#sizes.keyEnd ? 1 : rows;
    // An index for this statement alone is made once, of all rows.
    if (automatic) this.total += rows;
    else if (!indexed) return terms === 'rowid=?' ? Math.min(rows, searches) : rows;
    if (equal.length === 0) return rows;
    const same = this.#sizes.same(called, equal);
    const found = same === undefined ? rows : Math.min(rows, same * searches);
    // Of several lists, each value of one is looked for with each of the others, whether or not it is there.
    const lists = Math.min(equal.length, this.#sizes.lists);
    return lists > 1 ? Math.max(found, searches ** lists) : found;
  }

  /** Rows of the searches of a MULTI-INDEX OR, with those of the subqueries that are run for each of them. */
  #branches(id: number, searches: number): number {
    let rows = 0;
    for (const branch of this.#children.get(id) ?? []) {
      const lines = this.#children.get(branch.id) ?? [];
      let inner = 0;
      let listed = searches;
      const loops: PlanLine[] = [];
      for (const line of lines) {
        const step = stepOf(line.detail);
        if (!step.subquery && !step.list) {
          loops.push(line);
          continue;
        }
        const { own, all } = this.#apart(line.id);
        inner += all;
        if (step.list) listed = Math.max(listed, own);
      }
      let found = 0;
      for (const line of loops) found += this.#access(stepOf(line.detail), line.id, listed) ?? 0;
      rows += found + Math.max(1, found) * inner;
    }
    return rows;
  }

  #rowsOf(called: string): number {
    return this.#made.get(called) ?? this.#sizes.rows(called) ?? FUNCTION_ROWS;
  }
}
