// The ways in which SQLite can go through one table, and what it thinks each costs (where.c; logarithms: 10 is
// twice as much): by rowid, by a unique index, by an index made for the join, by the branches of an OR.
import type { Template } from '../plan.ts';
import { sql } from '../value.ts';
import type { LoopChoice, LoopTerm } from './loop-terms.ts';
import type { Relation } from './scope.ts';

export interface Loop {
  readonly setup: number;
  readonly run: number;
  readonly out: number;
  readonly columns: readonly string[];
  /** Columns that have one value within the loop. */
  readonly fixed: ReadonlySet<string>;
  /** Of an OR, whose branches come one after the other: which one, and the place within each. */
  readonly branches?: readonly Template[];
}
/** What the conditions say. */
export interface LoopInput {
  readonly terms: readonly LoopTerm[];
  readonly choices: readonly LoopChoice[];
  /** BOOLEAN SQL of a branch of a choice. */
  readonly branchSql: (branch: LoopChoice['branches'][number]) => Template;
}

/** where.c: a table without statistics has 2^20 rows. */
const TABLE_ROWS = 200;
/** sqlite3DefaultRowEst: rows for equality on the first columns of an index. */
const INDEX_ROWS = [33, 32, 30, 28, 26, 23];

export const add = (a: number, b: number): number =>
  Math.abs(a - b) > 300 ? Math.max(a, b) : 10 * Math.log2(2 ** (a / 10) + 2 ** (b / 10));
export const logOf = (rows: number): number => (rows <= 10 ? 0 : 10 * Math.log2(rows) - 33);

/** The ways to go through a table, once the rows of some others are known. */
export function loops(
  relation: Relation,
  { terms, choices, branchSql }: LoopInput,
  placed: ReadonlySet<Relation>,
  sorts: boolean,
): readonly Loop[] {
  const isUsable = (term: LoopTerm): boolean =>
    term.relation === relation && [...term.needs].every((needed) => placed.has(needed));
  const usable = terms.filter(isUsable);
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
  for (const choice of choices) {
    if (choice.relation !== relation) continue;
    const loop = branchedLoop(choice, isUsable, rows, branchSql);
    if (loop !== undefined) found.push(loop);
  }
  return found;
}

/** whereLoopAddOr: every branch by an index or the rowid, one after the other, each row once. */
function branchedLoop(
  { relation, branches }: LoopChoice,
  isUsable: (term: LoopTerm) => boolean,
  rows: number,
  branchSql: LoopInput['branchSql'],
): Loop | undefined {
  const parts: Loop[] = [];
  for (const { terms } of branches) {
    const usable = terms.filter(isUsable);
    const filtered = rows - Math.min(rows, usable.some(({ kind }) => kind === 'equal') ? 20 : usable.length);
    const rowid = relation.rowid?.value.sql.join('');
    const ofRowid = usable.filter(({ column }) => column === rowid);
    const ways = ofRowid.length > 0 ? [rowidLoop(ofRowid, rows)] : [];
    for (const index of relation.indexes) {
      const [first] = index.columns;
      if (!usable.some(({ column }) => column === first)) continue;
      const way = indexLoop(relation, index, usable, rows, filtered, false);
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
    out: Math.min(rows, parts.map(({ out }) => out).reduce(add)),
    columns: [],
    fixed: new Set(),
    branches: [
      sql`CASE${which} END`,
      ...parts.flatMap(({ columns }, i) =>
        columns.map((column) => sql`CASE WHEN ${conditions[i] as Template} THEN ${column} END`),
      ),
    ],
  };
}

function rowidLoop(terms: readonly LoopTerm[], rows: number): Loop {
  const kinds = new Set(terms.map(({ kind }) => kind));
  const out = kinds.has('equal') ? 0 : kinds.has('in') ? valuesOf(terms) : ranged(rows, kinds);
  return { setup: 0, run: add(logOf(rows), out + 16), out, columns: [], fixed: new Set() };
}

const valuesOf = (terms: readonly LoopTerm[]): number => Math.min(...terms.map(({ values }) => values ?? 46));

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
  const termsOn = (column: string | undefined): readonly LoopTerm[] =>
    usable.filter((term) => term.column === column);
  const kindsOf = (column: string | undefined): ReadonlySet<string> =>
    new Set(termsOn(column).map(({ kind }) => kind));
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
    } else if (!kinds.has('equal')) many += valuesOf(termsOn(index.columns[at]));
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
