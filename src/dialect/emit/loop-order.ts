// The order in which SQLite's rows come where no ORDER BY says so: its planner's nested loops, outermost
// first, each by rowid or by the unique index that it would use. Follows where.c's costs for tables without
// statistics (logarithms: 10 is twice as much). Only order hangs on it, never which rows there are.
import type { Template } from '../plan.ts';
import { sql } from '../value.ts';
import { add, type Loop, type LoopInput, logOf, loops } from './loop-ways.ts';
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
  const fixed = outer || relations.length > MAX_PLANNED;
  const path = fixed ? inGivenOrder(relations) : cheapest(relations, input, wish);
  const reverse = wish !== undefined && sorted(path, wish).reverse;
  const keys = path.order.flatMap(([relation, loop]) => loopKeys(relation, loop, reverse, outer));
  const [[, first] = []] = path.order;
  return {
    terms: keys.map(orderTerm),
    columns: keys.map((key) => key.sql.join('')),
    natural:
      relations.length === 1 && !reverse && first?.columns.length === 0 && first.branches === undefined,
  };
}

function loopKeys(relation: Relation, loop: Loop, reverse: boolean, always: boolean): readonly RowKey[] {
  const key = (text: Template, rowid: boolean): RowKey => ({ sql: text, descending: reverse, rowid });
  return [
    ...(loop.branches ?? []).map((text): RowKey => ({ sql: text, descending: false, rowid: false })),
    ...loop.columns.map((column) => key([column], false)),
    ...relation.order(always).map((text) => key(text, true)),
  ];
}

/** How many terms of the wish a path gives, and whether it has to be gone through backwards. */
function sorted(path: Path, wish: Wish): { readonly terms: number; readonly reverse: boolean } {
  const fixed = new Set(path.order.flatMap(([, loop]) => [...loop.fixed]));
  const open = wish.columns.map((column, i) => ({ column, descending: wish.descending[i] === true }));
  const constant = open.filter(({ column }) => column !== undefined && fixed.has(column)).length;
  const left = open.filter(({ column }) => column === undefined || !fixed.has(column));
  const matched: boolean[] = [];
  for (const [relation, loop] of path.order) {
    const rowid = relation.rowid?.value.sql.join('');
    if (loop.branches !== undefined) return end();
    for (const column of [...loop.columns, ...(rowid === undefined ? [] : [rowid])]) {
      const at = wish.kind === 'set' ? left.findIndex((term) => term.column === column) : 0;
      const term = left[at];
      if (term?.column !== column) return end();
      matched.push(term.descending);
      left.splice(at, 1);
      // Whatever else is of this table is fixed by its rowid.
      if (column === rowid)
        for (let i = left.length - 1; i >= 0; i--)
          if (left[i]?.column?.startsWith(`${relation.alias}.`) === true) {
            left.splice(i, 1);
            matched.push(term.descending);
          }
      if (left.length === 0) return end();
    }
  }
  return end();

  function end() {
    const directions = new Set(matched);
    if (wish.kind === 'list' && directions.size > 1) return { terms: constant, reverse: false };
    return { terms: constant + matched.length, reverse: directions.size === 1 && directions.has(true) };
  }
}

/** whereSortingCost: what it costs to sort by the terms that the path does not give. */
function sortCost(path: Path, wish: Wish): number {
  const { terms } = sorted(path, wish);
  const all = wish.columns.length;
  if (terms >= all) return 0;
  const scale = 10 * Math.log2(((all - terms) * 100) / all) - 66;
  const kept = wish.limited ? Math.min(33, path.rows) : path.rows;
  return path.rows + scale + 16 + logOf(kept);
}

function inGivenOrder(relations: readonly Relation[]): Path {
  const loop: Loop = { setup: 0, run: 0, out: 0, columns: [], fixed: new Set() };
  return { order: relations.map((relation) => [relation, loop] as const), rows: 0, cost: 0 };
}

/** The cheapest of all orders that outer joins allow; the first of equal ones, as in the FROM clause. */
function cheapest(relations: readonly Relation[], input: LoopInput, wish: Wish | undefined): Path {
  let best: { readonly path: Path; readonly cost: number } | undefined;
  const extend = (path: Path, left: readonly Relation[]): void => {
    if (best !== undefined && path.cost >= best.cost) return;
    if (left.length === 0) {
      const sort = wish === undefined ? 0 : sortCost(path, wish);
      const cost = sort === 0 ? path.cost : add(path.cost, sort);
      if (best === undefined || cost < best.cost) best = { path, cost };
      return;
    }
    const placed = new Set(path.order.map(([relation]) => relation));
    for (const relation of left) {
      const at = relations.indexOf(relation);
      const waits = relation.join === 'left' && relations.slice(0, at).some((other) => !placed.has(other));
      if (waits) continue;
      for (const loop of loops(relation, input, placed, wish !== undefined)) {
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

function orderTerm({ sql: key, descending, rowid }: RowKey): Template {
  if (rowid && !descending) return key;
  return descending ? sql`${key} DESC NULLS LAST` : sql`${key} ASC NULLS FIRST`;
}
