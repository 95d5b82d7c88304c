// IN with a SELECT (lang_expr.html section 10, datatype3.html section 4.2).
import { GatewayError } from '../../base/errors.ts';
import { compare } from '../operators/compare.ts';
import { computed } from '../operators/computed.ts';
import { groupKey } from '../operators/keys.ts';
import type { Template } from '../plan.ts';
import type { Expression } from '../resolve/tree.ts';
import { unknownBlock } from '../row-plan.ts';
import { join, sql, type Value } from '../value.ts';
import type { Emitter, Query } from './emitter.ts';
import { collationOf } from './order-key.ts';
import { columnValue } from './query-column.ts';
import { isRow } from './row.ts';
import type { Scope } from './scope.ts';

/** Compared by the engine's own equality: values of one kind, and no collation or affinity in between. */
function isPlain(x: Value, y: Value): boolean {
  if (x.kind !== y.kind || x.kind === 'null') return false;
  return x.kind !== 'text' || (noNumbers(x) && noNumbers(y) && collationOf(x) === 'binary');
}

export function inSelect(
  { not, operand, select }: Extract<Expression, { readonly type: 'in-select' }>,
  scope: Scope,
  emitter: Emitter,
): Value {
  const operands = isRow(operand) ? operand.items : [operand];
  const query = emitter.query(select, scope, unknownBlock('a subquery in an expression'));
  if (query.columns.length !== operands.length)
    throw new GatewayError(
      'statement-syntax',
      isRow(operand)
        ? 'row value misused'
        : `sub-select returns ${query.columns.length} columns - expected ${operands.length}`,
    );
  const values = operands.map((item) => emitter.expression(item, scope));
  return computed('boolean', sql`(${not ? 'NOT ' : ''}${found(values, query, emitter)})`);
}

function found(values: readonly Value[], query: Query, emitter: Emitter): Template {
  const alias = emitter.alias('s');
  const columns = query.columns.map((column, i) => columnValue(column, `${alias}.c${i}`));
  const [x] = values;
  const [y] = columns;
  if (values.length === 1 && x !== undefined && y !== undefined) {
    if (isPlain(x, y)) return sql`(${x.sql} IN (${query.render('any')}))`;
    if (x.kind === y.kind && x.kind === 'text' && noNumbers(x) && noNumbers(y)) {
      const collation = collationOf(x);
      return sql`(${groupKey(x, collation, emitter)} IN (SELECT ${groupKey(y, collation, emitter)} FROM (${query.render('any')}) AS ${alias}))`;
    }
  }
  // Three-valued: true if a row is equal, else NULL if a comparison is, else false; a row is compared in full.
  const test = join(
    values.map((value, i) => compare('=', value, columns[i] as Value, emitter).sql),
    ' AND ',
  );
  // As a column of its own: an aggregate of outer columns alone would be the outer SELECT's.
  const tests = emitter.alias('s');
  return sql`(SELECT CASE WHEN bool_or(${tests}.c) THEN TRUE WHEN bool_or(${tests}.c IS NULL) THEN NULL ELSE FALSE END FROM (SELECT (${test}) AS c FROM (${query.render('any')}) AS ${alias}) AS ${tests})`;
}

function noNumbers({ affinity }: Value): boolean {
  return affinity === 'text' || affinity === 'blob' || affinity === 'none';
}
