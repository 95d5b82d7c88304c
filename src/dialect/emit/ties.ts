// ORDER BY where it is not known in which order SQLite gives the rows that are equal by it. Each row is compared with its
// neighbours: where none is equal to another, the order is that of ORDER BY, and else the statement ends with an error.
import { TIED } from '../not-native.ts';
import type { Template } from '../plan.ts';
import { join, sql } from '../value.ts';
import type { Emitter } from './emitter.ts';
import { type Bounds, boundsClause } from './limit.ts';
import { type OrderKey, orderList } from './order-key.ts';

export interface Tied {
  /** The columns of the result, each `... AS cN`. */
  readonly columns: readonly Template[];
  /** In their order, and the result column that holds each, where one does. */
  readonly keys: readonly { readonly key: OrderKey; readonly place: number | undefined }[];
  /** ` FROM ... WHERE ...` */
  readonly source: Template;
  readonly bounds: Bounds;
}

export function withoutTies({ columns, keys, source, bounds }: Tied, emitter: Emitter): Template {
  const { engine } = emitter;
  const [sorted, compared] = [emitter.alias('d'), emitter.alias('d')];
  const own = keys.flatMap(({ key, place }, i) => (place === undefined ? [sql`${key.by} AS s${i}`] : []));
  const order = orderList(keys.map(({ key }) => key));
  const rows = sql`SELECT ${join([...columns, ...own], ', ')}${source} ORDER BY ${order}${firstRows(bounds)}`;
  const names = keys.map(({ place }, i) => (place === undefined ? `s${i}` : `c${place}`));
  const equalTo = (neighbour: 'lead' | 'lag'): Template => {
    const same = names.map((name) => sql`${name} IS NOT DISTINCT FROM ${neighbour}(${name}) OVER ()`);
    // NULL where there is none: a key that is NULL, too, would be equal to that.
    return sql`(${neighbour}(TRUE) OVER () AND ${join(same, ' AND ')})`;
  };
  const { skipped } = bounds;
  // Of one that LIMIT leaves out the row before it knows; of one that OFFSET leaves out the row behind it.
  const tied =
    skipped === undefined
      ? equalTo('lead')
      : sql`(row_number() OVER () > ${skipped} AND (${equalTo('lead')} OR ${equalTo('lag')}))`;
  const all = sql`SELECT *, ${tied} AS t FROM (${rows}) AS ${sorted}`;
  const shown = join(
    columns.map((_, i) => [`c${i}`]),
    ', ',
  );
  emitter.late = true;
  return sql`SELECT ${shown} FROM (${all}) AS ${compared} WHERE CASE WHEN t THEN ${engine.failing('BOOLEAN', TIED)} ELSE TRUE END${boundsClause(bounds, emitter)}`;
}

/** And one more, which the last may be equal to. */
function firstRows({ rows, skipped }: Bounds): Template {
  if (rows === undefined) return [];
  return sql` LIMIT (${rows}${skipped === undefined ? [] : sql` + ${skipped}`} + 1)`;
}
