// The order in which SQLite's rows come where no ORDER BY says so: its planner's nested loops, outermost
// first, each by rowid or by the unique index that it would use. Follows where.c's costs for tables without
// statistics (logarithms: 10 is twice as much). Only order hangs on it, never which rows there are.
import type { Template } from '../plan.ts';
import { join, sql } from '../value.ts';
import { add, type Loop, type LoopInput, logEst, logOf, loops } from './loop-ways.ts';
import type { Relation } from './scope.ts';

interface RowKey {
  readonly sql: Template;
  readonly descending: boolean;
  /** Never NULL but after an outer join, where NULLs come last: the engine's own default. */
  readonly rowid: boolean;
}

/** What the SELECT would like the rows to be sorted by. */
export interface Wish {
  /** `list`: in this order; `set`: any order and direction serves (GROUP BY, DISTINCT). */
  readonly kind: 'list' | 'set';
  /** SQL of columns; undefined where a term is no column. */
  readonly columns: readonly (string | undefined)[];
  readonly descending: readonly boolean[];
  readonly limited: boolean;
}

export interface LoopOrder {
  /** Complete ORDER BY terms. */
  readonly terms: readonly Template[];
  /** The same without direction, to compare with GROUP BY terms. */
  readonly columns: readonly string[];
  /** One table by rowid: as the engine gives it. */
  readonly natural: boolean;
}

interface Path {
  readonly order: readonly (readonly [Relation, Loop])[];
  readonly rows: number;
  readonly cost: number;
}

const MAX_PLANNED = 6;

export function loopOrder(
  relations: readonly Relation[],
  input: LoopInput,
  wish: Wish | undefined,
): LoopOrder {
  if (relations.length === 0) return { terms: [], columns: [], natural: true };
  const outer = relations.some(({ join }) => join === 'right' || join === 'full');
  const fixed = relations.length > MAX_PLANNED;
  const path = fixed ? inGivenOrder(relations) : cheapest(relations, input, wish);
  const reverse = wish !== undefined && sorted(path, wish).reverse;
  const keys = path.order.flatMap(([relation, loop], i) => [
    ...matchedKeys(loop, path.order.slice(0, i), reverse),
    ...loopKeys(relation, loop, reverse, outer),
  ]);
  const [[, first] = []] = path.order;
  return {
    terms: keys.map(orderTerm),
    columns: keys.map((key) => key.sql.join('')),
    natural:
      relations.length === 1 && !reverse && first?.columns.length === 0 && first.branches === undefined,
  };
}

/** The places of rows of a RIGHT JOIN's table that have a row further left. */
function matchedKeys({ matched = [] }: Loop, before: Path['order'], descending: boolean): readonly RowKey[] {
  const rowids = before.flatMap(([{ rowid }]) => (rowid === undefined ? [] : [rowid.value.sql]));
  if (rowids.length === 0) return [];
  const isMatched = join(
    rowids.map((rowid) => sql`${rowid} IS NOT NULL`),
    ' OR ',
  );
  return matched.map((column) => ({
    sql: sql`CASE WHEN ${isMatched} THEN ${column} END`,
    descending,
    rowid: false,
  }));
}

function loopKeys(relation: Relation, loop: Loop, reverse: boolean, always: boolean): readonly RowKey[] {
  const key = (text: Template, rowid: boolean): RowKey => ({ sql: text, descending: reverse, rowid });
  const rowid = relation.rowid?.value.sql.join('');
  const sortsNulls = always && rowid !== undefined && loop.columns.length > 0;
  return [
    // Rows of NULLs come last, whatever the index.
    ...(sortsNulls ? [{ sql: [`(${rowid} IS NULL)`], descending: false, rowid: true }] : []),
    ...(loop.branches ?? []).map((text): RowKey => ({ sql: text, descending: false, rowid: false })),
    ...loop.columns.map((column) => key([column], false)),
    ...relation.order(always).map((text) => key(text, true)),
  ];
}

/**
 * How many terms of the wish a path gives, and whether it has to be gone through backwards
 * (wherePathSatisfiesOrderBy): loop by loop, as long as the loops before are told apart by the terms so far.
 */
