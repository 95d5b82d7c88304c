// The ways in which SQLite can go through one table, and what it thinks each costs (where.c; logarithms: 10 is
// twice as much): by rowid, by a unique index, by an index made for the join, by the branches of an OR.
import type { Template } from '../plan.ts';
import { sql } from '../value.ts';
import type { LoopChoice, LoopFilter, LoopTerm } from './loop-terms.ts';
import type { Relation } from './scope.ts';

export interface Loop {
  readonly setup: number;
  readonly run: number;
  readonly out: number;
  readonly columns: readonly string[];
  /** Of a RIGHT JOIN's table: how the rows come that match a row further left; `columns` are those of the rest. */
  readonly matched?: readonly string[];
  /** Tables whose row it needs. */
  readonly needs: ReadonlySet<Relation>;
  /** The index that may help with the order asked for, from 1; 0: none. */
  readonly sortIndex: number;
  /** Columns that have one value within the loop. */
  readonly fixed: ReadonlySet<string>;
  /** Of an OR, whose branches come one after the other: which one, and the place within each. */
  readonly branches?: readonly Template[];
}
/** What the conditions say. */
export interface LoopInput {
  readonly terms: readonly LoopTerm[];
  readonly choices: readonly LoopChoice[];
  readonly filters: readonly LoopFilter[];
  /** BOOLEAN SQL of a branch of a choice. */
  readonly branchSql: (branch: LoopChoice['branches'][number]) => Template;
}

/** where.c: a table without statistics has 2^20 rows. */
const TABLE_ROWS = 200;
/** sqlite3DefaultRowEst: rows for equality on the first columns of an index. */
const INDEX_ROWS = [33, 32, 30, 28, 26, 23];

/** What to add to the larger of two logarithms by their difference (util.c, sqlite3LogEstAdd). */
const MORE = [
  10, 10, 9, 9, 8, 8, 7, 7, 7, 6, 6, 6, 5, 5, 5, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2,
];
export function add(a: number, b: number): number {
  const difference = Math.abs(a - b);
  return Math.max(a, b) + (MORE[difference] ?? (difference > 49 ? 0 : 1));
}
export const logEst = (count: number): number => (count <= 1 ? 0 : Math.round(10 * Math.log2(count)));
export const logOf = (rows: number): number => (rows <= 10 ? 0 : logEst(rows) - 33);

/** The ways to go through a table, once the rows of some others are known. */
export function loops(
  relation: Relation,
  { terms, choices, filters, branchSql }: LoopInput,
  placed: ReadonlySet<Relation>,
  /** How often the loop runs. */
  before: number,
  sorting: ReadonlySet<string>,
): readonly Loop[] {
  const isUsable = (term: LoopTerm): boolean =>
    term.relation === relation && [...term.needs].every((needed) => placed.has(needed));
  const usable = terms.filter(isUsable);
  const rows = relation.single ? 0 : (relation.estimate ?? TABLE_ROWS);
  const table: Table = { relation, rows, filters, sorting };
  const found: Loop[] = [];
  const isRight = relation.join === 'right' || relation.join === 'full';
  const rowid = relation.rowid?.value.sql.join('');
  const ofRowid = usable.filter(({ column }) => column === rowid);
  if (ofRowid.length > 0) found.push(rowidLoop(table, ofRowid));
  if (ofRowid.every(({ kind }) => kind !== 'equal')) {
    // Not worth its making for a loop that runs once (wherePathSolver).
    for (const term of usable)
      if (term.kind === 'equal' && before >= 3 && !isRight) found.push(automaticIndex(relation, term, rows));
    const scan = { setup: 0, run: rows + 16, out: culled(table, rows, []), columns: [] };
    found.push({ ...scan, fixed: new Set(), needs: new Set(), sortIndex: 0 });
    relation.indexes.forEach((index, i) => {
      const loop = indexLoop(table, index, usable, i + 1);
      if (loop !== undefined) found.push(loop);
    });
  }
  for (const choice of choices) {
    if (choice.relation !== relation) continue;
    const loop = branchedLoop({ ...table, sorting: new Set() }, choice, isUsable, branchSql);
    if (loop !== undefined) found.push(loop);
  }
  if (isRight) return found.map((loop) => ({ ...loop, matched: loop.columns, columns: scanned(table) }));
  return found.filter((loop, i) => !found.some((other, j) => i !== j && beats(other, loop, j < i)));
}

