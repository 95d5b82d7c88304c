// Writes the SELECT of one level: columns, DISTINCT, ORDER BY, LIMIT. Rows come in SQLite's order where that
// is wanted: it scans by rowid, sorts stably, keeps the first of equal DISTINCT rows.
import { Backwards, NotNative } from '../not-native.ts';
import { groupKey } from '../operators/keys.ts';
import { hasUnsignedZero } from '../operators/known.ts';
import type { Template } from '../plan.ts';
import { columnOf, type ReadColumn } from '../read-column.ts';
import type { OrderTerm } from '../resolve/tree.ts';
import { join, sql, type Value } from '../value.ts';
import type { Emitter, Want } from './emitter.ts';
import { type Bounds, boundsClause } from './limit.ts';
import {
  collationOf,
  isConstant,
  isSameKey,
  type OrderKey,
  orderKeys,
  orderList,
  orderTerms,
} from './order-key.ts';
import { columnValue, isPlainKey, output, queryColumn, writtenColumn } from './query-column.ts';
import { type Tied, withoutTies } from './ties.ts';

export interface Key {
  readonly term: OrderTerm;
  readonly value: Value;
  /** The result column that it is, if it is one. */
  readonly place: number | undefined;
}

export interface Rows {
  readonly distinct: boolean;
  readonly values: readonly Value[];
  readonly keys: readonly Key[];
  /** Keys of the windows: without ORDER BY, rows come as the windows sorted them. */
  readonly windows: readonly OrderKey[];
  readonly bounds: Bounds;
  /** The limit of who wants the first row alone. */
  readonly first: () => Template;
  /** One row at most, whatever the data. */
  readonly single: boolean;
  readonly rows: {
    /** The engine gives the rows in SQLite's order by itself. */
    readonly natural: () => boolean;
    /** The column in whose order the engine gives the rows by itself. */
    readonly sortedBy: ReadColumn | undefined;
    /** @throws NotNative where it is not known */
    readonly order: () => readonly OrderKey[];
    /** The engine makes a join of them, in which a row has no neighbours. */
    readonly inRow: boolean;
    /** Sets of columns that no two rows share; asked for when all that is ordered by is known. */
    readonly unique: () => readonly (readonly ReadColumn[])[];
  };
  /** ` FROM ... WHERE ...` */
  readonly from: (want: Want) => Template;
}

interface Limited extends Rows {
  readonly limit: Template;
}

export function rowsSql(given: Rows, want: Want, emitter: Emitter): Template {
  const limit = boundsClause(given.bounds, emitter);
  const isFirst = want === 'first' && !emitter.engine.keepsOrder && limit.length > 0;
  const rows = { ...given, limit: isFirst ? given.first() : limit };
  const select =
    rows.distinct && !rows.single ? distinctRows(rows, want, emitter) : plainRows(rows, want, emitter);
  if (want !== 'first' || rows.single || isFirst) return select;
  if (rows.limit.length === 0) return sql`${select} LIMIT 1`;
  return sql`SELECT * FROM (${select}) AS ${emitter.alias('q')} LIMIT 1`;
}

function plainRows(rows: Limited, want: Want, emitter: Emitter): Template {
  const ordered = want !== 'any' || rows.limit.length > 0;
  const columns = rows.values.map((value, i) => sql`${writtenColumn(value, want, emitter)} AS c${i}`);
  const keys = ordered ? rowKeys(rows, want, emitter) : [];
  if (keys === 'tied') {
    const source = rows.from('any');
    return withoutTies({ columns, keys: tiedKeys(rows, emitter), source, bounds: rows.bounds }, emitter);
  }
  const order = orderTerms(keys);
  if (want === 'numbered') columns.push(sql`${numberOf(order)} AS o`);
  // Asked for after the order, which may make a subquery number its rows.
  const source = rows.from(ordered && order.length === 0 ? 'rows' : 'any');
  return sql`SELECT ${join(columns, ', ')}${source}${orderClause(order)}${rows.limit}`;
}