function sorted(path: Path, wish: Wish): { readonly terms: number; readonly reverse: boolean } {
  const left = wish.columns.map((column, i) => ({ column, descending: wish.descending[i] === true }));
  const matched: boolean[] = [];
  const drop = (fits: (column: string) => boolean, descending?: boolean): void => {
    for (let i = left.length - 1; i >= 0; i--) {
      const column = left[i]?.column;
      if (column === undefined || !fits(column)) continue;
      left.splice(i, 1);
      if (descending !== undefined) matched.push(descending);
    }
  };
  for (const [relation, loop] of path.order) {
    drop((column) => loop.fixed.has(column));
    if (loop.branches !== undefined) break;
    const rowid = relation.rowid?.value.sql.join('');
    let whole = false;
    for (const column of [...loop.columns, ...(rowid === undefined ? [] : [rowid])]) {
      const at = wish.kind === 'set' ? left.findIndex((term) => term.column === column) : 0;
      const term = left[at];
      if (term?.column !== column) break;
      matched.push(term.descending);
      left.splice(at, 1);
      if (column !== rowid) continue;
      // Whatever else is of this table is fixed by its rowid.
      whole = true;
      drop((other) => other.startsWith(`${relation.alias}.`), term.descending);
    }
    if (!whole && loop.out > 0) break;
  }
  const directions = new Set(matched);
  if (wish.kind === 'list' && directions.size > 1)
    return { terms: wish.columns.length - left.length - matched.length, reverse: false };
  return {
    terms: wish.columns.length - left.length,
    reverse: directions.size === 1 && directions.has(true),
  };
}

/** whereSortingCost: what it costs to sort by the terms that the path does not give; 0: nothing. */
function sortCost(path: Path, wish: Wish): number {
  const { terms } = sorted(path, wish);
  const all = wish.columns.length;
  if (terms >= all) return 0;
  const scale = logEst(Math.trunc(((all - terms) * 100) / all)) - 66;
  const kept = wish.limited ? Math.min(33, path.rows) : path.rows;
  return path.rows + scale + 16 + logOf(kept);
}

function inGivenOrder(relations: readonly Relation[]): Path {
  const none = { columns: [], fixed: new Set<string>(), needs: new Set<Relation>(), sortIndex: 0 };
  const loop: Loop = { setup: 0, run: 0, out: 0, ...none };
  return { order: relations.map((relation) => [relation, loop] as const), rows: 0, cost: 0 };
}

/** The cheapest of all orders that outer joins allow; the first of equal ones, as in the FROM clause. */
function cheapest(relations: readonly Relation[], input: LoopInput, wish: Wish | undefined): Path {
  let best: { readonly path: Path; readonly costs: readonly number[] } | undefined;
  const sorting = new Set((wish?.columns ?? []).flatMap((column) => column ?? []));
  const extend = (path: Path, left: readonly Relation[]): void => {
    if (best !== undefined && path.cost > (best.costs[0] as number)) return;
    if (left.length === 0) {
      const sort = wish === undefined ? 0 : sortCost(path, wish);
      // What costs the same is chosen by its rows, then by its costs without the sort.
      const costs = [sort === 0 ? path.cost : add(path.cost, sort) + 5, path.rows, path.cost];
      if (best === undefined || isLess(costs, best.costs)) best = { path, costs };
      return;
    }
    const placed = new Set(path.order.map(([relation]) => relation));
    for (const relation of left) {
      const at = relations.indexOf(relation);
      const waits = relation.barrier && relations.slice(0, at).some((other) => !placed.has(other));
      if (waits) continue;
      for (const loop of loops(relation, input, placed, path.rows, sorting)) {
        const cost = add(path.cost, add(loop.setup, loop.run + path.rows));
        extend(
          { order: [...path.order, [relation, loop]], rows: path.rows + loop.out, cost },
          left.filter((other) => other !== relation),
        );
      }
    }
  };
  extend({ order: [], rows: 0, cost: 0 }, relations);
  return best?.path ?? inGivenOrder(relations);
}

function isLess(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at >= 0 && (a[at] as number) < (b[at] as number);
}

function orderTerm({ sql: key, descending, rowid }: RowKey): Template {
  if (rowid && !descending) return key;
  return descending ? sql`${key} DESC NULLS LAST` : sql`${key} ASC NULLS FIRST`;
}