/** The rows of a RIGHT JOIN that nothing matched come as a scan gives them: by an index that holds all and is narrower. */
function scanned({ relation }: Table): readonly string[] {
  const index = relation.indexes.find((one) => one.width < relation.width && covers(relation, one));
  return index?.columns ?? [];
}

function covers(relation: Relation, index: Relation['indexes'][number]): boolean {
  const rowid = relation.rowid?.value.sql.join('');
  return [...relation.used].every((column) => column === rowid || index.columns.includes(column));
}

/** whereLoopInsert: a loop that needs no more tables and costs no more makes another needless. */
function beats(a: Loop, b: Loop, first: boolean): boolean {
  if (a.sortIndex !== b.sortIndex || [...a.needs].some((needed) => !b.needs.has(needed))) return false;
  if (a.setup > b.setup || a.run > b.run || a.out > b.out) return false;
  const same = a.needs.size === b.needs.size && a.setup === b.setup && a.run === b.run && a.out === b.out;
  return first || !same;
}

interface Table {
  readonly relation: Relation;
  readonly rows: number;
  readonly filters: readonly LoopFilter[];
  readonly sorting: ReadonlySet<string>;
}

/** whereLoopOutputAdjust: conditions that the loop does not use let fewer rows through. */
function culled({ relation, rows, filters }: Table, out: number, used: readonly LoopTerm[]): number {
  const known = new Set<Relation>([relation, ...used.flatMap(({ needs }) => [...needs])]);
  const parts = new Set(used.map(({ part }) => part));
  let left = out;
  let most = rows;
  for (const filter of filters) {
    if (!filter.relations.has(relation) || parts.has(filter.part)) continue;
    if ([...filter.relations].some((needed) => !known.has(needed))) continue;
    left--;
    most = Math.min(most, rows - filter.culls);
  }
  return Math.max(0, Math.min(left, most));
}

/** whereLoopAddOr: every branch by an index or the rowid, one after the other, each row once. */
function branchedLoop(
  table: Table,
  { relation, branches }: LoopChoice,
  isUsable: (term: LoopTerm) => boolean,
  branchSql: LoopInput['branchSql'],
): Loop | undefined {
  const parts: Loop[] = [];
  for (const { terms } of branches) {
    const usable = terms.filter(isUsable);
    const rowid = relation.rowid?.value.sql.join('');
    const ofRowid = usable.filter(({ column }) => column === rowid);
    const ways = ofRowid.length > 0 ? [rowidLoop(table, ofRowid)] : [];
    for (const index of relation.indexes) {
      const [first] = index.columns;
      if (!usable.some(({ column }) => column === first)) continue;
      const way = indexLoop(table, index, usable, 0);
      if (way !== undefined) ways.push(way);
    }
    const [best] = ways.sort((a, b) => a.run - b.run);
    if (best === undefined) return undefined;
    parts.push(best);
  }
  const conditions = branches.map(branchSql);
  const which = conditions.flatMap((condition, i) => sql` WHEN ${condition} THEN ${i}`);
  return {
    setup: 0,
    run: parts.map(({ run }) => run).reduce(add) + 1,
    out: Math.min(table.rows, parts.map(({ out }) => out).reduce(add)),
    columns: [],
    fixed: new Set(),
    needs: new Set(parts.flatMap(({ needs }) => [...needs])),
    sortIndex: 0,
    branches: [
      sql`CASE${which} END`,
      ...parts.flatMap(({ columns }, i) =>
        columns.map((column) => sql`CASE WHEN ${conditions[i] as Template} THEN ${column} END`),
      ),
    ],
  };
}