/** The place of a row in an order. */
export function numberOf(order: readonly Template[]): Template {
  return order.length === 0 ? ['1'] : sql`row_number() OVER (ORDER BY ${join(order, ', ')})`;
}

/** Or that the order of rows which are equal by ORDER BY is not known. */
function rowKeys(rows: Rows, want: Want, emitter: Emitter): readonly OrderKey[] | 'tied' {
  const { keepsOrder } = emitter.engine;
  if (rows.single || (keepsOrder && isSorted(rows))) return [];
  // Within the same SELECT a column is named by what it is made of, and as the lane reads it, it is another one.
  const isNamed = want !== 'numbered' && (want !== 'result' || keepsOrder);
  const keys = rows.keys.flatMap((key) =>
    orderKeys(isNamed ? short(key, emitter) : key.value, key.term, emitter),
  );
  if (keys.length > 0) {
    if (isSaidByKeys(rows, emitter) || isUnique(rows, keys)) return eachOnce(keys);
    try {
      // SQLite sorts what the windows give, in which rows are as they sorted them.
      return eachOnce([...keys, ...rows.windows, ...rows.rows.order()]);
    } catch (error) {
      const isOpen = error instanceof NotNative && !(error instanceof Backwards);
      if (!isOpen || !keepsOrder || rows.rows.inRow) throw error;
      return 'tied';
    }
  }
  if (rows.windows.length > 0) return eachOnce([...rows.windows, ...rows.rows.order()]);
  return keepsOrder && rows.rows.natural() ? [] : rows.rows.order();
}

/** Rows that are equal by ORDER BY are the same in all columns: nobody can tell their order. */
function isSaidByKeys({ values, keys }: Rows, emitter: Emitter): boolean {
  return values.every(
    (value, i) =>
      isConstant(value) ||
      keys.some(
        (key) =>
          (key.place === i || (columnOf(value) !== undefined && columnOf(key.value) === columnOf(value))) &&
          isSaidBySelf(key.value, emitter),
      ),
  );
}

/** Whether values that are equal in ORDER BY are the same. */
function isSaidBySelf(value: Value, emitter: Emitter): boolean {
  if (value.kind === 'number') return false;
  return value.kind === 'real' ? hasUnsignedZero(value, emitter) : isPlainKey(value, emitter);
}

/** Each with the result column that holds what rows are compared by. */
function tiedKeys({ keys }: Rows, emitter: Emitter): Tied['keys'] {
  return keys.flatMap((key) => {
    const { place, value, term } = key;
    const isColumn =
      value.kind !== 'number' &&
      value.kind !== 'boolean' &&
      isPlainKey(value, emitter) &&
      place !== undefined;
    return orderKeys(short(key, emitter), term, emitter).map((order) => ({
      key: order,
      place: isColumn ? place : undefined,
    }));
  });
}

/** A key that stood before decides nothing more. */
function eachOnce(keys: readonly OrderKey[]): readonly OrderKey[] {
  return keys.filter((key, i) => keys.findIndex((other) => isSameKey(other, key)) === i);
}

/** No two rows are equal by them. */
function isUnique({ rows }: Rows, keys: readonly OrderKey[]): boolean {
  return rows.unique().some((set) => set.every((column) => keys.some((key) => key.column === column)));
}

/** Rows lie in the order of their rowids: asked for in this order, the engine need not read on behind a LIMIT. */
function isSorted({ keys, windows, rows }: Rows): boolean {
  const [first] = keys;
  return (
    first !== undefined &&
    rows.sortedBy !== undefined &&
    windows.length === 0 &&
    !first.term.descending &&
    columnOf(first.value) === rows.sortedBy
  );
}

/** A long result column is named instead of written again, where it is its own key. */
function short({ place, value }: Key, emitter: Emitter): Value {
  if (place === undefined || value.simple || value.kind === 'boolean') return value;
  const named: Value = { ...value, sql: [`c${place}`] };
  return isPlainKey(named, emitter) ? named : value;
}

