// Window calls: OVER, named windows, frames (windowfunctions.html).
import { GatewayError } from '../../base/errors.ts';
import { callWindow } from '../functions/window.ts';
import { NotNative } from '../not-native.ts';
import { truth } from '../operators/convert.ts';
import { groupKey } from '../operators/keys.ts';
import type { Template } from '../plan.ts';
import type { Call, Frame, FrameBound, Window } from '../resolve/tree.ts';
import { join, sql, type Value } from '../value.ts';
import type { Emitter } from './emitter.ts';
import {
  ascending,
  collationOf,
  isConstant,
  isSameKey,
  type OrderKey,
  orderKeys,
  orderList,
} from './order-key.ts';
import type { Scope, Windows } from './scope.ts';

/** Functions that look at rows, not at peers: ties may be ordered further, as SQLite's stable sort does. */
const ROW_FUNCTIONS: ReadonlySet<string> = new Set(['row_number', 'ntile', 'lag', 'lead']);

/** What they give depends on the place of each row among its peers. */
const PLACED: ReadonlySet<string> = new Set(
  'first_value last_value nth_value group_concat string_agg json_group_array json_group_object'.split(' '),
);

export function windowValue(name: string, node: Call, window: Window, scope: Scope, emitter: Emitter): Value {
  const { windows } = scope;
  if (windows === undefined)
    throw new GatewayError('statement-syntax', `misuse of window function ${node.name.text}()`);
  if (node.distinct)
    throw new GatewayError('statement-syntax', 'DISTINCT is not supported for window functions');
  // Window functions do not nest.
  const inner: Scope = { ...scope, windows: undefined };
  const args = node.args.map((arg) => emitter.expression(arg, inner));
  const filter =
    node.filter === undefined ? undefined : truth(emitter.expression(node.filter, inner), emitter);
  const partition = window.partitionBy
    .map((term) => emitter.expression(term, inner))
    .filter((value) => !isConstant(value));
  const order = window.orderBy.flatMap((term) =>
    orderKeys(emitter.expression(term.expression, inner), term, emitter),
  );
  const keys = [...partition.map((value) => ascending(value, emitter)), ...order];
  remember(keys, windows.seen);
  const rowFrame = firstOfAll(name, window.frame);
  const byRow = ROW_FUNCTIONS.has(name) || rowFrame !== undefined || window.frame?.unit === 'rows';
  const isPlaced = !byRow && PLACED.has(name);
  // Asked for only where it decides something, since a subquery numbers its rows for whoever asks.
  const rows = byRow || isPlaced ? scope.order() : [];
  const ties = byRow ? [...following(keys, windows.all), ...rows] : [];
  // Which of several rows in one place is the last, or comes first in a text, the engine decides anew each time.
  if (isPlaced && !hasOwnPlaces(order, rows, scope))
    throw new NotNative(`${name}() over rows that share their place`);
  const clauses: Template[] = [];
  if (partition.length > 0) {
    const groups = partition.map((value) => groupKey(value, collationOf(value), emitter));
    clauses.push(sql`PARTITION BY ${join(groups, ', ')}`);
  }
  if (order.length + ties.length > 0) clauses.push(sql`ORDER BY ${orderList([...order, ...ties])}`);
  if (rowFrame !== undefined) clauses.push([rowFrame]);
  else if (window.frame !== undefined) clauses.push(frame(window.frame, inner, emitter));
  return callWindow(
    name,
    args,
    { filter, over: join(clauses, ' '), ordered: window.orderBy.length > 0 },
    emitter.withoutLambdas(),
  );
}

/** The first row of a frame that begins with the first of all is the same, whichever rows share the place of the current one. */
function firstOfAll(name: string, frame: Frame | undefined): string | undefined {
  const { start, end, exclude } = frame ?? DEFAULT_FRAME;
  const reaches = end === undefined || end.type === 'current row' || end.type === 'unbounded following';
  return name === 'first_value' && start.type === 'unbounded preceding' && reaches && exclude === undefined
    ? 'ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW'
    : undefined;
}
const DEFAULT_FRAME: Frame = {
  unit: 'range',
  start: { type: 'unbounded preceding' },
  end: undefined,
  exclude: undefined,
};

/** Whether no two rows share a place: the order has the row's own key, which is the last of one relation's, or all of a group's. */
function hasOwnPlaces(
  order: readonly OrderKey[],
  rows: readonly OrderKey[],
  { relations, group }: Scope,
): boolean {
  const own = relations.length === 1 && group === undefined ? rows.slice(-1) : rows;
  return own.every(({ column }) => column !== undefined && order.some((key) => key.column === column));
}

const isSameOrder = (a: readonly OrderKey[], b: readonly OrderKey[]): boolean =>
  a.length === b.length && a.every((key, i) => isSameKey(key, b[i] as OrderKey));

function remember(keys: readonly OrderKey[], seen: Windows['seen']): void {
  if (keys.length > 0 && !seen.some((other) => isSameOrder(other, keys))) seen.push(keys);
}

/** The keys of the windows that SQLite sorts for before this one. */
function following(keys: readonly OrderKey[], all: Windows['all']): readonly OrderKey[] {
  const at = all.findIndex((other) => isSameOrder(other, keys));
  return all.slice(at + 1).flat();
}

function frame({ unit, start, end, exclude }: Frame, scope: Scope, emitter: Emitter): Template {
  const from = bound(start, scope, emitter);
  const to = bound(end ?? { type: 'current row' }, scope, emitter);
  const without = exclude === undefined ? '' : ` EXCLUDE ${exclude.toUpperCase()}`;
  return sql`${unit.toUpperCase()} BETWEEN ${from} AND ${to}${without}`;
}

function bound(at: FrameBound, scope: Scope, emitter: Emitter): Template {
  if (at.type !== 'preceding' && at.type !== 'following') return [at.type.toUpperCase()];
  return sql`${emitter.expression(at.offset, scope).sql} ${at.type.toUpperCase()}`;
}
