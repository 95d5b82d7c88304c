// Function calls: scalar, aggregate or window, with what stands around them (lang_aggfunc.html,
// windowfunctions.html). What each function does is in ../functions.
import { GatewayError } from '../../base/errors.ts';
import type { AggregateCall } from '../context.ts';
import { callAggregate, isAggregate } from '../functions/aggregate.ts';
import { callScalar } from '../functions/scalar.ts';
import { NotNative } from '../not-native.ts';
import { truth } from '../operators/convert.ts';
import type { Template } from '../plan.ts';
import { nameKey } from '../resolve/name.ts';
import type { Call } from '../resolve/tree.ts';
import { columnsIn } from '../resolve/walk.ts';
import type { Value } from '../value.ts';
import type { Emitter } from './emitter.ts';
import { orderKeys, orderTerms } from './order-key.ts';
import { columnAmong, type Group, readColumn, type Scope } from './scope.ts';
import { windowValue } from './window.ts';

export function call(node: Call, scope: Scope, emitter: Emitter): Value {
  const name = nameKey(node.name.text);
  if (node.over !== undefined) return windowValue(name, node, node.over, scope, emitter);
  if (isAggregate(name, node.args.length)) return aggregate(name, node, scope, emitter);
  if (node.filter !== undefined)
    throw misuse(`FILTER may not be used with non-aggregate ${node.name.text}()`);
  if (node.orderBy.length > 0)
    throw misuse(`ORDER BY may not be used with non-aggregate ${node.name.text}()`);
  // SQLite pays no heed to DISTINCT here.
  const args = node.args.map((arg) => emitter.expression(arg, scope));
  return callScalar(name, args, emitter);
}

export function now(part: string, emitter: Emitter): Value {
  return callScalar(part, [], emitter);
}

function aggregate(name: string, node: Call, scope: Scope, emitter: Emitter): Value {
  const group = scope.group ?? outerGroup(node, scope);
  if (group === undefined) throw misuse(`misuse of aggregate function ${node.name.text}()`);
  checkHome(node, group.base);
  const args = node.args.map((arg) => emitter.expression(arg, group.base));
  const filter =
    node.filter === undefined ? undefined : truth(emitter.expression(node.filter, group.base), emitter);
  const around = aggregateCall(node, filter, group, emitter);
  // A call has no collation but an explicit one of its arguments (expr.c, sqlite3ExprCollSeq).
  const explicit = args.find((arg) => arg.collation?.explicit)?.collation;
  const value: Value = {
    ...callAggregate(name, args, around, emitter.withoutLambdas()),
    collation: explicit,
  };
  const [argument] = args;
  const isExtreme = (name === 'min' || name === 'max') && args.length === 1 && argument !== undefined;
  return group.aggregate(
    value,
    isExtreme ? { argument, descending: name === 'max', distinct: node.distinct, filter } : undefined,
  );
}

/** Rows come to an aggregate in the order of the scan, unless it has an ORDER BY of its own. */
function aggregateCall(
  node: Call,
  filter: Template | undefined,
  { base, grouped }: Group,
  emitter: Emitter,
): AggregateCall {
  const own = node.orderBy.flatMap((term) =>
    orderKeys(emitter.expression(term.expression, base), term, emitter),
  );
  return {
    grouped,
    distinct: node.distinct,
    filter,
    // Asked for by functions that depend on it only: a subquery's rows are numbered for it.
    get orderBy() {
      return orderTerms([...own, ...base.order()]);
    },
  };
}

/** Where no aggregate may stand, one whose columns all belong to an outer SELECT is that SELECT's (resolve.c). */
function outerGroup(node: Call, scope: Scope): Group | undefined {
  const homes = columnsIn([...node.args, node.filter]).map(({ column }) => readColumn(scope, column).scope);
  const [home] = homes;
  return homes.every((other) => other === home) ? home?.group : undefined;
}

/** The same among the results of an inner SELECT, where it makes none of that one: so rare that it is refused. */
function checkHome(node: Call, base: Scope): void {
  let inner = 0;
  let outer = 0;
  for (const { column } of columnsIn([...node.args, node.filter])) {
    if (columnAmong(base.relations, column) === undefined) outer++;
    else inner++;
  }
  if (outer > 0 && inner === 0) throw new NotNative('aggregate of an outer SELECT');
}

function misuse(message: string): GatewayError {
  return new GatewayError('statement-syntax', message);
}