function orderClause(keys: readonly Template[]): Template {
  return keys.length === 0 ? [] : sql` ORDER BY ${join(keys, ', ')}`;
}

/**
 * DISTINCT: NULLs are equal, texts by their collation, 1 and 1.0 are the same; of equal rows the first one
 * stays, at its place (lang_select.html section 2.6).
 */
function distinctRows(rows: Limited, want: Want, emitter: Emitter): Template {
  const ordered = want !== 'any' || rows.limit.length > 0;
  const values = rows.values.map((value) => output(value, emitter));
  const plain = values.every((value) => isPlainKey(value, emitter));
  if (!ordered && plain) {
    const columns = values.map((value, i) => sql`${value.sql} AS c${i}`);
    return sql`SELECT DISTINCT ${join(columns, ', ')}${rows.from('any')}`;
  }
  const inner = emitter.alias('d');
  const outer = emitter.alias('d');
  const place = rowNumber(rows, emitter);
  const sorts = rows.keys.map((key, i) => (key.place === undefined ? sql`, ${key.value.sql} AS s${i}` : []));
  const base = sql`SELECT ${join(
    values.map((value, i) => sql`${value.sql} AS c${i}`),
    ', ',
  )}${sorts.flat()}, ${place} AS o${rows.from('any')}`;

  const at = values.map((value, i) => columnValue(queryColumn(value, emitter), `${inner}.c${i}`));
  const keys = at.map((value) => groupKey(value, collationOf(value), emitter));
  const picked = at.map((value, i) =>
    isPlainKey(value, emitter)
      ? sql`${value.sql} AS c${i}`
      : sql`${emitter.engine.firstBy(value.sql, `${inner}.o`)} AS c${i}`,
  );
  const pickedSorts = rows.keys.map((key, i) =>
    key.place === undefined
      ? sql`, ${emitter.engine.firstBy([`${inner}.s${i}`], `${inner}.o`)} AS s${i}`
      : [],
  );
  const dedupe = sql`SELECT ${join(picked, ', ')}${pickedSorts.flat()}, min(${inner}.o) AS o FROM (${base}) AS ${inner} GROUP BY ${join(keys, ', ')}`;

  const keysOutside = rows.keys.flatMap((key, i) =>
    orderKeys(
      { ...key.value, sql: [key.place === undefined ? `${outer}.s${i}` : `${outer}.c${key.place}`] },
      key.term,
      emitter,
    ),
  );
  const order = [...orderTerms(keysOutside), [`${outer}.o`]];
  const columns = values.map((value, i) =>
    renamed(columnValue(queryColumn(value, emitter), `${outer}.c${i}`), i, want, emitter),
  );
  if (want === 'numbered') columns.push(sql`${numberOf(order)} AS o`);
  return sql`SELECT ${join(columns, ', ')} FROM (${dedupe}) AS ${outer}${orderClause(order)}${rows.limit}`;
}

/** A column of what is selected from, of the same name. */
export function renamed(value: Value, index: number, want: Want, emitter: Emitter): Template {
  const text = writtenColumn(value, want, emitter);
  return emitter.engine.keepsOrder ? text : sql`${text} AS c${index}`;
}

/** A number that grows in the order of the rows. */
function rowNumber(rows: Rows, { engine }: Emitter): Template {
  const order = rows.windows.length > 0 ? [...rows.windows, ...rows.rows.order()] : rows.rows.order();
  const [only] = order;
  if (only === undefined) return ['0'];
  // A rowid counts the rows by itself.
  const isRowid = engine.keepsOrder
    ? rows.rows.natural()
    : only.direction === undefined && isUnique(rows, order);
  if (order.length === 1 && isRowid && rows.windows.length === 0) return only.by;
  return sql`row_number() OVER (ORDER BY ${orderList(order)})`;
}
