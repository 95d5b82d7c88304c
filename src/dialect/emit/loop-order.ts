// The order in which SQLite's rows come where no ORDER BY says so: its planner's nested loops, outermost
// first, each by rowid or by the unique index that it would use. Follows where.c's costs for tables without
// statistics (logarithms: 10 is twice as much). Only order hangs on it, never which rows there are.
import type { Template } from '../plan.ts';
import { sql } from '../value.ts';
import type { LoopTerm } from './loop-terms.ts';
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

interface Loop {
  readonly setup: number;
  readonly run: number;
  readonly out: number;
  readonly columns: readonly string[];
  /** Columns that have one value within the loop. */
  readonly fixed: ReadonlySet<string>;
}
interface Path {
  readonly order: readonly (readonly [Relation, Loop])[];
  readonly rows: number;
  readonly cost: number;
}

/** where.c: a table without statistics has 2^20 rows. */
const TABLE_ROWS = 200;
/** sqlite3DefaultRowEst: rows for equality on the first columns of an index. */
const INDEX_ROWS = [33, 32, 30, 28, 26, 23];
const MAX_PLANNED = 6;

const add = (a: number, b: number): number =>
  Math.abs(a - b) > 300 ? Math.max(a, b) : 10 * Math.log2(2 ** (a / 10) + 2 ** (b / 10));
const logOf = (rows: number): number => (rows <= 10 ? 0 : 10 * Math.log2(rows) - 33);

export function loopOrder(
  relations: readonly Relation[],
  terms: readonly LoopTerm[],
  wish: Wish | undefined,
): LoopOrder {
  if (relations.length === 0) return { terms: [], columns: [], natural: true };
  const outer = relations.some(({ join }) => join === 'right' || join === 'full');
  const fixed = outer || relations.length > MAX_PLANNED;
  const path = fixed ? inGivenOrder(relations) : cheapest(relations, terms, wish);
  const reverse = wish !== undefined && sorted(path, wish).reverse;
  const keys = path.order.flatMap(([relation, loop]) => loopKeys(relation, loop, reverse, outer));
  const [[, first] = []] = path.order;
  return {
    terms: keys.map(orderTerm),
    columns: keys.map((key) => key.sql.join('')),
    natural: relations.length === 1 && !reverse && first?.columns.length === 0,
  };
}

function loopKeys(relation: Relation, loop: Loop, reverse: boolean, always: boolean): readonly RowKey[] {
  const key = (text: Template, rowid: boolean): RowKey => ({ sql: text, descending: reverse, rowid });
  return [
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
function cheapest(relations: readonly Relation[], terms: readonly LoopTerm[], wish: Wish | undefined): Path {
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
      for (const loop of loops(relation, terms, placed, wish !== undefined)) {
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

/** The ways to go through a table, once the rows of some others are known. */
function loops(
  relation: Relation,
  terms: readonly LoopTerm[],
  placed: ReadonlySet<Relation>,
  sorts: boolean,
): readonly Loop[] {
  const usable = terms.filter(
    (term) => term.relation === relation && [...term.needs].every((needed) => placed.has(needed)),
  );
  const rows = relation.single ? 0 : TABLE_ROWS;
  const filtered = rows - Math.min(rows, usable.some(({ kind }) => kind === 'equal') ? 20 : usable.length);
  const found: Loop[] = [];
  const rowid = relation.rowid?.value.sql.join('');
  const ofRowid = usable.filter(({ column }) => column === rowid);
  if (ofRowid.length > 0) found.push(rowidLoop(ofRowid, rows));
  if (ofRowid.every(({ kind }) => kind !== 'equal')) {
    for (const term of usable)
      if (term.kind === 'equal' && placed.size > 0) found.push(automaticIndex(relation, term, rows));
    found.push({ setup: 0, run: rows + 16, out: filtered, columns: [], fixed: new Set() });
    for (const index of relation.indexes) {
      const loop = indexLoop(relation, index, usable, rows, filtered, sorts);
      if (loop !== undefined) found.push(loop);
    }
  }
  return found;
}

function rowidLoop(terms: readonly LoopTerm[], rows: number): Loop {
  const kinds = new Set(terms.map(({ kind }) => kind));
  const out = kinds.has('equal') ? 0 : kinds.has('in') ? 46 : ranged(rows, kinds);
  return { setup: 0, run: add(logOf(rows), out + 16), out, columns: [], fixed: new Set() };
}

function ranged(rows: number, kinds: ReadonlySet<string>): number {
  const bounds = (kinds.has('low') ? 1 : 0) + (kinds.has('high') ? 1 : 0);
  return Math.max(0, rows - (bounds === 2 ? 60 : 20 * bounds));
}

/** An index made for one join: sorted by its column, then by the others that the statement uses. */
function automaticIndex(relation: Relation, term: LoopTerm, rows: number): Loop {
  const columns = relation.columns
    .map(({ value }) => value.sql.join(''))
    .filter((column) => column !== term.column && relation.used.has(column));
  const setup = logOf(rows) + rows + (relation.rowid === undefined ? -25 : 28);
  return {
    setup,
    run: add(logOf(rows), 43),
    out: Math.min(43, rows),
    columns: relation.rowid === undefined ? [] : columns,
    fixed: new Set([term.column]),
  };
}

function indexLoop(
  relation: Relation,
  index: Relation['indexes'][number],
  usable: readonly LoopTerm[],
  rows: number,
  filtered: number,
  sorts: boolean,
): Loop | undefined {
  const kindsOf = (column: string | undefined): ReadonlySet<string> =>
    new Set(usable.filter((term) => term.column === column).map(({ kind }) => kind));
  const fixed = new Set<string>();
  let at = 0;
  let out = rows;
  let many = 0;
  let free = 0;
  for (; at < index.columns.length; at++) {
    const kinds = kindsOf(index.columns[at]);
    if (!kinds.has('equal') && !kinds.has('in')) break;
    out = at === index.columns.length - 1 ? 0 : (INDEX_ROWS[at] ?? 23);
    if (kinds.has('equal') && free === at) {
      fixed.add(index.columns[at] as string);
      free = at + 1;
    } else if (!kinds.has('equal')) many += 46;
  }
  const range = kindsOf(index.columns[at]);
  const hasRange = range.has('low') || range.has('high');
  if (hasRange) out = Math.min(out, ranged(at === 0 ? rows : out, range));
  const rowid = relation.rowid?.value.sql.join('');
  const covering = [...relation.used].every((column) => column === rowid || index.columns.includes(column));
  const unconstrained = at === 0 && !hasRange;
  if (unconstrained && !sorts && !(covering && index.width < relation.width)) return undefined;
  const total = Math.min(rows, out + many);
  const scan = total + 1 + (15 * logWidth(index.width)) / Math.max(1, logWidth(relation.width));
  const seek = unconstrained ? scan : add(logOf(rows), scan);
  return {
    setup: 0,
    run: covering ? seek : add(seek, total + 16),
    out: Math.min(total, filtered),
    columns: index.columns.slice(free),
    fixed,
  };
}

const logWidth = (width: number): number => 10 * Math.log2(width * 4);

function orderTerm({ sql: key, descending, rowid }: RowKey): Template {
  if (rowid && !descending) return key;
  return descending ? sql`${key} DESC NULLS LAST` : sql`${key} ASC NULLS FIRST`;
}