function rowidLoop(table: Table, terms: readonly LoopTerm[]): Loop {
  const kinds = new Set(terms.map(({ kind }) => kind));
  const isEqual = kinds.has('equal');
  const isIn = !isEqual && kinds.has('in');
  const used =
    isEqual || isIn ? terms.filter(({ kind }) => kind === (isEqual ? 'equal' : 'in')).slice(0, 1) : terms;
  const once = isEqual || isIn ? 0 : ranged(table.rows, kinds);
  const many = isIn ? valuesOf(used) : 0;
  const run = add(logOf(table.rows), once + 16) + many;
  return {
    setup: 0,
    run,
    out: culled(table, once + many, used),
    columns: [],
    fixed: new Set(),
    needs: needsOf(used),
    sortIndex: 0,
  };
}

const needsOf = (terms: readonly LoopTerm[]): ReadonlySet<Relation> =>
  new Set(terms.flatMap(({ needs }) => [...needs]));

const valuesOf = (terms: readonly LoopTerm[]): number =>
  Math.min(...terms.filter(({ kind }) => kind === 'in').map(({ values }) => values ?? 46));

function ranged(rows: number, kinds: ReadonlySet<string>): number {
  const bounds = (kinds.has('low') ? 1 : 0) + (kinds.has('high') ? 1 : 0);
  return Math.max(0, rows - (bounds === 2 ? 60 : 20 * bounds));
}

/** An index made for one join: sorted by its column, then by the others that the statement uses. */
function automaticIndex(relation: Relation, term: LoopTerm, rows: number): Loop {
  const rowid = relation.rowid?.value.sql.join('');
  const columns = relation.columns
    .map(({ value }) => value.sql.join(''))
    .filter((column) => column !== term.column && column !== rowid && relation.used.has(column));
  const setup = logOf(rows) + rows + (relation.rowid === undefined ? -25 : 28);
  return {
    setup,
    run: add(logOf(rows), 43),
    out: Math.min(43, rows),
    columns,
    fixed: new Set([term.column]),
    needs: term.needs,
    sortIndex: 0,
  };
}

function indexLoop(
  table: Table,
  index: Relation['indexes'][number],
  usable: readonly LoopTerm[],
  place: number,
): Loop | undefined {
  const { relation, rows, sorting } = table;
  const sorts = index.columns.some((column) => sorting.has(column));
  const termsOn = (column: string | undefined): readonly LoopTerm[] =>
    usable.filter((term) => term.column === column);
  const used: LoopTerm[] = [];
  const fixed = new Set<string>();
  let at = 0;
  let once = rows;
  let many = 0;
  let free = 0;
  for (; at < index.columns.length; at++) {
    const terms = termsOn(index.columns[at]);
    const equal = terms.find(({ kind }) => kind === 'equal');
    const term = equal ?? terms.find(({ kind }) => kind === 'in');
    if (term === undefined) break;
    used.push(term);
    once = at === index.columns.length - 1 ? 0 : (INDEX_ROWS[at] ?? 23);
    if (term.nulls) once += 10;
    if (equal === undefined) many += valuesOf([term]);
    else if (free === at) {
      fixed.add(index.columns[at] as string);
      free = at + 1;
    }
  }
  const ranges = termsOn(index.columns[at]).filter(({ kind }) => kind === 'low' || kind === 'high');
  used.push(...ranges);
  if (ranges.length > 0)
    once = Math.min(once, ranged(at === 0 ? rows : once, new Set(ranges.map(({ kind }) => kind))));
  const covering = covers(relation, index);
  const unconstrained = used.length === 0;
  if (unconstrained && !sorts && !(covering && index.width < relation.width)) return undefined;
  const scan = once + 1 + Math.trunc((15 * logWidth(index.width)) / Math.max(1, logWidth(relation.width)));
  const seek = unconstrained ? scan : add(logOf(rows), scan);
  return {
    setup: 0,
    run: (covering ? seek : add(seek, once + 16)) + many,
    out: culled(table, Math.min(rows, once + many), used),
    columns: index.columns.slice(free),
    fixed,
    needs: needsOf(used),
    sortIndex: sorts ? place : 0,
  };
}

const logWidth = (width: number): number => logEst(width * 4);
