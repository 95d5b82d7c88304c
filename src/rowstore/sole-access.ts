// Statements of one table whose rows SQLite can find in one way alone: how many it visits is known without its plan.
import type { RowStatement } from '../dialect/row-statement.ts';
import type { Term } from '../dialect/sole-table.ts';
import type { Access } from './access.ts';
import type { Catalogue } from './catalogue.ts';
import type { KeyRange } from './key-range.ts';
import type { Same } from './sizes.ts';

export interface SoleOptions {
  /** More rows visited, and SQLite's plan is worth its time. */
  readonly most: number;
  /** Rows of a table that may be read to get ready for a statement. */
  readonly readRows: number;
}

/** Longer lists are compared with the costs of a scan. */
const MOST_VALUES = 100;
/** Other names of the rowid. */
const ROWIDS: readonly string[] = ['rowid', '_rowid_', 'oid'];

/**
 * SQLite has no statistics of the tables, so its choice between a scan, the rowid and the only index depends on WHERE
 * alone: equalities before ranges, ranges before a scan (optoverview.html).
 * @returns undefined where it has another choice, or its plan may bound the rows better
 */
export function soleAccess(
  { template, references, sole, page, calls, expanding, columns, lists }: RowStatement,
  catalogue: Catalogue,
  same: Same,
  { most, readRows }: SoleOptions,
): Access | undefined {
  const [table] = references;
  // The first row alone may be looked at for max(), and a page in stored order: the plan says so.
  if (sole === undefined || table === undefined || page !== undefined || calls + expanding > 0)
    return undefined;
  if (sole.divides || ROWIDS.some((name) => columns.has(name))) return undefined;
  const rows = catalogue.tables.get(table)?.rows ?? 0;
  const indexes = catalogue.indexes(table);
  const ofKey = sole.terms.filter(({ column }) => catalogue.isRowid(table, column));
  const access = (visits: number, inKeyOrder: boolean, range?: KeyRange): Access | undefined => {
    if (range === undefined && visits > most) return undefined;
    const isSorted = inKeyOrder && isByKey(sole.order, (column) => catalogue.isRowid(table, column));
    return { template, visits, inOrder: false, sorts: !isSorted, range };
  };
  if (ofKey.length > 0) {
    if (indexes.length > 0) return undefined;
    const [first] = ofKey;
    if (ofKey.length === 1 && first?.bounds === 'equal')
      return first.values > MOST_VALUES ? undefined : access(Math.min(rows, first.values), true);
    const range = sole.exact ? rangeOf(ofKey) : undefined;
    if (range !== undefined) return access(rows, true, range);
    return ofKey.length === 1 ? access(rows, true) : undefined;
  }
  if (indexes.length > 0) {
    const [lead, ...more] = indexes;
    if (lead === undefined || more.length > 0) return undefined;
    // Each value of one list is looked for with each of the other.
    if (lists > 1 && catalogue.isCompound(table)) return undefined;
    const found = sole.terms.filter(({ column, bounds }) => column === lead && bounds === 'equal');
    const [equal] = found;
    if (equal === undefined || found.length > 1 || equal.values > MOST_VALUES || rows > readRows)
      return undefined;
    const each = same(table, [lead]);
    return each === undefined ? undefined : access(Math.min(rows, each * equal.values), false);
  }
  // A look-up of our own may help.
  if (sole.terms.some(({ bounds }) => bounds === 'equal')) return undefined;
  return access(rows, true);
}

/**
 * Of several literals on one side SQLite takes that of the first comparison, but those of BETWEEN, of which the last one
 * counts, before any. That holds where all of WHERE is of columns beside literals; the test asks its programs.
 */
function rangeOf(terms: readonly Term[]): KeyRange | undefined {
  const first = endOf(terms, 'from');
  const last = endOf(terms, 'to');
  if (first?.literal === undefined || last?.literal === undefined) return undefined;
  if (terms.some(({ bounds }) => bounds === 'equal')) return undefined;
  return { first: { literal: first.literal }, last: { literal: last.literal } };
}

function endOf(terms: readonly Term[], side: 'from' | 'to'): Term | undefined {
  const ends = terms.filter(({ bounds }) => bounds === side);
  return ends.findLast(({ paired }) => paired) ?? ends[0];
}

function isByKey(order: readonly string[] | undefined, isKey: (column: string) => boolean): boolean {
  return order !== undefined && (order.length === 0 || isKey(order[0] as string));
}
